import type { HeldOut } from "../bounds/held-out.js";
import type { Fingerprint } from "../data/fingerprint.js";
import type { Schema } from "../data/schema.js";
import type { Table } from "../data/table.js";
import { type LabelledRows, labelsFor } from "../data/target.js";
import { binomialAtMost, largestProbability } from "../numeric/binomial.js";
import type { Classifier, OnNotice } from "./classifier.js";
import { errorsOn, labelledSample } from "./labelled-sample.js";

/** The risk of taking fresh rows for training rows because they happen to look like them. */
const FALSE_ALARM = 1e-3;

/** Tests a classifier on a table that also has the target column, as `certify` wants it. */
export function heldOutTest(classifier: Classifier, table: Table, onNotice?: OnNotice): HeldOut {
  const { encoder, model, fingerprint } = classifier;
  const rows = labelsFor(table, encoder.schema);
  for (const notice of rows.notices) onNotice?.(notice);
  const errors = errorsOn(model, labelledSample(encoder, rows, onNotice));
  const dependence = trainingRowsAmong(fingerprint, rows, encoder.schema);
  return { rows: rows.labels.length, errors, ...(dependence !== undefined && { dependence }) };
}

/**
 * Why the rows must be taken for training rows, if so: more of them equal training rows than chance explains.
 * Chance is judged by how many training rows equal each other, which is what fresh rows would do too.
 */
export function trainingRowsAmong(
  fingerprint: Fingerprint,
  rows: Pick<LabelledRows, "features" | "labels">,
  schema: Schema,
): string | undefined {
  const { rows: compared, share, byChance } = fingerprint.overlap(rows, schema);
  const equal = Math.round(share * compared);
  const chance = largestProbability(Math.round(byChance * fingerprint.rows), fingerprint.rows, 0.05);
  const probability = 1 - binomialAtMost(equal - 1, compared, chance);
  if (equal === 0 || probability >= FALSE_ALARM) return undefined;
  const percentage = Math.max(1, Math.round(100 * share));
  return `About ${percentage} % of the rows are rows that the model was trained on.`;
}
