import { formatCount, formatRoundPercent, formatUpperBound } from "../runtime/text/number-format.js";
import { VouchError } from "../runtime/vouch-error.js";
import { allHold, type Certificate, type Premise, riskOfFailure } from "./certificate.js";

/** The size of a training set, and the confidence that a bound from it must have. */
export interface SampleEvidence {
  /** m: number of training rows. */
  readonly rows: number;
  /** 1 − δ: the probability with which the bound must hold, in (0, 1). */
  readonly confidence: number;
}

/** The errors of a classifier on its training rows, and the confidence that a bound from them must have. */
export interface TrainingEvidence extends SampleEvidence {
  /** Number of training rows that it misclassifies. */
  readonly errors: number;
}

/** Assumed by every bound from training rows. */
export const INDEPENDENT_ROWS: Premise = {
  text: "The training rows are independent draws from the distribution of future data.",
  status: "assumed",
  about: "rows",
};

/**
 * Assumed because otherwise δ must be divided: by k for a learner that the same rows chose among k, and in the same way for
 * tuned options.
 */
export const FIXED_LEARNER: Premise = {
  text: "The learner and its options were fixed before the training rows were seen.",
  status: "assumed",
  about: "learner",
};

/** Returns δ. Throws unless rows and errors are counts, with at least one row and no more errors than rows. */
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
    `Got ${errors} errors on ${rows} training rows: both must be counts, with at least one row and no more errors than rows.`,
  );
}

/** A bound from the training rows, before its sentence. */
interface TrainingBound
  extends Pick<Certificate, "name" | "reference" | "value" | "terms" | "parts" | "premises" | "role"> {
  /** Why a premise fails or the bound is vacuous; absent otherwise. */
  readonly fault?: string;
}

/** Completes a bound with a sentence in plain words. */
export function trainingCertificate(bound: TrainingBound, { rows, confidence }: SampleEvidence): Certificate {
  const { fault, ...rest } = bound;
  const holds = allHold(bound.premises);
  const reason = fault ?? (bound.value < 1 ? undefined : vacuity(rows));
  return {
    ...rest,
    measure: "error",
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
  return `The bound is vacuous (not below 1): ${formatCount(rows, "training row is", "training rows are")} too few for a model this complex.`;
}

/** How many learners the training rows chose from. */
export interface ChoiceCounts {
  /** Number of candidates. */
  readonly among: number;
  /** Number of those whose models may have a certificate from the training rows; all of them if absent. */
  readonly certifiable?: number | undefined;
}

/** Returns k, the number of equal shares of δ after a choice: one for each candidate that may have a certificate. */
export function sharesAmongCandidates(choice: ChoiceCounts | undefined): number {
  return choice ? Math.max(1, choice.certifiable ?? choice.among) : 1;
}
