import assert from "node:assert/strict";
import { reasonsFor } from "#core/explain/reasons.js";
import { svm } from "#core/learners/svm/svm.js";
import { VouchError } from "#core/runtime/vouch-error.js";
import type { Table } from "#core/table/table.js";
import { certify } from "#core/train/certify.js";
import type { Classifier } from "#core/train/classifier.js";
import { collectEvidence, evaluateClassifier } from "#core/train/evaluate-classifier.js";
import { exportLibsvm, libsvmRows } from "#core/train/libsvm.js";
import { deserialise, serialise } from "#core/train/model-file.js";
import { FRESH_ROWS } from "./original-models.js";

/** What became of a forged file: it was refused, a model that works, or one that says why it cannot be used on these rows. */
export type ForgedOutcome = "refused" | "worked" | "failed clearly";

/**
 * Loads a file and does with it whatever can be done with a model. Throws unless that works or fails with a clear error. Saving the
 * model must give the same bytes, unless the header may be spelled in another way.
 */
export async function useForged(
  bytes: Uint8Array<ArrayBuffer>,
  { savedAlike = true } = {},
): Promise<ForgedOutcome> {
  let classifier: Classifier;
  try {
    classifier = await deserialise(bytes);
  } catch (error) {
    if (error instanceof VouchError && /^model\//.test(error.code)) return "refused";
    throw error;
  }
  const saved = await serialise(classifier);
  if (savedAlike) assert.equal(Buffer.compare(saved, bytes), 0, "it is saved as another file");
  const failures = [
    await clearly(() => checkDescription(classifier)),
    await clearly(() => checkCertificates(classifier)),
    await clearly(() => checkPredictions(classifier, FRESH_ROWS)),
    await clearly(() => checkEvaluation(classifier, FRESH_ROWS)),
    await clearly(() => checkReasons(classifier, FRESH_ROWS)),
    await clearly(() => checkExport(classifier, FRESH_ROWS)),
  ];
  return failures.some((failed) => failed) ? "failed clearly" : "worked";
}

/** Tells whether something fails with a clear error; throws any other one. */
async function clearly(check: () => void | Promise<void>): Promise<boolean> {
  try {
    await check();
    return false;
  } catch (error) {
    if (error instanceof VouchError && error.message.length > 0) return true;
    throw error;
  }
}

function checkDescription({ model }: Classifier): void {
  model.describe();
  model.complexity();
}

function checkCertificates(classifier: Classifier): void {
  const { model } = classifier;
  const options = { confidence: 0.95 };
  const own = [...(model.certificates?.(options) ?? []), ...(model.classCertificates?.(options) ?? [])];
  for (const { name, value } of [...own, ...certify(classifier, options)])
    assert(!Number.isNaN(value), `the certificate ${name} is NaN`);
}

function checkPredictions(classifier: Classifier, rows: Table): void {
  const { classes, decision } = classifier;
  const { predictions, sets = [], probabilities, scores } = classifier.classify(rows);
  const answers = decision.abstention ? ["", ...classes] : classes;
  assert(
    predictions.every((name) => answers.includes(name)),
    `the predictions are ${predictions}`,
  );
  assert(sets.flat().every((name) => classes.includes(name)));
  assert(scores.values.every(Number.isFinite), `the scores are ${scores.values}`);
  for (let row = 0; probabilities && row < rows.rows; row++) {
    const sum = Array.from(probabilities.row(row)).reduce((total, p) => total + p, 0);
    assert(Math.abs(sum - 1) < 2e-3, `probabilities sum to ${sum}`);
  }
}

async function checkEvaluation(classifier: Classifier, rows: Table): Promise<void> {
  await evaluateClassifier(classifier, rows, { onNotice: () => {} });
  const { error } = classifier.evaluate(rows, () => {});
  assert(error >= 0 && error <= 1, `the error is ${error}`);
  const { errors } = await collectEvidence(classifier, rows);
  assert.equal(errors, Math.round(error * rows.rows));
}

async function checkReasons({ model, encoder, background }: Classifier, rows: Table): Promise<void> {
  if (!background) return;
  const one = rows.select([0]);
  const [{ base, score }] = await reasonsFor(model, encoder, background.table, one, { permutations: 2 });
  assert(!Number.isNaN(base) && !Number.isNaN(score), `the reasons are from ${base} to ${score}`);
}

function checkExport(classifier: Classifier, rows: Table): void {
  if (!svm.made(classifier.model)) return;
  exportLibsvm(classifier);
  libsvmRows(classifier, rows);
}
