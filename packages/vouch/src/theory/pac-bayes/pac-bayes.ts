import { VouchError } from "../../runtime/vouch-error.js";

/**
 * kl(q‖p) = q ln(q/p) + (1 − q) ln((1 − q)/(1 − p)), the divergence of two coins; 0 ln 0 is 0. Infinity where p rules
 * out what q allows.
 */
export function binaryDivergence(q: number, p: number): number {
  const first = q === 0 ? 0 : q * Math.log(q / p);
  const second = q === 1 ? 0 : (1 - q) * (Math.log1p(-q) - Math.log1p(-p));
  return Math.max(0, first + second);
}

/** The largest p in [q, 1] with kl(q‖p) ≤ most: kl grows as p moves away from q. */
export function largestWithinDivergence(q: number, most: number): number {
  let low = q;
  let high = 1;
  for (;;) {
    const middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) return low;
    if (binaryDivergence(q, middle) <= most) low = middle;
    else high = middle;
  }
}

/** What the PAC-Bayes inequality is made of. */
export interface PacBayes {
  /** E_ρ of the loss measured on the rows. */
  readonly loss: number;
  /** KL(ρ‖π): how far the weights of the votes are from those that were fixed before the rows were seen. */
  readonly divergence: number;
  /**
   * n: how many rows each loss was measured on. Where they differ, the fewest; or their harmonic mean by the weights ρ, if
   * these were fixed beforehand, so that the divergence is 0.
   */
  readonly rows: number;
}

/**
 * The PAC-Bayes inequality in kl form (Langford and Seeger 2001; Maurer 2004): with probability ≥ 1 − δ, for all
 * distributions ρ over classifiers at once,
 *
 *     kl(E_ρ[L̂] ‖ E_ρ[L]) ≤ (KL(ρ‖π) + ln(2√n/δ)) / n.
 *
 * Returns the largest E_ρ[L] that this leaves; 1 with less than a row.
 *
 * The losses may be measured on different rows for different classifiers, at least n for each (Lorenzen, Igel and Seldin
 * 2019, Theorem 4). Proof of that: for a classifier h with n_h rows that are independent of it E[e^{n_h kl(L̂_h‖L_h)}] ≤ 2√n_h
 * (Maurer), so by Jensen's inequality E[e^{n kl}] ≤ (2√n_h)^{n/n_h} ≤ 2√n, as (2√x)^{1/x} falls for x ≥ 1. By Markov's
 * inequality E_π[e^{n kl}] ≤ 2√n/δ with probability ≥ 1 − δ, and n·kl(E_ρ[L̂]‖E_ρ[L]) ≤ n·E_ρ[kl] ≤ KL(ρ‖π) + ln E_π[e^{n kl}],
 * kl being convex and by the change of measure of Donsker and Varadhan. ∎
 *
 * Where ρ was fixed beforehand, together with the numbers n_h of rows, n may be H = 1/Σ(ρ_h/n_h). Proof: let
 * π_h = H ρ_h/n_h, which sum to one. E[Σ π_h e^{n_h kl_h}] ≤ Σ π_h 2√n_h ≤ 2√(Σ π_h n_h) = 2√H, so by Markov's
 * inequality Σ π_h e^{n_h kl_h} ≤ 2√H/δ with probability ≥ 1 − δ. By Jensen's the exponential of
 * Σ π_h n_h kl_h = H Σ ρ_h kl_h ≥ H·kl(E_ρ[L̂]‖E_ρ[L]) is no more than that. ∎
 */
export function pacBayesLoss({ loss, divergence, rows }: PacBayes, delta: number): number {
  if (!(loss >= 0 && loss <= 1 && divergence >= 0 && Number.isFinite(rows) && rows >= 0)) {
    throw new VouchError(
      "option/invalid",
      `A loss of ${loss} on ${rows} rows with a divergence of ${divergence} cannot be.`,
    );
  }
  if (rows < 1) return 1;
  const slack = (divergence + Math.log((2 * Math.sqrt(rows)) / delta)) / rows;
  return largestWithinDivergence(loss, slack);
}
