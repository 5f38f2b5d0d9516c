import { formatCount, formatRoundPercent, formatUpperBound } from "../runtime/number-format.js";
import { VouchError } from "../runtime/vouch-error.js";
import { type Certificate, type Premise, riskOfFailure } from "./certificate.js";

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
  statement: "The training rows are independent draws from the distribution of future data.",
  holds: true,
  assumed: true,
};

/**
 * Assumed because otherwise δ must be divided: by k for a learner that the same rows chose among k, and in the same way for
 * tuned options.
 */
export const FIXED_LEARNER: Premise = {
  statement: "The learner and its options were fixed before the training rows were seen.",
  holds: true,
  assumed: true,
};

/** Assumed by bounds for families that do not change when features are scaled, shifted or binned differently. */
export const INVARIANT_ENCODING: Premise = {
  statement:
    "The encoding took only scales, offsets and bin boundaries from the training rows, which do not change the families.",
  holds: true,
  assumed: true,
};

/** Assumed by bounds that count the family of the classifier. */
export const FAMILY_PREMISES: readonly Premise[] = [INDEPENDENT_ROWS, FIXED_LEARNER, INVARIANT_ENCODING];

/**
 * Assumed by bounds that depend on norms: scales and offsets reveal something about the rows. That cannot be counted, but it
 * is little, because they are means over all rows.
 */
export const KNOWN_SCALES: Premise = {
  statement:
    "The scales and offsets of the features are as good as known in advance, although they come from all training rows.",
  holds: true,
  assumed: true,
};

/** Assumed by bounds for kernel machines, whose kernel parameters may come from the rows as well. */
export const KNOWN_KERNEL: Premise = {
  statement:
    "The scales and offsets of the features and the kernel parameters are as good as known in advance, although they come from all training rows.",
  holds: true,
  assumed: true,
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
  return `The bound is vacuous (not below 1): ${formatCount(rows, "training row is", "training rows are")} too few for a model this complex.`;
}

/**
 * Restates a bound for a learner that the training rows chose among k candidates, given the bound for that learner at
 * confidence 1 − δ/k. By the union bound the bounds of all k candidates hold together with probability ≥ 1 − δ, and so does
 * that of the chosen one. The list of candidates must not depend on the labels.
 */
export function chosenAmong(certificate: Certificate, candidates: number, confidence: number): Certificate {
  const fixed = {
    ...FIXED_LEARNER,
    statement: `The learner was chosen among ${candidates} candidates that were fixed before the training rows were seen; each has an equal share of δ.`,
  };
  const { premises, terms, statement } = certificate;
  const others = premises.filter((premise) => premise.statement !== FIXED_LEARNER.statement);
  return {
    ...certificate,
    confidence,
    premises: [...others, fixed],
    terms: { ...terms, "candidates to choose from": candidates },
    statement: statement.replace(
      /^With \S+ % confidence/,
      `With ${formatRoundPercent(confidence)} confidence`,
    ),
  };
}
