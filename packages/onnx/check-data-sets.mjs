/**
 * Trains every learner on some rows of six data sets, exports the models, compares all test rows in the installed
 * runtimes with vouch's own answers, and prints a table for docs/onnx.md:
 *
 *     VOUCH_DATA=FOLDER node packages/onnx/check-data-sets.mjs [--sets letter,usps] [--learners forest,svm] [--rows 1500]
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readTable } from "@vouch/formats";
import { exportOnnx } from "@vouch/onnx";
import { createLearner, learnerNames, threadExecutor, trainClassifier } from "vouch";
import { compareWith } from "./test/engines/compare.mjs";
import { INSTALLATION, installedEngines } from "./test/engines/engines.mjs";

const { values } = parseArgs({
  options: { sets: { type: "string" }, learners: { type: "string" }, rows: { type: "string" } },
});
const folder = process.env.VOUCH_DATA;
const engines = installedEngines();
if (!folder || engines.length === 0) {
  console.error(
    folder
      ? `The runtimes are not installed: ${INSTALLATION}.`
      : "VOUCH_DATA must name the folder of the data sets.",
  );
  process.exit(1);
}
const sets = values.sets?.split(",") ?? [
  "breastcancer",
  "german-categorical",
  "satimage",
  "usps",
  "letter",
  "adult",
];
const learners = values.learners?.split(",") ?? learnerNames();
const rows = Number(values.rows ?? 1500);

/** Options for short fits; they do not matter for the comparison. */
const OPTIONS = {
  "deep-cascade": { maxDepth: 3, gammas: [0.01], fractions: [0.5], cGrid: [1] },
  "deep-cascade-svm": { maxDepth: 3, gammas: [0.01], fractions: [0.5], cGrid: [1] },
  "deep-cascade-perceptron": { maxDepth: 3, gammas: [0.01], fractions: [0.5] },
  "cascade-forest": { trees: 50, layers: 3 },
  gcforest: { trees: 50, layers: 2, scanTrees: 10 },
  mddf: { trees: 50, layers: 3 },
  "relaxed-hierarchy": { maxNodes: 60 },
  mlp: { epochs: 10 },
  sae: { epochs: 10, pretrainEpochs: 3 },
  dbn: { epochs: 10, pretrainEpochs: 3 },
  ensemble: { members: ["logistic", "forest", "linear-svm", "boosted-trees"], folds: 2 },
};

/** Number of rows per call of a runtime. */
const BATCH = 1000;

async function rowsOf(set) {
  const read = (name) => readTable(join(folder, name), { target: "label" });
  if (existsSync(join(folder, `${set}.train.csv.gz`))) {
    return { train: await read(`${set}.train.csv.gz`), test: await read(`${set}.test.csv.gz`) };
  }
  const all = await read(`${set}.csv.gz`);
  return { train: all, test: all };
}

const executor = threadExecutor({ threads: 2 });
const seconds = (milliseconds) => (milliseconds / 1000).toFixed(2);
const totals = { rows: 0, different: 0, tied: 0 };
console.log(
  "| data set | learner | KB | engine | load s | predict s | rows | different | tied | scores | probabilities |",
);
console.log("|---|---|---|---|---|---|---|---|---|---|---|");
for (const set of sets) {
  const { train, test } = await rowsOf(set);
  for (const name of learners) {
    const shape =
      name === "gcforest" ? { shape: set === "usps" ? [16, 16] : [train.columns.length - 1] } : {};
    let classifier;
    try {
      const learner = await createLearner(name, { ...OPTIONS[name], ...shape });
      const options = { target: "label", rows: Math.min(rows, train.rows - 1), run: { seed: 1, executor } };
      ({ classifier } = await trainClassifier(train, learner, options));
    } catch (error) {
      if (error.name !== "VouchError") throw error;
      console.log(`| ${set} | ${name} | not trained: ${error.message} |`);
      continue;
    }
    const { bytes } = exportOnnx(classifier);
    for (const engine of engines) {
      const found = await compareWith(engine, classifier, test, { bytes, batch: BATCH });
      totals.rows += found.rows;
      totals.different += found.different;
      totals.tied += found.tied;
      const cells = [
        set,
        name,
        (bytes.length / 1000).toFixed(0),
        engine.name.replace("onnxruntime-", ""),
        seconds(found.load),
        seconds(found.run),
        found.rows,
        found.different,
        found.tied,
        found.scores.toExponential(0),
        found.probabilities.toExponential(0),
      ];
      console.log(`| ${cells.join(" | ")} |`);
    }
  }
}
await executor.close();
console.log(
  `\n${totals.rows} predictions compared: ${totals.different} differ, ${totals.tied} more where scores are tied.`,
);
process.exit(totals.different > 0 ? 1 : 0);
