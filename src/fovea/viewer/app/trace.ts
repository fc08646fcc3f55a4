// A Trace, the one record of where a model looked (docs/formats.md), as the page reads it: from another program's
// file too, so nothing is believed that has not been looked at.

export type Box = [number, number, number, number]; // x0, y0, x1, y1 in pixels of the image

export interface Label {
  text: string;
  word: number | null; // pieces of one word share its number; null: a mark such as </s>
  box?: Box;
}

export interface Axis {
  name: string;
  kind: string;
  labels: Label[];
  states: number[][]; // [label, dim], or empty
}

export type Rows = (number | null)[][]; // null: not finite

// What is kept of a map with more than a million cells.
export interface Large {
  rows: number;
  columns: number;
  overview: { rows: number; columns: number; mean: Rows; max: Rows };
  top: [number, number][][]; // of each row, the largest first: key, weight
}

export interface WeightMap {
  queries: string; // name of an axis
  keys: string;
  weights: Rows; // [query, key]; empty if large
  large?: Large;
}

export interface Head extends WeightMap {
  kind: string;
  layer: number;
  head: number;
  scores: Rows;
}

export interface Figure {
  name: string;
  value: number | null;
  about: string;
}

export interface Method extends WeightMap {
  name: string;
  about: string;
  signed: boolean;
  figures: Figure[];
}

export interface Choice {
  text: string;
  probability: number;
}

export interface Step {
  choices: Choice[];
  context: number[];
}

export interface Trace {
  task: string;
  model: string;
  input: string;
  output: string;
  axes: Axis[];
  steps: Step[];
  heads: Head[];
  methods: Method[];
  correlation: Rows;
  image?: { width: number; height: number; png: string };
  source: unknown; // as it was read, to be saved again
}

type Fields = Record<string, unknown>;

export class TraceError extends Error {}

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const text = (value: unknown): string => (typeof value === "string" ? value : "");
const number = (value: unknown, otherwise = 0): number => (typeof value === "number" ? value : otherwise);
const rows = (value: unknown): Rows => list(value).filter(Array.isArray) as Rows;
const finite = (values: unknown): number[] => list(values).map((value) => number(value));

function label(value: unknown): Label {
  if (!isFields(value)) return { text: text(value), word: null };
  const box = finite(value.box);
  return {
    text: text(value.text),
    word: typeof value.word === "number" ? value.word : null,
    ...(box.length === 4 ? { box: box as Box } : {}),
  };
}

function axis(value: unknown): Axis {
  const fields = isFields(value) ? value : {};
  return {
    name: text(fields.name),
    kind: text(fields.kind) || "tokens",
    labels: list(fields.labels).map(label),
    states: rows(fields.states).map(finite),
  };
}

function large(value: unknown): Large | undefined {
  if (!isFields(value) || !isFields(value.overview)) return undefined;
  const { overview } = value;
  return {
    rows: number(value.rows),
    columns: number(value.columns),
    overview: {
      rows: number(overview.rows),
      columns: number(overview.columns),
      mean: rows(overview.mean),
      max: rows(overview.max),
    },
    top: list(value.top) as [number, number][][],
  };
}

function weightMap(fields: Fields, axes: Axis[], what: string): WeightMap {
  const queries = text(fields.queries) || "target";
  const keys = text(fields.keys) || "source";
  const map: WeightMap = { queries, keys, weights: rows(fields.weights) };
  const kept = large(fields.large);
  if (kept) map.large = kept;
  const size = [queries, keys].map((name) => {
    const found = axes.find((one) => one.name === name);
    if (!found) throw new TraceError(`${what} names the axis '${name}', which this Trace does not have`);
    return found.labels.length;
  });
  const have = kept ? [kept.rows, kept.columns] : [map.weights.length, map.weights[0]?.length ?? size[1]];
  const ragged = map.weights.some((row) => row.length !== have[1]);
  if (have[0] !== size[0] || have[1] !== size[1] || (!kept && ragged)) {
    throw new TraceError(
      `${what} has ${have[0]} x ${have[1]} weights, but its axes have ${size[0]} and ${size[1]} labels`,
    );
  }
  return map;
}

function head(value: unknown, axes: Axis[], index: number): Head {
  const fields = isFields(value) ? value : {};
  return {
    ...weightMap(fields, axes, `head ${index}`),
    kind: text(fields.kind) || "cross",
    layer: number(fields.layer),
    head: number(fields.head),
    scores: rows(fields.scores),
  };
}

function method(value: unknown, axes: Axis[], index: number): Method {
  const fields = isFields(value) ? value : {};
  return {
    ...weightMap(fields, axes, `method ${index}`),
    name: text(fields.name),
    about: text(fields.about),
    signed: fields.signed === true,
    figures: list(fields.figures)
      .filter(isFields)
      .map((figure) => ({
        name: text(figure.name),
        value: typeof figure.value === "number" ? figure.value : null,
        about: text(figure.about),
      })),
  };
}

function step(value: unknown): Step {
  const fields = isFields(value) ? value : {};
  const choices = list(fields.choices).filter(isFields);
  return {
    choices: choices.map((choice) => ({ text: text(choice.text), probability: number(choice.probability) })),
    context: finite(fields.context),
  };
}

export function readTrace(value: unknown): Trace {
  if (!isFields(value) || value.format !== "fovea.trace") {
    throw new TraceError("this is not a Trace: its 'format' is not 'fovea.trace'");
  }
  if (value.version !== 1) {
    throw new TraceError(`this Trace has version ${String(value.version)}; this page reads version 1`);
  }
  const axes = list(value.axes).map(axis);
  const { image } = value;
  return {
    task: text(value.task),
    model: text(value.model),
    input: text(value.input),
    output: text(value.output),
    axes,
    steps: list(value.steps).map(step),
    heads: list(value.heads).map((one, i) => head(one, axes, i)),
    methods: list(value.methods).map((one, i) => method(one, axes, i)),
    correlation: rows(value.correlation),
    ...(isFields(image) && /^[A-Za-z0-9+/=]+$/.test(text(image.png))
      ? { image: { width: number(image.width), height: number(image.height), png: text(image.png) } }
      : {}),
    source: value,
  };
}

export const axisOf = (trace: Trace, name: string): Axis =>
  trace.axes.find((one) => one.name === name) ?? { name, kind: "tokens", labels: [], states: [] };

// Which heads an alignment is read from when nobody chooses: the layer before the last of several
// (src/fovea/models/soft_alignment.h), of the kind that looks across if there is one.
export function defaultHeads(trace: Trace): Head[] {
  const kinds = ["cross", "self", "encoder", "decoder"];
  const kind = kinds.find((one) => trace.heads.some((h) => h.kind === one)) ?? trace.heads[0]?.kind;
  const heads = trace.heads.filter((one) => one.kind === kind);
  const layers = Math.max(0, ...heads.map((one) => one.layer)) + 1;
  return heads.filter((one) => one.layer === Math.max(0, layers - 2));
}

export type Look = "text" | "caption" | "answer" | "glimpse" | "classify";

// Which view shows it: by its task, or for the picture of another program by what it has.
export function lookOf(trace: Trace): Look {
  if (!trace.image) return "text";
  const { task } = trace;
  if (task === "caption" || task === "answer" || task === "glimpse" || task === "classify") return task;
  if (axisOf(trace, "glimpses").labels.length > 0) return "glimpse";
  const said = axisOf(trace, "target").labels.length;
  if (trace.heads.some((one) => one.kind === "cross")) return said > 1 ? "caption" : "answer";
  return "classify";
}
