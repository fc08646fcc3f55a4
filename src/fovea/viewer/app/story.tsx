// One output word in five steps: states, scores, weights, context, next word. A column for each source piece.
import { scaleLinear } from "d3-scale";
import { largestOf, scaleOf } from "./colour";
import { useTheme } from "./theme";
import { axisOf, type Head, type Step, type Trace } from "./trace";
import { clipped, percent, short, useWidth } from "./ui";
import { mean, plain } from "./words";

export const kStages = ["Encoder states", "Scores", "Weights", "Context", "Next word"] as const;
const kAbout = [
  "every source word has become a vector",
  "how well does each of them fit what is needed now?",
  "softmax: all positive, together 100 %",
  "the states, each times its weight, added up",
  "what was read makes some words likely",
];

const kCells = 24; // of a strip: more cannot be told apart
const kLine = 20;

// A long vector as kCells numbers, each the strongest of its stretch.
export function strip(vector: number[], cells = kCells): number[] {
  if (vector.length <= cells) return vector;
  return Array.from({ length: cells }, (_, i) => {
    const part = vector.slice(Math.floor((i * vector.length) / cells), Math.floor(((i + 1) * vector.length) / cells));
    return part.reduce((most, value) => (Math.abs(value) > Math.abs(most) ? value : most), 0);
  });
}

interface Place {
  left: number;
  column: number;
  keys: string[];
}

function Strips({
  states,
  place,
  y,
  height,
  opacity,
}: {
  states: number[][];
  place: Place;
  y: number;
  height: number;
  opacity: number[];
}) {
  const { dark } = useTheme();
  const scale = scaleOf(dark, largestOf(states) || 1);
  const width = Math.min(26, place.column - 6);
  return (
    <g>
      {states.map((state, k) => {
        const cells = strip(state);
        const x = place.left + (k + 0.5) * place.column - width / 2;
        return (
          <g key={k} opacity={opacity[k] ?? 1}>
            {cells.map((value, i) => (
              <rect
                key={i}
                x={x}
                y={y + (i * height) / cells.length}
                width={width}
                height={height / cells.length + 0.5}
                fill={scale.css(value)}
              />
            ))}
          </g>
        );
      })}
    </g>
  );
}

function Bars(props: {
  values: (number | null)[];
  place: Place;
  y: number;
  height: number;
  text: (value: number) => string;
  weights?: boolean;
}) {
  const { values, place, y, height } = props;
  const known = values.map((value) => value ?? 0);
  const [low, high] = props.weights ? [0, 1] : [Math.min(0, ...known), Math.max(0.001, ...known)];
  const scale = scaleLinear()
    .domain([low, high])
    .range([y + height - (low < 0 ? 14 : 0), y + 14]);
  const width = Math.min(26, place.column - 6);
  return (
    <g class="bars">
      <line x1={place.left} x2={place.left + values.length * place.column} y1={scale(0)} y2={scale(0)} />
      {values.map((value, k) => {
        if (value === null) return null;
        const x = place.left + (k + 0.5) * place.column;
        const [from, to] = [Math.min(scale(0), scale(value)), Math.max(scale(0), scale(value))];
        return (
          <g key={k}>
            <rect x={x - width / 2} y={from} width={width} height={Math.max(1, to - from)} rx="2" />
            <text x={x} y={value < 0 ? to + 12 : from - 5} text-anchor="middle">
              {props.text(value)}
            </text>
          </g>
        );
      })}
    </g>
  );
}

function Context(props: { context: number[]; weights: (number | null)[]; place: Place; width: number; y: number }) {
  const { context, weights, place, width, y } = props;
  const { dark } = useTheme();
  const cells = strip(context, 48);
  const scale = scaleOf(dark, Math.max(...cells.map(Math.abs), 1e-9));
  if (cells.length === 0) {
    return (
      <text class="quiet" x={place.left} y={y + 14}>
        Each head of each layer reads its own: there is no single vector.
      </text>
    );
  }
  const wide = Math.min(width, 480);
  const from = place.left + Math.max(0, (width - wide) / 2);
  return (
    <g>
      <g class="lines">
        {weights.map((weight, k) => {
          const x = place.left + (k + 0.5) * place.column;
          const to = from + wide / 2;
          return (weight ?? 0) < 0.005 ? null : (
            <path
              key={k}
              d={`M${x},${y} C${x},${y + 26} ${to},${y + 14} ${to},${y + 42}`}
              stroke-width={1 + 9 * weight!}
              stroke-opacity={0.2 + 0.6 * weight!}
            />
          );
        })}
      </g>
      {cells.map((value, i) => (
        <rect
          key={i}
          x={from + (i * wide) / cells.length}
          y={y + 44}
          width={wide / cells.length + 0.5}
          height="22"
          fill={scale.css(value)}
        />
      ))}
    </g>
  );
}

export function Candidates({
  step,
  said,
  left,
  width,
  y,
}: {
  step: Step;
  said: string;
  left: number;
  width: number;
  y: number;
}) {
  const names = Math.min(130, width * 0.4);
  const long = Math.max(40, width - names - 60);
  return (
    <g class="candidates">
      {step.choices.slice(0, 5).map((choice, i) => {
        const chosen = choice.text === said;
        return (
          <g key={i} class={chosen ? "said" : ""}>
            <text x={left + names - 10} y={y + i * kLine + 14} text-anchor="end">
              {clipped(plain(choice.text), 13, names - 14)}
            </text>
            <rect
              x={left + names}
              y={y + i * kLine + 3}
              width={Math.max(1, long * choice.probability)}
              height={kLine - 7}
              rx="2"
            />
            <text class="small-number" x={left + names + long * choice.probability + 6} y={y + i * kLine + 14}>
              {percent(choice.probability, 1)}
            </text>
          </g>
        );
      })}
    </g>
  );
}

export function Story(props: { trace: Trace; heads: Head[]; index: number; stage: number; title: string }) {
  const { trace, heads, index, stage } = props;
  const [ref, width] = useWidth<HTMLDivElement>();
  const attends = heads.length > 0;
  const step = trace.steps[index];
  const source = axisOf(trace, heads[0]?.keys ?? "source");
  const said = axisOf(trace, "target").labels[index]?.text ?? "";
  const keys = source.labels.map((one) => plain(one.text));
  const left = 8;
  const column = Math.max(30, Math.min(84, (width - 2 * left) / Math.max(1, keys.length)));
  const place: Place = { left, column, keys };
  const wide = Math.max(width, 2 * left + keys.length * column);
  const weights = attends ? (mean(heads.map((one) => one.weights))[index] ?? []) : [];
  const scores = heads.length === 1 ? (heads[0]!.scores[index] ?? []) : [];
  const strips = source.states.length > 0 ? 96 : 0;
  // Where each of the five begins; a title stands above each.
  const heights = [strips + 30, attends && scores.length > 0 ? 92 : 24, attends ? 92 : 0, 76, 5 * kLine + 6];
  const tops: number[] = [];
  heights.reduce((y, height) => (tops.push(y), y + height + 40), 34);
  const bottom = tops[4]! + heights[4]!;
  const shown = (n: number) => `stage${n === stage ? " now" : ""}${n > stage ? " later" : ""}`;
  const stageTitle = (n: number, about = kAbout[n]!) => (
    <text class="stage-title" x={left} y={tops[n]! - 10}>
      <tspan class="stage-number">{n + 1}</tspan> <tspan class="stage-name">{kStages[n]}</tspan>
      {width > 480 && (
        <tspan class="stage-about" dx="8">
          {clipped(about, 13, width - 150)}
        </tspan>
      )}
    </text>
  );
  return (
    <div ref={ref} class="story">
      {width > 0 && step && (
        <svg
          width={wide}
          height={bottom + 8}
          role="img"
          aria-label={`${props.title}: ${kStages[stage]} of word ${index + 1}`}
        >
          <g class={shown(0)}>
            {stageTitle(0)}
            {keys.map((text, k) => (
              <text key={k} x={left + (k + 0.5) * column} y={tops[0]! + 14} text-anchor="middle" class="key">
                {clipped(text, 13, column - 4)}
              </text>
            ))}
            <Strips
              states={source.states}
              place={place}
              y={tops[0]! + 24}
              height={strips}
              opacity={stage >= 3 && attends ? weights.map((w) => 0.12 + 0.88 * (w ?? 0)) : []}
            />
          </g>
          <g class={shown(1)}>
            {stageTitle(1, attends ? kAbout[1] : "none: it does not look back at the words")}
            {scores.length > 0 && (
              <Bars values={scores} place={place} y={tops[1]!} height={88} text={(v) => short(v, 1)} />
            )}
            {attends && scores.length === 0 && (
              <text class="quiet" x={left} y={tops[1]! + 14}>
                Each head has its own scores: choose one head to see them.
              </text>
            )}
          </g>
          <g class={shown(2)}>
            {stageTitle(2, attends ? kAbout[2] : "none: nothing is chosen")}
            {attends && (
              <Bars
                values={weights}
                place={place}
                y={tops[2]!}
                height={88}
                weights
                text={(v) => (v >= 0.005 ? String(Math.round(100 * v)) : "")}
              />
            )}
          </g>
          <g class={shown(3)}>
            {stageTitle(3, attends ? kAbout[3] : "one vector for all, the same at every step")}
            <Context
              context={step.context}
              weights={weights}
              place={place}
              width={Math.min(width - 2 * left, Math.max(220, keys.length * column))}
              y={tops[3]!}
            />
          </g>
          <g class={shown(4)}>
            {stageTitle(4)}
            <Candidates step={step} said={said} left={left} width={Math.min(width - 16, 520)} y={tops[4]!} />
          </g>
        </svg>
      )}
    </div>
  );
}
