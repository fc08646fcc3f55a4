// The words that were said of a picture, each with where it looked.
import { axisOf, defaultHeads, type Trace } from "../trace";
import { groupsOf, mean, merged } from "../words";

export interface Word {
  text: string;
  step: number; // that said its first piece
  row: (number | null)[]; // weights of the regions; empty where the model does not attend
}

// </s> is no word.
export function wordsOf(trace: Trace): Word[] {
  const target = axisOf(trace, "target");
  const groups = groupsOf(target, trace.output, "words").filter(
    ({ members }) => target.labels[members[0]!]?.word !== null || target.labels.length === 1,
  );
  const heads = defaultHeads(trace);
  const keys = axisOf(trace, heads[0]?.keys ?? "").labels.map((_, k) => ({ text: "", members: [k] }));
  const rows = heads.length > 0 ? merged(mean(heads.map((one) => one.weights)), groups, keys) : [];
  return groups.map(({ text, members }, i) => ({ text, step: members[0]!, row: rows[i] ?? [] }));
}
