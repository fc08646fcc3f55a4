// One head as arcs: queries on the left, keys on the right, a line as strong as the weight.
import { linkHorizontal } from "d3-shape";
import { useState } from "preact/hooks";
import type { Focus } from "./matrix";
import { clipped, percent, textWidth, useWidth } from "./ui";
import type { Drawable } from "./words";

const kRow = 24;
const arc = linkHorizontal<{ source: [number, number]; target: [number, number] }, [number, number]>();

export function HeadArcs({ map }: { map: Drawable }) {
  const [ref, width] = useWidth<HTMLDivElement>();
  const [focus, setFocus] = useState<Focus>({});
  const room = Math.min(
    width * 0.34,
    Math.max(...[...map.queries, ...map.keys].map((text) => textWidth(text, 14))) + 16,
  );
  const wide = Math.min(width, 2 * room + 420);
  const y = (i: number) => (i + 0.5) * kRow;
  const rows = Math.max(map.queries.length, map.keys.length);
  const shown = (q: number, k: number) =>
    (focus.query === undefined || focus.query === q) && (focus.key === undefined || focus.key === k);
  const weightOf = (q: number | undefined, k: number | undefined) =>
    q === undefined || k === undefined ? null : (map.weights[q]?.[k] ?? 0);
  const side = (texts: string[], left: boolean) =>
    texts.map((text, i) => {
      const other = left ? weightOf(i, focus.key) : weightOf(focus.query, i);
      const mine = (left ? focus.query : focus.key) === i;
      const enter = () => setFocus(left ? { query: i } : { key: i });
      return (
        <g
          key={`${left}${i}`}
          class={`end${mine ? " strong" : ""}`}
          tabindex={0}
          role="button"
          aria-label={`${left ? "query" : "key"} ${text}`}
          onMouseEnter={enter}
          onFocus={enter}
          onBlur={() => setFocus({})}
        >
          <rect
            x={left ? 0 : wide - room}
            y={i * kRow + 1}
            width={room}
            height={kRow - 2}
            rx="4"
            fill-opacity={mine ? 0.14 : 0.5 * (other ?? 0)}
          />
          <text x={left ? room - 8 : wide - room + 8} y={y(i) + 5} text-anchor={left ? "end" : "start"}>
            {clipped(text, 14, room - 12)}
          </text>
          {other !== null && other >= 0.005 && (
            <text
              class="small-number"
              x={left ? room + 6 : wide - room - 6}
              y={y(i) + 4}
              text-anchor={left ? "start" : "end"}
            >
              {percent(other)}
            </text>
          )}
        </g>
      );
    });
  return (
    <div ref={ref} class="arcs" onMouseLeave={() => setFocus({})}>
      {width > 0 && (
        <svg width={wide} height={rows * kRow} role="group" aria-label="Arcs from queries to keys">
          <g class="lines">
            {map.weights.flatMap((row, q) =>
              row.map((weight, k) =>
                (weight ?? 0) >= 0.01 ? (
                  <path
                    key={`${q}.${k}`}
                    d={arc({ source: [room + 2, y(q)], target: [wide - room - 2, y(k)] }) ?? ""}
                    stroke-width={1 + 3 * weight!}
                    stroke-opacity={shown(q, k) ? 0.04 + 0.86 * weight! : 0}
                  />
                ) : null,
              ),
            )}
          </g>
          {side(map.queries, true)}
          {side(map.keys, false)}
        </svg>
      )}
    </div>
  );
}
