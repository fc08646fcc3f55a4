// From pieces to words, as src/fovea/models/soft_alignment.h says: what a source word's pieces got is added,
// what a target word's pieces gave is averaged.
import { type Axis, axisOf, type Head, type Large, type Method, type Rows, type Trace } from "./trace";

export type Unit = "words" | "pieces";

// A map ready to be drawn: its labels, and either all of its weights or what is kept of a large one.
export interface Drawable {
  queries: string[];
  keys: string[];
  weights: Rows;
  scores?: Rows; // only where weights were not merged: scores cannot be added
  large?: Large;
  signed: boolean;
  shares: boolean; // rows add up to 1, so weights are told in percent
}

interface Group {
  text: string;
  members: number[]; // indices of labels
}

// Marks of tokenizers that are no part of a word: a space before, a join.
export const plain = (piece: string): string => piece.replace(/[\u2581\uffed]/g, "") || piece;

export function groupsOf(axis: Axis, sentence: string, unit: Unit): Group[] {
  const single = (i: number): Group => ({ text: plain(axis.labels[i]?.text ?? ""), members: [i] });
  if (unit === "pieces") return axis.labels.map((_, i) => single(i));
  const spelled = sentence.split(/\s+/).filter((word) => word !== "");
  const groups: Group[] = [];
  const ofWord = new Map<number, Group>();
  axis.labels.forEach(({ text, word }, i) => {
    const known = word === null ? undefined : ofWord.get(word);
    if (known) {
      known.members.push(i);
      if (spelled[word!] === undefined) known.text += plain(text);
      return;
    }
    const group = word === null ? single(i) : { text: spelled[word] ?? plain(text), members: [i] };
    groups.push(group);
    if (word !== null) ofWord.set(word, group);
  });
  return groups;
}

// The step that says </s> has no row among words, unless there is nothing else.
function rowGroups(axis: Axis, sentence: string, unit: Unit): Group[] {
  const groups = groupsOf(axis, sentence, unit);
  if (unit === "pieces") return groups;
  const words = groups.filter((group) => group.members.some((i) => axis.labels[i]?.word !== null));
  return words.length > 0 ? words : groups;
}

export const hasPieces = (trace: Trace): boolean =>
  trace.axes.some((axis) => axis.labels.some((one, i) => one.word !== null && one.word === axis.labels[i + 1]?.word));

const sentenceOf = (trace: Trace, axis: string): string =>
  axis === "source" ? trace.input : axis === "target" || axis === "said" ? trace.output : "";

export function merged(weights: Rows, queries: Group[], keys: Group[]): Rows {
  return queries.map(({ members }) =>
    keys.map((key) => {
      let sum = 0;
      for (const q of members) for (const k of key.members) sum += weights[q]?.[k] ?? 0;
      return sum / members.length;
    }),
  );
}

export function mean(maps: Rows[]): Rows {
  if (maps.length === 1) return maps[0]!;
  return (maps[0] ?? []).map((row, q) =>
    row.map((_, k) => maps.reduce((sum, map) => sum + (map[q]?.[k] ?? 0), 0) / maps.length),
  );
}

export function drawable(trace: Trace, maps: (Head | Method)[], unit: Unit): Drawable | null {
  const first = maps[0];
  if (!first) return null;
  const [queryAxis, keyAxis] = [axisOf(trace, first.queries), axisOf(trace, first.keys)];
  const signed = "signed" in first && first.signed;
  if (first.large) {
    const names = (axis: Axis) => axis.labels.map((one) => plain(one.text));
    return {
      queries: names(queryAxis),
      keys: names(keyAxis),
      weights: [],
      large: first.large,
      signed,
      shares: !signed,
    };
  }
  const queries = rowGroups(queryAxis, sentenceOf(trace, first.queries), unit);
  const keys = groupsOf(keyAxis, sentenceOf(trace, first.keys), unit);
  const weights = merged(mean(maps.map((map) => map.weights)), queries, keys);
  const whole = queries.every((g) => g.members.length === 1) && keys.every((g) => g.members.length === 1);
  const scores = whole && maps.length === 1 && "scores" in first ? first.scores : undefined;
  return {
    queries: queries.map((group) => group.text),
    keys: keys.map((group) => group.text),
    weights,
    ...(scores?.length ? { scores: queries.map((g) => scores[g.members[0]!] ?? []) } : {}),
    signed,
    shares:
      !signed && weights.every((row) => Math.abs(row.reduce<number>((sum, one) => sum + (one ?? 0), 0) - 1) < 0.02),
  };
}
