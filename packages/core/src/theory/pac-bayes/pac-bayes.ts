import * as real from "../../runtime/maths/portable-math.js";
import { VouchError } from "../../runtime/vouch-error.js";

/** The quantities of the PAC-Bayes inequality. */
export interface PacBayesEvidence {
  /** E_ρ of the loss measured on the rows. */
  readonly loss: number;
  /** KL(ρ‖π): divergence of the weights of the votes from those that were fixed before the rows were seen. */
  readonly divergence: number;
  /**
   * n: number of rows on which each loss was measured. If these differ, the smallest; or their harmonic mean under the weights ρ,
   * if these were fixed in advance, so that the divergence is 0.
   */
  readonly rows: number;
}

/**
 * Bounds a mean loss by the PAC-Bayes inequality in kl form (Langford and Seeger 2001; Maurer 2004): with probability ≥ 1 − δ, for
 * all distributions ρ over classifiers simultaneously,
 *
 *     kl(E_ρ[L̂] ‖ E_ρ[L]) ≤ (KL(ρ‖π) + ln(2√n/δ)) / n.
 *
 * Returns the largest E_ρ[L] that satisfies this; 1 with fewer than one row.
 *
 * The losses may be measured on different rows for different classifiers, at least n for each (Lorenzen, Igel and Seldin
 * 2019, Theorem 4). Proof: for a classifier h with n_h rows that are independent of it E[e^{n_h kl(L̂_h‖L_h)}] ≤ 2√n_h
 * (Maurer), so by Jensen's inequality E[e^{n kl}] ≤ (2√n_h)^{n/n_h} ≤ 2√n, as (2√x)^{1/x} falls for x ≥ 1. By Markov's
 * inequality E_π[e^{n kl}] ≤ 2√n/δ with probability ≥ 1 − δ, and n·kl(E_ρ[L̂]‖E_ρ[L]) ≤ n·E_ρ[kl] ≤ KL(ρ‖π) + ln E_π[e^{n kl}],
 * because kl is convex and by the change of measure of Donsker and Varadhan. ∎
 *
 * If ρ was fixed in advance, together with the numbers n_h of rows, n may be H = 1/Σ(ρ_h/n_h). Proof: let
 * π_h = H ρ_h/n_h, which sum to one. E[Σ π_h e^{n_h kl_h}] ≤ Σ π_h 2√n_h ≤ 2√(Σ π_h n_h) = 2√H, so by Markov's
 * inequality Σ π_h e^{n_h kl_h} ≤ 2√H/δ with probability ≥ 1 − δ. By Jensen's inequality the exponential of
 * Σ π_h n_h kl_h = H Σ ρ_h kl_h ≥ H·kl(E_ρ[L̂]‖E_ρ[L]) is no more than that. ∎
 */
export function pacBayesLoss({ loss, divergence, rows }: PacBayesEvidence, delta: number): number {
  if (!(loss >= 0 && loss <= 1 && divergence >= 0 && Number.isFinite(rows) && rows >= 0)) {
    throw new VouchError(
      "option/invalid",
      `Got a loss of ${loss}, a divergence of ${divergence} and ${rows} rows: the loss must lie between 0 and 1, and the others must not be negative.`,
    );
  }
  if (rows < 1) return 1;
  const slack = (divergence + real.log((2 * Math.sqrt(rows)) / delta)) / rows;
  return largestWithinDivergence(loss, slack);
}

/** Finds the largest p in [q, 1] with kl(q‖p) ≤ most; kl grows as p moves away from q. */
function largestWithinDivergence(q: number, most: number): number {
  let low = q;
  let high = 1;
  for (;;) {
    const middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) return low;
    if (binaryDivergence(q, middle) <= most) low = middle;
    else high = middle;
  }
}

/**
 * Computes the binary divergence kl(q‖p) = q ln(q/p) + (1 − q) ln((1 − q)/(1 − p)), with 0 ln 0 = 0. Infinity if p rules out an
 * outcome that q allows.
 */
export function binaryDivergence(q: number, p: number): number {
  const first = q === 0 ? 0 : q * real.log(q / p);
  const second = q === 1 ? 0 : (1 - q) * (real.log1p(-q) - real.log1p(-p));
  return Math.max(0, first + second);
}
