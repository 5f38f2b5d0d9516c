import * as real from "../../runtime/maths/portable-math.js";
import {
  formatCount,
  formatLowerBound,
  formatNumber,
  formatRoundPercent,
  formatUpperBound,
} from "../../runtime/text/number-format.js";
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
export type SplitMethod = "random" | "stratified" | "groups" | "time" | "separate";

/** Held-out rows that equal training rows in all features, and the others. */
export interface Repeats {
  /** Number of held-out rows that equal a training row. */
  readonly rows: number;
  readonly errors: number;
  /** Number of held-out rows that equal no training row. */
  readonly newRows: number;
  readonly newErrors: number;
  /** Whether independent rows may repeat this often because their features have few values. */
  readonly natural: boolean;
  /** The different ones among the new rows, each counted once; present if repeats are not natural. */
  readonly different?: { readonly rows: number; readonly errors: number } | undefined;
  /** How rows repeat others; by default they are equal. */
  readonly nearness?: string | undefined;
}

/** A column whose values mark rows that are alike, although nothing was held out by it. */
export interface AlikeRows {
  readonly column: string;
  /** Whether rows with the same value are alike, or rows of the same time. */
  readonly kind: "group" | "time";
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
  readonly drawn?: SplitMethod | undefined;
  /** Present if some rows equal training rows, or if some are copies of others. */
  readonly repeats?: Repeats | undefined;
  /** Present if the rows were drawn by groups. */
  readonly groups?: readonly GroupCount[] | undefined;
  /** Present if rows with near values of a column are alike: the bound is about cases with the same values only. */
  readonly alike?: AlikeRows | undefined;
  /** How the error changes over time; absent if it does not, or if times are unknown. */
  readonly change?: string | undefined;
  /** Why the rows are not independent of the training; absent if they are. */
  readonly dependence?: string | undefined;
  /** Set if not all training rows are known, so that some of these rows may be training rows. */
  readonly unchecked?: boolean | undefined;
  /** The rows that count as evidence, by true and predicted class. */
  readonly confusion?: ClassCounts | undefined;
  /** The AUC of the rows that count as evidence, with two classes. */
  readonly auc?:
    | { readonly value: number; readonly positives: number; readonly negatives: number }
    | undefined;
  /** Losses of the rows that count as evidence; a model file does not keep them. */
  readonly losses?: HeldOutLosses | undefined;
}

/** Numbers of rows by true class (rows) and predicted class (columns). */
export interface ClassCounts {
  /** Classes that the model knows; a further row of the matrix is for all others. */
  readonly classes: readonly string[];
  readonly matrix: readonly (readonly number[])[];
}

/** Losses of rows, or their means by group. */
export interface HeldOutLosses {
  /** Squared errors of the probabilities, between 0 and `brierRange`. */
  readonly brier?: Float64Array;
  readonly brierRange: number;
  /** Log-losses of probabilities clipped to at least `leastProbability`. */
  readonly logLoss?: Float64Array;
  readonly leastProbability: number;
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
  const bound = { name: "held-out-binomial", measure: "error", reference, value, terms, parts } as const;
  return heldOutCertificate(bound, evidence, eachRow(evidence));
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
  const deviation = Math.sqrt(-real.log(delta) / (2 * rows));
  const value = rows === 0 ? Number.POSITIVE_INFINITY : error + deviation;
  const bound = {
    name: "held-out-hoeffding",
    measure: "error",
    reference: "Hoeffding (1963); Triviño (2017), eq. 2.5",
    value,
    terms: { error, deviation, rows, delta },
    parts: { "error on held-out rows": error, deviation },
    role: "comparison",
  } as const;
  return heldOutCertificate(bound, evidence, eachRow(evidence));
}

/** The units that a held-out bound counts, in words. */
export interface CountedUnits {
  readonly rows: number;
  readonly errors: number;
  /** Singular and plural: "held-out row", "held-out rows". */
  readonly unit: readonly [string, string];
  /** Description such as "new cases like these". */
  readonly cases: string;
  /** The premise that the units are independent draws. */
  readonly draws: string;
  /** Why they are not; absent if nothing is known against it. */
  readonly fault?: string | undefined;
  /** Whether the bound says nothing; by default if an upper bound is not below 1, or a lower one not above 0. */
  readonly vacuous?: boolean;
}

/** Describes the rows of a bound that counts all of them, each by itself. */
export function eachRow(heldOut: HeldOut): CountedUnits {
  const { rows, errors, repeats, groups, change } = heldOut;
  return {
    rows,
    errors,
    unit: ["held-out row", "held-out rows"],
    cases: `${casesLike(heldOut)}${valuesLike(heldOut)}`,
    draws: "The held-out rows are independent draws from the distribution of future data.",
    fault: groups
      ? "Rows of the same group are not independent: the bound by groups counts."
      : repeats && countsNewRows(heldOut)
        ? `${describeCopies(rows, repeats)}: the bound on new rows counts.`
        : change,
  };
}

function casesLike({ drawn }: HeldOut): string {
  return drawn === "time" ? "cases like those of the test period" : "new cases like these";
}

/** Limits the cases to those with the values of a column whose rows are alike: "" if there is no such column. */
function valuesLike({ alike }: HeldOut): string {
  if (!alike) return "";
  return alike.kind === "time"
    ? `, at the same times by "${alike.column}",`
    : `, with the same values of "${alike.column}",`;
}

/** Describes how many held-out rows repeat others: "12 of 40 held-out rows repeat training rows". */
export function describeCopies(
  rows: number,
  { rows: repeated, newRows, different, nearness }: Repeats,
): string {
  const which = repeated > 0 ? "training rows" : "others";
  const copies = repeated > 0 ? repeated : newRows - (different?.rows ?? newRows);
  return `${formatNumber(copies)} of ${formatCount(rows, "held-out row")} repeat ${which}${nearness === undefined ? "" : ` ${nearness}`}`;
}

/** Describes the held-out rows that equal no training row. */
export function selectNewRows(heldOut: HeldOut, repeats: Repeats): CountedUnits {
  const { rows, newRows, newErrors, different, nearness } = repeats;
  const all = rows === 0;
  const which = all ? "held-out rows" : "held-out rows that equal no training row";
  const like = all ? "the distribution of future data" : "such cases in the future";
  const cases = nearness === undefined ? "equal no training row" : "repeat no training row";
  return {
    rows: different?.rows ?? newRows,
    errors: different?.errors ?? newErrors,
    fault: heldOut.change,
    unit: different?.rows ? ["different row", "different rows"] : ["new row", "new rows"],
    cases: `${all ? casesLike(heldOut) : `new cases that ${cases}`}${valuesLike(heldOut)}`,
    draws: different
      ? `The ${which} are independent draws from ${like}, or copies of such draws; how often a draw was copied does not depend on whether it is misclassified.`
      : `The ${which} are independent draws from ${like}.`,
  };
}

/**
 * Returns whether only the held-out rows that equal no training row count as evidence: if rows were copied, and among rows of another
 * table, where a row that equals a training row may be one.
 */
export function countsNewRows({ repeats, drawn }: Pick<HeldOut, "repeats" | "drawn">): boolean {
  if (!repeats) return false;
  return !repeats.natural || (drawn === "separate" && repeats.rows > 0 && repeats.newRows > 0);
}

/** Completes a bound with the premises that all held-out bounds share, and with its sentence. */
export function heldOutCertificate(
  bound: Pick<
    Certificate,
    "name" | "measure" | "class" | "bound" | "reference" | "value" | "terms" | "parts" | "role"
  >,
  evidence: HeldOutEvidence,
  units: CountedUnits,
  sentence: (shown: string) => string = (shown) => `at most ${shown} of ${units.cases} are misclassified`,
): Certificate {
  const { dependence, confidence } = evidence;
  const premises = heldOutPremises(evidence, units);
  const reason = dependence ?? units.fault ?? vacuity(bound, units);
  const claim = sentence(
    bound.bound === "lower" ? formatLowerBound(bound.value) : formatUpperBound(bound.value),
  );
  return {
    ...bound,
    confidence,
    holds: allHold(premises),
    ...(reason !== undefined && { reason }),
    premises,
    statement:
      reason === undefined
        ? `With ${formatRoundPercent(confidence)} confidence ${claim}, from ${formatCount(units.rows, ...units.unit)}.`
        : `No guarantee: ${reason}`,
  };
}

function heldOutPremises(evidence: HeldOutEvidence, { draws, fault }: CountedUnits): Premise[] {
  const { drawn } = evidence;
  const premises: Premise[] = [
    ...finishedPremises(evidence),
    { text: draws, status: fault === undefined ? "assumed" : "violated", about: "rows" },
  ];
  // Given the class proportions of the rows, the errors are a sum of independent draws of unequal probability, whose lower
  // tail is below the binomial one (Hoeffding 1956): the bound is then on the error under these class proportions.
  if (drawn === "stratified") {
    premises.push({
      text: "Future data has exactly the class proportions of this data (the holdout was stratified). If these are themselves a random draw, the bound fails more often than stated.",
      status: "assumed",
    });
  }
  return premises;
}

/**
 * States that the classifier was finished before the held-out rows. Of rows that the training itself held out, that is known. Of rows
 * of another table, it is only known which of them were compared with the training rows.
 */
function finishedPremises({ dependence, drawn, unchecked, repeats }: HeldOutEvidence): Premise[] {
  const choice = "choosing the learner or its options";
  if (drawn !== "separate") {
    const text =
      "The classifier was finished before it saw the held-out rows: they took no part in training it.";
    return [
      unchecked && dependence === undefined
        ? { text, status: "assumed" }
        : checkedPremise(text, dependence === undefined),
      { text: `The held-out rows took no part in ${choice}.`, status: "assumed" },
    ];
  }
  const equal = repeats?.rows ?? 0;
  const finished = `The held-out rows took no part in training the classifier or in ${choice}`;
  const although = `although ${formatCount(equal, "row equals a training row", "rows equal training rows")}`;
  const compared =
    "No row equals a training row, and no more rows are close to training rows than chance explains.";
  return [
    ...(equal > 0 && dependence === undefined
      ? []
      : [
          unchecked && dependence === undefined
            ? ({ text: compared, status: "assumed" } as const)
            : checkedPremise(compared, dependence === undefined),
        ]),
    { text: equal === 0 ? `${finished}.` : `${finished}, ${although}.`, status: "assumed" },
  ];
}

function vacuity(
  { value, bound }: Pick<Certificate, "value" | "bound">,
  { rows, errors, unit: [one, many], vacuous = bound === "lower" ? value <= 0 : value >= 1 }: CountedUnits,
): string | undefined {
  if (rows === 0) return `There are no ${many}.`;
  if (!vacuous) return undefined;
  if (errors === rows) return `All ${many} are misclassified, so no error can be ruled out.`;
  return `The bound is vacuous (not below 1): ${formatCount(rows, `${one} is`, `${many} are`)} too few to rule out any error.`;
}

function checkHeldOut({ rows, errors }: HeldOut): void {
  if (Number.isSafeInteger(rows) && Number.isSafeInteger(errors) && errors >= 0 && errors <= rows) return;
  throw new VouchError(
    "option/invalid",
    `Got ${errors} errors on ${rows} held-out rows: both must be counts, with no more errors than rows.`,
  );
}
