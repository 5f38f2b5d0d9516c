import { labelledSample, type OnNotice } from "../encode/encoder.js";
import { errorsOn } from "../learners/training-facts.js";
import { trainingRowsAmong } from "../table/fingerprint.js";
import type { Table } from "../table/table.js";
import { labelsFor } from "../table/target.js";
import type { HeldOut } from "../theory/held-out/held-out.js";
import type { Classifier } from "./classifier.js";

/** Tests a classifier on a table that also has the target column, as `certify` wants it. */
export function heldOutTest(classifier: Classifier, table: Table, onNotice?: OnNotice): HeldOut {
  const { encoder, model, fingerprint } = classifier;
  const rows = labelsFor(table, encoder.schema);
  for (const notice of rows.notices) onNotice?.(notice);
  const errors = errorsOn(model, labelledSample(encoder, rows, onNotice));
  const dependence = trainingRowsAmong(fingerprint, rows, encoder.schema);
  return { rows: rows.labels.length, errors, ...(dependence !== undefined && { dependence }) };
}
