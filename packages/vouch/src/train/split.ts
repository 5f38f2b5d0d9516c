import { formatNumber } from "../runtime/number-format.js";
import { holdout } from "../table/splits.js";
import type { Table } from "../table/table.js";
import { type Labelled, type LabelledRows, labelsFor, selectRows } from "../table/target.js";
import type { Draw } from "../theory/held-out/held-out.js";

/** Raw rows to train on and raw rows to test on. */
export interface SplitRows {
  readonly training: Labelled;
  readonly heldOut?: { readonly rows: LabelledRows; readonly drawn: Draw };
}

/** Holds out a stratified fraction of the rows, takes other rows to test on, or trains on all rows. */
export function split(
  data: Labelled,
  { holdout: fraction, test }: { readonly holdout?: number; readonly test?: Table },
  seed: number,
): SplitRows {
  if (test) return { training: data, heldOut: { rows: labelsFor(test, data), drawn: "separate" } };
  if (fraction === undefined) return { training: data };
  const parts = holdout(data.labels, fraction, seed);
  return {
    training: selectRows(data, parts.train),
    heldOut: { rows: { ...selectRows(data, parts.test), notices: [] }, drawn: "stratified" },
  };
}

/** Limits the training rows to a stratified subsample, with at least one row of each class. */
export function subsample<S extends Pick<SplitRows, "training">>(
  rows: S,
  max: number | undefined,
  seed: number,
): S {
  const { training } = rows;
  const all = training.labels.length;
  if (max === undefined || max >= all) return rows;
  const { train } = holdout(training.labels, 1 - max / all, seed);
  const notice = `Trained on ${formatNumber(train.length)} of ${formatNumber(all)} rows.`;
  const notices = [...training.notices, notice];
  return { ...rows, training: { ...training, ...selectRows(training, train), notices } };
}
