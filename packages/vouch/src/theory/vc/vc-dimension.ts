import type { Matrix } from "../../runtime/matrix.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { logTreeGrowth } from "./growth-of-families.js";

/**
 * The VC dimension of the classifiers sgn(w·φ(x)) with the kernel (1 + x·y)^δ on n features: the number of monomials of
 * degree at most δ,
 *
 *     C(n + δ, δ).
 *
 * Exact up to 2⁵³, beyond that to the nearest number, and Infinity where no number is that large.
 */
export function polynomialVcDimension(features: number, degree: number): number {
  for (const [name, value] of Object.entries({ features, degree })) {
    if (Number.isSafeInteger(value) && value >= 0) continue;
    throw new VouchError("option/invalid", `The ${name} of a polynomial are ${value}, but must be a count.`);
  }
  const factors = Math.min(features, degree);
  // Each factor is at least 2 (n + δ ≥ 2·factors), so that 1,100 of them pass the largest number.
  if (factors > 1100) return Number.POSITIVE_INFINITY;
  const larger = BigInt(Math.max(features, degree));
  let dimension = 1n;
  for (let i = 1n; i <= BigInt(factors); i++) dimension = (dimension * (larger + i)) / i;
  return Number(dimension);
}

/**
 * An upper bound of the VC dimension of decision stumps on d features: the largest k with 2^k ≤ 2·d·k (Triviño 2017,
 * eq. 3.4), found by trying. Without features only the two constants are left, whose VC dimension is 1.
 */
export function stumpVcDimension(features: number): number {
  let k = 1;
  while (2 ** (k + 1) <= 2 * features * (k + 1)) k++;
  return k;
}

/**
 * The closed form 2(1 + log₂ d) of Proposition 3.1, for d ≥ 5. Its proof needs k ≥ 5, too: for smaller k, with which it
 * starts, the bound is true all the same, as 2(1 + log₂ 5) > 6. Infinity for d < 5, of which it says nothing.
 */
export function stumpVcDimensionClosedForm(features: number): number {
  return features >= 5 ? 2 * (1 + Math.log2(features)) : Number.POSITIVE_INFINITY;
}

/** 1.3 (log₂ d + 3), which the thesis found to be above eq. 3.4 by trying: no theorem, no bound rests on it. */
export function stumpVcDimensionEmpirical(features: number): number {
  return 1.3 * (Math.log2(features) + 3);
}

/**
 * An upper bound of the VC dimension of trees with at most L leaves on d numeric features: the largest k for which 2^k is
 * at most the number of ways in which such trees can label k points (`logTreeGrowth`), found by halving. There is such a
 * k: that number grows like k^{L−1}.
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

/**
 * The columns of all monomials of the features of degree 1 … k, one after the other: x₁, x₁², x₁x₂, … There are
 * C(n+k, k) − 1 of them. A column is valid until the next one is asked for, since its memory is used again.
 */
export function* monomialColumns(matrix: Matrix, degree: number): Generator<Float64Array> {
  if (!(Number.isInteger(degree) && degree >= 1)) {
    throw new VouchError("option/invalid", `The degree is ${degree}, but must be a whole number from 1.`);
  }
  const products = Array.from({ length: degree }, () => new Float64Array(matrix.rows));
  yield* extend(matrix, products, 0, 0);
}

/** All products of the monomial of the level above with one more feature, each followed by its own extensions. */
function* extend(
  matrix: Matrix,
  products: readonly Float64Array[],
  level: number,
  firstFeature: number,
): Generator<Float64Array> {
  if (level === products.length) return;
  const { rows, columns, values } = matrix;
  for (let feature = firstFeature; feature < columns; feature++) {
    const product = products[level];
    for (let i = 0; i < rows; i++) {
      const factor = values[i * columns + feature];
      product[i] = level === 0 ? factor : products[level - 1][i] * factor;
    }
    yield product;
    yield* extend(matrix, products, level + 1, feature);
  }
}
