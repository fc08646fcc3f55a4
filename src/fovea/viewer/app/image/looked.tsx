// A picture with where a model looked laid over it: the rest of it goes dark, or weights are its colours.
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { type Scale, scaleOf } from "../colour";
import { useTheme } from "../theme";
import type { Box, Label, Trace } from "../trace";
import { percent, short } from "../ui";
import { type Grid, gridOf } from "./regions";

export type Picture = NonNullable<Trace["image"]>;
export const source = (image: Picture): string => `data:image/png;base64,${image.png}`;

const kDarkness = 0.78; // of what was not looked at
const kHue = 0.74; // of the scale, where blue and orange differ most on light and on dark
const kMostTold = 400; // cells that tell their number when pointed at
const kSmallPicture = 160; // pixels: below, each can be seen

// One pixel a cell; whoever draws it stretches it.
function overlay(grid: Grid, paint: (cell: number) => [number, number, number, number]): string {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [grid.columns, grid.rows];
  const pen = canvas.getContext("2d")!;
  const dots = pen.createImageData(grid.columns, grid.rows);
  for (let k = 0; k < grid.columns * grid.rows; ++k) dots.data.set(paint(k), 4 * k);
  pen.putImageData(dots, 0, 0);
  return canvas.toDataURL("image/png");
}

// Colour of a weight, the fainter the smaller, so that the picture is seen through it.
function tint(scale: Scale, value: number): [number, number, number, number] {
  const dot = scale.dot((value < 0 ? -kHue : kHue) * scale.largest);
  const alpha = Math.min(1, Math.abs(value) / (scale.largest || 1));
  return [dot & 255, (dot >> 8) & 255, (dot >> 16) & 255, Math.round(235 * alpha ** 0.8)];
}

export const at = (box: Box) => ({ x: box[0], y: box[1], width: box[2] - box[0], height: box[3] - box[1] });

// Outlines that can be seen on anything: white, with a dark line in it.
export function Outline({ box, class: name = "" }: { box: Box; class?: string }) {
  return (
    <g class={`outline ${name}`}>
      <rect class="under" {...at(box)} vector-effect="non-scaling-stroke" />
      <rect class="over" {...at(box)} vector-effect="non-scaling-stroke" />
    </g>
  );
}

function Truth({ boxes, image, named }: { boxes: Label[]; image: Picture; named: boolean }) {
  const size = image.height / 30;
  return (
    <g class="truth">
      {boxes.map(({ box, text }, i) =>
        box ? (
          <g key={i}>
            <Outline box={box} class="dashed" />
            {named && (
              <text
                x={Math.min(box[0], image.width - 0.5 * size * text.length)}
                y={box[1] > 1.4 * size ? box[1] - 0.35 * size : box[3] + 1.05 * size}
                font-size={size}
                stroke-width={0.3 * size}
              >
                {text}
              </text>
            )}
          </g>
        ) : null,
      )}
    </g>
  );
}

interface Props {
  image: Picture;
  label: string; // what it shows, for who cannot see it
  cells?: Label[];
  row?: (number | null)[];
  look?: "light" | "colour";
  signed?: boolean;
  largest?: number; // the weight that gets the full colour; the largest there is, if not given
  exact?: boolean; // cells as they are, not smoothed
  truth?: Label[];
  named?: boolean; // tell what the true boxes are
  onChoose?: (cell: number) => void;
  onPoint?: (cell: number | null) => void;
  children?: ComponentChildren;
}

export function Looked(props: Props) {
  const { image, label, cells = [], row = [], look = "light", signed = false, truth = [] } = props;
  const { dark } = useTheme();
  const grid = useMemo(() => gridOf(cells), [cells]);
  const largest = props.largest ?? Math.max(1e-12, ...row.map((value) => Math.abs(value ?? 0)));
  const scale = scaleOf(dark, largest);
  const shadow = (k: number) => kDarkness * (1 - Math.max(0, row[k] ?? 0) / largest);
  const paint = (k: number): [number, number, number, number] =>
    look === "light" ? [4, 8, 18, Math.round(255 * shadow(k))] : tint(scale, row[k] ?? 0);
  const href = useMemo(
    () => (grid && row.length === cells.length ? overlay(grid, paint) : ""),
    [grid, row, look, dark, largest],
  );
  const rendering = image.width < kSmallPicture ? "pixelated" : "auto";
  const value = (k: number) => (signed ? short(row[k]) : percent(row[k], 1));
  const box: Box = cells.reduce<Box>(
    (all, one) =>
      one.box
        ? [
            Math.min(all[0], one.box[0]),
            Math.min(all[1], one.box[1]),
            Math.max(all[2], one.box[2]),
            Math.max(all[3], one.box[3]),
          ]
        : all,
    [Infinity, Infinity, -Infinity, -Infinity],
  );
  return (
    <svg class="looked" viewBox={`0 0 ${image.width} ${image.height}`} role="img" aria-label={label}>
      <image
        href={source(image)}
        width={image.width}
        height={image.height}
        preserveAspectRatio="none"
        image-rendering={rendering}
      />
      {row.length > 0 && look === "colour" && <rect class="wash" width={image.width} height={image.height} />}
      {href && (
        <image
          class="weights-over"
          href={href}
          {...at(box)}
          preserveAspectRatio="none"
          image-rendering={props.exact ? "pixelated" : "auto"}
        />
      )}
      {!href &&
        row.length === cells.length &&
        cells.map((one, k) => {
          const [r, g, b, alpha] = paint(k);
          return one.box && <rect key={k} {...at(one.box)} fill={`rgb(${r} ${g} ${b})`} fill-opacity={alpha / 255} />;
        })}
      {truth.length > 0 && <Truth boxes={truth} image={image} named={props.named ?? true} />}
      {row.length === cells.length && cells.length <= kMostTold && (
        <g class="cells" onMouseLeave={() => props.onPoint?.(null)}>
          {cells.map((one, k) =>
            one.box ? (
              <rect
                key={k}
                class={`region${props.onChoose ? " choosable" : ""}`}
                {...at(one.box)}
                fill="none"
                pointer-events="all"
                data-weight={row[k]}
                onClick={() => props.onChoose?.(k)}
                onMouseEnter={() => props.onPoint?.(k)}
              >
                <title>{value(k)}</title>
              </rect>
            ) : null,
          )}
        </g>
      )}
      {props.children}
    </svg>
  );
}
