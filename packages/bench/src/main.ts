/** `npm run bench -- [NAME …]`: runs the named benchmarks (all by default), prints ratios, writes JSON. */
import { mkdirSync, writeFileSync } from "node:fs";
import { benchmarks } from "./benchmarks.js";
import type { RaceResult, Standing } from "./race.js";

const names = process.argv.slice(2);
const unknown = names.filter((name) => !Object.hasOwn(benchmarks, name));
if (unknown.length > 0) {
  console.error(
    `There is no benchmark ${unknown.join(", ")}; there are ${Object.keys(benchmarks).join(", ")}.`,
  );
  process.exit(2);
}
const folder = ".vouch/bench";
mkdirSync(folder, { recursive: true });
for (const [name, benchmark] of Object.entries(benchmarks)) {
  if (names.length > 0 && !names.includes(name)) continue;
  const results: RaceResult[] = [];
  for await (const result of benchmark()) {
    print(result);
    results.push(result);
  }
  const file = `${folder}/${name}.json`;
  writeFileSync(file, `${JSON.stringify({ name, node: process.version, results }, null, 2)}\n`);
  console.log(`\n(${file})`);
}

function print({ title, standings }: RaceResult): void {
  console.log(`\n${title}`);
  for (const standing of standings) console.log(`  ${standing.name.padEnd(34)}${describe(standing)}`);
}

function describe({ absent, seconds, ratio, facts }: Standing): string {
  if (absent !== undefined || seconds === undefined || ratio === undefined) return `absent: ${absent}`;
  const shown = Object.entries(facts ?? {}).map(([name, value]) => `${name} ${Number(value.toPrecision(4))}`);
  const time = seconds < 1 ? `${(seconds * 1000).toPrecision(3)} ms` : `${seconds.toPrecision(3)} s`;
  return [time.padStart(9), `ratio ${ratio.toFixed(2)}`.padStart(12), ...shown].join("   ");
}
