// Traces for tests without a model: shaped like real ones, made up of simple rules.

type Row = number[];

export interface Ask {
  model: string;
  input: string;
  methods?: string[];
  check?: boolean;
  states?: boolean;
}

export const kMethods = ["attention", "rollout", "saliency", "input-gradient", "integrated-gradients", "occlusion"];

export const kModels = [
  {
    name: "en-fr",
    task: "translate",
    model: "bahdanau",
    parameters: 1234567,
    attends: true,
    layers: 1,
    heads: 1,
    methods: kMethods.filter((name) => name !== "rollout"),
    examples: [
      "The old cat sees a small house.",
      "The girl will not enter the church.",
      "Unbelievable sunflowers grow.",
    ],
  },
  {
    name: "en-fr-big",
    task: "translate",
    model: "transformer",
    parameters: 7654321,
    attends: true,
    layers: 4,
    heads: 4,
    methods: kMethods,
    examples: ["The old cat sees a small house."],
  },
  {
    name: "en-fr-fixed",
    task: "translate",
    model: "fixed",
    parameters: 1100000,
    attends: false,
    layers: 0,
    heads: 0,
    methods: ["saliency", "input-gradient", "occlusion", "sequential-jacobian"],
    examples: ["The old cat sees a small house."],
  },
];

// Words of more than seven letters come in two pieces.
function pieces(sentence: string): { text: string; word: number | null }[] {
  const words = sentence.split(/\s+/).filter((word) => word !== "");
  const labels = words.flatMap((word, i) =>
    word.length > 7
      ? [
          { text: `▁${word.slice(0, 5)}`, word: i },
          { text: word.slice(5), word: i },
        ]
      : [{ text: `▁${word}`, word: i }],
  );
  return [...labels, { text: "</s>", word: null as unknown as number }];
}

const wave = (a: number, b: number, c = 0) => Math.sin(1.7 * a + 2.3 * b + 0.9 * c + 1);

function softmax(scores: (number | null)[]): Row {
  const largest = Math.max(...scores.map((one) => one ?? -Infinity));
  const powers = scores.map((one) => (one === null ? 0 : Math.exp(one - largest)));
  const sum = powers.reduce((a, b) => a + b, 0);
  return powers.map((one) => one / sum);
}

// Looks near the diagonal, some heads more sharply than others.
function scores(queries: number, keys: number, head: number, causal = false): (number | null)[][] {
  return Array.from({ length: queries }, (_, q) =>
    Array.from({ length: keys }, (_, k) => {
      if (causal && k > q) return null;
      const shift = (head % 3) - 1;
      return 4 - (1 + (head % 4)) * Math.abs((q / queries) * keys - k + shift) + wave(q, k, head);
    }),
  );
}

function head(kind: string, layer: number, index: number, axes: [string, number][]) {
  const [[queries, rows], [keys, columns]] = axes as [[string, number], [string, number]];
  const table = scores(rows, columns, index + layer, kind === "decoder");
  return { kind, layer, head: index, queries, keys, scores: table, weights: table.map(softmax) };
}

const translated = (input: string) =>
  input
    .split(/\s+/)
    .filter((word) => word !== "")
    .map((word) =>
      word
        .toLowerCase()
        .replace(/^the$/, "le")
        .replace(/cat/, "chat")
        .replace(/house/, "maison")
        .replace(/old/, "vieux"),
    )
    .join(" ");

export function sampleTrace({ model, input, methods = [], check = false, states = false }: Ask) {
  const known = kModels.find((one) => one.name === model)!;
  const output = translated(input) + (known.model === "fixed" ? " encore" : "");
  const [source, target] = [pieces(input), pieces(output)];
  const sizes = { source: source.length, target: target.length };
  const vector = (i: number, dim = 48) => Array.from({ length: dim }, (_, d) => wave(i, d) * Math.cos(d + i));
  const heads = [];
  for (let layer = 0; layer < known.layers; ++layer) {
    for (let h = 0; h < known.heads; ++h) {
      heads.push(
        head("cross", layer, h, [
          ["target", sizes.target],
          ["source", sizes.source],
        ]),
      );
      if (known.model !== "transformer") continue;
      heads.push(
        head("encoder", layer, h, [
          ["source", sizes.source],
          ["source", sizes.source],
        ]),
      );
      heads.push(
        head("decoder", layer, h, [
          ["target", sizes.target],
          ["target", sizes.target],
        ]),
      );
    }
  }
  const figures = (i: number) =>
    ["deletion", "insertion", "deletion_random", "insertion_random", "randomised"].map((name, n) => ({
      name,
      value: [0.21 + 0.06 * i, 0.71 - 0.05 * i, 0.44, 0.46, 0.03 * i][n]!,
      about: `what ${name} measures`,
    }));
  return {
    format: "fovea.trace",
    version: 1,
    task: "translate",
    model: known.model,
    input,
    output,
    axes: [
      { name: "source", kind: "pieces", labels: source, states: states ? source.map((_, i) => vector(i)) : [] },
      { name: "target", kind: "pieces", labels: target, states: [] },
    ],
    steps: target.map((label, i) => ({
      choices: [
        { text: label.text, probability: 0.7 + 0.2 * wave(i, 0) ** 2 },
        ...["▁la", "▁une", "▁des", "▁et"].map((text, n) => ({ text, probability: 0.08 / (n + 1) })),
      ],
      context: vector(known.model === "fixed" ? 0 : i + 3),
    })),
    heads,
    methods: methods.map((name, i) => {
      const signed = name === "input-gradient" || name === "integrated-gradients";
      const weights = scores(sizes.target, sizes.source, i + 1).map(softmax);
      return {
        name,
        about: `What ${name} says in one sentence about this sentence.`,
        signed,
        queries: "target",
        keys: "source",
        weights: signed ? weights.map((row, q) => row.map((value, k) => value * Math.sign(wave(q, k)))) : weights,
        figures: check ? figures(i) : [],
      };
    }),
    correlation:
      methods.length > 1
        ? methods.map((_, a) => methods.map((_, b) => (a === b ? 1 : 0.8 / (1 + Math.abs(a - b)))))
        : [],
  };
}

const digits = (value: number) => Number(value.toPrecision(8)); // as many as float32 needs

// Self-attention over many tokens, as it is written when there are more than a million weights.
export function largeTrace(tokens: number) {
  const side = 500;
  const top = Array.from({ length: tokens }, (_, q) => {
    const keys = Array.from({ length: 16 }, (_, n) => (n < 6 ? Math.max(0, q - n) : (q * 7919 + n * 104729) % tokens));
    return [...new Set(keys)].map((key, n): [number, number] => [key, digits(0.5 / (1 + n) ** 1.5)]);
  });
  const max = Array.from({ length: side }, () => new Array<number>(side).fill(0));
  top.forEach((row, q) => {
    for (const [key, weight] of row) {
      const to = max[Math.floor((q * side) / tokens)]!;
      const at = Math.floor((key * side) / tokens);
      to[at] = Math.max(to[at]!, weight);
    }
  });
  const mean = max.map((row) => row.map((value) => digits(value / 20)));
  const labels = Array.from({ length: tokens }, (_, i) => ({ text: `token${i}`, word: i }));
  return {
    format: "fovea.trace",
    version: 1,
    task: "sense",
    model: "transformer",
    input: labels.map((one) => one.text).join(" "),
    output: "",
    axes: [{ name: "tokens", kind: "tokens", labels, states: [] }],
    steps: [],
    heads: [
      {
        kind: "self",
        layer: 0,
        head: 0,
        queries: "tokens",
        keys: "tokens",
        large: { rows: tokens, columns: tokens, overview: { rows: side, columns: side, mean, max }, top },
      },
    ],
    methods: [],
    correlation: [],
  };
}
