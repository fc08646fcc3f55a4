// Regions of a picture: the grid they form, where they lie, in words, and how much of a row's weight falls into a box.
import type { Box, Label } from "../trace";

export interface Grid {
  columns: number;
  rows: number;
}

const close = (a: number, b: number) => Math.abs(a - b) < 0.01;

// The grid whose cells the labels are, row by row; null if they are not one.
export function gridOf(labels: Label[]): Grid | null {
  const first = labels[0]?.box;
  if (!first) return null;
  const next = labels.findIndex(({ box }, i) => i > 0 && box !== undefined && !close(box[1], first[1]));
  const columns = next < 0 ? labels.length : next;
  const rows = labels.length / columns;
  if (!Number.isInteger(rows)) return null;
  const right = labels.every(({ box }, i) => {
    const [above, before] = [labels[i % columns]?.box, labels[i - (i % columns)]?.box];
    return box && above && before && close(box[0], above[0]) && close(box[1], before[1]);
  });
  return right ? { columns, rows } : null;
}

// "upper left", "middle": thirds each way.
export function placeOf(box: Box, { width, height }: { width: number; height: number }): string {
  const third = (at: number, of: number) => Math.min(2, Math.max(0, Math.floor((3 * at) / of)));
  const names = ["upper left", "top", "upper right", "left", "middle", "right", "lower left", "bottom", "lower right"];
  const [down, across] = [third((box[1] + box[3]) / 2, height), third((box[0] + box[2]) / 2, width)];
  return names[3 * down + across]!;
}

const area = (box: Box) => Math.max(0, box[2] - box[0]) * Math.max(0, box[3] - box[1]);
const common = (a: Box, b: Box): Box => [
  Math.max(a[0], b[0]),
  Math.max(a[1], b[1]),
  Math.min(a[2], b[2]),
  Math.min(a[3], b[3]),
];

// Of a row's weight, what lies in a box: a cell counts as far as it is inside.
export function shareIn(row: (number | null)[], cells: Label[], box: Box): number {
  return cells.reduce((sum, cell, k) => {
    const size = cell.box ? area(cell.box) : 0;
    return size > 0 ? sum + ((row[k] ?? 0) * area(common(cell.box!, box))) / size : sum;
  }, 0);
}

export function strongest(row: (number | null)[], count: number): number[] {
  return row
    .map((_, k) => k)
    .sort((a, b) => (row[b] ?? 0) - (row[a] ?? 0))
    .slice(0, count);
}

// For who cannot see it: where most of a row lies.
export function told(row: (number | null)[], cells: Label[], image: { width: number; height: number }): string {
  return strongest(row, 3)
    .filter((k) => cells[k]?.box && (row[k] ?? 0) > 0)
    .map((k) => `${placeOf(cells[k]!.box!, image)} ${(100 * (row[k] ?? 0)).toFixed(0)} %`)
    .join(", ");
}
