import * as real from "../../runtime/maths/portable-math.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { logTreeGrowth } from "./growth-of-families.js";

/**
 * Computes the VC dimension of the classifiers sgn(w·φ(x)) with the kernel (1 + x·y)^δ on n features: the number of monomials of
 * degree at most δ,
 *
 *     C(n + δ, δ).
 *
 * Exact up to 2⁵³, the nearest number beyond that, and Infinity if no number is that large.
 */
export function polynomialVcDimension(features: number, degree: number): number {
  for (const [name, value] of Object.entries({ "number of features": features, degree })) {
    if (Number.isSafeInteger(value) && value >= 0) continue;
    throw new VouchError("option/invalid", `The ${name} of a polynomial must be a count, not ${value}.`);
  }
  const factors = Math.min(features, degree);
  // Each factor is at least 2 (n + δ ≥ 2·factors), so 1,100 of them pass the largest number.
  if (factors > 1100) return Number.POSITIVE_INFINITY;
  const larger = BigInt(Math.max(features, degree));
  let dimension = 1n;
  for (let i = 1n; i <= BigInt(factors); i++) dimension = (dimension * (larger + i)) / i;
  return Number(dimension);
}

/**
 * Bounds the VC dimension of decision stumps on d features: the largest k with 2^k ≤ 2·d·k (Triviño 2017, eq. 3.4), found by
 * trying. Without features only the two constants are left, whose VC dimension is 1.
 */
export function stumpVcDimension(features: number): number {
  let k = 1;
  while (2 ** (k + 1) <= 2 * features * (k + 1)) k++;
  return k;
}

/**
 * Bounds the VC dimension of stumps by the closed form 2(1 + log₂ d) of Proposition 3.1, for d ≥ 5; Infinity for d < 5, where
 * the proposition says nothing. Its proof needs k ≥ 5 too. The bound also holds for the smaller k with which the proof starts,
 * because 2(1 + log₂ 5) > 6.
 */
export function stumpVcDimensionClosedForm(features: number): number {
  return features >= 5 ? 2 * (1 + real.log2(features)) : Number.POSITIVE_INFINITY;
}

/** Computes 1.3 (log₂ d + 3), which the thesis found by trial to be above eq. 3.4. Not a theorem; no bound rests on it. */
export function stumpVcDimensionEmpirical(features: number): number {
  return 1.3 * (real.log2(features) + 3);
}

/**
 * Bounds the VC dimension of trees with at most L leaves on d numeric features: the largest k for which 2^k is at most the number
 * of ways in which such trees can label k points (`logTreeGrowth`), found by bisection. It exists because that number grows like
 * k^{L−1}.
 */
export function treeVcDimension(features: number, leaves: number): number {
  const family = { features, leaves, classes: 2 };
  const fits = (points: number) => points * Math.LN2 <= logTreeGrowth(points, family);
  let low = 1;
  let high = 2;
  while (fits(high)) [low, high] = [high, 2 * high];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low;
}
