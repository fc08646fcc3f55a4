// Traces are read as docs/formats.md says, refused with a reason, and merged from pieces to words.
import assert from "node:assert/strict";
import test from "node:test";
import { oklch, scaleOf } from "../app/colour";
import { gridOf, placeOf, shareIn, told } from "../app/image/regions";
import { type Box, defaultHeads, lookOf, readTrace, TraceError } from "../app/trace";
import { drawable } from "../app/words";
import { largeTrace, sampleTrace } from "./fixture";
import { kPictureModels, samplePictureTrace } from "./picture_fixture";

const small = () => ({
  format: "fovea.trace",
  version: 1,
  input: "a sunflower",
  output: "un tournesol",
  axes: [
    {
      name: "source",
      kind: "pieces",
      labels: [
        { text: "▁a", word: 0 },
        { text: "▁sun", word: 1 },
        { text: "flower", word: 1 },
        { text: "</s>", word: null },
      ],
    },
    {
      name: "target",
      kind: "pieces",
      labels: [
        { text: "▁un", word: 0 },
        { text: "▁tourne", word: 1 },
        { text: "sol", word: 1 },
        { text: "</s>", word: null },
      ],
    },
  ],
  heads: [
    {
      kind: "cross",
      layer: 0,
      head: 0,
      queries: "target",
      keys: "source",
      scores: [
        [1, 2, null, 4],
        [0, 0, 0, 0],
        [0, 0, 0, 0],
        [0, 0, 0, 0],
      ],
      weights: [
        [0.7, 0.1, 0.1, 0.1],
        [0.1, 0.6, 0.2, 0.1],
        [0.0, 0.2, 0.6, 0.2],
        [0, 0, 0, 1],
      ],
    },
  ],
});

const refused = (change: (trace: Record<string, any>) => void): string => {
  const trace = small() as Record<string, any>;
  change(trace);
  try {
    readTrace(trace);
  } catch (error) {
    assert(error instanceof TraceError);
    return error.message;
  }
  return "accepted";
};

test("pieces become words: sources added, targets averaged, </s> without a row", () => {
  const trace = readTrace(small());
  const map = drawable(trace, trace.heads, "words")!;
  assert.deepEqual(map.queries, ["un", "tournesol"]);
  assert.deepEqual(map.keys, ["a", "sunflower", "</s>"]);
  const rounded = map.weights.map((row) => row.map((value) => Number(value!.toFixed(6))));
  assert.deepEqual(rounded, [
    [0.7, 0.2, 0.1],
    [0.05, 0.8, 0.15],
  ]);
  assert.equal(map.scores, undefined, "scores of pieces cannot be added");
  assert(map.shares);
});

test("pieces stay as they are, with their scores", () => {
  const trace = readTrace(small());
  const map = drawable(trace, trace.heads, "pieces")!;
  assert.deepEqual(map.queries, ["un", "tourne", "sol", "</s>"]);
  assert.deepEqual(map.weights, trace.heads[0]!.weights);
  assert.deepEqual(map.scores![0], [1, 2, null, 4]);
});

test("what is no Trace is refused with a reason", () => {
  assert.match(
    refused((trace) => (trace.format = "other")),
    /'format' is not 'fovea.trace'/,
  );
  assert.match(
    refused((trace) => (trace.version = 2)),
    /version 2; this page reads version 1/,
  );
  assert.match(
    refused((trace) => (trace.heads[0].keys = "regions")),
    /names the axis 'regions'/,
  );
  assert.match(
    refused((trace) => trace.heads[0].weights.pop()),
    /has 3 x 4 weights, but its axes have 4 and 4 labels/,
  );
  assert.match(
    refused((trace) => trace.heads[0].weights[2].pop()),
    /weights/,
  );
  assert.throws(() => readTrace(null), TraceError);
  assert.throws(() => readTrace([]), TraceError);
});

test("fields may be missing, unknown ones are let be", () => {
  const trace = readTrace({ format: "fovea.trace", version: 1, colour: "blue" });
  assert.deepEqual([trace.axes, trace.heads, trace.steps, trace.methods], [[], [], [], []]);
});

test("the layer before the last is looked at unless there is one", () => {
  const big = readTrace(sampleTrace({ model: "en-fr-big", input: "a b c" }));
  assert.deepEqual(new Set(defaultHeads(big).map((one) => `${one.kind} ${one.layer}`)), new Set(["cross 2"]));
  assert.equal(defaultHeads(readTrace(small()))[0]!.layer, 0);
});

test("a large map is read and kept large", () => {
  const trace = readTrace(largeTrace(1200));
  const map = drawable(trace, trace.heads, "words")!;
  assert.equal(map.large!.rows, 1200);
  assert.equal(map.keys.length, 1200);
});

const cells = (columns: number, rows: number) =>
  Array.from({ length: columns * rows }, (_, i) => {
    const [x, y] = [8 * (i % columns), 8 * Math.floor(i / columns)];
    return { text: "", word: null, box: [x, y, x + 8, y + 8] as Box };
  });

test("regions that form a grid are known as one, others are not", () => {
  assert.deepEqual(gridOf(cells(3, 2)), { columns: 3, rows: 2 });
  assert.deepEqual(gridOf(cells(4, 1)), { columns: 4, rows: 1 });
  assert.equal(gridOf(cells(3, 2).slice(0, 5)), null);
  assert.equal(gridOf([]), null);
  const moved = cells(2, 2);
  moved[3]!.box = [9, 8, 17, 16];
  assert.equal(gridOf(moved), null);
  assert.equal(gridOf([{ text: "", word: null }]), null);
});

test("weights are counted into a box as far as their cells are inside", () => {
  const row = [0.1, 0.2, 0.3, 0.4];
  assert(Math.abs(shareIn(row, cells(2, 2), [0, 0, 16, 16]) - 1) < 1e-9);
  assert(Math.abs(shareIn(row, cells(2, 2), [4, 4, 12, 12]) - 0.25) < 1e-9);
  assert(Math.abs(shareIn(row, cells(2, 2), [8, 8, 99, 99]) - 0.4) < 1e-9);
  assert.equal(shareIn(row, cells(2, 2), [20, 20, 30, 30]), 0);
});

test("places have names", () => {
  const image = { width: 24, height: 24 };
  assert.equal(placeOf([0, 0, 8, 8], image), "upper left");
  assert.equal(placeOf([8, 8, 16, 16], image), "middle");
  assert.equal(placeOf([8, 16, 16, 24], image), "bottom");
  assert.equal(placeOf([-40, 4, -20, 8], image), "upper left");
  assert.equal(told([0.1, 0, 0.9], cells(3, 1), image), "upper right 90 %, upper left 10 %");
});

test("a Trace of a picture is known by its task, or by what it has", () => {
  for (const { name, task } of kPictureModels) {
    const trace = readTrace(samplePictureTrace({ model: name, image: "scene:0", methods: ["saliency"] }));
    assert.equal(lookOf(trace), task);
    assert.equal(lookOf({ ...trace, task: "" }), task);
  }
  assert.equal(lookOf(readTrace(sampleTrace({ model: "en-fr", input: "a b" }))), "text");
});

test("colours grow evenly darker on paper and lighter on black", () => {
  const lightness = (css: string) => {
    const [r, g, b] = css.match(/\d+/g)!.map((one) => Number(one) / 255);
    const linear = (x: number) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
    return 0.2126 * linear(r!) + 0.7152 * linear(g!) + 0.0722 * linear(b!);
  };
  for (const dark of [false, true]) {
    for (const sign of [1, -1]) {
      const steps = Array.from({ length: 33 }, (_, i) => lightness(scaleOf(dark).css((sign * i) / 32)));
      for (let i = 1; i < steps.length; ++i) assert(dark ? steps[i]! > steps[i - 1]! : steps[i]! < steps[i - 1]!);
    }
  }
  assert.deepEqual(oklch(1, 0, 0), [255, 255, 255]);
});
