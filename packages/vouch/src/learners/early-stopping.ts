import { z } from "zod";
import { VouchError } from "../runtime/vouch-error.js";
import { holdout, type Split } from "../table/splits.js";

/** When a learner that goes on step by step is to stop early. */
export interface PatienceOptions {
  /** Steps without progress after which it stops; 0: it never does, and no rows are kept apart. */
  readonly patience: number;
  /** Share of the rows, the same of each class, to measure the progress on. */
  readonly validation: number;
}

/** The option `validation` of learners with a patience. */
export function validationOption(share: number) {
  return z
    .number()
    .gt(0)
    .lt(1)
    .default(share)
    .describe("Share of the rows, the same of each class, that are kept apart where there is a patience.");
}

/** Rows to train on, and rows to see when to stop; neither without a patience, when all rows are trained on. */
export function rowsKeptApart(
  learner: string,
  labels: Int32Array,
  { patience, validation }: PatienceOptions,
  seed: number,
): Partial<Split> {
  if (patience === 0) return {};
  const parts = holdout(labels, validation, seed);
  const first = labels[parts.train[0]];
  if (parts.train.some((row) => labels[row] !== first)) return parts;
  throw new VouchError(
    "data/too-few-rows",
    `${labels.length} rows are too few for ${learner} to keep some apart: one class is left to train on.`,
    { hint: "Give more rows, or a patience of 0." },
  );
}
