import { formatCount } from "../../runtime/number-format.js";
import { VouchError } from "../../runtime/vouch-error.js";
import {
  type Certificate,
  checkTraining,
  FAMILY_PREMISES,
  type TrainingEvidence,
  trainingCertificate,
} from "../certificate.js";
import { type MarginEvidence, marginVc } from "../margins/margin-bounds.js";
import { growthFunctionExact } from "../vc/growth-function.js";
import {
  logCommitteeGrowth,
  logStumpGrowth,
  logTreeCommitteeGrowth,
  type NumericTrees,
} from "../vc/growth-of-families.js";
import { checkVcDimension, tooFewRows, vcBound } from "../vc/vc-bound.js";
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
  /** T: how many rounds there were. */
  readonly rounds: number;
  /** ln|H|: of how many classifiers each round could choose from. */
  readonly logSize: number;
}

/**
 * AdaBoost on a finite class (Triviño 2017, Theorem 3.2, eq. 3.10): with probability ≥ 1 − δ, for m ≥ T,
 *
 *     L(H) ≤ L̂(H) + √(32 (T ln(em|H|/T) + ln(8/δ)) / m).
 */
export function adaBoostFinite(evidence: AdaBoostFiniteEvidence): Certificate {
  const delta = checkTraining(evidence);
  const { rows, errors, rounds, logSize } = evidence;
  checkRounds(rounds);
  const error = errors / rows;
  const fault = tooManyRounds(rows, rounds);
  const capacity = rounds * (1 + Math.log(rows / rounds) + logSize);
  const penalty = fault
    ? Number.POSITIVE_INFINITY
    : Math.sqrt((32 * (capacity + Math.log(8 / delta))) / rows);
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

/** Fails unless there is a whole number of rounds. */
function checkRounds(rounds: number): void {
  if (Number.isSafeInteger(rounds) && rounds >= 1) return;
  throw new VouchError("option/invalid", `There were ${rounds} rounds of boosting, but must be at least 1.`);
}

/** Why a bound by the rounds says nothing, where there are more rounds than rows. */
export function tooManyRounds(rows: number, rounds: number): string | undefined {
  if (rounds <= rows) return undefined;
  return `There were ${formatCount(rounds, "round")}, more than the ${formatCount(rows, "row")}: such votes can label them in any way.`;
}

/** The premise m ≥ T. */
function enoughRowsForRounds(fault: string | undefined) {
  return { statement: "There are at least as many rows as rounds.", holds: fault === undefined };
}

/** The size of a committee: what the bound on boosting depends on. */
export interface CommitteeSize {
  /** m. */
  readonly rows: number;
  /** T. */
  readonly rounds: number;
  /** V of the family that each round chooses from, or an upper bound of it. */
  readonly vcDimension: number;
}

/**
 * How eq. 3.11 is read: as printed, or as Table 5.1 was computed, with `m` where the equation has `em`, twice.
 * Only the equation is a bound.
 */
export type AdaBoostVcReading = "equation" | "table";

/**
 * The term of eq. 3.11 that the training error is raised by; Infinity for m < max(T, V). With d = 12 features, V = 7
 * (`stumpVcDimension`) and δ = 0.05 the reading `table` gives Table 5.1 to all its decimals.
 */
export function adaBoostVcPenalty(
  { rows, rounds, vcDimension }: CommitteeSize,
  delta: number,
  reading: AdaBoostVcReading = "equation",
): number {
  if (rows < Math.max(rounds, vcDimension)) return Number.POSITIVE_INFINITY;
  const e = reading === "equation" ? 1 : 0;
  const votes = e + Math.log(rows / rounds);
  const stumps = vcDimension * (e + Math.log(rows / vcDimension));
  return Math.sqrt((32 * (rounds * (votes + stumps) + Math.log(8 / delta))) / rows);
}

/**
 * AdaBoost on a family of VC dimension V (Triviño 2017, Theorem 3.3, eq. 3.11): with probability ≥ 1 − δ, for
 * m ≥ max(T, V),
 *
 *     L(H) ≤ L̂(H) + √(32 (T (ln(em/T) + V ln(em/V)) + ln(8/δ)) / m).
 */
export function adaBoostVc(evidence: TrainingEvidence & CommitteeSize): Certificate {
  const delta = checkTraining(evidence);
  const { rows, errors, rounds, vcDimension } = evidence;
  checkRounds(rounds);
  checkVcDimension(vcDimension);
  const error = errors / rows;
  const penalty = adaBoostVcPenalty(evidence, delta);
  const rounding = tooManyRounds(rows, rounds);
  const shattering = tooFewRows(rows, vcDimension);
  const fault = rounding ?? shattering;
  const bound = {
    name: "adaboost-vc",
    reference: "Triviño (2017), eq. 3.11",
    value: error + penalty,
    terms: { "training error": error, T: rounds, V: vcDimension, penalty, rows, delta },
    parts: { "training error": error, penalty },
    premises: [
      ...FAMILY_PREMISES,
      enoughRowsForRounds(rounding),
      { statement: "There are at least as many rows as the VC dimension.", holds: shattering === undefined },
    ],
    ...(fault !== undefined && { fault }),
  };
  return trainingCertificate(bound, evidence);
}

/** What a stump knows of its training. */
export interface StumpFacts extends TrainingEvidence {
  readonly features: number;
  readonly classes: number;
}

/** All that is known of a stump from its training. */
export function stumpCertificates(facts: StumpFacts): Certificate[] {
  const { features, classes } = facts;
  const logGrowth = (points: number) => logStumpGrowth(points, features, classes);
  const exact = growthFunctionExact({ ...facts, logGrowth });
  return classes === 2 ? [exact, vcBound({ ...facts, vcDimension: stumpVcDimension(features) })] : [exact];
}

/** What a committee of stumps knows of its training. */
export interface StumpCommitteeFacts extends MarginEvidence {
  readonly features: number;
  readonly classes: number;
  /** T. */
  readonly rounds: number;
  /**
   * J: how many different stumps vote, a constant one not counted. With two classes those that ask the same question
   * are one, whichever way round they answer.
   */
  readonly stumps: number;
}

/**
 * All that is known of a committee of stumps from its training. How many different ones vote is not known before the rows
 * are seen: J = 0, 1, 2, … gets the share 1/((J + 1)(J + 2)) of δ; these sum to one. The bounds of the thesis are about
 * two classes.
 */
export function stumpCommitteeCertificates(facts: StumpCommitteeFacts): Certificate[] {
  const { features, stumps, classes } = facts;
  const exact = growthFunctionExact({
    ...facts,
    logGrowth: (points) => logCommitteeGrowth(points, features, stumps, classes),
    logChoices: Math.log((stumps + 1) * (stumps + 2)),
  });
  if (classes > 2) return [exact];
  const vcDimension = stumpVcDimension(features);
  return [exact, adaBoostVc({ ...facts, vcDimension }), marginVc({ ...facts, vcDimension })];
}

/** What a committee of trees on numbers knows of its training. */
export interface TreeCommitteeFacts extends MarginEvidence, NumericTrees {
  /** T. */
  readonly rounds: number;
}

/**
 * All that is known of a committee of trees from its training. How many trees there are may depend on the rows: T = 1, 2, …
 * gets the share 1/(T(T + 1)) of δ; these sum to one. How many leaves they can have must not. The bounds of the thesis
 * are about two classes.
 */
export function treeCommitteeCertificates(facts: TreeCommitteeFacts): Certificate[] {
  const { rounds, features, leaves, classes } = facts;
  const exact = growthFunctionExact({
    ...facts,
    logGrowth: (points) => logTreeCommitteeGrowth(points, rounds, facts),
    logChoices: Math.log(rounds * (rounds + 1)),
  });
  if (classes > 2) return [exact];
  const vcDimension = treeVcDimension(features, leaves);
  return [exact, adaBoostVc({ ...facts, vcDimension }), marginVc({ ...facts, vcDimension })];
}
