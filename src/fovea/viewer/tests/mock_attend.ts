// POST /api/attend for tests without the library: the plainest arithmetic, and only what the lessons ask for.

interface Request {
  query: number[][];
  key: number[][];
  value: number[][];
  score: string;
  causal?: boolean;
  window?: [number, number] | null;
  temperature?: number;
  samples?: number;
  seed?: number;
  matrix?: number[][];
  weight?: number[];
  gradient?: boolean;
}

const dot = (a: number[], b: number[]) => a.reduce((sum, x, i) => sum + x * (b[i] ?? 0), 0);

function score(request: Request, q: number[], k: number[], at: number): number {
  const { matrix = [], weight = [] } = request;
  switch (request.score) {
    case "scaled-dot":
      return dot(q, k) / Math.sqrt(q.length);
    case "cosine":
      return dot(q, k) / (Math.hypot(...q) * Math.hypot(...k));
    case "general":
      return dot(
        q,
        matrix.map((row) => dot(row, k)),
      );
    case "additive":
      return dot(
        weight,
        q.map((x, i) => Math.tanh(x + (k[i] ?? 0))),
      );
    case "concat":
      return dot(
        weight,
        weight.map((_, h) => Math.tanh([...q, ...k].reduce((sum, x, i) => sum + x * (matrix[i]?.[h] ?? 0), 0))),
      );
    case "location":
      return q.reduce((sum, x, i) => sum + x * (matrix[i]?.[at] ?? 0), 0);
    default:
      return dot(q, k);
  }
}

export function mockAttend(request: Request) {
  const { query, key, value, temperature = 1, samples = 0, seed = 1 } = request;
  const visible = (q: number, k: number) =>
    (!request.causal || k <= q) && (!request.window || (k >= q - request.window[0] && k <= q + request.window[1]));
  const scores = query.map((q, i) => key.map((k, j) => (visible(i, j) ? score(request, q, k, j) : null)));
  const weights = scores.map((row) => {
    const largest = Math.max(...row.map((one) => one ?? -Infinity));
    const powers = row.map((one) => (one === null ? 0 : Math.exp((one - largest) / temperature)));
    const sum = powers.reduce((a, b) => a + b, 0);
    return powers.map((one) => one / sum);
  });
  const mix = (row: number[]) => value[0]!.map((_, d) => row.reduce((sum, w, k) => sum + w * value[k]![d]!, 0));
  const answer = {
    scores,
    weights,
    output: weights.map(mix),
    entropy: weights.map((row) => -row.reduce((sum, w) => sum + (w > 0 ? w * Math.log(w) : 0), 0)),
  };
  // Of the expected output by the scores: w (v - mean); from a throw: (v - baseline) (thrown - w).
  const worth = value.map((row) => row.reduce((sum, one) => sum + one, 0));
  const expected = weights.map((row) => dot(row, worth));
  const exact = weights.map((row, q) => row.map((w, k) => w * (worth[k]! - expected[q]!)));
  if (samples === 0) return { ...answer, ...(request.gradient ? { gradient: { exact } } : {}) };
  let state = seed * 747796405 + 1;
  const random = () => (state = (state * 1103515245 + 12345) % 2147483648) / 2147483648;
  const pick = (row: number[]) => {
    let left = random();
    const found = row.findIndex((w) => (left -= w) < 0);
    return found < 0 ? row.length - 1 : found;
  };
  const index = weights.map(pick);
  const mean = weights.map((row) => {
    const counts = row.map(() => 0);
    for (let i = 0; i < samples; ++i) ++counts[pick(row)]!;
    return mix(counts.map((count) => count / samples));
  });
  const estimate = (baseline: number[]) =>
    weights.map((row, q) => {
      const sum = row.map(() => 0);
      for (let i = 0; i < samples; ++i) {
        const thrown = pick(row);
        row.forEach((w, k) => (sum[k]! += (worth[thrown]! - baseline[q]!) * ((k === thrown ? 1 : 0) - w)));
      }
      return sum.map((one) => one / samples);
    });
  const gradient = request.gradient
    ? { gradient: { exact, sampled: estimate(expected.map(() => 0)), with_baseline: estimate(expected) } }
    : {};
  return { ...answer, ...gradient, hard: { index, output: index.map((k) => value[k]!), mean_output: mean } };
}
