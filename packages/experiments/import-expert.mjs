// Writes results/automatic/expert.json from the files of packages/bench/peers/expert.py: import-expert.mjs RESULTS.jsonl…
import { readFileSync, writeFileSync } from "node:fs";
import { mergeExpertLines } from "./dist/automatic/expert-results.js";

const files = process.argv.slice(2);
const lines = files.flatMap((file) => readFileSync(file, "utf8").split("\n")).filter((line) => line !== "");
const trials = mergeExpertLines(lines).map((trial) => JSON.stringify(trial));
writeFileSync(new URL("results/automatic/expert.json", import.meta.url), `[\n${trials.join(",\n")}\n]\n`);
