import { Fingerprint } from "../data/fingerprint.js";
import type { Schema } from "../data/schema.js";
import type { Table } from "../data/table.js";
import type { LabelledRows } from "../data/target.js";

/** The risk of taking fresh rows for training rows because they happen to look like them. */
const FALSE_ALARM = 1e-3;

/**
 * Why the rows must be taken for training rows, if so: more of them equal training rows than chance explains.
 * Duplicates alone are no reason: fresh rows repeat training rows as often as training rows repeat each other.
 */
export function trainingRowsAmong(
  fingerprint: Fingerprint,
  rows: Pick<LabelledRows, "features" | "labels">,
  schema: Schema,
): string | undefined {
  const { share, chance } = fingerprint.overlap(rows, schema);
  if (chance >= FALSE_ALARM) return undefined;
  const percentage = share < 0.01 ? "Less than 1" : `About ${Math.round(100 * share)}`;
  return `${percentage} % of the rows equal rows that the model was trained on, more than chance explains.`;
}

/** The same for rows that a model was pre-trained on, whatever their classes are. */
export function unlabelledRowsAmong(unlabelled: Table, rows: Table, schema: Schema): string | undefined {
  const ofOneClass = (features: Table) => ({ features, labels: new Int32Array(features.rows) });
  return trainingRowsAmong(Fingerprint.of(ofOneClass(unlabelled), schema), ofOneClass(rows), schema);
}
