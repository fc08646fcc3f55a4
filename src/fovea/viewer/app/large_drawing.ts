// How the part of a large map that is on the screen is drawn: cells, labels where they fit, the chosen cell, the whole.
import { tickStep } from "d3-array";
import type { ZoomTransform } from "d3-zoom";
import type { BigMap } from "./big_map";
import type { Cell } from "./matrix";
import { clipped } from "./ui";
import type { Drawable } from "./words";

export const kLeft = 96;
export const kTop = 70;
const kMini = 104;
export const kExact = 2; // pixels a cell has when cells are drawn one by one
const kLabel = 12; // pixels a row needs for its label

export interface View {
  width: number;
  height: number;
  base: number; // pixels a cell has when all are seen
  transform: ZoomTransform;
}

export const cellSize = (view: View) => view.base * view.transform.k;

// Rows and columns on the screen.
function seenIn(map: BigMap, view: View) {
  const size = cellSize(view);
  const clamp = (value: number, most: number) => Math.max(0, Math.min(most, value));
  return {
    left: clamp(Math.floor(-view.transform.x / size), map.columns),
    right: clamp(Math.ceil((view.width - view.transform.x) / size), map.columns),
    top: clamp(Math.floor(-view.transform.y / size), map.rows),
    bottom: clamp(Math.ceil((view.height - view.transform.y) / size), map.rows),
  };
}

export interface Ink {
  text: string;
  accent: string;
  overview: HTMLCanvasElement;
  colour: (value: number) => string;
}

export function drawCells(pen: CanvasRenderingContext2D, map: BigMap, view: View, ink: Ink) {
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
    const seen = seenIn(map, view);
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

export function drawLabels(pen: CanvasRenderingContext2D, map: Drawable, big: BigMap, view: View, ink: Ink) {
  const size = cellSize(view);
  const seen = seenIn(big, view);
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

export function drawCursor(pen: CanvasRenderingContext2D, cell: Cell, view: View, ink: Ink) {
  const size = cellSize(view);
  const side = Math.max(size, 7);
  const [x, y] = [
    kLeft + view.transform.x + (cell.key + 0.5) * size,
    kTop + view.transform.y + (cell.query + 0.5) * size,
  ];
  if (x < kLeft || y < kTop) return;
  pen.strokeStyle = ink.accent;
  pen.lineWidth = 2;
  pen.strokeRect(x - side / 2, y - side / 2, side, side);
}

export function prepared(canvas: HTMLCanvasElement, width: number, height: number) {
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

export function drawMini(canvas: HTMLCanvasElement, map: BigMap, view: View, ink: Ink) {
  const ratio = map.rows / map.columns;
  const [width, height] = ratio > 1 ? [kMini / ratio, kMini] : [kMini, kMini * ratio];
  const pen = prepared(canvas, width, height);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  pen.drawImage(ink.overview, 0, 0, width, height);
  const seen = seenIn(map, view);
  pen.strokeStyle = ink.accent;
  pen.lineWidth = 2;
  const [x, y] = [(seen.left / map.columns) * width, (seen.top / map.rows) * height];
  const w = ((seen.right - seen.left) / map.columns) * width;
  const h = ((seen.bottom - seen.top) / map.rows) * height;
  pen.strokeRect(Math.min(x + 1, width - 5), Math.min(y + 1, height - 5), Math.max(4, w - 2), Math.max(4, h - 2));
}
