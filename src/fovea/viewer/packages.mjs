// Installs the packages of package-lock.json unless those that stand in node_modules are they.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));

export function ensurePackages() {
  const stamp = path.join(here, "node_modules/.installed");
  const lock = createHash("sha256")
    .update(readFileSync(path.join(here, "package-lock.json")))
    .digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === lock) return;
  // No package needs a script of its own to be installed, so none may run one.
  const npm = spawnSync("npm", ["ci", "--ignore-scripts", "--loglevel=error"], { cwd: here, encoding: "utf8" });
  if (npm.status !== 0) {
    console.error(npm.stderr || npm.stdout || String(npm.error));
    console.error(
      "the page: 'npm ci' failed in src/fovea/viewer; it needs the network once, or configure with -DFOVEA_PAGE=OFF",
    );
    process.exit(1);
  }
  writeFileSync(stamp, lock);
}
