/**
 * `npm run bench -- [NAME …] [--threads 1,2,4]`: runs the named benchmarks (default: all) with these numbers of threads
 * (default: one or two, as in the README), prints ratios and writes JSON.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { completeOutput } from "@vouch/core/internal/runtime/files/complete-output";
import { adaboostBenchmark } from "./adaboost.js";
import { boostedTreesBenchmark } from "./boosted-trees.js";
import { cascadeBenchmark } from "./cascade.js";
import { forestBenchmark } from "./forest.js";
import { gramBenchmark } from "./gram.js";
import { largeBenchmark } from "./large.js";
import { linearBenchmark } from "./linear.js";
import { loadBenchmark } from "./load.js";
import { logisticBenchmark } from "./logistic.js";
import { mddfBenchmark } from "./mddf.js";
import { mlpBenchmark } from "./mlp.js";
import type { BenchmarkResult, Standing } from "./race.js";
import { scalingBenchmark } from "./scaling.js";
import { smallNetworksBenchmark } from "./small-networks.js";
import { svmBenchmark } from "./svm.js";
import { treeBenchmark } from "./tree.js";

/** Yields results one after the other, for each number of threads. */
type Benchmark = (threadCounts?: readonly number[]) => AsyncGenerator<BenchmarkResult>;

/** All benchmarks by name. */
const benchmarks: Readonly<Record<string, Benchmark>> = {
  gram: gramBenchmark,
  load: loadBenchmark,
  adaboost: adaboostBenchmark,
  svm: svmBenchmark,
  linear: linearBenchmark,
  logistic: logisticBenchmark,
  cascade: cascadeBenchmark,
  tree: treeBenchmark,
  forest: forestBenchmark,
  mddf: mddfBenchmark,
  "boosted-trees": boostedTreesBenchmark,
  mlp: mlpBenchmark,
  "small-networks": smallNetworksBenchmark,
  scaling: scalingBenchmark,
  large: largeBenchmark,
};

completeOutput();
const { values: given, positionals: names } = parseArgs({
  allowPositionals: true,
  options: { threads: { type: "string" } },
});
const threadCounts = given.threads?.split(",").map(Number);
if (threadCounts?.some((count) => !(Number.isInteger(count) && count >= 1))) {
  console.error(`--threads is ${given.threads}. It is a list of whole numbers, such as 1,2,4.`);
  process.exit(2);
}
const unknown = names.filter((name) => !Object.hasOwn(benchmarks, name));
if (unknown.length > 0) {
  console.error(
    `Unknown benchmark ${unknown.join(", ")}. The benchmarks are ${Object.keys(benchmarks).join(", ")}.`,
  );
  process.exit(2);
}
const folder = ".vouch/bench";
mkdirSync(folder, { recursive: true });
for (const [name, benchmark] of Object.entries(benchmarks)) {
  if (names.length > 0 && !names.includes(name)) continue;
  const results: BenchmarkResult[] = [];
  for await (const result of benchmark(threadCounts)) {
    print(result);
    results.push(result);
  }
  const file = `${folder}/${name}.json`;
  writeFileSync(file, `${JSON.stringify({ name, node: process.version, threadCounts, results }, null, 2)}\n`);
  console.log(`\n(${file})`);
}

function print({ title, standings }: BenchmarkResult): void {
  console.log(`\n${title}`);
  for (const standing of standings) console.log(`  ${standing.name.padEnd(34)}${describe(standing)}`);
}

function describe({ absent, seconds, ratio, facts }: Standing): string {
  if (absent !== undefined || seconds === undefined || ratio === undefined) return `absent: ${absent}`;
  const shown = Object.entries(facts ?? {}).map(([name, value]) => `${name} ${Number(value.toPrecision(4))}`);
  const time = seconds < 1 ? `${(seconds * 1000).toPrecision(3)} ms` : `${seconds.toPrecision(3)} s`;
  return [time.padStart(9), `ratio ${ratio.toFixed(2)}`.padStart(12), ...shown].join("   ");
}
