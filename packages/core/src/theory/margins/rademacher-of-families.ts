import type { Matrix } from "../../runtime/maths/matrix.js";
import * as real from "../../runtime/maths/portable-math.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { logStumpGrowth } from "../vc/growth-of-families.js";
import { logSauerPower } from "../vc/vc-bound.js";
import type { Suprema, Supremum } from "./rademacher.js";

/**
 * Computes the supremum over the two constants −1 and +1: |Σ_i σ_i|. As E|Σσ_i| ≤ √m, their complexity is at most 1/√m;
 * the constants 0 and 1 have half of it.
 */
export function constantSupremum(signs: Int8Array): number {
  return Math.abs(total(signs));
}

function total(signs: Int8Array): number {
  let sum = 0;
  for (let i = 0; i < signs.length; i++) sum += signs[i];
  return sum;
}

/**
 * Returns the supremum over a ball {x ↦ w·φ(x) : ‖w‖ ≤ Λ} in the feature space of a kernel K, attained by w along Σσ_iφ(x_i):
 *
 *     sup_w Σ_i σ_i w·φ(x_i) = Λ ‖Σ_i σ_i φ(x_i)‖ = Λ √(σᵀKσ),
 *
 * so R̂_S = Λ E_σ‖Σ_i σ_i φ(x_i)‖ / m is its mean over σ, exact or by Monte Carlo.
 */
export function kernelBallSupremum(gram: Matrix, radius: number): Supremum {
  checkRadius(radius);
  const { rows, values } = gram;
  return (signs) => {
    let square = 0;
    for (let i = 0; i < rows; i++) {
      let product = 0;
      for (let j = 0; j < rows; j++) product += signs[j] * values[i * rows + j];
      square += signs[i] * product;
    }
    // Rounding can take a sum that is zero slightly below it.
    return radius * Math.sqrt(Math.max(0, square));
  };
}

/**
 * Bounds the complexity of a ball in a kernel's feature space in closed form (Bartlett and Mendelson 2002, Lemma 22; Mohri,
 * Rostamizadeh and Talwalkar 2012, Theorem 5.5), by Jensen's inequality and E[σ_iσ_j] = 0 for i ≠ j:
 *
 *     R̂_S({x ↦ w·φ(x) : ‖w‖ ≤ Λ}) ≤ Λ √(Σ_i K(x_i, x_i)) / m.
 *
 * By Khintchine's inequality the complexity itself is at least 1/√2 of this. Λ must be chosen before the data is seen: with the
 * norm of a trained w in its place, this is the complexity of a family that depends on the data.
 */
export function kernelBallComplexity(diagonal: ArrayLike<number>, radius: number): number {
  checkRadius(radius);
  let trace = 0;
  for (let i = 0; i < diagonal.length; i++) trace += diagonal[i];
  if (trace >= 0 && diagonal.length > 0) return (radius * Math.sqrt(trace)) / diagonal.length;
  throw new VouchError(
    "option/invalid",
    `The values K(x, x) of ${diagonal.length} rows sum to ${trace}: a kernel ball needs at least one row and a sum of at least 0.`,
  );
}

/** Computes M = Λ√(Σ_i K(x_i, x_i)/m), the `magnitude` of the functions of the ball for a Monte Carlo estimate. */
export function kernelBallMagnitude(diagonal: ArrayLike<number>, radius: number): number {
  return kernelBallComplexity(diagonal, radius) * Math.sqrt(diagonal.length);
}

function checkRadius(radius: number): void {
  if (radius >= 0 && radius < Number.POSITIVE_INFINITY) return;
  throw new VouchError(
    "option/invalid",
    `The radius of the ball must be finite and at least 0, not ${radius}.`,
  );
}

/**
 * Returns the suprema over all threshold functions x ↦ ±sgn(c(x) − θ) on some columns c, including the two constants: stumps on
 * features, or thresholds on monomials. On a sorted column a threshold splits the rows into a prefix and the rest,
 *
 *     Σ_i σ_i h(x_i) = ±(Σ_i σ_i − 2 Σ_{c(x_i) ≤ θ} σ_i),
 *
 * so one pass over the prefix sums finds the best one exactly. Each column is sorted once for all draws, and only one column is
 * held at a time.
 *
 * Gates x ↦ 1[c(x) ≤ θ] and their complements are (1 + h)/2 of these functions h, so their complexity is exactly half as large.
 */
export function thresholdSuprema(columns: () => Iterable<ArrayLike<number>>): Suprema {
  return (draws) => {
    const largest = new Float64Array(draws.length);
    const totals = draws.map(total);
    draws.forEach((_, d) => {
      largest[d] = Math.abs(totals[d]);
    });
    for (const column of columns()) {
      const { order, lastOfValue } = sorted(column);
      draws.forEach((signs, d) => {
        largest[d] = Math.max(largest[d], bestOfColumn(signs, totals[d], order, lastOfValue));
      });
    }
    return largest;
  };
}

/** Finds the maximum over thresholds of |Σσ − 2 Σ_{left} σ|; thresholds lie only between different values. */
function bestOfColumn(signs: Int8Array, all: number, order: Uint32Array, lastOfValue: Uint8Array): number {
  let left = 0;
  let best = 0;
  for (let k = 0; k < order.length; k++) {
    left += signs[order[k]];
    if (lastOfValue[k]) best = Math.max(best, Math.abs(all - 2 * left));
  }
  return best;
}

/** Sorts the rows by their values, and marks the last row of each value. */
function sorted(column: ArrayLike<number>): { order: Uint32Array; lastOfValue: Uint8Array } {
  const order = new Uint32Array(column.length);
  for (let i = 0; i < order.length; i++) {
    if (Number.isNaN(column[i])) {
      throw new VouchError(
        "data/not-a-number",
        `Row ${i + 1} of a column has no number, so the column cannot be sorted.`,
      );
    }
    order[i] = i;
  }
  order.sort((a, b) => (column[a] < column[b] ? -1 : column[a] > column[b] ? 1 : 0));
  const lastOfValue = new Uint8Array(order.length).fill(1);
  for (let k = 0; k + 1 < order.length; k++) {
    lastOfValue[k] = column[order[k]] === column[order[k + 1]] ? 0 : 1;
  }
  return { order, lastOfValue };
}

/**
 * Yields the columns of all monomials of the features of degree 1 … k, one after the other: x₁, x₁², x₁x₂, … There are
 * C(n+k, k) − 1 of them. A column is valid until the next one is requested, because its memory is reused.
 */
export function* monomialColumns(matrix: Matrix, degree: number): Generator<Float64Array> {
  if (!(Number.isInteger(degree) && degree >= 1)) {
    throw new VouchError("option/invalid", `The degree must be a whole number of at least 1, not ${degree}.`);
  }
  const products = Array.from({ length: degree }, () => new Float64Array(matrix.rows));
  yield* extend(matrix, products, 0, 0);
}

/** Yields all products of the monomial of the level above with one more feature, each followed by its own extensions. */
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

/**
 * Bounds R̂_S of the functions with values ±1 that put a threshold on one of N monomials of degree ≤ g of the features, after
 * the features were shifted and scaled by statistics of the m rows. By Massart's lemma, and never above 1,
 *
 *     R̂_S ≤ √(2 ln Π(m) / m),   Π(m) the number of ways to label the rows.
 *
 * For K classes, one above the threshold and another below it, the functions tell whether the class is the right one.
 */
export function thresholdComplexity(monomials: number, degree: number, rows: number, classes = 2): number {
  return Math.min(1, Math.sqrt((2 * logThresholdGrowth(monomials, degree, rows, classes)) / rows));
}

/**
 * Counts the labellings of m rows by the functions of `thresholdComplexity`, as a logarithm. A threshold on a single feature
 * stays one for any scale and offset: for g = 1
 *
 *     Π(m) ≤ 2 N (m − 1) + 2,
 *
 * two directions for each of m − 1 thresholds, and the constants. But (x₁ − a)(x₂ − b) is not a monomial of x₁ and x₂, so for g > 1
 * the family of thresholds on monomials depends on the offsets. It lies in one that does not: with exponents e_i,
 * Π_i (x_i − a_i)^{e_i} − c is in a space of Π_i (e_i + 1) ≤ D = 2^g dimensions, whose signs label m ≥ D rows in at most
 * (em/D)^D ways (Sauer's lemma), so
 *
 *     Π(m) ≤ N (em/D)^D,   and at most 2^m.
 *
 * For K classes there are K(K − 1) N (m − 1) + K and K(K − 1)/2 · N (em/D)^D ways; only 2^m of them differ in which rows are right.
 */
export function logThresholdGrowth(monomials: number, degree: number, rows: number, classes = 2): number {
  const all = rows * Math.LN2;
  if (degree === 1) return Math.min(all, logStumpGrowth(rows, monomials, classes));
  const pairs = real.log((classes * (classes - 1)) / 2);
  return Math.min(all, pairs + real.log(Math.max(1, monomials)) + logSauerPower(rows, 2 ** degree));
}
