import { VouchError } from "../../runtime/vouch-error.js";
import {
  type Certificate,
  checkTraining,
  FAMILY_PREMISES,
  partsAbove,
  type TrainingEvidence,
  trainingCertificate,
} from "../certificate.js";
import { largestProbability, logHypergeometricAtMost } from "../distributions.js";

/** A classifier chosen from a family that can label the rows in so many ways at most. */
export interface GrowthEvidence extends TrainingEvidence {
  /** ln Π_H(m), or an upper bound of it. */
  readonly logGrowth: number;
}

/**
 * The constants 8 and 32 of Theorem 2.3: √(32 (ln(8/δ) + ln Π) / m), the term that the training error is raised by.
 * Infinity where ln Π is.
 */
export function growthPenalty(logGrowth: number, rows: number, delta: number): number {
  return Math.sqrt((32 * (Math.log(8 / delta) + logGrowth)) / rows);
}

/**
 * The growth function (Triviño 2017, Theorem 2.3, eq. 2.21): with probability ≥ 1 − δ, for all h ∈ H,
 *
 *     L(h) ≤ L̂(h) + √(32 (ln(8/δ) + ln Π_H(m)) / m).
 *
 * With the double sample counted exactly instead of by 8 and 32 it is `growthFunctionExact`, which is far smaller.
 */
export function growthFunction(evidence: GrowthEvidence): Certificate {
  const delta = checkTraining(evidence);
  const { rows, errors, logGrowth } = evidence;
  const error = errors / rows;
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

/** A classifier chosen from a family that can label points in so many ways at most. */
export interface ExactGrowthEvidence extends TrainingEvidence {
  /** ln Π_H(n), or an upper bound of it, for any number n of points. */
  readonly logGrowth: (points: number) => number;
  /** ln of how many families there were to choose from, where there were several; 0 otherwise. */
  readonly logChoices?: number;
}

/** u/m: so many rows are imagined for each row that there is. From 2 to 8 the bound changes by a few per cent. */
const GHOST_ROWS = 4;

/** β, the probability that the imagined rows show an error that is there. */
const SHOWN = 0.2;

/**
 * The growth function with the double sample counted exactly (after Vapnik and Chervonenkis 1971; hypergeometric tails
 * as in Blum and Langford 2003). With probability ≥ 1 − δ over the draw of m rows, for all h ∈ H at once,
 *
 *     L(h) ≤ p  where  P(Binomial(u, p) ≥ j) = β,
 *     j = min { j : P(Hypergeometric(m of m + u, k + j marked) ≤ k) ≤ βδ / Π_H(m + u) },
 *
 * k being the errors of h on the rows. u = 4m and β = 0.2 are fixed; any other values would give a bound, too.
 *
 * Proof. Let j_k and p_k be these numbers for k errors, k(h) the errors of h on the m rows, and k′(h) those on u further,
 * imagined rows. Suppose that with probability more than δ there is an h with L(h) > p_{k(h)}. Given the m rows, choose such
 * an h; the imagined rows are independent of it, so k′(h) ≥ j_{k(h)} with probability at least β. So with probability
 * more than βδ there is an h ∈ H with k′(h) ≥ j_{k(h)}. But draw the m + u rows first and which m of them are the real ones
 * afterwards. H labels the m + u rows in at most Π_H(m + u) ways, so its errors make at most that many patterns. For one
 * pattern of r errors, k is hypergeometric; r ≥ k + j_k implies F_r(k) ≤ F_{k+j_k}(k) ≤ η := βδ/Π_H(m + u), F_r being the
 * distribution function of k, as more errors in all make few among the m less likely; and P(F_r(k) ≤ η) ≤ η for whatever
 * distribution. Over all patterns that is at most βδ: a contradiction. ∎
 *
 * It needs no union over k, and what Theorem 2.3 pays by the constants 8 and 32 is a few tenths here: with 600 rows and a
 * VC dimension of 10 this is about 0.11 without errors, that 1.7.
 */
export function growthFunctionExact(evidence: ExactGrowthEvidence): Certificate {
  const delta = checkTraining(evidence);
  const { rows, errors, logGrowth, logChoices = 0 } = evidence;
  const ghosts = GHOST_ROWS * rows;
  const log = logGrowth(rows + ghosts);
  if (!(log >= 0 && logChoices >= 0)) {
    throw new VouchError(
      "option/invalid",
      `A family of e^${log} labellings, one of e^${logChoices}, cannot be.`,
    );
  }
  const logEta = Math.log(SHOWN * delta) - log - logChoices;
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

/** The least j with P(at most k of the k + j errors fall on the real rows) ≤ η; u + 1 if there is none. */
function fewestGhostErrors(errors: number, rows: number, ghosts: number, logEta: number): number {
  const unlikely = (j: number) => logHypergeometricAtMost(errors, rows, ghosts, errors + j) <= logEta;
  // As many errors among the imagined rows as among the real ones, in proportion, are not unlikely.
  let low = Math.ceil((errors * ghosts) / rows);
  let high = ghosts + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (middle > ghosts || unlikely(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
