// An image that was looked at, with the weights of one row of a map laid over its regions.
import { axisOf, defaultHeads, type Trace } from "./trace";
import { percent } from "./ui";
import type { Drawable } from "./words";

export function Picture({ trace, map, query }: { trace: Trace; map: Drawable; query: number }) {
  const { image } = trace;
  const keys = axisOf(trace, defaultHeads(trace)[0]?.keys ?? "").labels;
  if (!image || keys.length !== map.keys.length || !keys.some((one) => one.box)) return null;
  const row = map.weights[query] ?? [];
  const largest = Math.max(...row.map((value) => value ?? 0), 1e-9);
  return (
    <figure class="picture">
      <svg
        viewBox={`0 0 ${image.width} ${image.height}`}
        role="img"
        aria-label={`Where '${map.queries[query]}' looked`}
      >
        <image href={`data:image/png;base64,${image.png}`} width={image.width} height={image.height} />
        {keys.map(({ box }, k) =>
          box ? (
            <rect
              key={k}
              class="region"
              x={box[0]}
              y={box[1]}
              width={box[2] - box[0]}
              height={box[3] - box[1]}
              fill-opacity={(0.75 * (row[k] ?? 0)) / largest}
            >
              <title>{percent(row[k], 1)}</title>
            </rect>
          ) : null,
        )}
      </svg>
      <figcaption>{map.queries[query]}</figcaption>
    </figure>
  );
}
