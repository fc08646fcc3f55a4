// Lessons 1 to 3: a query reads from keys and values; ways to score; the temperature of softmax.
import { useState } from "preact/hooks";
import { useAttend } from "../api";
import { scaleOf } from "../colour";
import { setParams, useRoute } from "../route";
import { useTheme } from "../theme";
import { Choice, Select, short, Slider } from "../ui";
import { Lesson, useNumber, usePoints, WeightTable } from "./parts";
import { places, Plane, type Point } from "./plane";

const kNames = ["cat", "dog", "car", "bus"];
const kQuery: Point[] = [[1.1, 0.9]];
const kKeys: Point[] = [
  [1.2, 1.4],
  [1.6, 0.3],
  [-1.2, 1.1],
  [-1.5, -0.5],
];
const kValues: Point[] = [
  [0.4, 1.5],
  [1.5, 0.7],
  [-1.2, 0.4],
  [-0.3, -1.4],
];

export function Retrieve() {
  const [[query], moveQuery] = usePoints("q", kQuery);
  const [keys, moveKey] = usePoints("k", kKeys);
  const [values, moveValue] = usePoints("v", kValues);
  const answered = useAttend([{ query: [query!], key: keys, value: values, score: "dot" }]);
  const value = answered.exchanges[0]?.answer;
  const weights = value?.weights[0] ?? [];
  const output = value?.output[0] as Point | undefined;
  return (
    <Lesson
      text={
        <>
          <p>
            Attention is a way to <strong>look something up</strong>. There are things to look at. Each has a{" "}
            <em>key</em>, which says what it is about, and a <em>value</em>, which is what you get from it.
          </p>
          <p>
            A <em>query</em> says what you want. It is compared with every key; the better the match, the larger that
            key's weight. What comes out is the mean of all values, by those weights.
          </p>
          <p>
            <strong>Drag the query</strong> towards <em>car</em> and watch the output walk to the value of <em>car</em>.
            Then put it between two keys. Everything can be moved, also with the arrow keys.
          </p>
        </>
      }
      of={answered}
    >
      <div class="planes">
        <figure>
          <Plane
            label="Query and keys"
            dots={[
              ...keys.map((at, k) => ({
                name: kNames[k]!,
                at,
                size: weights[k] ?? 0,
                onMove: (to: Point) => moveKey(k, to),
              })),
              { name: "query", at: query!, look: "query" as const, onMove: (to: Point) => moveQuery(0, to) },
            ]}
          />
          <figcaption>The query among the keys: a key is as large as its weight</figcaption>
        </figure>
        <figure>
          <Plane
            label="Values and output"
            lines={output ? values.map((from, k) => ({ from, to: output, weight: weights[k] ?? 0 })) : []}
            dots={[
              ...values.map((at, k) => ({
                name: kNames[k]!,
                at,
                size: weights[k] ?? 0,
                onMove: (to: Point) => moveValue(k, to),
              })),
              ...(output ? [{ name: "output", at: output, look: "output" as const }] : []),
            ]}
          />
          <figcaption>The output among the values: pulled by each as hard as its weight</figcaption>
        </figure>
      </div>
      <WeightTable label="Weights" names={kNames} scores={value?.scores[0]} weights={weights} />
      {output && (
        <p class="sum" aria-live="polite">
          output = {kNames.map((name, k) => `${short(weights[k], 2)} · ${name}`).join(" + ")} = ({short(output[0], 2)},{" "}
          {short(output[1], 2)})
        </p>
      )}
    </Lesson>
  );
}

const kScores = {
  dot: "q · k",
  "scaled-dot": "q · k / √d",
  cosine: "cos(q, k)",
  general: "q′ W k",
  additive: "w′ tanh(q + k)",
  concat: "w′ tanh(W [q; k])",
  location: "(W q)ⱼ",
} as const;
type ScoreName = keyof typeof kScores;

const kAbout: Record<ScoreName, string> = {
  dot: "Long keys win: the length of a key counts as much as its direction.",
  "scaled-dot": "The same order as the dot product, but gentler. Lesson 6 tells why.",
  cosine: "Only the direction counts. The borders run through the origin like slices of a cake.",
  general: "A learnt matrix W turns the query before it is compared; here it turns by 60 degrees.",
  additive: "A small network scores the pair. Its answers level off: tanh never exceeds 1.",
  concat: "As additive, with a matrix that mixes query and key first.",
  location: "Only the query counts, and each place of the list has its own weights: move the keys and nothing changes.",
};

function parameters(score: ScoreName): Record<string, unknown> {
  const [c, s] = [Math.cos(Math.PI / 3), Math.sin(Math.PI / 3)];
  if (score === "general")
    return {
      matrix: [
        [c, -s],
        [s, c],
      ],
    };
  if (score === "additive") return { weight: [2, 2] };
  if (score === "concat")
    return {
      weight: [3, 3],
      matrix: [
        [1, 0.4],
        [-0.4, 1],
        [1, 0],
        [0, 1],
      ],
    };
  if (score === "location")
    return {
      matrix: [
        [1, 1, -1, -1],
        [1, -1, 1, -1],
      ],
    };
  return {};
}

const kSide = 20;

export function Scores() {
  const { params } = useRoute();
  const { dark } = useTheme();
  const score = (params.score && params.score in kScores ? params.score : "dot") as ScoreName;
  const shown = Math.max(0, kNames.indexOf(params.of ?? "cat"));
  const [[query], moveQuery] = usePoints("q", kQuery);
  const [keys, moveKey] = usePoints("k", kKeys);
  const common = { key: keys, value: kValues, score, ...parameters(score) };
  const answered = useAttend([
    { query: [query!], ...common },
    { query: places(kSide), ...common },
  ]);
  const [value, field] = answered.exchanges.map((one) => one.answer);
  const weights = value?.weights[0] ?? [];
  const scale = scaleOf(dark);
  return (
    <Lesson
      text={
        <>
          <p>
            What does <em>close</em> mean? Every <strong>score</strong> has its own idea. The colour shows, for a query
            at each place of the plane, how much weight {kNames[shown]} would get.
          </p>
          <p>
            <strong>{kAbout[score]}</strong>
          </p>
          <p>Pick another score, move the keys, and see the borders bend.</p>
        </>
      }
      controls={
        <>
          <Select
            label="Score"
            value={score}
            options={Object.entries(kScores).map(([name, formula]) => [name, `${name}:  ${formula}`] as const)}
            onChange={(name) => setParams({ score: name })}
          />
          <Choice
            label="Weight of"
            value={kNames[shown]!}
            options={kNames.map((name) => [name, name] as const)}
            onChange={(of) => setParams({ of })}
          />
        </>
      }
      of={answered}
    >
      <div class="planes">
        <figure>
          <Plane
            label="Weights over the plane"
            {...(field
              ? { field: { side: kSide, colour: scale.css, values: field.weights.map((row) => row[shown] ?? 0) } }
              : {})}
            dots={[
              ...keys.map((at, k) => ({ name: kNames[k]!, at, onMove: (to: Point) => moveKey(k, to) })),
              { name: "query", at: query!, look: "query" as const, onMove: (to: Point) => moveQuery(0, to) },
            ]}
          />
          <figcaption>{kSide * kSide} queries at once, by one call of attend()</figcaption>
        </figure>
        <WeightTable label="Weights" names={kNames} scores={value?.scores[0]} weights={weights} />
      </div>
    </Lesson>
  );
}

export function Temperature() {
  const [power, setPower] = useNumber("temp", 0);
  const { params } = useRoute();
  const normalizer = params.norm === "sparsemax" ? "sparsemax" : "softmax";
  const [hold] = useState(kValues);
  const temperature = 10 ** power;
  const request = { query: kQuery, key: kKeys, value: hold, score: "dot", temperature, normalizer };
  const answered = useAttend([request]);
  const value = answered.exchanges[0]?.answer;
  const weights = value?.weights[0] ?? [];
  const output = value?.output[0] as Point | undefined;
  return (
    <Lesson
      text={
        <>
          <p>
            Scores can be any numbers. <strong>Softmax</strong> makes weights of them: it takes e to the power of each
            and divides by the sum, so that all are positive and add up to one.
          </p>
          <p>
            The <strong>temperature</strong> divides the scores first. Cold, and the best key takes everything; hot, and
            all keys get the same, whatever the query says.
          </p>
          <p>
            <em>Sparsemax</em> is another way: weak keys get exactly nothing.
          </p>
        </>
      }
      controls={
        <>
          <Slider
            label="Temperature"
            value={power}
            min={-1.5}
            max={1.5}
            step={0.05}
            text={short(temperature, 2)}
            onChange={setPower}
          />
          <Choice
            label="Normaliser"
            value={normalizer}
            options={[
              ["softmax", "Softmax"],
              ["sparsemax", "Sparsemax"],
            ]}
            onChange={(norm) => setParams({ norm })}
          />
        </>
      }
      of={answered}
    >
      <div class="planes">
        <WeightTable label="Weights" names={kNames} scores={value?.scores[0]} weights={weights} />
        <figure>
          <Plane
            label="Values and output"
            lines={output ? hold.map((from, k) => ({ from, to: output, weight: weights[k] ?? 0 })) : []}
            dots={[
              ...hold.map((at, k) => ({ name: kNames[k]!, at, size: weights[k] ?? 0 })),
              ...(output ? [{ name: "output", at: output, look: "output" as const }] : []),
            ]}
          />
          <figcaption>From one value to the mean of all</figcaption>
        </figure>
      </div>
      <p class="sum" aria-live="polite">
        entropy {short(value?.entropy[0], 3)} nats: as if {short(value ? Math.exp(value.entropy[0] ?? 0) : null, 2)} of{" "}
        {kNames.length} keys were looked at evenly
      </p>
    </Lesson>
  );
}
