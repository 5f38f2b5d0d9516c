// From a data file to predictions: read, train, certify, save, load, predict.
//
//     node examples/train-and-predict.mjs [MODEL]
import { fileURLToPath } from "node:url";
import { boostedTrees, readTable, threadExecutor, trainClassifier } from "vouch";
import { loadModel, saveModel } from "vouch/node";

const [modelFile = "breastcancer.safetensors"] = process.argv.slice(2);
const dataFile = fileURLToPath(new URL("../packages/datasets/data/breastcancer.csv", import.meta.url));

// Numbers, categories and missing cells are detected; the target is read as text.
const table = await readTable(dataFile, { target: "label" });
console.log(`${table.rows} rows, ${table.columns.length} columns`);

// A fifth of the rows is held out; the certificate rests on these alone.
const executor = threadExecutor({ threads: 2 });
const { classifier, evaluation, certificates } = await trainClassifier(table, boostedTrees({ rounds: 50 }), {
  target: "label",
  holdout: 0.2,
  run: { seed: 1, executor },
});
await executor.close();
console.log(`${Math.round(evaluation.error * evaluation.rows)} mistakes on ${evaluation.rows} held-out rows`);
console.log(certificates[0].statement);

// One file holds the model, the encoder of the raw columns, and the facts behind its certificates.
await saveModel(modelFile, classifier);

const restored = await loadModel(modelFile);
const patients = [
  {
    clump_thickness: 2,
    cell_size: 1,
    cell_shape: 1,
    marginal_adhesion: 1,
    epithelial_size: 2,
    bare_nuclei: 1,
  },
  {
    clump_thickness: 9,
    cell_size: 8,
    cell_shape: 8,
    marginal_adhesion: 6,
    epithelial_size: 5,
    bare_nuclei: null,
  },
].map((known) => ({ ...known, bland_chromatin: 3, normal_nucleoli: 2, mitoses: 1 }));
for (const { prediction, probabilities } of await restored.predictRecords(patients)) {
  console.log(prediction, probabilities);
}
