/** Installs the ONNX runtimes that tests compare exported models with. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./setup.mjs";

const folder = join(root, "packages", "onnx", "test", "engines");
const stamp = join(folder, "node_modules", ".vouch-installed");

/**
 * Installs the ONNX runtimes that tests compare exported models with, unless they are there: 430 MB that only full test runs need.
 * Their own install scripts, which would download more, do not run. Without them the tests are skipped, and this says so.
 */
export function provideOnnxEngines() {
  const wanted = createHash("sha256")
    .update(readFileSync(join(folder, "package-lock.json")))
    .digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  console.error("Installing the ONNX runtimes for the tests (npm ci) …");
  const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", folder];
  const npm = process.env.npm_execpath;
  const { status } = npm
    ? spawnSync(process.execPath, [npm, ...args], { cwd: root, stdio: ["ignore", 2, 2] })
    : spawnSync("npm", args, { cwd: root, stdio: ["ignore", 2, 2], shell: process.platform === "win32" });
  if (status === 0) writeFileSync(stamp, wanted);
  else console.error("The ONNX runtimes could not be installed: their tests will be skipped.");
}
