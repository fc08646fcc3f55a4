// Traces of pictures for tests without a model: shaped like real ones, looking where the truth is.
import { type KnownDigit, type KnownScene, kDigits, kScenes } from "./pictures";

type Box = [number, number, number, number];
type Row = number[];

export interface AskPicture {
  model: string;
  image: string;
  question?: string;
  methods?: string[];
  check?: boolean;
}

const kMethods = ["saliency", "integrated-gradients", "occlusion", "grad-cam"];
const common = { parameters: 432100, attends: true, layers: 1, heads: 1, examples: [] as string[], asks: false };
const scenes = { image: { width: 64, height: 64, channels: 3 }, world: "scene" };
const digits = { image: { width: 60, height: 60, channels: 1 }, world: "digit" };

export const kPictureModels = [
  { name: "caption", task: "caption", model: "soft", methods: ["saliency", "occlusion"], ...common, ...scenes },
  { name: "answer", task: "answer", model: "gru", methods: kMethods, ...common, ...scenes, layers: 2, asks: true },
  { name: "glimpse", task: "glimpse", model: "places", methods: [] as string[], ...common, ...digits },
  { name: "tiles", task: "glimpse", model: "hard", methods: [] as string[], ...common, ...digits },
  { name: "classify", task: "classify", model: "cnn", methods: kMethods, ...common, ...scenes },
];

const numberOf = (name: string) => Number(/^[a-z]+:(\d+)$/.exec(name)?.[1] ?? 0);
const sceneOf = (name: string): KnownScene => kScenes[numberOf(name) % kScenes.length]!;
const digitOf = (name: string): KnownDigit => kDigits[numberOf(name) % kDigits.length]!;

export function samplePictures({ world, first, count }: { world: string; first: number; count: number }) {
  return Array.from({ length: count }, (_, i) => {
    const name = `${world}:${first + i}`;
    if (world !== "scene") {
      const { png, about, box } = digitOf(name);
      return { name, png, about, questions: [], boxes: [{ text: about, box }] };
    }
    const { png, about, questions, things } = sceneOf(name);
    return { name, png, about, questions: questions.map((one) => one.text), boxes: things };
  });
}

const cellsOf = (size: number, side: number) =>
  Array.from({ length: side * side }, (_, i) => {
    const [x, y, step] = [i % side, Math.floor(i / side), size / side];
    const box: Box = [x * step, y * step, (x + 1) * step, (y + 1) * step];
    return { text: `${i}`, word: null, box };
  });

const centre = (box: Box) => [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2] as const;

// All near the boxes, a little everywhere; evenly where there are none.
function around(cells: { box: Box }[], boxes: Box[], width: number): Row {
  const scores = cells.map(({ box }) => {
    const [x, y] = centre(box);
    const near = boxes.map((one) => {
      const [a, b] = centre(one);
      return Math.exp(-((x - a) ** 2 + (y - b) ** 2) / (2 * width ** 2));
    });
    return 0.012 + near.reduce((sum, one) => sum + one, 0);
  });
  const sum = scores.reduce((a, b) => a + b, 0);
  return scores.map((one) => one / sum);
}

const head = (kind: string, layer: number, queries: string, keys: string, weights: Row[]) => ({
  kind,
  layer,
  head: 0,
  queries,
  keys,
  weights,
  scores: weights.map((row) => row.map(Math.log)),
});

const axis = (name: string, kind: string, labels: unknown[]) => ({ name, kind, labels, states: [] });

const choices = (said: string, others: string[], sure = 0.82) => [
  { text: said, probability: sure },
  ...others.filter((one) => one !== said).map((text, i) => ({ text, probability: (1 - sure) / 2 ** (i + 1) })),
];

// A caption says what is true, and looks at it.
function caption(scene: KnownScene) {
  const cells = cellsOf(64, 8);
  const words = [...scene.words, { text: "</s>", boxes: [] as Box[] }];
  return {
    output: scene.about,
    axes: [
      axis("regions", "regions", cells),
      axis(
        "target",
        "words",
        words.map(({ text }, i) => ({ text, word: text === "</s>" ? null : i })),
      ),
      axis("truth", "regions", scene.things),
    ],
    steps: words.map(({ text }) => ({ choices: choices(text, ["the", "red", "player", "ball"]), context: [] })),
    heads: [
      head(
        "cross",
        0,
        "target",
        "regions",
        words.map(({ boxes }) => around(cells, boxes, 7)),
      ),
    ],
    keys: cells,
  };
}

function answer(scene: KnownScene, question: string) {
  const known = scene.questions.find((one) => one.text === question);
  const cells = cellsOf(64, 8);
  const boxes = known?.boxes ?? [];
  const said = known?.answer ?? "yes";
  return {
    output: said,
    axes: [
      axis(
        "question",
        "words",
        question.split(" ").map((text, word) => ({ text, word })),
      ),
      axis("regions", "regions", cells),
      axis("target", "words", [{ text: said, word: 0 }]),
      axis(
        "truth",
        "regions",
        boxes.map((box) => ({ text: said, box })),
      ),
    ],
    steps: [{ choices: choices(said, ["red", "blue", "white", "two", "left"]), context: [] }],
    heads: [
      head("cross", 0, "target", "regions", [
        around(
          cells,
          scene.things.map((one) => one.box),
          9,
        ),
      ]),
      head("cross", 1, "target", "regions", [around(cells, boxes, 7)]),
    ],
    keys: cells,
  };
}

const kPlaces = [
  [0.35, 0.7],
  [0.8, 0.25],
  [0.55, 0.45],
];

// From somewhere to the digit, surer with every glimpse.
function glimpses(digit: KnownDigit, tiles: boolean) {
  const target = centre(digit.box);
  const places = [...kPlaces.map(([x, y]) => [60 * x!, 60 * y!] as const), target, target].map(([x, y], i) => {
    const [left, top] = [Math.round(x + (i === 4 ? 5 : 0) - 6), Math.round(y - (i === 4 ? 4 : 0) - 6)];
    return [left, top, left + 12, top + 12] as Box;
  });
  const cells = cellsOf(60, 5);
  const belief = (i: number) => {
    const sure = [0.12, 0.15, 0.4, 0.81, 0.97][i]!;
    const rest = Array.from({ length: 10 }, (_, d) => (String(d) === digit.about ? sure : (1 - sure) / 9));
    return rest
      .map((probability, d) => ({ text: String(d), probability }))
      .sort((a, b) => b.probability - a.probability);
  };
  return {
    output: digit.about,
    axes: [
      axis(
        "glimpses",
        "glimpses",
        places.map((box, i) => ({ text: String(i + 1), box })),
      ),
      axis(
        "retina",
        "words",
        (tiles ? ["12"] : ["12", "24", "48"]).map((text) => ({ text })),
      ),
      axis(
        "target",
        "beliefs",
        places.map((_, i) => ({ text: belief(i)[0]!.text })),
      ),
      ...(tiles ? [axis("regions", "regions", cells)] : []),
      axis("truth", "regions", [{ text: digit.about, box: digit.box }]),
    ],
    steps: places.map((_, i) => ({ choices: belief(i), context: [] })),
    heads: tiles
      ? [
          head(
            "cross",
            0,
            "glimpses",
            "regions",
            places.map((box) => around(cells, [box], 6)),
          ),
        ]
      : [],
    keys: cells,
  };
}

function classify(scene: KnownScene) {
  const cells = cellsOf(64, 8);
  const said = scene.things.find((one) => one.text.endsWith("kicking"))!.text.split(",")[0]!;
  return {
    output: said,
    axes: [
      axis("regions", "regions", cells),
      axis("target", "words", [{ text: said, word: 0 }]),
      axis("truth", "regions", scene.things),
    ],
    steps: [{ choices: choices(said, ["red", "blue", "yellow", "white"]), context: [] }],
    heads: [
      head(
        "self",
        0,
        "regions",
        "regions",
        cells.map((one) => around(cells, [one.box, scene.things[0]!.box], 8)),
      ),
    ],
    keys: cells,
  };
}

const figures = (i: number) =>
  ["deletion", "insertion", "deletion_random", "insertion_random", "pointing"].map((name, n) => ({
    name,
    value: [0.2 + 0.05 * i, 0.7 - 0.05 * i, 0.44, 0.46, 1][n]!,
    about: `what ${name} measures`,
  }));

function methodsOf(names: string[], check: boolean, rows: number, boxes: Box[]) {
  const pixels = cellsOf(64, 32);
  const regions = cellsOf(64, 8);
  return names.map((name, i) => {
    const coarse = name === "grad-cam";
    const row = around(coarse ? regions : pixels, boxes, coarse ? 7 : 3 + i);
    const signed = name !== "saliency";
    const mean = 1 / row.length;
    return {
      name,
      about: `what ${name} says in one sentence`,
      signed,
      queries: "target",
      keys: coarse ? "regions" : "pixels",
      weights: Array.from({ length: rows }, () => (signed ? row.map((one) => one - mean) : row)),
      figures: check ? figures(i) : [],
    };
  });
}

export function samplePictureTrace({ model, image, question = "", methods = [], check = false }: AskPicture) {
  const known = kPictureModels.find((one) => one.name === model)!;
  const scene = sceneOf(image);
  const digit = digitOf(image);
  const isDigit = known.task === "glimpse";
  const made =
    known.task === "caption"
      ? caption(scene)
      : known.task === "answer"
        ? answer(scene, question)
        : isDigit
          ? glimpses(digit, known.model === "hard")
          : classify(scene);
  const { keys: _, axes, ...rest } = made;
  const rows = axes.find((one) => one.name === "target")!.labels.length;
  const kicker = scene.things.find((one) => one.text.endsWith("kicking"))!.box;
  const side = isDigit ? 60 : 64;
  return {
    format: "fovea.trace",
    version: 1,
    task: known.task,
    model: known.model,
    input: question,
    ...rest,
    axes: [...axes, axis("pixels", "regions", cellsOf(64, 32))],
    methods: methodsOf(methods, check, rows, [kicker]),
    correlation: methods.length > 1 ? methods.map((_, a) => methods.map((_, b) => 1 / (1 + Math.abs(a - b)))) : [],
    image: { width: side, height: side, png: isDigit ? digit.png : scene.png },
  };
}
