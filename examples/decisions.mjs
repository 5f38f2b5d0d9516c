// From probabilities to decisions: a metric, costs, rows without an answer, sets of classes, and reasons.
//
//     node examples/decisions.mjs
import { fileURLToPath } from "node:url";
import { forest, logistic, readTable, reasonsFor, reasonText, trainClassifier } from "vouch";

const dataFile = fileURLToPath(new URL("../packages/datasets/data/breastcancer.csv", import.meta.url));
const table = await readTable(dataFile, { target: "label" });
const common = { target: "label", holdout: 0.3, run: { seed: 1 } };
const some = table.select(Int32Array.of(0, 1, 2));

// A metric: which model ranks best? The verdict and the certificate are about it.
const ranking = await trainClassifier(table, logistic(), { ...common, metric: "auc" });
console.log(`AUC ${ranking.verdict.objective.model.toFixed(3)}`);
console.log(ranking.certificates[0].statement);

// Costs: to miss a malignant cell is twenty times as bad as a false alarm. The threshold follows from that.
const careful = await trainClassifier(table, logistic(), { ...common, costs: { malignant: { benign: 20 } } });
console.log(careful.classifier.decision.rule);
console.log(careful.certificates[0].statement);

// Abstention and sets: an answer only where at most 3% of the answers are wrong, and every class that is likely.
const { classifier, certificates } = await trainClassifier(table, forest(), {
  ...common,
  abstain: 0.03,
  sets: 0.95,
});
for (const { measure, statement } of certificates) {
  if (["answered-error", "answer-rate", "coverage"].includes(measure)) console.log(statement);
}

// "" is a row without an answer; `probabilities` are calibrated.
const { predictions, sets, probabilities } = classifier.classify(some);
predictions.forEach((prediction, row) => {
  const malignant = probabilities.row(row)[classifier.classes.indexOf("malignant")];
  console.log(`${prediction || "no answer"}: {${sets[row].join(", ")}}, malignant ${malignant.toFixed(3)}`);
});

// Reasons: the columns that matter most for each row, compared with the background of the model.
const { model, encoder, background } = classifier;
for (const { of, reasons } of await reasonsFor(model, encoder, background.table, some, { most: 3 })) {
  console.log(`${of}: ${reasons.map(reasonText).join(", ")}`);
}
