// What is drawn of a map with many cells, apart from any screen: which pixels, which cells, which colour is full.
import { scaleOf, type Scale } from "./colour";
import type { Rows } from "./trace";
import type { Drawable } from "./words";

const kOverview = 500; // rows and columns of an overview that is made here

export interface BigMap {
  rows: number;
  columns: number;
  overview: Rows; // the largest of each block, so that nothing vanishes
  block: string; // what one cell of the overview stands for
  exact: "all" | "top"; // what is drawn zoomed in
  // Cells of a row between two columns that are drawn zoomed in.
  cells(row: number, from: number, to: number, draw: (column: number, weight: number) => void): void;
  weight(row: number, column: number): number | null; // null: not kept
  full: number; // the weight that gets the full colour
}

function blockMax(weights: Rows, rows: number, columns: number): Rows {
  const [down, across] = [Math.ceil(rows / kOverview), Math.ceil(columns / kOverview)];
  if (down === 1 && across === 1) return weights;
  const result = Array.from({ length: Math.ceil(rows / down) }, () =>
    new Array<number>(Math.ceil(columns / across)).fill(0),
  );
  weights.forEach((row, q) => {
    const to = result[Math.floor(q / down)]!;
    row.forEach((value, k) => {
      const at = Math.floor(k / across);
      if (Math.abs(value ?? 0) > Math.abs(to[at]!)) to[at] = value ?? 0;
    });
  });
  return result;
}

// One cell in two hundred may be beyond the full colour: a single large weight must not bleach all others.
function fullColour(overview: Rows): number {
  const count = overview.length * (overview[0]?.length ?? 0);
  const every = Math.max(1, Math.floor(count / 20_000)); // enough to tell
  const values: number[] = [];
  let at = 0;
  for (const row of overview) for (const value of row) if (value && at++ % every === 0) values.push(Math.abs(value));
  values.sort((a, b) => a - b);
  return values[Math.floor(0.995 * (values.length - 1))] || 1;
}

export function bigMap(map: Drawable): BigMap {
  const { large } = map;
  if (!large) {
    const [rows, columns] = [map.queries.length, map.keys.length];
    const overview = blockMax(map.weights, rows, columns);
    return {
      rows,
      columns,
      overview,
      block: blockText(rows / overview.length, columns / (overview[0]?.length ?? 1)),
      exact: "all",
      cells: (row, from, to, draw) => {
        const values = map.weights[row] ?? [];
        for (let k = from; k < to; ++k) draw(k, values[k] ?? 0);
      },
      weight: (row, column) => map.weights[row]?.[column] ?? null,
      full: fullColour(overview),
    };
  }
  const { rows, columns, overview, top } = large;
  return {
    rows,
    columns,
    overview: overview.max,
    block: blockText(rows / overview.rows, columns / overview.columns),
    exact: "top",
    cells: (row, from, to, draw) => {
      for (const [key, weight] of top[row] ?? []) if (key >= from && key < to) draw(key, weight);
    },
    weight: (row, column) => top[row]?.find(([key]) => key === column)?.[1] ?? null,
    full: fullColour(overview.max),
  };
}

const blockText = (down: number, across: number) => `${Math.ceil(down)} × ${Math.ceil(across)}`;

export function picture(rows: Rows, scale: Scale): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.height = Math.max(1, rows.length);
  canvas.width = Math.max(1, rows[0]?.length ?? 1);
  const pen = canvas.getContext("2d");
  if (!pen) return canvas;
  const image = pen.createImageData(canvas.width, canvas.height);
  const dots = new Uint32Array(image.data.buffer);
  const { width } = canvas;
  rows.forEach((row, q) => {
    for (let k = 0; k < width; ++k) dots[q * width + k] = scale.dot(row[k] ?? 0);
  });
  pen.putImageData(image, 0, 0);
  return canvas;
}

export const bigScale = (map: BigMap, dark: boolean): Scale => scaleOf(dark, map.full);
