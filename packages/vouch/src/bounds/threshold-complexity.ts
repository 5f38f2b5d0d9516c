import { logStumpGrowth } from "./growth-stump.js";
import { logSauerPower } from "./sauer.js";

/**
 * An upper bound of R̂_S for functions with values ±1 that put a threshold on one of N monomials of degree ≤ g of the
 * features, after the features were shifted and scaled by what the m rows say. By Massart's lemma, and never above 1,
 *
 *     R̂_S ≤ √(2 ln Π(m) / m),   Π(m) the number of ways to label the rows.
 */
export function thresholdComplexity(monomials: number, degree: number, rows: number): number {
  return Math.min(1, Math.sqrt((2 * logThresholdLabellings(monomials, degree, rows)) / rows));
}

/**
 * ln Π(m). A threshold on a single feature stays one whatever the scale and the offset: with g = 1
 *
 *     Π(m) ≤ 2 N (m − 1) + 2,
 *
 * two directions of each of m − 1 cuts, and the constants. But (x₁ − a)(x₂ − b) is no monomial of x₁ and x₂, so that for
 * g > 1 the family of thresholds on monomials depends on the offsets. It lies in one that does not: with exponents e_i,
 * Π_i (x_i − a_i)^{e_i} − c is in a space of Π_i (e_i + 1) ≤ D = 2^g dimensions, whose signs label m ≥ D rows in at most
 * (em/D)^D ways (Sauer's lemma), so that
 *
 *     Π(m) ≤ N (em/D)^D,   and 2^m at most.
 */
export function logThresholdLabellings(monomials: number, degree: number, rows: number): number {
  const all = rows * Math.LN2;
  if (degree === 1) return Math.min(all, logStumpGrowth(rows, monomials));
  return Math.min(all, Math.log(Math.max(1, monomials)) + logSauerPower(rows, 2 ** degree));
}
