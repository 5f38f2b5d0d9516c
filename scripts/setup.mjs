/** Checks Node and installs what package-lock.json names: the first step of every script. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the clone. */
export const root = fileURLToPath(new URL("..", import.meta.url));

/** A hash of everything that decides what is installed in a folder. */
function wantedInstallation(folder) {
  const hash = createHash("sha256").update(process.version);
  hash.update(readFileSync(join(folder, "package-lock.json")));
  const packages = join(folder, "packages");
  for (const name of existsSync(packages) ? readdirSync(packages).sort() : []) {
    const file = join(packages, name, "package.json");
    if (existsSync(file)) hash.update(readFileSync(file));
  }
  return hash.digest("hex");
}

/** Installs exactly what the lock file of a folder names, verified by its hashes, unless that is already installed. */
export function install(folder = root) {
  const wanted = wantedInstallation(folder);
  const stamp = join(folder, "node_modules", ".vouch-installed");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  console.error("Installing dependencies (npm ci) …");
  const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const npm = process.env.npm_execpath;
  const { status } = npm
    ? spawnSync(process.execPath, [npm, ...args], { cwd: folder, stdio: ["ignore", 2, 2] })
    : spawnSync("npm", args, { cwd: folder, stdio: ["ignore", 2, 2], shell: process.platform === "win32" });
  if (status !== 0) {
    console.error("The dependencies could not be installed; the lines above say why.");
    process.exit(1);
  }
  writeFileSync(stamp, wanted);
}

/** Checks that this Node can run vouch. */
export function checkNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  console.error(`vouch needs Node 20.19 or newer; this is ${process.version}.`);
  process.exit(1);
}
