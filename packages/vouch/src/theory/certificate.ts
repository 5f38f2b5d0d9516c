import { formatCount, formatRoundPercent, formatUpperBound } from "../runtime/number-format.js";
import { VouchError } from "../runtime/vouch-error.js";
import { riskOfFailure } from "./held-out/held-out.js";

/** A condition that a theorem needs, and whether it is met here. */
export interface Premise {
  readonly statement: string;
  readonly holds: boolean;
  /** Taken for granted because no data can show it, such as that future cases are like the present ones. */
  readonly assumed?: boolean;
}

/** One upper bound on, or estimate of, the error on new data. */
export interface Certificate {
  /** Stable name, as in JSON: `held-out-binomial`, `held-out-hoeffding`, … */
  readonly name: string;
  /** Where it is proved: paper, equation. */
  readonly reference: string;
  /** The bound. Infinity when it says nothing, never NaN. */
  readonly value: number;
  /** The probability with which it holds over the draw of the data. */
  readonly confidence: number;
  /** Whether all premises hold. */
  readonly holds: boolean;
  /** Why it does not hold or is vacuous; absent otherwise. */
  readonly reason?: string;
  readonly premises: readonly Premise[];
  /** Each term of the formula by name, in the order of the formula. */
  readonly terms: Readonly<Record<string, number>>;
  /**
   * What the value is the sum of, by name: what was measured first, then what it is raised by. None is negative; absent where
   * the value cannot be told apart so.
   */
  readonly parts?: Readonly<Record<string, number>>;
  /** The certificate in one sentence that an engineer understands. */
  readonly statement: string;
}

/** The parts of a bound that is no sum: what was measured, and what the bound adds to it. */
export function partsAbove(name: string, measured: number, value: number): Record<string, number> {
  // At confidences below one half a bound may lie below what was measured.
  const below = Math.min(measured, value);
  return { [name]: below, "allowance for chance": value - below };
}

/**
 * The smallest of k certificates that were computed with confidence 1 − δ/k each. By the union bound all of them are true
 * together with probability ≥ 1 − δ, and so is the smallest, whichever it is. Taking the smallest of certificates of
 * confidence 1 − δ each would be true with probability 1 − kδ only.
 *
 * @param candidates all that could have been chosen, each at confidence 1 − δ/k; those that do not hold count among the k
 */
export function bestOf(candidates: readonly Certificate[], confidence: number): Certificate {
  const holding = candidates.filter(({ holds }) => holds);
  const best = (holding.length > 0 ? holding : candidates).reduce((a, b) => (b.value < a.value ? b : a));
  const { reference, reason, premises, value, holds, parts } = best;
  const delta = 1 - best.confidence;
  return {
    name: "best-of",
    reference: `${best.name} with its share of δ: ${reference}`,
    value,
    confidence,
    holds,
    ...(reason !== undefined && { reason }),
    premises,
    terms: { candidates: candidates.length, "δ of each": Number(delta.toPrecision(12)), [best.name]: value },
    ...(parts && { parts }),
    statement: reason === undefined ? promise(best, candidates.length, confidence) : best.statement,
  };
}

function promise({ name, value }: Certificate, candidates: number, confidence: number): string {
  return `With ${formatRoundPercent(confidence)} confidence at most ${formatUpperBound(value)} of new cases like these are misclassified: the best of ${candidates} bounds, ${name}.`;
}

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
interface TrainingBound
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

/** The confidence 1 − δ/k that a bound needs which is to hold with 1 − δ for whichever of k candidates is chosen. */
export function confidenceOfEach(confidence: number, candidates: number): number {
  return 1 - riskOfFailure(confidence) / candidates;
}

/**
 * A bound from the training rows for a learner that these rows chose among k candidates, given the bound for that learner
 * at confidence 1 − δ/k. By the union bound those of all k candidates hold together with probability ≥ 1 − δ, and so does
 * that of the chosen one. The list of candidates must not depend on the labels.
 */
export function chosenAmong(certificate: Certificate, candidates: number, confidence: number): Certificate {
  const settled = {
    ...SETTLED_LEARNER,
    statement: `The learner was chosen among ${candidates} candidates that were settled before the training rows were seen: each has a share of δ.`,
  };
  const { premises, terms, statement } = certificate;
  const others = premises.filter((premise) => premise.statement !== SETTLED_LEARNER.statement);
  return {
    ...certificate,
    confidence,
    premises: [...others, settled],
    terms: { ...terms, "candidates to choose from": candidates },
    statement: statement.replace(
      /^With \S+ % confidence/,
      `With ${formatRoundPercent(confidence)} confidence`,
    ),
  };
}
