import { formatRoundPercent, formatUpperBound } from "../runtime/text/number-format.js";
import { VouchError } from "../runtime/vouch-error.js";

/** A condition of a theorem. */
export interface Premise {
  readonly text: string;
  /**
   * `checked`: vouch has verified it. `violated`: vouch has found that it is false. `assumed`: neither, because no data
   * can prove it (that future cases resemble the current ones) or because only the caller knows.
   */
  readonly status: "checked" | "assumed" | "violated";
  /** Set if the truth depends on how the model was trained; see `settled`. */
  readonly about?: "rows" | "learner" | "encoding" | "answers";
}

/** Returns a premise that was verified, or found to be false. */
export function checkedPremise(text: string, holds: boolean): Premise {
  return { text, status: holds ? "checked" : "violated" };
}

/** Returns whether no premise is violated. */
export function allHold(premises: readonly Premise[]): boolean {
  return premises.every(({ status }) => status !== "violated");
}

/** A quantity that a certificate bounds. */
export type Measure =
  | "error"
  | "group-error"
  | "class-error"
  | "precision"
  | "balanced-error"
  | "cost"
  | "brier"
  | "log-loss"
  | "auc"
  | "answered-error"
  | "answer-rate"
  | "coverage";

/** A bound on the error on new data, or on another measure. */
export interface Certificate {
  /** Stable name, the same in JSON: `held-out-binomial`, `growth-function-exact`, … */
  readonly name: string;
  readonly measure: Measure;
  /** The class, for measures of one class. */
  readonly class?: string;
  /** `lower` if the measure is at least `value`; otherwise it is at most `value`. */
  readonly bound?: "lower";
  /** Paper and equation in which it is proved. */
  readonly reference: string;
  /** The bound; 1 or more is vacuous. May be Infinity, never NaN. */
  readonly value: number;
  /** The probability with which it holds over the draw of the data. */
  readonly confidence: number;
  /**
   * The weaker value with which all certificates of the classifier hold together at the same confidence, because each
   * has an equal share of δ. Absent if there is only one, or if this one does not hold or is listed for comparison.
   */
  readonly together?: number;
  /** Whether no premise is violated. */
  readonly holds: boolean;
  /** Why it does not hold or is vacuous; absent otherwise. */
  readonly reason?: string;
  readonly premises: readonly Premise[];
  /** Each term of the formula by name, in the order of the formula. */
  readonly terms: Readonly<Record<string, number>>;
  /** The summands of the value by name, the measured error first. None is negative; absent if the value is not a sum. */
  readonly parts?: Readonly<Record<string, number>>;
  /** The certificate in one plain sentence. */
  readonly statement: string;
  /**
   * `comparison` marks a bound that is listed for comparison with the literature. Either another certificate of the same model is
   * smaller, or it is not below 1 at any realistic number of rows. So `best-of` does not consider it and gives it no share of δ.
   */
  readonly role?: "comparison";
}

/** Returns δ = 1 − confidence. Throws unless the confidence is in (0, 1). */
export function riskOfFailure(confidence: number): number {
  // Rounded, so that 0.95 gives 0.05 and not 0.050000000000000044.
  if (confidence > 0 && confidence < 1) return Number((1 - confidence).toPrecision(12));
  throw new VouchError("option/invalid", `The confidence must be between 0 and 1, not ${confidence}.`, {
    hint: "Use 0.95 for a statement that holds with 95% probability.",
  });
}

/** Returns the confidence 1 − δ/k at which each of k bounds must hold for all to hold together with 1 − δ (union bound). */
export function confidenceOfEach(confidence: number, candidates: number): number {
  return candidates === 1 ? confidence : 1 - riskOfFailure(confidence) / candidates;
}

/**
 * Takes the smallest of k certificates that were computed at confidence 1 − δ/k each. By the union bound all k hold together
 * with probability ≥ 1 − δ, and so does the smallest, whichever it is. The smallest of k certificates at confidence 1 − δ each
 * would hold only with probability 1 − kδ.
 *
 * @param candidates all certificates that could have been chosen; those that do not hold count among the k
 */
export function chooseBest(candidates: readonly Certificate[], confidence: number): Certificate {
  const holding = candidates.filter(({ holds }) => holds);
  const best = (holding.length > 0 ? holding : candidates).reduce((a, b) => (b.value < a.value ? b : a));
  const { reference, reason, premises, value, holds, parts } = best;
  const delta = 1 - best.confidence;
  return {
    name: "best-of",
    measure: best.measure,
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
  return `With ${formatRoundPercent(confidence)} confidence at most ${formatUpperBound(value)} of new cases like these are misclassified (${name}, the smallest of ${candidates} bounds).`;
}

/** Adds premises, none of them violated, to a certificate. */
export function addPremises(certificate: Certificate, ...premises: readonly Premise[]): Certificate {
  return { ...certificate, premises: [...certificate.premises, ...premises] };
}

/** Splits a bound that is not a sum into the measured error and the rest. */
export function partsAbove(name: string, measured: number, value: number): Record<string, number> {
  // At confidences below one half a bound may be below the measured error.
  const below = Math.min(measured, value);
  return { [name]: below, "allowance for chance": value - below };
}
