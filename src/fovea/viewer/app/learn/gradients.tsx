// Of lesson 8: the gradient by the score of each tile, exact and from throws, and how far they are apart.
import type { Attended } from "../api";
import { Looked, type Picture } from "../image/looked";
import type { Label } from "../trace";
import { short } from "../ui";
import { Chart } from "./chart";

export const kSize = 64; // pixels of the picture
export const kSide = 4; // tiles each way

export const kTiles: Label[] = Array.from({ length: kSide ** 2 }, (_, i) => {
  const step = kSize / kSide;
  const [x, y] = [(i % kSide) * step, Math.floor(i / kSide) * step];
  return {
    text: `row ${Math.floor(i / kSide) + 1}, column ${(i % kSide) + 1}`,
    word: null,
    box: [x, y, x + step, y + step],
  };
});

export const distance = (a: number[], b: number[]) => Math.hypot(...a.map((one, i) => one - b[i]!));

// calm: with the baseline taken off.
export const estimate = (one: Attended | undefined, calm: boolean): number[] =>
  (calm ? one?.gradient?.with_baseline : one?.gradient?.sampled)?.[0] ?? [];

function Gradient({ image, row, largest, name }: { image: Picture; row: number[]; largest: number; name: string }) {
  return (
    <figure>
      <Looked image={image} label={name} cells={kTiles} row={row} look="colour" signed largest={largest} exact>
        {kTiles.map(({ box }, k) => (
          <text key={k} class="tile-number" x={box![0] + 1} y={box![3] - 1.4} font-size="3.2">
            {short(100 * row[k]!, 1)}
          </text>
        ))}
      </Looked>
      <figcaption>{name}</figcaption>
    </figure>
  );
}

// rewards: after 1, 2, 4, ... throws.
export function Gradients(props: { image: Picture; rewards: Attended[]; calm: boolean; throws: string }) {
  const { image, rewards, calm, throws } = props;
  const last = rewards[rewards.length - 1];
  const exact = last?.gradient?.exact[0] ?? [];
  const sampled = estimate(last, calm);
  const largest = Math.max(1e-6, ...[...exact, ...sampled].map(Math.abs));
  const curve = (calmed: boolean) =>
    rewards.map((one, i): [number, number] => [i, distance(estimate(one, calmed), one.gradient?.exact[0] ?? [])]);
  const curves = [
    { name: "as it is", at: curve(false), strong: !calm },
    { name: "less a baseline", at: curve(true), strong: calm },
  ];
  return (
    <div class="planes gradients">
      <Gradient image={image} row={exact} largest={largest} name="Exact gradient, × 100: blue tiles become likelier" />
      <Gradient image={image} row={sampled} largest={largest} name={`Mean of ${throws} sampled gradients, × 100`} />
      <figure>
        <Chart
          label="Distance to the exact gradient"
          across="throws"
          most={Math.max(0.05, ...curves.flatMap((one) => one.at.map(([, y]) => y)))}
          curves={curves}
        />
        <figcaption aria-live="polite">
          after {throws}: <span data-number="distance">{short(distance(sampled, exact), 4)}</span> away from the exact
          gradient
        </figcaption>
      </figure>
    </div>
  );
}
