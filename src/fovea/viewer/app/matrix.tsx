// A map as a grid of cells with its words around it: for the mouse, the keyboard and a screen reader alike.
import { useLayoutEffect, useRef } from "preact/hooks";
import { largestOf, scaleOf } from "./colour";
import { useTheme } from "./theme";
import { clipped, percent, short, textWidth, useWidth } from "./ui";
import type { Drawable } from "./words";

export interface Cell {
  query: number;
  key: number;
}
export interface Focus {
  query?: number;
  key?: number;
}

// More cells than this are drawn on a canvas (large_map.tsx).
export const kMostCells = 3600;

const kFont = 13;
const kGap = 1.5;

interface Props {
  map: Drawable;
  label: string;
  selected?: Cell | null;
  onSelect?: (cell: Cell) => void;
  focus?: Focus;
  onFocus?: (focus: Focus) => void;
  largestCell?: number;
}

export function valueText(map: Drawable, query: number, key: number): string {
  const value = map.weights[query]?.[key];
  return map.shares ? percent(value, 1) : short(value);
}

// What stands in a cell: percent without the sign, or two digits.
const cellText = (map: Drawable, value: number | null): string =>
  map.shares ? String(Math.round(100 * (value ?? 0))) : short(value, 2).replace("0.", ".");

function layout(map: Drawable, width: number, largestCell: number) {
  const widest = (texts: string[]) => Math.max(10, ...texts.map((text) => textWidth(text, kFont)));
  // Room for the bold letters of the chosen one.
  const left = Math.min(1.08 * widest(map.queries), Math.max(70, width * 0.3)) + 14;
  const room = (width - left - 24) / Math.max(1, map.keys.length);
  const cell = Math.max(14, Math.min(largestCell, room));
  const keyWidth = Math.min(widest(map.keys), 130);
  const upright = keyWidth <= cell - 4;
  const top = upright ? 26 : keyWidth * 0.72 + 22;
  // A turned label leans over the columns to its right: the last one needs room there.
  const right = upright ? 4 : Math.min(keyWidth * 0.72, 90) + 4;
  return { left, top, cell, upright, keyWidth, right };
}

export function Matrix({ map, label, selected, onSelect, focus = {}, onFocus, largestCell = 52 }: Props) {
  const { dark } = useTheme();
  const [ref, width] = useWidth<HTMLDivElement>();
  const grid = useRef<SVGSVGElement>(null);
  const moved = useRef(false);
  const { left, top, cell, upright, keyWidth, right } = layout(map, width || 600, largestCell);
  const largest = largestOf(map.weights);
  const scale = scaleOf(dark, map.shares ? Math.max(largest, 0.02) : largest || 1);
  const [rows, columns] = [map.queries.length, map.keys.length];
  const at = selected && selected.query < rows && selected.key < columns ? selected : { query: 0, key: 0 };

  // Before the next key is read, so that fast ones do not lose the focus.
  useLayoutEffect(() => {
    if (!moved.current) return;
    moved.current = false;
    grid.current?.querySelector<SVGElement>('[tabindex="0"]')?.focus();
  }, [at.query, at.key]);

  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Record<string, Cell> = {
      ArrowLeft: { query: at.query, key: at.key - 1 },
      ArrowRight: { query: at.query, key: at.key + 1 },
      ArrowUp: { query: at.query - 1, key: at.key },
      ArrowDown: { query: at.query + 1, key: at.key },
      Home: { query: at.query, key: 0 },
      End: { query: at.query, key: columns - 1 },
      Enter: at,
      " ": at,
    };
    const next = steps[event.key];
    if (!next) return;
    event.preventDefault();
    event.stopPropagation();
    if (next.query < 0 || next.query >= rows || next.key < 0 || next.key >= columns) return;
    moved.current = true;
    onSelect?.(next);
  };

  // A word is looked at along its row or column; a cell along both.
  const dim = (query: number, key: number) =>
    (focus.query !== undefined || focus.key !== undefined) && focus.query !== query && focus.key !== key;
  const numbers = cell >= 30 && (map.shares || largest >= 0.1);
  // As wide as its largest cells make it, where there is room: what stands beside it comes close.
  const natural = left + columns * largestCell + right + 8;
  return (
    <div ref={ref} class="matrix" style={{ flexBasis: `${Math.ceil(natural)}px` }}>
      {width > 0 && (
        <svg
          ref={grid}
          role="grid"
          aria-label={label}
          aria-rowcount={rows}
          aria-colcount={columns}
          width={left + columns * cell + right}
          height={top + rows * cell + 4}
          onKeyDown={onKeyDown}
          onMouseLeave={() => onFocus?.({})}
        >
          <g class="labels" aria-hidden="true">
            {map.keys.map((text, k) => {
              const x = left + (k + 0.5) * cell;
              const turned = `translate(${x + 4} ${top - 8}) rotate(-45)`;
              return (
                <text
                  key={k}
                  class={focus.key === k || (selected && selected.key === k) ? "strong" : ""}
                  transform={upright ? `translate(${x} ${top - 9})` : turned}
                  text-anchor={upright ? "middle" : "start"}
                  onMouseEnter={() => onFocus?.({ key: k })}
                >
                  {clipped(text, kFont, keyWidth)}
                </text>
              );
            })}
            {map.queries.map((text, q) => (
              <text
                key={q}
                class={focus.query === q || (selected && selected.query === q) ? "strong" : ""}
                x={left - 10}
                y={top + (q + 0.5) * cell + 4.5}
                text-anchor="end"
                onMouseEnter={() => onFocus?.({ query: q })}
              >
                {clipped(text, kFont, left - 12)}
              </text>
            ))}
          </g>
          {map.queries.map((query, q) => (
            <g key={q} role="row" aria-rowindex={q + 1}>
              {map.keys.map((key, k) => {
                const value = map.weights[q]?.[k] ?? null;
                const chosen = selected?.query === q && selected.key === k;
                return (
                  <g
                    key={k}
                    role="gridcell"
                    aria-colindex={k + 1}
                    aria-selected={chosen}
                    aria-label={`${query} at ${key}: ${valueText(map, q, k)}`}
                    tabindex={onSelect ? (at.query === q && at.key === k ? 0 : -1) : undefined}
                    class={`cell${chosen ? " chosen" : ""}${dim(q, k) ? " dim" : ""}`}
                    onClick={() => onSelect?.({ query: q, key: k })}
                    onMouseEnter={() => onFocus?.({ query: q, key: k })}
                    data-weight={value}
                  >
                    <rect
                      x={left + k * cell + kGap / 2}
                      y={top + q * cell + kGap / 2}
                      width={cell - kGap}
                      height={cell - kGap}
                      rx={Math.min(4, cell / 6)}
                      fill={scale.css(value)}
                    />
                    {numbers && Math.abs(value ?? 0) >= 0.05 * scale.largest && (
                      <text
                        x={left + (k + 0.5) * cell}
                        y={top + (q + 0.5) * cell + 4}
                        text-anchor="middle"
                        class={scale.onDark(value) ? "on-dark" : "on-light"}
                      >
                        {cellText(map, value)}
                      </text>
                    )}
                  </g>
                );
              })}
            </g>
          ))}
        </svg>
      )}
    </div>
  );
}
