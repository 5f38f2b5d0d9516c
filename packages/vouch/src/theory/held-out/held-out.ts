import { formatCount, formatRoundPercent, formatUpperBound } from "../../runtime/number-format.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { type Certificate, type Premise, partsAbove } from "../certificate.js";
import { largestProbability } from "../distributions.js";

/** How a finished classifier did on rows that were kept away from its training. */
export interface HeldOut {
  readonly rows: number;
  /** How many of them it misclassifies. */
  readonly errors: number;
  /** Whether they were drawn class by class, in the shares that the classes have in all the data. */
  readonly stratified?: boolean | undefined;
  /** Why the rows are not independent of the training, where they are not; absent when they are. */
  readonly dependence?: string;
}

/** What a certificate from held-out rows is made of. */
export interface HeldOutEvidence extends HeldOut {
  /** The probability 1 − δ with which the bound is to hold; in (0, 1). */
  readonly confidence: number;
}

/** A bound on the error from held-out rows: its name, where it is proved, its value and its terms. */
interface HeldOutBound {
  readonly name: string;
  readonly reference: string;
  /** Says nothing when it is 1 or more; never NaN. */
  readonly value: number;
  readonly terms: Readonly<Record<string, number>>;
  /** What the value is the sum of. */
  readonly parts: Readonly<Record<string, number>>;
}

/** δ = 1 − confidence; a confidence outside (0, 1) is an error that names it. */
export function riskOfFailure(confidence: number): number {
  // Rounded, so that 0.95 gives 0.05 and not 0.050000000000000044.
  if (confidence > 0 && confidence < 1) return Number((1 - confidence).toPrecision(12));
  throw new VouchError("option/invalid", `The confidence is ${confidence}, but must lie between 0 and 1.`, {
    hint: "Use 0.95 for a statement that holds with 95 % probability.",
  });
}

/** Fails unless rows and errors are counts with errors ≤ rows. */
function checkHeldOut({ rows, errors }: HeldOut): void {
  if (Number.isSafeInteger(rows) && Number.isSafeInteger(errors) && errors >= 0 && errors <= rows) return;
  throw new VouchError(
    "option/invalid",
    `${errors} errors on ${rows} held-out rows cannot be: both are counts, and there are at most as many errors as rows.`,
  );
}

/** Joins a bound and the premises that all held-out bounds share to a certificate. */
function heldOutCertificate(bound: HeldOutBound, evidence: HeldOutEvidence): Certificate {
  const { dependence, confidence } = evidence;
  const premises = heldOutPremises(evidence);
  const holds = premises.every((premise) => premise.holds);
  const reason = dependence ?? vacuity(bound.value, evidence);
  return {
    ...bound,
    confidence,
    holds,
    ...(reason !== undefined && { reason }),
    premises,
    statement: reason === undefined ? promise(bound.value, evidence) : `No guarantee: ${reason}`,
  };
}

function heldOutPremises({ dependence, stratified }: HeldOutEvidence): Premise[] {
  const premises: Premise[] = [
    {
      statement:
        "The classifier was finished before it saw the held-out rows: they took no part in training it.",
      holds: dependence === undefined,
    },
    {
      statement: "The held-out rows are independent draws from the distribution of future data.",
      holds: true,
      assumed: true,
    },
  ];
  // Given the class shares of the rows, the errors are a sum of independent draws of unequal probability, whose lower
  // tail is below the binomial one (Hoeffding 1956): the bound then is on the error under these class shares.
  if (stratified) {
    premises.push({
      statement:
        "In future data the classes have the shares that they have in this data (rows were held out class by class).",
      holds: true,
      assumed: true,
    });
  }
  return premises;
}

function vacuity(value: number, { rows, errors }: HeldOut): string | undefined {
  if (rows === 0) return "There are no held-out rows.";
  if (value < 1) return undefined;
  if (errors === rows) return "All held-out rows are misclassified, so every error is possible.";
  return `The bound is not below 1: ${formatCount(rows, "held-out row")} are too few to exclude any error.`;
}

/** "With 95 % confidence at most 3.9 % of new cases like these are misclassified, from 140 held-out rows." */
function promise(value: number, { rows, confidence }: HeldOutEvidence): string {
  return `With ${formatRoundPercent(confidence)} confidence at most ${formatUpperBound(value)} of new cases like these are misclassified, from ${formatCount(rows, "held-out row")}.`;
}

/**
 * The exact binomial tail (Clopper and Pearson 1934, one-sided; Langford, "Tutorial on practical prediction theory
 * for classification", JMLR 6, 2005, the test set bound). A fixed classifier of error L misclassifies X of m
 * independent rows with X ~ Binomial(m, L), so with probability ≥ 1 − δ over the draw of the rows
 *
 *     L ≤ max { p : P(Binomial(m, p) ≤ k) ≥ δ },   k = errors on the m rows.
 *
 * No bound that uses only k and m and holds for every L is smaller.
 */
export function heldOutBinomial(evidence: HeldOutEvidence): Certificate {
  checkHeldOut(evidence);
  const { rows, errors } = evidence;
  const delta = riskOfFailure(evidence.confidence);
  const value = rows === 0 ? Number.POSITIVE_INFINITY : largestProbability(errors, rows, delta);
  const terms = { errors, rows, delta };
  const parts = partsAbove("error on held-out rows", rows === 0 ? 0 : errors / rows, value);
  const reference = "Clopper and Pearson (1934); Langford (2005), test set bound";
  return heldOutCertificate({ name: "held-out-binomial", reference, value, terms, parts }, evidence);
}

/**
 * Hoeffding's inequality for a fixed classifier (Triviño 2017, Corollary 2.1, eq. 2.5): with probability ≥ 1 − δ
 * over the draw of m independent held-out rows
 *
 *     L ≤ L̂ + √(ln(1/δ) / 2m),   L̂ = errors / m.
 *
 * Never below the exact binomial tail; kept because it is the form in which bounds are usually written.
 */
export function heldOutHoeffding(evidence: HeldOutEvidence): Certificate {
  checkHeldOut(evidence);
  const { rows, errors } = evidence;
  const delta = riskOfFailure(evidence.confidence);
  const error = rows === 0 ? 0 : errors / rows;
  const deviation = Math.sqrt(-Math.log(delta) / (2 * rows));
  const value = rows === 0 ? Number.POSITIVE_INFINITY : error + deviation;
  const terms = { error, deviation, rows, delta };
  const parts = { "error on held-out rows": error, deviation };
  const reference = "Hoeffding (1963); Triviño (2017), eq. 2.5";
  return heldOutCertificate({ name: "held-out-hoeffding", reference, value, terms, parts }, evidence);
}
