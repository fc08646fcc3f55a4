// A view as one SVG: its text as text, its drawings as drawings, its canvases as images, where they stand on the screen.

const kNamespace = "http://www.w3.org/2000/svg";
const kCopied = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-opacity",
  "stroke-dasharray",
  "opacity",
  "font-family",
  "font-size",
  "font-weight",
  "text-anchor",
  "paint-order",
  "image-rendering",
];

interface Origin {
  x: number;
  y: number;
}

function make(name: string, attributes: Record<string, string | number>): SVGElement {
  const element = document.createElementNS(kNamespace, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  return element;
}

const isClear = (colour: string) => colour === "transparent" || /^rgba\(.*, 0\)$/.test(colour);
const round = (value: number) => Math.round(100 * value) / 100;

// A drawing with the styles that the page's style sheet gives it.
function drawing(svg: SVGSVGElement, origin: Origin): SVGElement {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const [from, to] = [
    [svg, ...svg.querySelectorAll("*")],
    [copy, ...copy.querySelectorAll("*")],
  ];
  from.forEach((element, i) => {
    const style = getComputedStyle(element);
    const target = to[i]!;
    if (style.display === "none") target.setAttribute("display", "none");
    for (const name of kCopied) {
      const value = style.getPropertyValue(name);
      if (value) target.setAttribute(name, value);
    }
    for (const name of ["class", "style", "tabindex"]) target.removeAttribute(name);
    for (const name of target.getAttributeNames()) if (name.startsWith("data-")) target.removeAttribute(name);
  });
  const box = svg.getBoundingClientRect();
  const place = { x: box.left - origin.x, y: box.top - origin.y, width: box.width, height: box.height };
  for (const [name, value] of Object.entries(place)) copy.setAttribute(name, String(round(value)));
  copy.setAttribute("overflow", "visible");
  return copy;
}

const pen = document.createElement("canvas").getContext("2d");

function textAt(text: string, box: DOMRect, style: CSSStyleDeclaration, origin: Origin): SVGElement {
  let ascent = 0.78 * box.height;
  if (pen) {
    pen.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    ascent = pen.measureText(text).fontBoundingBoxAscent;
  }
  const element = make("text", {
    x: round(box.left - origin.x),
    y: round(box.top - origin.y + ascent),
    fill: style.color,
    "font-family": style.fontFamily,
    "font-size": style.fontSize,
    "font-weight": style.fontWeight,
    "xml:space": "preserve",
  });
  element.textContent = text;
  return element;
}

// The lines a text is broken into, each with its place.
function lines(node: Text): { text: string; box: DOMRect }[] {
  const found: { text: string; box: DOMRect }[] = [];
  const range = document.createRange();
  for (const word of node.data.matchAll(/\S+\s*/g)) {
    range.setStart(node, word.index!);
    range.setEnd(node, word.index! + word[0].length);
    const box = range.getClientRects()[0];
    if (!box || box.width === 0) continue;
    const last = found[found.length - 1];
    if (last && Math.abs(last.box.top - box.top) < 2) last.text += word[0];
    else found.push({ text: word[0], box });
  }
  return found;
}

function background(element: HTMLElement, style: CSSStyleDeclaration, origin: Origin, to: SVGElement) {
  const box = element.getBoundingClientRect();
  const line =
    style.borderTopStyle !== "none" && style.borderLeftStyle !== "none" ? parseFloat(style.borderTopWidth) : 0;
  const clear = isClear(style.backgroundColor);
  if ((clear && line === 0) || box.width === 0) return;
  to.append(
    make("rect", {
      x: round(box.left - origin.x + line / 2),
      y: round(box.top - origin.y + line / 2),
      width: round(Math.max(0, box.width - line)),
      height: round(Math.max(0, box.height - line)),
      rx: parseFloat(style.borderTopLeftRadius) || 0,
      fill: clear ? "none" : style.backgroundColor,
      stroke: line > 0 ? style.borderTopColor : "none",
      "stroke-width": line,
    }),
  );
}

function add(node: Node, origin: Origin, to: SVGElement) {
  if (node instanceof Text) {
    const parent = node.parentElement;
    if (!parent || parent.tagName === "OPTION") return;
    const style = getComputedStyle(parent);
    for (const { text, box } of lines(node)) to.append(textAt(text.trimEnd(), box, style, origin));
    return;
  }
  if (!(node instanceof Element)) return;
  const style = getComputedStyle(node);
  if (style.display === "none" || style.visibility === "hidden" || node.classList.contains("hidden")) return;
  if (node.hasAttribute("data-unsaved")) return;
  let target = to;
  if (Number(style.opacity) < 1) to.append((target = make("g", { opacity: style.opacity })));
  if (node instanceof SVGSVGElement) return void target.append(drawing(node, origin));
  const box = node.getBoundingClientRect();
  if (node instanceof HTMLElement) background(node, style, origin, target);
  if (node instanceof HTMLCanvasElement) {
    if (node.width === 0 || node.height === 0) return;
    const place = { x: round(box.left - origin.x), y: round(box.top - origin.y), width: box.width, height: box.height };
    const rendering = { "image-rendering": style.imageRendering };
    return void target.append(make("image", { ...place, ...rendering, href: node.toDataURL("image/png") }));
  }
  if (node instanceof HTMLSelectElement || (node instanceof HTMLInputElement && node.type === "text")) {
    const text = node instanceof HTMLSelectElement ? (node.selectedOptions[0]?.text ?? "") : node.value;
    const inner = new DOMRect(
      box.left + parseFloat(style.paddingLeft),
      box.top + (box.height - 1.2 * parseFloat(style.fontSize)) / 2,
    );
    return void target.append(textAt(text, inner, style, origin));
  }
  for (const child of node.childNodes) add(child, origin, target);
}

export function snapshot(root: HTMLElement): { svg: string; width: number; height: number } {
  const margin = 24;
  const box = root.getBoundingClientRect();
  const [width, height] = [Math.ceil(root.scrollWidth + 2 * margin), Math.ceil(root.scrollHeight + 2 * margin)];
  const svg = make("svg", { xmlns: kNamespace, width, height, viewBox: `0 0 ${width} ${height}` });
  const paper = getComputedStyle(document.body).backgroundColor;
  svg.append(make("rect", { width, height, fill: isClear(paper) ? "#ffffff" : paper }));
  add(root, { x: box.left - margin, y: box.top - margin }, svg);
  return { svg: new XMLSerializer().serializeToString(svg), width, height };
}

// Twice as many dots as on the screen, but no more than a browser can hold.
export async function asPng({ svg, width, height }: ReturnType<typeof snapshot>): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const factor = Math.min(2, 8000 / Math.max(width, height));
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [Math.round(width * factor), Math.round(height * factor)];
  canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) =>
    canvas.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new Error("The picture is too large for this browser."))),
      "image/png",
    ),
  );
}
