// Writes results/automatic/expert.json from the files of packages/bench/peers/expert.py: import-expert.mjs RESULTS.jsonl…
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { mergeExpertLines } from "./dist/automatic/expert-results.js";

const files = process.argv.slice(2);
const lines = files.flatMap((file) => readFileSync(file, "utf8").split("\n")).filter((line) => line !== "");
const trials = mergeExpertLines(lines).map((trial) => JSON.stringify(trial));
const folder = new URL("results/automatic/", import.meta.url);
mkdirSync(folder, { recursive: true });
writeFileSync(new URL("expert.json", folder), `[\n${trials.join(",\n")}\n]\n`);
