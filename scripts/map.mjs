/**
 * `npm run map -- [--json] [--verbose] [FOLDER]`: builds a clone (this one unless FOLDER names another) and prints how large
 * its packages are, how they depend on each other, what they define twice or never use, and how much of them a command loads.
 */
import { spawnSync } from "node:child_process";
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { completeOutput } from "@vouch/core/internal/runtime/complete-output";
import { duplicatedWindows, windowsByFiles } from "./duplicated-windows.mjs";
import { namesDefinedTwice, unusedExports } from "./exported-names.mjs";
import { measureCommands } from "./loaded-modules.mjs";
import { importCycles, readGraph, wrongDirections } from "./module-graph.mjs";
import { root } from "./setup.mjs";

const SHORT = 40;

/** Measures a clone. */
function measure(folder) {
  const graph = readGraph(folder);
  const unused = unusedExports(graph);
  const sizes = (prefix) => {
    const within = ({ path }) => path.startsWith(prefix);
    const modules = [...graph.modules.values()].filter(within);
    const windows = duplicatedWindows(modules);
    return {
      files: modules.length,
      linesOfCode: sum(modules.map(({ code }) => code.length)),
      lines: sum(modules.map(({ lines }) => lines)),
      shortFiles: modules.filter(({ lines }) => lines <= SHORT).length,
      namesDefinedTwice: namesDefinedTwice(modules),
      unusedExports: unused.declarations.filter(within),
      unusedReexports: unused.reexports.filter(within),
      duplicatedWindows: windows.length,
      duplicatedWindowsByFiles: windowsByFiles(windows),
    };
  };
  return {
    library: sizes("packages/core/"),
    packages: Object.fromEntries(graph.packages.map(({ name, folder: own }) => [name, sizes(`${own}/`)])),
    all: sizes("packages/"),
    cycles: importCycles(graph),
    cyclesAtRunTime: importCycles(graph, ["value", "dynamic"]),
    wrongDirections: wrongDirections(graph) ?? null,
    unresolvedImports: graph.unresolved,
    commands: measureCommands(folder),
  };
}

function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Builds a clone; what the build prints goes to standard error, so that `--json` prints one document. */
function build(folder) {
  const { status } = spawnSync(process.execPath, [join(folder, "scripts", "build.mjs")], {
    stdio: ["ignore", 2, 2],
  });
  if (status !== 0) process.exit(status ?? 1);
}

function print(map, verbose) {
  const { library, packages, all, cycles, cyclesAtRunTime, wrongDirections: wrong, commands } = map;
  const row = (title, value) => [title, value(library), value(all)];
  printTable([
    ["", "library", "all packages"],
    row("files", ({ files }) => files),
    row("lines of code", ({ linesOfCode }) => linesOfCode),
    row("lines", ({ lines }) => lines),
    row(`files of at most ${SHORT} lines`, ({ shortFiles }) => shortFiles),
    row("exported names defined twice", (one) => one.namesDefinedTwice.length),
    row("unused exports", (one) => one.unusedExports.length),
    row("unused re-exports", (one) => one.unusedReexports.length),
    row("duplicated windows of 6 lines", (one) => one.duplicatedWindows),
  ]);
  console.log();
  printTable([
    ["", "loaded", "executed"],
    ["modules, train --learner adaboost", commands.train.loaded.length, commands.train.executed.length],
    ["modules, predict", commands.predict.loaded.length, commands.predict.executed.length],
  ]);
  console.log(`\npredict, 150 rows: ${commands.predict.seconds.toFixed(2)} s (median of 7 runs)`);
  console.log(`import cycles, types included: ${cycles.length}; at run time: ${cyclesAtRunTime.length}`);
  for (const cycle of cycles) console.log(`  ${cycle.length} modules: ${cycle.map(shortPath).join(", ")}`);
  console.log(`imports against the order of the rooms: ${wrong === null ? "n/a" : wrong.length}`);
  for (const { from, to } of wrong ?? []) console.log(`  ${shortPath(from)} → ${shortPath(to)}`);
  console.log("exported names defined twice, by package:");
  for (const [name, one] of Object.entries(packages)) {
    console.log(`  ${name}: ${one.namesDefinedTwice.map((twice) => twice.name).join(", ") || "none"}`);
  }
  if (verbose) printDetails(all);
}

function printDetails({
  namesDefinedTwice: twice,
  unusedExports: unused,
  unusedReexports,
  duplicatedWindowsByFiles,
}) {
  console.log("\nexported names defined twice, in all packages:");
  for (const { name, paths } of twice) console.log(`  ${name}: ${paths.map(shortPath).join(", ")}`);
  console.log("\nunused exports, and where they are used nevertheless:");
  for (const { name, path, used } of unused) console.log(`  ${shortPath(path)}: ${name} (${used})`);
  console.log("\nunused re-exports:");
  for (const { name, path } of unusedReexports) console.log(`  ${shortPath(path)}: ${name}`);
  console.log("\nduplicated windows, by the files that have them:");
  for (const { count, paths } of duplicatedWindowsByFiles)
    console.log(`  ${count}: ${paths.map(shortPath).join(", ")}`);
}

function shortPath(path) {
  return path.replace(/^packages\/([^/]+)\/src\//, "$1/");
}

function printTable(rows) {
  const texts = rows.map((row) =>
    row.map((cell) => (typeof cell === "number" ? cell.toLocaleString("en") : cell)),
  );
  const widths = texts[0].map((_, i) => Math.max(...texts.map((row) => row[i].length)));
  for (const [title, ...cells] of texts) {
    console.log(
      [title.padEnd(widths[0]), ...cells.map((cell, i) => cell.padStart(widths[i + 1]))].join("  "),
    );
  }
}

completeOutput();
const { values, positionals } = parseArgs({
  options: { json: { type: "boolean" }, verbose: { type: "boolean" } },
  allowPositionals: true,
});
const folder = realpathSync(positionals[0] ?? root);
build(folder);
const map = measure(folder);
if (values.json) console.log(JSON.stringify(map, null, 2));
else print(map, values.verbose);
