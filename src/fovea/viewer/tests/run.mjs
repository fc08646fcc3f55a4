// Runs a suite of the page's tests. Usage:
// node tests/run.mjs types|reading|views|picture|answers|file|serve PAGE_FOLDER
// PAGE_FOLDER is what build.mjs wrote; the suite 'serve' needs FOVEA_PROGRAM too. Also
// node tests/run.mjs screenshots OUT_FOLDER MODEL..., which scripts/screenshots calls.
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { ensurePackages } from "../packages.mjs";

const viewer = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const [suite = "", ...rest] = process.argv.slice(2);
const isTest = suite !== "screenshots";
ensurePackages();

function run(...words) {
  const env = { ...process.env, FOVEA_PAGE_FOLDER: path.resolve(rest[0] ?? "") };
  const { status } = spawnSync(process.execPath, words, { cwd: viewer, stdio: "inherit", env });
  process.exit(status ?? 1);
}

if (suite === "types") run("node_modules/typescript/bin/tsc", "--noEmit");
const { build } = await import("esbuild");
// Inside node_modules, so that what is not bundled is found from there.
const bundle = path.join(viewer, "node_modules/.tests", `${suite}.mjs`);
mkdirSync(path.dirname(bundle), { recursive: true });
await build({
  entryPoints: [path.join(viewer, isTest ? `tests/${suite}_test.ts` : `tests/${suite}.ts`)],
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node18",
  packages: "external",
  jsx: "automatic",
  jsxImportSource: "preact",
  sourcemap: "inline",
  outfile: bundle,
  logLevel: "warning",
});
if (isTest) run("--enable-source-maps", "--test", bundle);
else run("--enable-source-maps", bundle, ...rest.map((one) => path.resolve(one)));
