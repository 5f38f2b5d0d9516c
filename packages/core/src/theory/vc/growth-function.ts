import * as real from "../../runtime/maths/portable-math.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { type Certificate, partsAbove } from "../certificate.js";
import { largestProbability } from "../distributions.js";
import { FAMILY_PREMISES } from "../encoding-premises.js";
import { logHypergeometricAtMost } from "../log-tails.js";
import { checkTraining, type TrainingEvidence, trainingCertificate } from "../training-certificate.js";

/** A classifier from a family whose growth function is known: the largest number of ways in which it can label points. */
export interface GrowthEvidence extends TrainingEvidence {
  /** ln Π_H(n), or an upper bound on it, for any number n of points. */
  readonly logGrowth: (points: number) => number;
}

/** A classifier from a family of known growth function, if the rows also chose the family. */
export interface ExactGrowthEvidence extends GrowthEvidence {
  /** ln of the number of families to choose from; 0, the default, for a single one. */
  readonly logChoices?: number;
}

/** u/m: size of the ghost sample for each training row. From 2 to 8 the bound changes by a few per cent. */
const GHOST_ROWS = 4;

/** β: probability that the ghost sample shows an error that is there. */
const SHOWN = 0.2;

/**
 * Bounds the error by the growth function, with the double sample counted exactly (after Vapnik and Chervonenkis 1971;
 * hypergeometric tails as in Blum and Langford 2003). With probability ≥ 1 − δ over the draw of m rows, for all h ∈ H
 * simultaneously,
 *
 *     L(h) ≤ p  where  P(Binomial(u, p) ≥ j) = β,
 *     j = min { j : P(Hypergeometric(m of m + u, k + j marked) ≤ k) ≤ βδ / Π_H(m + u) },
 *
 * where k is the number of errors of h on the rows. u = 4m and β = 0.2 are fixed; other fixed values would give a bound too.
 *
 * Proof. Let j_k and p_k be these numbers for k errors, k(h) the errors of h on the m rows, and k′(h) its errors on a ghost
 * sample of u further rows. Suppose that with probability more than δ there is an h with L(h) > p_{k(h)}. Given the m rows,
 * choose such an h. The ghost sample is independent of it, so k′(h) ≥ j_{k(h)} with probability at least β. So with probability
 * more than βδ there is an h ∈ H with k′(h) ≥ j_{k(h)}. Now draw the m + u rows first, and then choose at random which m of them
 * are the real ones. H labels the m + u rows in at most Π_H(m + u) ways, so there are at most that many error patterns. For one
 * pattern of r errors, k is hypergeometric with distribution function F_r. More errors in total make few errors among the m less
 * likely, so r ≥ k + j_k implies F_r(k) ≤ F_{k+j_k}(k) ≤ η := βδ/Π_H(m + u); and P(F_r(k) ≤ η) ≤ η for every distribution. A
 * union bound over all patterns gives at most βδ: a contradiction. ∎
 *
 * It needs no union bound over k and avoids the constants 8 and 32 of Theorem 2.3: with 600 rows, VC dimension 10 and no
 * errors it is about 0.11, where Theorem 2.3 gives 1.7.
 */
export function growthFunctionExact(evidence: ExactGrowthEvidence): Certificate {
  const delta = checkTraining(evidence);
  const { rows, errors, logGrowth, logChoices = 0 } = evidence;
  const ghosts = GHOST_ROWS * rows;
  const log = logGrowth(rows + ghosts);
  if (!(log >= 0 && logChoices >= 0)) {
    throw new VouchError(
      "option/invalid",
      `ln Π is ${log} and ln(choices) is ${logChoices}, but both must be at least 0.`,
    );
  }
  const logEta = real.log(SHOWN * delta) - log - logChoices;
  const ghostErrors = fewestGhostErrors(errors, rows, ghosts, logEta);
  const value = ghostErrors > ghosts ? 1 : largestProbability(ghostErrors - 1, ghosts, 1 - SHOWN);
  const bound = {
    name: "growth-function-exact",
    reference: "docs/guarantees-training.md; after Vapnik and Chervonenkis (1971), Blum and Langford (2003)",
    value,
    terms: {
      errors,
      rows,
      u: ghosts,
      "ln Π(m + u)": log,
      ...(logChoices > 0 && { "ln(choices)": logChoices }),
      j: ghostErrors,
      delta,
    },
    parts: partsAbove("training error", errors / rows, value),
    premises: FAMILY_PREMISES,
  };
  return trainingCertificate(bound, evidence);
}

/** Finds the least j with P(at most k of the k + j errors fall on the real rows) ≤ η; u + 1 if there is none. */
function fewestGhostErrors(errors: number, rows: number, ghosts: number, logEta: number): number {
  const unlikely = (j: number) => logHypergeometricAtMost(errors, rows, ghosts, errors + j) <= logEta;
  // An error rate in the ghost sample no higher than on the real rows is not unlikely.
  let low = Math.ceil((errors * ghosts) / rows);
  let high = ghosts + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (middle > ghosts || unlikely(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * Bounds the error by the growth function (Triviño 2017, Theorem 2.3, eq. 2.21): with probability ≥ 1 − δ, for all h ∈ H,
 *
 *     L(h) ≤ L̂(h) + √(32 (ln(8/δ) + ln Π_H(m)) / m).
 *
 * `growthFunctionExact` counts the double sample instead of using the constants 8 and 32, and is far smaller.
 */
export function growthFunction(evidence: GrowthEvidence): Certificate {
  const delta = checkTraining(evidence);
  const { rows, errors } = evidence;
  const error = errors / rows;
  const logGrowth = evidence.logGrowth(rows);
  const penalty = growthPenalty(logGrowth, rows, delta);
  const bound = {
    name: "growth-function",
    reference: "Triviño (2017), eq. 2.21",
    value: error + penalty,
    terms: { "training error": error, "ln Π(m)": logGrowth, penalty, rows, delta },
    parts: { "training error": error, penalty },
    premises: FAMILY_PREMISES,
  };
  return trainingCertificate(bound, evidence);
}

/** Computes √(32 (ln(8/δ) + ln Π) / m), which Theorem 2.3 adds to the training error. Infinity if ln Π is. */
export function growthPenalty(logGrowth: number, rows: number, delta: number): number {
  return Math.sqrt((32 * (real.log(8 / delta) + logGrowth)) / rows);
}
