import * as z from "zod";
import { VouchError } from "../runtime/vouch-error.js";
import { type Split, stratifiedHoldout } from "../table/splits.js";

export interface EarlyStoppingOptions {
  /** Number of steps without progress before training stops; 0 turns early stopping off, and no rows are held out. */
  readonly patience: number;
  /** Stratified fraction of the rows that are held out. */
  readonly validation: number;
}

/** Defines the option `validation` of learners with early stopping. */
export function validationOption(fraction: number) {
  return z
    .number()
    .gt(0)
    .lt(1)
    .default(fraction)
    .describe("Stratified fraction held out for early stopping.")
    .meta({ ignoredIf: { patience: ["0"] } });
}

/** Defines the option `patience` of boosting, which follows the held-out error or loss. */
export function boostingPatienceOption(mostRounds: number, quantity: "error" | "loss") {
  return z
    .int()
    .min(0)
    .max(mostRounds)
    .default(0)
    .describe(
      `Early stopping: rounds without a lower held-out ${quantity} before boosting stops; 0 turns it off.`,
    );
}

/** Splits rows into training rows and held-out rows; returns neither without early stopping, which trains on all rows. */
export function earlyStoppingSplit(
  learner: string,
  labels: Int32Array,
  { patience, validation }: EarlyStoppingOptions,
  seed: number,
): Partial<Split> {
  if (patience === 0) return {};
  const split = stratifiedHoldout(labels, validation, seed);
  const first = labels[split.train[0]];
  if (split.train.some((row) => labels[row] !== first)) return split;
  throw new VouchError(
    "data/too-few-rows",
    `${labels.length} rows are too few for early stopping of ${learner}: only one class is left to train on.`,
    { hint: "Use more rows, or patience=0." },
  );
}
