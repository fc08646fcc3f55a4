// Bundles the page: app.js, app.css, index.html, and standalone.html, the frame of a file with a Trace in it;
// then all four as C++ (page_files.cc). Usage: node build.mjs OUT_DIR
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { ensurePackages } from "./packages.mjs";

ensurePackages();
const { build } = await import("esbuild");

const here = path.dirname(fileURLToPath(import.meta.url));
const out = path.resolve(process.argv[2] ?? "page");
const kLargestScript = 300 * 1024;

const result = await build({
  entryPoints: { app: path.join(here, "app/main.tsx") },
  absWorkingDir: here,
  bundle: true,
  minify: true,
  format: "iife",
  target: ["es2020"],
  charset: "utf8",
  legalComments: "none",
  jsx: "automatic",
  jsxImportSource: "preact",
  outdir: out,
  write: false,
  logLevel: "warning",
});
const text = (ending) => result.outputFiles.find((file) => file.path.endsWith(ending)).text.trim();
const script = text("app.js");
const style = text("app.css");
const bytes = Buffer.byteLength(script);
if (bytes > kLargestScript) throw new Error(`app.js has ${bytes} bytes, more than the ${kLargestScript} it may have`);
if (/<\/(script|style)/i.test(script + style)) throw new Error("app.js or app.css would end its own element in a file");

// The script and style of a file are allowed by their hash, so nothing else in it can run.
const hash = (content) => `'sha256-${createHash("sha256").update(content).digest("base64")}'`;
const policy = [
  "default-src 'none'",
  `script-src ${hash(script)}`,
  `style-src ${hash(style)}`,
  "img-src data: blob:",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

const icon = encodeURIComponent(readFileSync(path.join(here, "app/icon.svg"), "utf8").trim());
const frame = readFileSync(path.join(here, "app/index.html"), "utf8");
const fill = (parts) => frame.replace(/<!--(\w+)-->/g, (_, name) => parts[name]);
const iconLink = `<link rel="icon" href="data:image/svg+xml,${icon}">`;
const files = {
  "app.js": script,
  "app.css": style,
  "index.html": fill({
    head: `<meta name="fovea-file-policy" content="${policy}">\n${iconLink}\n<link rel="stylesheet" href="app.css">`,
    body: '<script src="app.js" defer></script>',
  }),
  "standalone.html": fill({
    head: `<meta http-equiv="Content-Security-Policy" content="${policy}">\n${iconLink}\n<style id="style">@STYLE@</style>`,
    body: '<script type="application/json" id="trace">@TRACE@</script>\n<script id="app">@SCRIPT@</script>',
  }),
};

// As string literals of C++, a line of source for a hundred bytes.
function literal(content) {
  const lines = [];
  let line = "";
  for (const character of content) {
    if (character === "\n") line += "\\n";
    else if (character === '"' || character === "\\" || character === "?") line += `\\${character}`;
    else line += character;
    if (line.length >= 100 || character === "\n") {
      lines.push(line);
      line = "";
    }
  }
  if (line !== "") lines.push(line);
  return lines.map((one) => `    "${one}"`).join("\n");
}
const names = { "index.html": "kPage", "app.js": "kScript", "app.css": "kStyle", "standalone.html": "kStandalone" };
const constants = Object.entries(names).map(
  ([file, name]) =>
    `constexpr char ${name}Text[] =\n${literal(files[file])};\nconst std::string_view ${name}(${name}Text, sizeof ${name}Text - 1);\n`,
);
files["page_files.cc"] = `// The files of the page, written by src/fovea/viewer/build.mjs.
#include "fovea/viewer/page_files.h"

#if defined(__clang__)
#pragma clang diagnostic ignored "-Woverlength-strings"
#endif

namespace fovea::page_files {

${constants.join("\n")}
}  // namespace fovea::page_files
`;

mkdirSync(out, { recursive: true });
for (const [name, content] of Object.entries(files)) writeFileSync(path.join(out, name), content);
