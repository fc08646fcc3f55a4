// A map of many cells on a canvas: the whole at a glance, and any part of it exactly.
// The wheel scrolls, with Ctrl it zooms; a drag moves; arrow keys move a cell, + and - zoom.
import { select } from "d3-selection";
import { zoom, zoomIdentity, type ZoomBehavior, type ZoomTransform } from "d3-zoom";
import { tickStep } from "d3-array";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { bigMap, type BigMap, bigScale, picture } from "./big_map";
import type { Cell } from "./matrix";
import { useTheme } from "./theme";
import { Button, clipped, percent, short, useWidth } from "./ui";
import type { Drawable } from "./words";

const kLeft = 96;
const kTop = 70;
const kMini = 104;
const kExact = 2; // pixels a cell has when cells are drawn one by one
const kLabel = 12; // pixels a row needs for its label

interface View {
  width: number;
  height: number;
  base: number; // pixels a cell has when all are seen
  transform: ZoomTransform;
}

const cellSize = (view: View) => view.base * view.transform.k;

// Rows and columns on the screen.
function window_of(map: BigMap, view: View) {
  const size = cellSize(view);
  const clamp = (value: number, most: number) => Math.max(0, Math.min(most, value));
  return {
    left: clamp(Math.floor(-view.transform.x / size), map.columns),
    right: clamp(Math.ceil((view.width - view.transform.x) / size), map.columns),
    top: clamp(Math.floor(-view.transform.y / size), map.rows),
    bottom: clamp(Math.ceil((view.height - view.transform.y) / size), map.rows),
  };
}

interface Ink {
  text: string;
  accent: string;
  overview: HTMLCanvasElement;
  colour: (value: number) => string;
}

function drawCells(pen: CanvasRenderingContext2D, map: BigMap, view: View, ink: Ink) {
  const { transform } = view;
  const size = cellSize(view);
  pen.save();
  pen.beginPath();
  pen.rect(kLeft, kTop, view.width, view.height);
  pen.clip();
  pen.translate(kLeft + transform.x, kTop + transform.y);
  pen.fillStyle = ink.colour(0);
  pen.fillRect(0, 0, map.columns * size, map.rows * size);
  if (size < kExact) {
    pen.imageSmoothingEnabled = false;
    pen.drawImage(ink.overview, 0, 0, map.columns * size, map.rows * size);
  } else {
    const seen = window_of(map, view);
    const gap = size > 8 ? 1 : 0;
    for (let row = seen.top; row < seen.bottom; ++row) {
      map.cells(row, seen.left, seen.right, (column, weight) => {
        pen.fillStyle = ink.colour(weight);
        pen.fillRect(column * size, row * size, size - gap, size - gap);
      });
    }
  }
  pen.restore();
}

function drawLabels(pen: CanvasRenderingContext2D, map: Drawable, big: BigMap, view: View, ink: Ink) {
  const size = cellSize(view);
  const seen = window_of(big, view);
  pen.fillStyle = ink.text;
  pen.font = "12px system-ui, sans-serif";
  pen.textBaseline = "middle";
  const named = size >= kLabel;
  // Where names do not fit, numbers of rows stand, well apart.
  const apart = named ? 1 : tickStep(0, (5 * kLabel) / size, 1);
  pen.textAlign = "right";
  for (let q = Math.ceil(seen.top / apart) * apart; q < seen.bottom; q += apart) {
    const text = named ? clipped(map.queries[q] ?? "", 12, kLeft - 14) : String(q);
    pen.fillText(text, kLeft - 8, kTop + view.transform.y + (q + 0.5) * size);
  }
  pen.textAlign = "left";
  for (let k = Math.ceil(seen.left / apart) * apart; k < seen.right; k += apart) {
    pen.save();
    pen.translate(kLeft + view.transform.x + (k + 0.5) * size, kTop - 8);
    pen.rotate(-Math.PI / 3);
    pen.fillText(named ? clipped(map.keys[k] ?? "", 12, kTop - 10) : String(k), 0, 0);
    pen.restore();
  }
}

function drawCursor(pen: CanvasRenderingContext2D, cell: Cell, view: View, ink: Ink) {
  const size = cellSize(view);
  const side = Math.max(size, 7);
  const [x, y] = [kLeft + view.transform.x + (cell.key + 0.5) * size, kTop + view.transform.y + (cell.query + 0.5) * size];
  if (x < kLeft || y < kTop) return;
  pen.strokeStyle = ink.accent;
  pen.lineWidth = 2;
  pen.strokeRect(x - side / 2, y - side / 2, side, side);
}

function prepared(canvas: HTMLCanvasElement, width: number, height: number) {
  const dots = window.devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * dots) || canvas.height !== Math.round(height * dots)) {
    canvas.width = Math.round(width * dots);
    canvas.height = Math.round(height * dots);
  }
  const pen = canvas.getContext("2d")!;
  pen.setTransform(dots, 0, 0, dots, 0, 0);
  pen.clearRect(0, 0, width, height);
  return pen;
}

function drawMini(canvas: HTMLCanvasElement, map: BigMap, view: View, ink: Ink) {
  const ratio = map.rows / map.columns;
  const [width, height] = ratio > 1 ? [kMini / ratio, kMini] : [kMini, kMini * ratio];
  const pen = prepared(canvas, width, height);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  pen.drawImage(ink.overview, 0, 0, width, height);
  const seen = window_of(map, view);
  pen.strokeStyle = ink.accent;
  pen.lineWidth = 2;
  const [x, y] = [(seen.left / map.columns) * width, (seen.top / map.rows) * height];
  const w = ((seen.right - seen.left) / map.columns) * width;
  const h = ((seen.bottom - seen.top) / map.rows) * height;
  pen.strokeRect(Math.min(x + 1, width - 5), Math.min(y + 1, height - 5), Math.max(4, w - 2), Math.max(4, h - 2));
}

export function LargeMap(props: { map: Drawable; label: string; selected?: Cell | null; onSelect?: (cell: Cell) => void }) {
  const { map, label, selected, onSelect } = props;
  const { dark } = useTheme();
  const [ref, width] = useWidth<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const mini = useRef<HTMLCanvasElement>(null);
  const behaviour = useRef<ZoomBehavior<HTMLCanvasElement, unknown> | null>(null);
  const [exact, setExact] = useState(false);
  const big = useMemo(() => bigMap(map), [map]);
  const scale = useMemo(() => bigScale(big, dark), [big, dark]);
  const overview = useMemo(() => picture(big.overview, scale), [big, scale]);
  const plot = Math.max(120, width - kLeft - 12);
  const tall = Math.min(Math.max(240, window.innerHeight - 260), plot * (big.rows / big.columns));
  const view = useRef<View>({ width: 0, height: 0, base: 1, transform: zoomIdentity });
  view.current = { ...view.current, width: plot, height: tall, base: Math.min(plot / big.columns, tall / big.rows) };

  const cursor = useRef<Cell | null>(null);
  cursor.current = selected ?? null;
  const frame = useRef(0);
  const draw = () => {
    cancelAnimationFrame(frame.current);
    frame.current = requestAnimationFrame(() => {
      if (!canvas.current || !mini.current) return;
      const style = getComputedStyle(canvas.current);
      const ink: Ink = {
        text: style.color,
        accent: style.getPropertyValue("--accent").trim() || "#4457c8",
        overview,
        colour: scale.css,
      };
      const pen = prepared(canvas.current, kLeft + plot + 12, kTop + tall);
      drawCells(pen, big, view.current, ink);
      drawLabels(pen, map, big, view.current, ink);
      if (cursor.current) drawCursor(pen, cursor.current, view.current, ink);
      drawMini(mini.current, big, view.current, ink);
      setExact(cellSize(view.current) >= kExact);
    });
  };

  useEffect(() => {
    const element = canvas.current;
    if (!element || width === 0) return;
    const deepest = Math.max(1, 40 / view.current.base); // a cell of 40 pixels
    const { base } = view.current;
    const zooming = zoom<HTMLCanvasElement, unknown>()
      .scaleExtent([1, deepest])
      .extent([[0, 0], [plot, tall]])
      .translateExtent([[0, 0], [Math.max(plot, big.columns * base), Math.max(tall, big.rows * base)]])
      .filter((event: Event) => event.type !== "wheel" || (event as WheelEvent).ctrlKey)
      .on("zoom", ({ transform }: { transform: ZoomTransform }) => {
        view.current.transform = transform;
        draw();
      });
    behaviour.current = zooming;
    const selection = select(element).call(zooming);
    const onWheel = (event: WheelEvent) => {
      if (event.ctrlKey || view.current.transform.k <= 1) return; // then the page scrolls
      event.preventDefault();
      const { k } = view.current.transform;
      zooming.translateBy(selection, -event.deltaX / k, -event.deltaY / k);
    };
    element.addEventListener("wheel", onWheel, { passive: false });
    return () => {
      selection.on(".zoom", null);
      element.removeEventListener("wheel", onWheel);
    };
  }, [big, width > 0, plot, tall]);
  useEffect(draw);

  const by = (factor: number) => canvas.current && behaviour.current?.scaleBy(select(canvas.current), factor);
  const home = () => canvas.current && behaviour.current?.transform(select(canvas.current), zoomIdentity);
  const show = (cell: Cell) => {
    const size = cellSize(view.current);
    const [x, y] = [view.current.transform.x + (cell.key + 0.5) * size, view.current.transform.y + (cell.query + 0.5) * size];
    if (x > 0 && x < plot && y > 0 && y < tall) return;
    if (canvas.current) behaviour.current?.translateTo(select(canvas.current), (cell.key + 0.5) * view.current.base, (cell.query + 0.5) * view.current.base);
  };
  const choose = (cell: Cell) => {
    if (cell.query < 0 || cell.key < 0 || cell.query >= big.rows || cell.key >= big.columns) return;
    onSelect?.(cell);
    show(cell);
  };
  const onClick = (event: MouseEvent) => {
    const size = cellSize(view.current);
    const box = canvas.current!.getBoundingClientRect();
    choose({
      key: Math.floor((event.clientX - box.left - kLeft - view.current.transform.x) / size),
      query: Math.floor((event.clientY - box.top - kTop - view.current.transform.y) / size),
    });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const { query, key } = selected ?? { query: 0, key: -1 };
    const moves: Record<string, () => void> = {
      ArrowLeft: () => choose({ query, key: key - 1 }),
      ArrowRight: () => choose({ query, key: key + 1 }),
      ArrowUp: () => choose({ query: query - 1, key }),
      ArrowDown: () => choose({ query: query + 1, key }),
      "+": () => by(1.6),
      "=": () => by(1.6),
      "-": () => by(1 / 1.6),
      "0": home,
    };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    move();
  };
  const onMini = (event: MouseEvent) => {
    const box = mini.current!.getBoundingClientRect();
    const { base } = view.current;
    if (!canvas.current || !behaviour.current) return;
    const selection = select(canvas.current);
    if (view.current.transform.k <= 1) behaviour.current.scaleTo(selection, kExact * 4 / base);
    behaviour.current.translateTo(
      selection,
      ((event.clientX - box.left) / box.width) * big.columns * base,
      ((event.clientY - box.top) / box.height) * big.rows * base,
    );
  };

  const told = exact
    ? big.exact === "top"
      ? "Exact: the 16 largest weights of each row"
      : "Exact: every weight"
    : big.block === "1 × 1"
      ? "Every weight"
      : `Overview: the largest weight of each ${big.block} cells`;
  const full = map.shares ? percent(big.full, big.full < 0.1 ? 1 : 0) : short(big.full);
  return (
    <div ref={ref} class="large-map">
      <div class="large-bar">
        <Button aria-label="Zoom in" onClick={() => by(1.6)}>+</Button>
        <Button aria-label="Zoom out" onClick={() => by(1 / 1.6)}>−</Button>
        <Button onClick={home}>Whole</Button>
        <span class="told" data-mode={exact ? "exact" : "overview"}>
          {told}; full colour from {full}. Ctrl and wheel zoom, a drag moves.
        </span>
        <canvas ref={mini} class="mini" aria-hidden="true" onClick={onMini} />
      </div>
      <canvas
        ref={canvas}
        class="large"
        role="application"
        tabIndex={0}
        aria-label={`${label}, ${big.rows} by ${big.columns}. Arrow keys move from cell to cell, plus and minus zoom.`}
        style={{ width: `${kLeft + plot + 12}px`, height: `${kTop + tall}px` }}
        onClick={onClick}
        onKeyDown={onKeyDown}
      />
    </div>
  );
}
