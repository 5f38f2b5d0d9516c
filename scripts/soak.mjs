/**
 * Fits, saves, loads and predicts with every learner in turn, many times in one process, and checks that memory stays flat:
 * `node scripts/soak.mjs --fits 1000`. Every other round uses a pool of two threads, and every tenth fit is interrupted.
 *
 * Prints one line of figures per hundred fits, and exits with 1 if the process has grown since the first fifth of the fits, or since
 * all code was loaded and compiled. Needs a build (`npm run build`).
 */

import { parseArgs } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { completeOutput } from "@vouch/core/internal/runtime/files/complete-output";
import {
  createLearner,
  deserialise,
  learnerNames,
  serialise,
  Table,
  threadExecutor,
  trainClassifier,
} from "vouch";
import { Random } from "vouch/extend";
import { wasmMemory } from "../packages/core/dist/runtime/wasm/wasm-memory.js";

/**
 * Allowed growth: pages that the allocator keeps, code that is compiled again. Memory is level only after some 1,200
 * fits, at about 60 MB above the first 200.
 */
const MOST_GROWTH = 1.1;
const SPARE_BYTES = 64 * 2 ** 20;

/** Options that make each fit take some milliseconds. */
const QUICK = {
  adaboost: { rounds: 5 },
  tree: { folds: 2 },
  mlp: { layers: [4], epochs: 2 },
  sae: { layers: [4], epochs: 1, pretrainEpochs: 1 },
  dbn: { layers: [4], epochs: 1, pretrainEpochs: 1 },
  forest: { trees: 4 },
  "random-trees": { trees: 4 },
  "boosted-trees": { rounds: 3 },
  "deep-cascade": { maxDepth: 2, gammas: [0.01], fractions: [0.5], cGrid: [1], cFolds: 2 },
  "deep-cascade-svm": { maxDepth: 2, gammas: [0.01], fractions: [0.5], cGrid: [1], cFolds: 2 },
  "deep-cascade-perceptron": { maxDepth: 2, gammas: [0.01], fractions: [0.5] },
  "cascade-forest": { trees: 2, layers: 1, folds: 2 },
  gcforest: { trees: 2, layers: 1, folds: 2 },
  mddf: { trees: 2, layers: 1, folds: 2 },
  ensemble: { members: ["logistic", "tree", "relaxed-hierarchy"], folds: 2 },
};

completeOutput();
const { values: flags } = parseArgs({ options: { fits: { type: "string", default: "1000" } } });
const fits = Number(flags.fits);
setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc");

const names = learnerNames();
const pool = threadExecutor({ threads: 2 });
/** Sends all tasks to the threads: by their estimates, most of these are too short for that. */
const executor = {
  threads: pool.threads,
  map: (task, inputs, { milliseconds, ...options } = {}) => pool.map(task, inputs, options),
};
const figures = [];
// Every learner has run twice on this thread and twice on others.
const settled = Math.max(Math.ceil(fits / 5), Math.min(4 * names.length, Math.ceil((2 * fits) / 3)));
for (let n = 1; n <= fits; n++) {
  const pooled = Math.floor(n / names.length) % 2 === 1;
  await fitAndPredict(names[n % names.length], n, pooled ? { executor } : {});
  if (n === settled || n === fits || n % 100 === 0) report(n);
}
await pool.close();
process.exitCode = isFlat(
  figures.find(({ fits }) => fits === settled),
  figures[figures.length - 1],
)
  ? 0
  : 1;

/** Trains a model on fresh rows, saves and loads it, and predicts; every tenth training is interrupted. */
async function fitAndPredict(name, seed, run) {
  const table = points(seed, 60);
  const learner = await createLearner(name, QUICK[name]);
  const controller = new AbortController();
  if (seed % 10 === 0) setImmediate(() => controller.abort());
  const options = { calibrate: false, holdout: 0.2, run: { seed, signal: controller.signal, ...run } };
  const result = await trainClassifier(table, learner, options).catch((error) => {
    if (error.code === "run/interrupted") return undefined;
    throw error;
  });
  if (!result) return;
  const restored = await deserialise(await serialise(result.classifier));
  restored.predict(points(seed + 1, 200));
}

/** Two classes, two numeric columns and one of categories. */
function points(seed, rows) {
  const random = new Random(seed);
  const records = Array.from({ length: rows }, (_, i) => ({
    x: random.normal() + 2 * (i % 2),
    y: random.normal(),
    kind: ["a", "b", "c"][random.integer(3)],
    label: i % 2 === 0 ? "no" : "yes",
  }));
  return Table.fromRecords("points", records);
}

function report(fits) {
  collectGarbage();
  collectGarbage();
  const { rss, heapUsed, external } = process.memoryUsage();
  figures.push({ fits, rss, heapUsed, external, kernel: wasmMemory().used, threads: pool.running });
  console.log(JSON.stringify(figures[figures.length - 1]));
}

function isFlat(early, late) {
  const grown = ["rss", "heapUsed", "external"].filter(
    (kind) => late[kind] > MOST_GROWTH * early[kind] + SPARE_BYTES,
  );
  if (late.kernel > early.kernel) grown.push("kernel");
  if (grown.length > 0) console.log(`not flat: ${grown.join(", ")}`);
  return grown.length === 0;
}
