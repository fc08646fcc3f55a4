// Two sentences, one above the other, and lines between words that look at each other.
import { linkVertical } from "d3-shape";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Focus } from "./matrix";
import { percent, useWidth } from "./ui";
import type { Drawable } from "./words";

interface Line {
  query: number;
  key: number;
  weight: number;
  path: string;
}

const curve = linkVertical<unknown, { at: [number, number] }>()
  .source((one) => (one as { from: { at: [number, number] } }).from)
  .target((one) => (one as { to: { at: [number, number] } }).to)
  .x((end) => end.at[0])
  .y((end) => end.at[1]);

const kFaintest = 0.08; // of the largest; lighter lines only make the picture grey

export function Links(props: { map: Drawable; focus: Focus; onFocus: (focus: Focus) => void }) {
  const { map, focus, onFocus } = props;
  const [ref, width] = useWidth<HTMLDivElement>();
  const keys = useRef<(HTMLElement | null)[]>([]);
  const queries = useRef<(HTMLElement | null)[]>([]);
  const [lines, setLines] = useState<Line[]>([]);

  useLayoutEffect(() => {
    const box = ref.current?.getBoundingClientRect();
    if (!box) return;
    const found: Line[] = [];
    map.weights.forEach((row, query) =>
      row.forEach((weight, key) => {
        const [above, below] = [keys.current[key], queries.current[query]];
        if (!weight || !above || !below || weight < kFaintest) return;
        const [a, b] = [above.getBoundingClientRect(), below.getBoundingClientRect()];
        const from = { at: [a.left + a.width / 2 - box.left, a.bottom - box.top] };
        const to = { at: [b.left + b.width / 2 - box.left, b.top - box.top] };
        found.push({ query, key, weight, path: curve({ from, to }) ?? "" });
      }),
    );
    setLines(found);
  }, [map, width]);

  const chosen = (line: Line) =>
    (focus.query === undefined || focus.query === line.query) && (focus.key === undefined || focus.key === line.key);
  const idle = focus.query === undefined && focus.key === undefined;
  const tint = (query: number | undefined, key: number | undefined) => {
    const weight = query !== undefined && key !== undefined ? (map.weights[query]?.[key] ?? 0) : 0;
    return { "--tint": `${Math.round(100 * Math.min(1, weight))}%` } as Record<string, string>;
  };
  const looked = focus.query !== undefined ? map.weights[focus.query] : undefined;
  const said = looked
    ? `${map.queries[focus.query!]} looked at ` +
      looked
        .map((weight, key) => ({ weight: weight ?? 0, text: map.keys[key] }))
        .sort((a, b) => b.weight - a.weight)
        .slice(0, 3)
        .map(({ weight, text }) => `${text} ${percent(weight)}`)
        .join(", ")
    : "";
  return (
    <div ref={ref} class="links" onMouseLeave={() => onFocus({})}>
      <svg class="lines" aria-hidden="true">
        {lines.map((line) => (
          <path
            key={`${line.query}.${line.key}`}
            d={line.path}
            stroke-width={1 + 3.5 * line.weight}
            stroke-opacity={idle ? 0.12 + 0.5 * line.weight : chosen(line) ? 0.25 + 0.75 * line.weight : 0.04}
          />
        ))}
      </svg>
      <p class="sentence" aria-label="Source">
        {map.keys.map((text, k) => (
          <button
            key={k}
            type="button"
            ref={(element) => void (keys.current[k] = element)}
            class={`${focus.key === k ? "looked-from" : ""}`}
            style={focus.key === undefined ? tint(focus.query, k) : {}}
            onMouseEnter={() => onFocus({ key: k })}
            onFocus={() => onFocus({ key: k })}
            onBlur={() => onFocus({})}
          >
            {text}
          </button>
        ))}
      </p>
      <p class="sentence said" aria-label="Output">
        {map.queries.map((text, q) => (
          <button
            key={q}
            type="button"
            ref={(element) => void (queries.current[q] = element)}
            class={`${focus.query === q ? "looked-from" : ""}`}
            style={focus.query === undefined ? tint(q, focus.key) : {}}
            onMouseEnter={() => onFocus({ query: q })}
            onFocus={() => onFocus({ query: q })}
            onBlur={() => onFocus({})}
          >
            {text}
          </button>
        ))}
      </p>
      <p class="hidden" aria-live="polite">
        {said}
      </p>
    </div>
  );
}
