// Any map: as a grid while its cells can be told apart, on a canvas beyond.
import { LargeMap } from "./large_map";
import { type Cell, type Focus, kMostCells, Matrix } from "./matrix";
import { percent, short } from "./ui";
import type { Drawable } from "./words";

export const isBig = (map: Drawable): boolean =>
  map.large !== undefined || map.queries.length * map.keys.length > kMostCells || map.keys.length > 90;

export function WeightMap(props: {
  map: Drawable;
  label: string;
  selected?: Cell | null;
  onSelect?: (cell: Cell) => void;
  focus?: Focus;
  onFocus?: (focus: Focus) => void;
}) {
  return isBig(props.map) ? <LargeMap {...props} /> : <Matrix {...props} />;
}

// The numbers of the chosen cell, read out when they change.
export function CellNumbers({ map, cell }: { map: Drawable; cell: Cell | null }) {
  const inside = cell && cell.query < map.queries.length && cell.key < map.keys.length;
  const weight = !inside
    ? null
    : map.large
      ? (map.large.top[cell.query]?.find(([key]) => key === cell.key)?.[1] ?? null)
      : (map.weights[cell.query]?.[cell.key] ?? null);
  const score = inside ? map.scores?.[cell.query]?.[cell.key] : undefined;
  const least = inside ? map.large?.top[cell.query]?.at(-1)?.[1] : undefined;
  return (
    <div class="numbers" aria-live="polite">
      {!inside ? (
        <p class="quiet">Choose a cell for its numbers.</p>
      ) : (
        <dl>
          <div>
            <dt>from</dt>
            <dd class="word">{map.queries[cell.query]}</dd>
          </div>
          <div>
            <dt>to</dt>
            <dd class="word">{map.keys[cell.key]}</dd>
          </div>
          <div>
            <dt>weight</dt>
            <dd data-number="weight">
              {weight === null && least !== undefined
                ? `at most ${percent(least, 3)}`
                : map.shares
                  ? percent(weight, 2)
                  : short(weight, 4)}
            </dd>
          </div>
          {score !== undefined && (
            <div>
              <dt>score</dt>
              <dd data-number="score">{score === null ? "hidden" : short(score, 4)}</dd>
            </div>
          )}
        </dl>
      )}
    </div>
  );
}

export const parseCell = (text: string | undefined): Cell | null => {
  const found = /^(\d+)\.(\d+)$/.exec(text ?? "");
  return found ? { query: Number(found[1]), key: Number(found[2]) } : null;
};
export const formatCell = ({ query, key }: Cell): string => `${query}.${key}`;
