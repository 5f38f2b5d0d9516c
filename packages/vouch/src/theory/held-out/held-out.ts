import { formatCount, formatRoundPercent, formatUpperBound } from "../../runtime/number-format.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { type Certificate, type Premise, partsAbove, riskOfFailure } from "../certificate.js";
import { largestProbability } from "../distributions.js";

/** The result of a finished classifier on rows that took no part in its training. */
export interface HeldOut {
  readonly rows: number;
  /** Number of rows that it misclassifies. */
  readonly errors: number;
  /** Whether the rows were drawn class by class, in the class proportions of all the data. */
  readonly stratified?: boolean | undefined;
  /** Why the rows are not independent of the training; absent if they are. */
  readonly dependence?: string;
}

/** A result on held-out rows, and the confidence that a bound from it must have. */
export interface HeldOutEvidence extends HeldOut {
  /** 1 − δ: the probability with which the bound must hold, in (0, 1). */
  readonly confidence: number;
}

/**
 * Bounds the error by the exact binomial tail (Clopper and Pearson 1934, one-sided; Langford, "Tutorial on practical
 * prediction theory for classification", JMLR 6, 2005, the test set bound). A fixed classifier of error L misclassifies X of m
 * independent rows with X ~ Binomial(m, L), so with probability ≥ 1 − δ over the draw of the rows
 *
 *     L ≤ max { p : P(Binomial(m, p) ≤ k) ≥ δ },   k = errors on the m rows.
 *
 * No smaller bound computed from k and m alone holds for every L.
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
 * Bounds the error by Hoeffding's inequality (Hoeffding 1963; Triviño 2017, Corollary 2.1, eq. 2.5): with probability
 * ≥ 1 − δ over the draw of m independent held-out rows
 *
 *     L ≤ L̂ + √(ln(1/δ) / 2m),   L̂ = errors / m.
 *
 * Never below `heldOutBinomial`; it is the form in which such bounds are usually written.
 */
export function heldOutHoeffding(evidence: HeldOutEvidence): Certificate {
  checkHeldOut(evidence);
  const { rows, errors } = evidence;
  const delta = riskOfFailure(evidence.confidence);
  const error = rows === 0 ? 0 : errors / rows;
  const deviation = Math.sqrt(-Math.log(delta) / (2 * rows));
  const value = rows === 0 ? Number.POSITIVE_INFINITY : error + deviation;
  const bound = {
    name: "held-out-hoeffding",
    reference: "Hoeffding (1963); Triviño (2017), eq. 2.5",
    value,
    terms: { error, deviation, rows, delta },
    parts: { "error on held-out rows": error, deviation },
    role: "comparison" as const,
  };
  return heldOutCertificate(bound, evidence);
}

/** Completes a bound with the premises that all held-out bounds share, and with its sentence. */
function heldOutCertificate(
  bound: Pick<Certificate, "name" | "reference" | "value" | "terms" | "parts" | "role">,
  evidence: HeldOutEvidence,
): Certificate {
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
  // Given the class proportions of the rows, the errors are a sum of independent draws of unequal probability, whose lower
  // tail is below the binomial one (Hoeffding 1956): the bound is then on the error under these class proportions.
  if (stratified) {
    premises.push({
      statement: "Future data has the class proportions of this data (the holdout was stratified).",
      holds: true,
      assumed: true,
    });
  }
  return premises;
}

function vacuity(value: number, { rows, errors }: HeldOut): string | undefined {
  if (rows === 0) return "There are no held-out rows.";
  if (value < 1) return undefined;
  if (errors === rows) return "All held-out rows are misclassified, so no error can be ruled out.";
  return `The bound is vacuous (not below 1): ${formatCount(rows, "held-out row is", "held-out rows are")} too few to rule out any error.`;
}

/** Writes "With 95 % confidence at most 3.9 % of new cases like these are misclassified, from 140 held-out rows." */
function promise(value: number, { rows, confidence }: HeldOutEvidence): string {
  return `With ${formatRoundPercent(confidence)} confidence at most ${formatUpperBound(value)} of new cases like these are misclassified, from ${formatCount(rows, "held-out row")}.`;
}

function checkHeldOut({ rows, errors }: HeldOut): void {
  if (Number.isSafeInteger(rows) && Number.isSafeInteger(errors) && errors >= 0 && errors <= rows) return;
  throw new VouchError(
    "option/invalid",
    `Got ${errors} errors on ${rows} held-out rows: both must be counts, with no more errors than rows.`,
  );
}
