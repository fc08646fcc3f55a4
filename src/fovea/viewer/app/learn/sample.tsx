// Lessons 4 to 6: soft as the expectation of hard, self against cross, and why 1 / sqrt(d).
import { useMemo } from "preact/hooks";
import { type Attend, type Attended, useAttend } from "../api";
import { formatCell, parseCell } from "../map";
import { Matrix } from "../matrix";
import { setParams, useRoute } from "../route";
import { Choice, short, Slider } from "../ui";
import { Chart } from "./chart";
import { Lesson, throwsOf, useNumber, WeightTable } from "./parts";
import { Plane, type Point } from "./plane";
import { normals } from "./random";

const kNames = ["left", "top", "right", "bottom"];
const kValues: Point[] = [
  [-1.5, 0.1],
  [0.2, 1.5],
  [1.5, -0.2],
  [0, -1.5],
];
const kKeys: Point[] = [
  [0.4, 0.2],
  [1.2, 0.3],
  [0.9, 0.8],
  [-0.6, 0.5],
];
const kMostPowers = 12;

export function SoftAndHard() {
  const [power, setPower] = useNumber("n", 3);
  const [seed, setSeed] = useNumber("seed", 1);
  const most = Math.max(0, Math.min(kMostPowers, Math.round(power)));
  const requests = Array.from({ length: most + 1 }, (_, i) => ({
    query: [[1, 0.6]],
    key: kKeys,
    value: kValues,
    score: "dot",
    samples: 2 ** i,
    seed,
  }));
  const answered = useAttend(requests);
  const answers = answered.exchanges.map((one) => one.answer);
  const soft = answers[0]?.output[0] as Point | undefined;
  const means = answers
    .map((one) => one.hard?.mean_output[0] as Point | undefined)
    .filter((one): one is Point => !!one);
  const last = means[means.length - 1];
  const distances = soft
    ? means.map((at, i): [number, number] => [i, Math.hypot(at[0] - soft[0], at[1] - soft[1])])
    : [];
  const throws = throwsOf(means.length - 1);
  return (
    <Lesson
      text={
        <>
          <p>
            <strong>Soft</strong> attention mixes all values. <strong>Hard</strong> attention picks a single one, by a
            throw of dice in which each key has its weight as its chance.
          </p>
          <p>
            One throw lands on one value. But throw often, take the mean of what you got, and you come to where soft
            attention is at once: soft is the <em>expectation</em> of hard.
          </p>
          <p>On average, four times as many throws bring the mean twice as close.</p>
        </>
      }
      controls={
        <>
          <Slider label="Throws" value={most} min={0} max={kMostPowers} text={throwsOf(most)} onChange={setPower} />
          <button type="button" onClick={() => setSeed(seed + 1)}>
            Throw anew
          </button>
        </>
      }
      of={answered}
    >
      <div class="planes">
        <figure>
          <Plane
            label="Soft output and mean of throws"
            lines={means.slice(1).map((to, i) => ({ from: means[i]!, to, weight: 0.3 }))}
            dots={[
              ...kValues.map((at, k) => ({ name: kNames[k]!, at, size: answers[0]?.weights[0]?.[k] ?? 0 })),
              ...(soft ? [{ name: "soft", at: soft, look: "output" as const }] : []),
              ...(last ? [{ name: `mean of ${throws}`, at: last, look: "mean" as const }] : []),
            ]}
          />
          <figcaption>The way of the mean, from the first throw on</figcaption>
        </figure>
        <figure>
          <Chart
            label="Distance by number of throws"
            across="throws"
            most={2}
            curves={[{ name: "distance to soft", at: distances, strong: true }]}
          />
          {last && (
            <figcaption aria-live="polite">
              after {throws}: {short(distances[distances.length - 1]?.[1], 3)} away
            </figcaption>
          )}
        </figure>
      </div>
    </Lesson>
  );
}

const kOne = ["the", "dog", "chased", "it"];
const kOther = ["le", "chien", "l'", "a", "chassé"];
// Toy states: article, animal, action, reference back; the French ones lie near those they translate.
const kStates = [
  [2, 0, 0, 0.3],
  [0.2, 2, 0.2, 0.6],
  [0, 0.3, 2.2, 0],
  [0.3, 1.4, 0, 1.4],
];
const kOtherStates = [
  [2.2, 0.2, 0, 0],
  [0.2, 2.2, 0.1, 0.3],
  [0.3, 1.0, 0, 2.2],
  [0, 0.1, 1.4, 0.4],
  [0, 0.2, 2.4, 0],
];

const kLooks = {
  self: "Queries, keys and values are the same words: each gathers what it needs from its neighbours. See where 'it' looks.",
  causal: "A word sees only itself and those before it. So must whoever writes one word after the other.",
  window: "A word sees only itself and the one before: cheap, and enough for much.",
  cross: "Queries come from one sentence, keys and values from another: so a translation looks at its source.",
} as const;
type Look = keyof typeof kLooks;

export function SelfAndCross() {
  const { params } = useRoute();
  const look = (params.look && params.look in kLooks ? params.look : "self") as Look;
  const query = look === "cross" ? kOtherStates : kStates;
  const request = {
    query,
    key: kStates,
    value: kStates,
    score: "scaled-dot",
    causal: look === "causal",
    window: look === "window" ? [1, 0] : null,
  };
  const answered = useAttend([request]);
  const [exchange] = answered.exchanges;
  const cell = parseCell(params.cell);
  return (
    <Lesson
      text={
        <>
          <p>
            Nothing in attention says where queries and keys come from. That is <strong>all</strong> there is between
            self and cross attention.
          </p>
          <p>
            <strong>{kLooks[look]}</strong>
          </p>
          <p>A row is a query, a column a key. Rows add up to 100 %.</p>
        </>
      }
      controls={
        <Choice
          label="Look"
          value={look}
          options={[
            ["self", "Self"],
            ["causal", "Self, causal"],
            ["window", "Self, window"],
            ["cross", "Cross"],
          ]}
          onChange={(next) => setParams({ look: next, cell: "" })}
        />
      }
      of={answered}
    >
      {exchange && (
        <Matrix
          map={{
            queries: exchange.request.query === kOtherStates ? kOther : kOne,
            keys: kOne,
            weights: exchange.answer.weights,
            scores: exchange.answer.scores,
            signed: false,
            shares: true,
          }}
          label="Weights: a row for each query, a column for each key"
          selected={cell}
          onSelect={(one) => setParams({ cell: formatCell(one) })}
          largestCell={64}
        />
      )}
    </Lesson>
  );
}

const kPowers = [1, 2, 3, 4, 5, 6, 7, 8, 9];
const kQueries = 12;
const kManyKeys = 8;

function drawn(power: number, scaled: boolean): Attend {
  const dim = 2 ** power;
  const query = normals(kQueries, dim, 11);
  const key = normals(kManyKeys, dim, 23);
  return { query, key, value: key.map((row) => row.slice(0, 1)), score: scaled ? "scaled-dot" : "dot" };
}

export function RootOfDim() {
  const [given, setPower] = useNumber("d", 6);
  const power = kPowers.includes(given) ? given : 6;
  const requests = useMemo(() => kPowers.flatMap((one) => [drawn(one, false), drawn(one, true)]), []);
  const answered = useAttend(requests);
  const answers = answered.exchanges.map((one) => one.answer);
  const mean = (values: number[]) => values.reduce((sum, one) => sum + one, 0) / values.length;
  const largest = (answer: Attended) => mean(answer.weights.map((row) => Math.max(...row)));
  const at = kPowers.indexOf(power);
  const curve = (offset: 0 | 1) =>
    answers.filter((_, i) => i % 2 === offset).map((one, i): [number, number] => [kPowers[i]!, largest(one)]);
  const names = Array.from({ length: kManyKeys }, (_, k) => String(k + 1));
  return (
    <Lesson
      text={
        <>
          <p>
            Take vectors of random numbers. Their dot product is a sum of <em>d</em> terms: the more terms, the wider it
            spreads, and its spread grows like <strong>√d</strong>.
          </p>
          <p>
            Large scores make softmax choose a single key with certainty, though all of this is chance; and where
            softmax is certain, hardly anything is learnt, because its gradient is nearly 0.
          </p>
          <p>
            Divided by √d, scores keep their spread at any length. That is the <em>scaled</em> in scaled dot product.
          </p>
        </>
      }
      controls={
        <Slider label="Dimension d" value={power} min={1} max={9} text={String(2 ** power)} onChange={setPower} />
      }
      of={answered}
    >
      {answers.length > 0 && (
        <>
          <figure class="first">
            <Chart
              label="Largest weight by dimension"
              across="d"
              most={1}
              marked={power}
              curves={[
                { name: "q · k", at: curve(0) },
                { name: "q · k / √d", at: curve(1), strong: true },
              ]}
            />
            <figcaption>
              The largest of {kManyKeys} weights, mean over {kQueries} queries: 1 is blind certainty
            </figcaption>
          </figure>
          <div class="planes">
            <figure>
              <figcaption>q · k</figcaption>
              <WeightTable
                label="Weights without scaling"
                names={names}
                scores={answers[2 * at]?.scores[0]}
                weights={answers[2 * at]?.weights[0] ?? []}
              />
            </figure>
            <figure>
              <figcaption>q · k / √d</figcaption>
              <WeightTable
                label="Weights with scaling"
                names={names}
                scores={answers[2 * at + 1]?.scores[0]}
                weights={answers[2 * at + 1]?.weights[0] ?? []}
              />
            </figure>
          </div>
        </>
      )}
    </Lesson>
  );
}
