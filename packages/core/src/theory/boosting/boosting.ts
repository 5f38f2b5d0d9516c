import * as real from "../../runtime/maths/portable-math.js";
import { formatCount } from "../../runtime/text/number-format.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { type Certificate, checkedPremise, type Premise } from "../certificate.js";
import { FAMILY_PREMISES } from "../encoding-premises.js";
import { type MarginEvidence, marginVc } from "../margins/margin-bounds.js";
import { checkTraining, type TrainingEvidence, trainingCertificate } from "../training-certificate.js";
import { growthFunctionExact, growthPenalty } from "../vc/growth-function.js";
import {
  logCommitteeGrowth,
  logStumpGrowth,
  logTreeCommitteeGrowth,
  type NumericTrees,
} from "../vc/growth-of-families.js";
import { checkVcDimension, enoughRows, tooFewRows, type VcEvidence, vcBound } from "../vc/vc-bound.js";
import { stumpVcDimension, treeVcDimension } from "../vc/vc-dimension.js";

/**
 * Bounds the training error of AdaBoost after each round (Triviño 2017, Theorem 3.1). `errors` are the weighted errors ε_t
 * of the weak classifiers, `classes` is the number K of classes among the training rows. With γ_t = ½ − ε_t the bound for
 * two classes is
 *
 *     ∏ √(1 − 4γ_t²), and for any K it is ∏ K·√(ε_t(1 − ε_t) / (K − 1)).
 *
 * Proof for any K: write A_t = 2α_t. A row is misclassified only if its class got at most half of the votes, so
 * exp(Σ A_t·1{h_t wrong} − ½ Σ A_t) ≥ 1. The weighted mean of that is the product of the factors
 * (1 − ε_t)·exp(−A_t/2) + ε_t·exp(A_t/2), and exp(A_t) = (K − 1)(1 − ε_t)/ε_t.
 */
export function trainingErrorBounds(errors: readonly number[], classes: number): Float64Array {
  let product = 1;
  return Float64Array.from(errors, (error) => {
    product *= classes * Math.sqrt((error * (1 - error)) / (classes - 1));
    return product;
  });
}

/** A committee of classifiers from a finite class. */
export interface AdaBoostFiniteEvidence extends TrainingEvidence {
  /** T: number of rounds. */
  readonly rounds: number;
  /** ln|H| of the class that each round chooses from. */
  readonly logSize: number;
}

/**
 * Bounds the error of AdaBoost on a finite class (Triviño 2017, Theorem 3.2, eq. 3.10): with probability ≥ 1 − δ, for m ≥ T,
 *
 *     L(H) ≤ L̂(H) + √(32 (T ln(em|H|/T) + ln(8/δ)) / m).
 */
export function adaBoostFinite(evidence: AdaBoostFiniteEvidence): Certificate {
  const delta = checkTraining(evidence);
  const { rows, errors, rounds, logSize } = evidence;
  checkRounds(rounds);
  const error = errors / rows;
  const fault = tooManyRounds(rows, rounds);
  const capacity = rounds * (1 + real.log(rows / rounds) + logSize);
  const penalty = fault ? Number.POSITIVE_INFINITY : growthPenalty(capacity, rows, delta);
  const bound = {
    name: "adaboost-finite",
    reference: "Triviño (2017), eq. 3.10",
    value: error + penalty,
    terms: { "training error": error, T: rounds, "ln|H|": logSize, penalty, rows, delta },
    parts: { "training error": error, penalty },
    premises: [...FAMILY_PREMISES, enoughRowsForRounds(fault)],
    ...(fault !== undefined && { fault }),
  };
  return trainingCertificate(bound, evidence);
}

/** A committee of classifiers from a family of known VC dimension. */
export interface AdaBoostVcEvidence extends VcEvidence {
  /** T: number of rounds. */
  readonly rounds: number;
}

/**
 * Bounds the error of AdaBoost on a family of VC dimension V (Triviño 2017, Theorem 3.3, eq. 3.11): with probability ≥ 1 − δ, for
 * m ≥ max(T, V),
 *
 *     L(H) ≤ L̂(H) + √(32 (T (ln(em/T) + V ln(em/V)) + ln(8/δ)) / m).
 */
export function adaBoostVc(evidence: AdaBoostVcEvidence): Certificate {
  const delta = checkTraining(evidence);
  const { rows, errors, rounds, vcDimension } = evidence;
  checkRounds(rounds);
  checkVcDimension(vcDimension);
  const error = errors / rows;
  const penalty = adaBoostVcPenalty(evidence, delta);
  const rounding = tooManyRounds(rows, rounds);
  const fault = rounding ?? tooFewRows(rows, vcDimension);
  const bound = {
    name: "adaboost-vc",
    reference: "Triviño (2017), eq. 3.11",
    value: error + penalty,
    terms: { "training error": error, T: rounds, V: vcDimension, penalty, rows, delta },
    parts: { "training error": error, penalty },
    premises: [...FAMILY_PREMISES, enoughRowsForRounds(rounding), enoughRows(rows, vcDimension)],
    ...(fault !== undefined && { fault }),
    role: "comparison" as const,
  };
  return trainingCertificate(bound, evidence);
}

/**
 * The reading of eq. 3.11: as printed, or as Table 5.1 was computed, with `m` in both places where the equation has `em`. Only
 * the equation is a bound.
 */
export type AdaBoostVcReading = "equation" | "table";

/**
 * Computes the term of eq. 3.11 that is added to the training error; Infinity for m < max(T, V). With d = 12 features, V = 7
 * (`stumpVcDimension`) and δ = 0.05, the reading `table` gives all decimals of Table 5.1.
 */
export function adaBoostVcPenalty(
  { rows, rounds, vcDimension }: Pick<AdaBoostVcEvidence, "rows" | "rounds" | "vcDimension">,
  delta: number,
  reading: AdaBoostVcReading = "equation",
): number {
  if (rows < Math.max(rounds, vcDimension)) return Number.POSITIVE_INFINITY;
  const e = reading === "equation" ? 1 : 0;
  const votes = e + real.log(rows / rounds);
  const stumps = vcDimension * (e + real.log(rows / vcDimension));
  return growthPenalty(rounds * (votes + stumps), rows, delta);
}

function checkRounds(rounds: number): void {
  if (Number.isSafeInteger(rounds) && rounds >= 1) return;
  throw new VouchError(
    "option/invalid",
    `The number of boosting rounds must be a whole number of at least 1, not ${rounds}.`,
  );
}

/** Explains why a bound by the rounds is vacuous if m < T; undefined otherwise. */
export function tooManyRounds(rows: number, rounds: number): string | undefined {
  if (rounds <= rows) return undefined;
  return `There were ${formatCount(rounds, "round")}, more than the ${formatCount(rows, "row")}: this many votes may be able to label them in every way.`;
}

/** Returns the premise m ≥ T. */
function enoughRowsForRounds(fault: string | undefined): Premise {
  return checkedPremise("There are at least as many training rows as rounds.", fault === undefined);
}

/** The training of a stump. */
export interface StumpInputs extends TrainingEvidence {
  readonly features: number;
  readonly classes: number;
}

/** Lists the certificates of a stump. */
export function stumpCertificates(facts: StumpInputs): Certificate[] {
  const { features, classes } = facts;
  const logGrowth = (points: number) => logStumpGrowth(points, features, classes);
  const exact = growthFunctionExact({ ...facts, logGrowth });
  return classes === 2 ? [exact, vcBound({ ...facts, vcDimension: stumpVcDimension(features) })] : [exact];
}

/** The training of a committee of stumps. */
export interface StumpCommitteeInputs extends MarginEvidence {
  readonly features: number;
  readonly classes: number;
  /** T: number of rounds. */
  readonly rounds: number;
  /** J: number of different stumps, not counting constant ones; with two classes a stump and its negation count once. */
  readonly stumps: number;
}

/**
 * Lists the certificates of a committee of stumps. The number of different stumps is known only after training: J = 0, 1, 2, … get
 * the shares 1/((J + 1)(J + 2)) of δ, which sum to one. The bounds of the thesis are for two classes.
 */
export function stumpCommitteeCertificates(facts: StumpCommitteeInputs): Certificate[] {
  const { features, stumps, classes } = facts;
  const exact = growthFunctionExact({
    ...facts,
    logGrowth: (points) => logCommitteeGrowth(points, features, stumps, classes),
    logChoices: real.log((stumps + 1) * (stumps + 2)),
  });
  if (classes > 2) return [exact];
  const vcDimension = stumpVcDimension(features);
  return [exact, adaBoostVc({ ...facts, vcDimension }), marginVc({ ...facts, vcDimension })];
}

/** The training of a committee of trees on numeric features. */
export interface TreeCommitteeInputs extends MarginEvidence, NumericTrees {
  /** T: number of rounds. */
  readonly rounds: number;
}

/**
 * Lists the certificates of a committee of trees. The number of trees may depend on the rows: T = 1, 2, … get the shares
 * 1/(T(T + 1)) of δ, which sum to one. The maximum number of leaves must not. The bounds of the thesis are for two classes.
 */
export function treeCommitteeCertificates(facts: TreeCommitteeInputs): Certificate[] {
  const { rounds, features, leaves, classes } = facts;
  const exact = growthFunctionExact({
    ...facts,
    logGrowth: (points) => logTreeCommitteeGrowth(points, rounds, facts),
    logChoices: real.log(rounds * (rounds + 1)),
  });
  if (classes > 2) return [exact];
  const vcDimension = treeVcDimension(features, leaves);
  return [exact, adaBoostVc({ ...facts, vcDimension }), marginVc({ ...facts, vcDimension })];
}
