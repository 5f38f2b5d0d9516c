import { VouchError } from "../error.js";
import { formatCount, formatRoundPercent, formatUpperBound } from "../number-format.js";
import type { Certificate, Premise } from "./certificate.js";
import { riskOfFailure } from "./held-out.js";

/** How a classifier does on the rows that it was trained on, and how sure a bound from them is to be. */
export interface TrainingEvidence {
  /** m: how many rows it was trained on. */
  readonly rows: number;
  /** How many of them it misclassifies. */
  readonly errors: number;
  /** The probability 1 − δ with which the bound is to hold; in (0, 1). */
  readonly confidence: number;
}

/** A bound from the training rows: its name, where it is proved, its value, terms and premises. */
export interface TrainingBound
  extends Pick<Certificate, "name" | "reference" | "value" | "terms" | "parts" | "premises"> {
  /** Why it does not hold, where a premise fails, or why it says nothing; absent otherwise. */
  readonly fault?: string;
}

/** What every bound from training rows takes for granted. */
export const TRAINING_DRAWS: Premise = {
  statement: "The training rows are independent draws from the distribution of future data.",
  holds: true,
  assumed: true,
};

/** A learner that was chosen among k by the same rows needs δ/k for δ, and an option that was tuned by them, too. */
export const SETTLED_LEARNER: Premise = {
  statement: "The learner and its options were settled before the training rows were seen.",
  holds: true,
  assumed: true,
};

/** What bounds take for granted whose families of classifiers stay what they are when features are scaled or shifted, or cut elsewhere. */
export const SCALED_ENCODING: Premise = {
  statement:
    "Encoding the features took nothing from the training rows but scales, offsets and cuts between bins, under which the families do not change.",
  holds: true,
  assumed: true,
};

/** What bounds from the training rows by the size of a family take for granted. */
export const FAMILY_PREMISES: readonly Premise[] = [TRAINING_DRAWS, SETTLED_LEARNER, SCALED_ENCODING];

/** δ of the evidence; fails unless rows and errors are counts with rows ≥ 1 and errors ≤ rows. */
export function checkTraining({ rows, errors, confidence }: TrainingEvidence): number {
  const delta = riskOfFailure(confidence);
  if (
    Number.isSafeInteger(rows) &&
    Number.isSafeInteger(errors) &&
    errors >= 0 &&
    errors <= rows &&
    rows > 0
  ) {
    return delta;
  }
  throw new VouchError(
    "option/invalid",
    `${errors} errors on ${rows} training rows cannot be: both are counts, with at least one row and at most as many errors as rows.`,
  );
}

/** Joins a bound to the sentence that says what it is worth. */
export function trainingCertificate(
  bound: TrainingBound,
  { rows, confidence }: Pick<TrainingEvidence, "rows" | "confidence">,
): Certificate {
  const { fault, ...rest } = bound;
  const holds = bound.premises.every((premise) => premise.holds);
  const reason = fault ?? (bound.value < 1 ? undefined : vacuity(rows));
  return {
    ...rest,
    confidence,
    holds,
    ...(reason !== undefined && { reason }),
    statement:
      reason === undefined
        ? `With ${formatRoundPercent(confidence)} confidence at most ${formatUpperBound(bound.value)} of new cases like these are misclassified, from the ${formatCount(rows, "training row")} alone.`
        : `No guarantee: ${reason}`,
  };
}

function vacuity(rows: number): string {
  return `The bound is not below 1: ${formatCount(rows, "training row")} are too few for families this complex.`;
}
