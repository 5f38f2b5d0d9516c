import type { HeldOut } from "../bounds/held-out.js";
import type { OnNotice } from "../data/encoder.js";
import { labelledSample } from "../data/labelled-sample.js";
import type { Table } from "../data/table.js";
import { labelsFor } from "../data/target.js";
import { errorsOn } from "../learning/evaluate-model.js";
import type { Classifier } from "./classifier.js";
import { trainingRowsAmong } from "./training-rows.js";

/** Tests a classifier on a table that also has the target column, as `certify` wants it. */
export function heldOutTest(classifier: Classifier, table: Table, onNotice?: OnNotice): HeldOut {
  const { encoder, model, fingerprint } = classifier;
  const rows = labelsFor(table, encoder.schema);
  for (const notice of rows.notices) onNotice?.(notice);
  const errors = errorsOn(model, labelledSample(encoder, rows, onNotice));
  const dependence = trainingRowsAmong(fingerprint, rows, encoder.schema);
  return { rows: rows.labels.length, errors, ...(dependence !== undefined && { dependence }) };
}
