// Measures one part of automatic/choice and prints it as JSON, for choice-in-parallel.mjs.

import { threadExecutor } from "vouch/data";
import { completeRun } from "vouch/learning";
import { measurePart } from "./dist/automatic/choice-parts.js";

const [dataset, division, work, scale, seed, threads] = process.argv.slice(2);
const executor = threadExecutor({ threads: Number(threads) });
const partial = {
  get: () => undefined,
  add: async (_, value) => process.stdout.write(JSON.stringify(value)),
};
const run = { ...completeRun({ seed: Number(seed), executor }), scale, partial };
await measurePart({ dataset, division: Number(division), work }, run);
await executor.close();
