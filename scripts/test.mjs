/**
 * `npm test`: installs and builds what is missing or stale, provides a browser, LIBSVM's tools and shells where it can, checks style
 * and types, and runs every test. `npm test -- FILTER` runs the tests whose file name contains FILTER.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { findBrowser } from "./browser.mjs";
import { findProgram, providePrograms } from "./programs.mjs";
import { checkNode, install, root } from "./setup.mjs";

/** Data sets beside the clone are used by the tests on real data; without them those tests use shipped sets. */
const dataBeside = join(root, "..", "shared", "data");

checkNode();
install();
providePrograms([
  { title: "Chromium", find: findBrowser, debian: "chromium" },
  { title: "LIBSVM", find: () => findProgram(["svm-train"]), debian: "libsvm-tools" },
  { title: "zsh", find: () => findProgram(["zsh"]), debian: "zsh" },
  { title: "fish", find: () => findProgram(["fish"]), debian: "fish" },
]);
if (!process.env.VOUCH_DATA && existsSync(dataBeside)) process.env.VOUCH_DATA = dataBeside;

const filter = process.argv.slice(2);
const steps = [
  ["node_modules/@biomejs/biome/bin/biome", "check", "."],
  ["node_modules/vitest/vitest.mjs", "run", ...filter],
];
for (const args of filter.length > 0 ? steps.slice(1) : steps) {
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
