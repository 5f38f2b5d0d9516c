// Measures automatic/choice on a machine of many cores: several processes at a time, each on cores of its own. Finished parts are kept
// in PARTS, so an interrupted run continues where it stopped; --out writes the result of the data sets that are finished.
//
//   node choice-in-parallel.mjs PARTS [--cores 2] [--processes 8] [--only adult,letter] [--work race|singles] [--scale paper]
//     [--stop-after SECONDS] [--out results/automatic/choice.json]
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { VERSION } from "vouch";
import { automaticChoice } from "./dist/automatic/choice.js";
import { EXPERT_SEED } from "./dist/automatic/choice-divisions.js";
import { choicePartName, choiceParts, finishedChoices } from "./dist/automatic/choice-parts.js";
import { openPartialResults } from "./dist/partial-results.js";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    cores: { type: "string", default: "2" },
    processes: { type: "string" },
    only: { type: "string" },
    work: { type: "string", default: "race" },
    scale: { type: "string", default: "paper" },
    "stop-after": { type: "string", default: "Infinity" },
    out: { type: "string" },
  },
});
const { scale, work } = options;
const seed = EXPERT_SEED;
const cores = Number(options.cores);
const processes = Number(options.processes ?? Math.max(1, Math.floor(availableParallelism() / cores)));
const experiment = automaticChoice.name;
const partial = await openPartialResults(positionals[0], { experiment, scale, seed });
const all = await choiceParts(scale, { ...(options.only && { only: options.only.split(",") }), work });
const queue = all.filter((part) => partial.get(choicePartName(part, seed)) === undefined);
const deadline = performance.now() + 1000 * Number(options["stop-after"]);

/** Runs one part in a process on the given cores; returns its result, or undefined if it failed. */
function measure({ dataset, division }, slot) {
  const first = slot * cores;
  const script = fileURLToPath(new URL("choice-part.mjs", import.meta.url));
  const part = [script, dataset, division, work, scale, seed, cores].map(String);
  const pinned = ["-c", `${first}-${first + cores - 1}`, process.execPath, ...part];
  const child = spawn("taskset", pinned, { stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  child.stdout.on("data", (piece) => {
    text += piece;
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve(code === 0 ? JSON.parse(text) : undefined));
  });
}

async function worker(slot) {
  while (queue.length > 0 && performance.now() < deadline) {
    const part = queue.shift();
    const name = choicePartName(part, seed);
    const result = await measure(part, slot);
    if (result === undefined) console.error(`${name} failed`);
    else {
      await partial.add(name, result);
      console.error(work === "race" ? `${name}: ${result.name}, error ${result.error.toFixed(4)}` : name);
    }
  }
}

await Promise.all(Array.from({ length: processes }, (_, slot) => worker(slot)));
if (options.out) {
  const data = await finishedChoices({ partial, seed, scale });
  writeFileSync(
    options.out,
    `${JSON.stringify({ experiment, scale, seed, vouch: VERSION, data }, null, 2)}\n`,
  );
}
