// The program fovea, for tests that hold the page against it: training, serving, explaining.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";

const program = process.env.FOVEA_PROGRAM ?? "fovea";

export const fovea = (...words: string[]): string =>
  execFileSync(program, words, { encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "pipe"] });

const kNouns: [string, string][] = [
  ["cat", "chat"],
  ["dog", "chien"],
  ["garden", "jardin"],
  ["horse", "cheval"],
];
const kAdjectives: [string, string][] = [
  ["small", "petit"],
  ["old", "vieux"],
  ["green", "vert"],
];

// A small language, learnt in a moment.
function pairs(): string {
  const lines: string[] = [];
  for (const [one, un] of kNouns) {
    for (const [other, autre] of kNouns) {
      if (one === other) continue;
      lines.push(`the ${one} sees the ${other}\tle ${un} voit le ${autre}`);
      for (const [big, grand] of kAdjectives)
        lines.push(`the ${big} ${one} sees the ${other}\tle ${grand} ${un} voit le ${autre}`);
    }
  }
  return lines.map((line) => `${line}\n`).join("");
}

// Three translators in `folder`: bahdanau, fixed, transformer; few steps, since only their numbers matter.
export function train(folder: string): Record<"bahdanau" | "fixed" | "transformer", string> {
  const data = path.join(folder, "pairs.tsv");
  writeFileSync(data, pairs());
  const shared = [
    "--data",
    data,
    "--valid",
    data,
    "--pieces",
    "unigram",
    "--vocab-size",
    "60",
    "--dropout",
    "0",
    "--batch-words",
    "256",
    "--threads",
    "1",
    "--schedule",
    "constant",
    "--warmup",
    "0",
    "--seed",
    "3",
  ];
  const recurrent = [
    "--hidden",
    "32",
    "--embedding-dim",
    "24",
    "--steps",
    "150",
    "--validate-every",
    "150",
    "--rate",
    "0.01",
  ];
  const parallel = [
    "--size",
    "tiny",
    "--layers",
    "2",
    "--heads",
    "2",
    "--steps",
    "100",
    "--validate-every",
    "100",
    "--rate",
    "0.003",
  ];
  const model = (kind: string, options: string[]) => {
    const out = path.join(folder, `${kind}.safetensors`);
    fovea("train", "translate", "--model", kind, "--out", out, ...shared, ...options);
    return out;
  };
  return {
    bahdanau: model("bahdanau", recurrent),
    fixed: model("fixed", recurrent),
    transformer: model("transformer", parallel),
  };
}

// A reader of digits, in a moment: 28 x 28 pixels, six glimpses.
export function trainGlimpse(folder: string): string {
  const out = path.join(folder, "glimpse.safetensors");
  const steps = ["--steps", "20", "--validate-every", "20", "--world-digits", "500", "--batch", "32"];
  fovea("train", "glimpse", "--out", out, "--threads", "1", "--seed", "3", ...steps);
  return out;
}

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });

export interface Served {
  url: string;
  stop(): Promise<number | null>; // its exit code
}

export async function serve(models: string[], options: string[] = []): Promise<Served> {
  const port = await freePort();
  const child: ChildProcess = spawn(program, ["serve", ...models, "--port", String(port), ...options], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  child.stdout?.on("data", (part: Buffer) => (said += part.toString()));
  child.stderr?.on("data", (part: Buffer) => (said += part.toString()));
  const ended = new Promise<number | null>((resolve) => child.on("exit", (code) => resolve(code)));
  const url = `http://127.0.0.1:${port}/`;
  for (let tries = 0; tries < 300; ++tries) {
    if (child.exitCode !== null) throw new Error(`fovea serve ended: ${said}`);
    // Any answer will do: with a token, this one is a refusal.
    const answers = await fetch(`${url}api/health`).then(
      () => true,
      () => false,
    );
    if (answers) return { url, stop: () => (child.kill("SIGTERM"), ended) };
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  child.kill();
  throw new Error(`fovea serve does not answer at ${url}: ${said}`);
}

// Arrays as .npy files, of float32 and two axes.
export function npy(rows: number[][]): Buffer {
  const header = `{'descr': '<f4', 'fortran_order': False, 'shape': (${rows.length}, ${rows[0]!.length}), }`;
  const padded = header.padEnd(Math.ceil((header.length + 11) / 64) * 64 - 11) + "\n";
  const front = Buffer.from([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, padded.length & 255, padded.length >> 8]);
  return Buffer.concat([front, Buffer.from(padded), Buffer.from(new Float32Array(rows.flat()).buffer)]);
}
export function npyNumbers(file: Buffer): number[] {
  const begin = 10 + file.readUInt16LE(8);
  return Array.from({ length: (file.length - begin) / 4 }, (_, i) => file.readFloatLE(begin + 4 * i));
}
