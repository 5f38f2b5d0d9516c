import { formatCount, formatRoundPercent, formatUpperBound } from "../../runtime/number-format.js";
import { VouchError } from "../../runtime/vouch-error.js";
import {
  allHold,
  type Certificate,
  checkedPremise,
  type Premise,
  partsAbove,
  riskOfFailure,
} from "../certificate.js";
import { largestProbability } from "../distributions.js";

/**
 * How held-out rows were drawn: `random` and `stratified` from the rows of the same table, all rows of some `groups`, the latest by
 * `time`, or `separate` if they came from elsewhere.
 */
export type Draw = "random" | "stratified" | "groups" | "time" | "separate";

/** Held-out rows that equal training rows in all features, and the others. */
export interface Repeats {
  /** Number of held-out rows that equal a training row. */
  readonly rows: number;
  readonly errors: number;
  /** Number of distinct held-out rows that equal no training row. */
  readonly newRows: number;
  readonly newErrors: number;
  /** Whether independent rows may repeat this often because their features have few values. */
  readonly natural: boolean;
}

/** Number of groups in which `errors` of `rows` rows are misclassified. */
export interface GroupCount {
  readonly rows: number;
  readonly errors: number;
  readonly groups: number;
}

/** The result of a finished classifier on rows that took no part in its training. */
export interface HeldOut {
  readonly rows: number;
  /** Number of rows that it misclassifies. */
  readonly errors: number;
  /** Absent if that is not known. */
  readonly drawn?: Draw | undefined;
  /** Present if some rows equal training rows. */
  readonly repeats?: Repeats | undefined;
  /** Present if the rows were drawn by groups. */
  readonly groups?: readonly GroupCount[] | undefined;
  /** How the error changes over time; absent if it does not, or if time is not known. */
  readonly change?: string | undefined;
  /** Why the rows are not independent of the training; absent if they are. */
  readonly dependence?: string | undefined;
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
  const holds = allHold(premises);
  const reason = dependence ?? vacuity(bound.value, evidence);
  return {
    ...bound,
    measure: "error",
    confidence,
    holds,
    ...(reason !== undefined && { reason }),
    premises,
    statement: reason === undefined ? promise(bound.value, evidence) : `No guarantee: ${reason}`,
  };
}

function heldOutPremises({ dependence, drawn, repeats, groups, change }: HeldOutEvidence): Premise[] {
  const premises: Premise[] = [
    checkedPremise(
      "The classifier was finished before it saw the held-out rows: they took no part in training it.",
      dependence === undefined,
    ),
    {
      text: "The held-out rows are independent draws from the distribution of future data.",
      status: groups || (repeats && !repeats.natural) || change !== undefined ? "violated" : "assumed",
    },
  ];
  // Given the class proportions of the rows, the errors are a sum of independent draws of unequal probability, whose lower
  // tail is below the binomial one (Hoeffding 1956): the bound is then on the error under these class proportions.
  if (drawn === "stratified") {
    premises.push({
      text: "Future data has exactly the class proportions of this data (the holdout was stratified).",
      status: "assumed",
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
