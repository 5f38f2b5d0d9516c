import type { Matrix } from "../../runtime/matrix.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { logStumpGrowth } from "../vc/growth-of-families.js";
import { logSauerPower } from "../vc/vc-bound.js";
import type { Suprema, Supremum } from "./rademacher.js";

/**
 * The supremum over a ball {x ↦ w·φ(x) : ‖w‖ ≤ Λ} in the feature space of a kernel K, attained by w along Σσ_iφ(x_i):
 *
 *     sup_w Σ_i σ_i w·φ(x_i) = Λ ‖Σ_i σ_i φ(x_i)‖ = Λ √(σᵀKσ),
 *
 * so that R̂_S = Λ E_σ‖Σ_i σ_i φ(x_i)‖ / m is its mean over σ, exact or by Monte Carlo.
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
    // Rounding can take a sum that is zero a little below it.
    return radius * Math.sqrt(Math.max(0, square));
  };
}

/**
 * The closed form for a ball in a kernel's feature space (Bartlett and Mendelson 2002, Lemma 22; Mohri,
 * Rostamizadeh and Talwalkar 2012, Theorem 5.5), by Jensen's inequality and E[σ_iσ_j] = 0 for i ≠ j:
 *
 *     R̂_S({x ↦ w·φ(x) : ‖w‖ ≤ Λ}) ≤ Λ √(Σ_i K(x_i, x_i)) / m.
 *
 * By Khintchine's inequality the complexity itself is at least 1/√2 of this. Λ has to be chosen before the data is
 * seen: with the norm of a trained w in its place, this is the complexity of a family that depends on the data.
 */
export function kernelBallComplexity(diagonal: ArrayLike<number>, radius: number): number {
  checkRadius(radius);
  let trace = 0;
  for (let i = 0; i < diagonal.length; i++) trace += diagonal[i];
  if (trace >= 0 && diagonal.length > 0) return (radius * Math.sqrt(trace)) / diagonal.length;
  throw new VouchError(
    "option/invalid",
    `The values K(x, x) of ${diagonal.length} rows sum to ${trace}: a kernel ball needs rows, and a kernel that is nowhere negative on them.`,
  );
}

/** M = Λ√(Σ_i K(x_i, x_i)/m), the magnitude of the functions of the ball that a Monte-Carlo estimate asks for. */
export function kernelBallMagnitude(diagonal: ArrayLike<number>, radius: number): number {
  return kernelBallComplexity(diagonal, radius) * Math.sqrt(diagonal.length);
}

function checkRadius(radius: number): void {
  if (radius >= 0 && radius < Number.POSITIVE_INFINITY) return;
  throw new VouchError(
    "option/invalid",
    `The radius of the ball is ${radius}, but must be at least 0 and finite.`,
  );
}

/**
 * The suprema over all threshold functions x ↦ ±sgn(c(x) − θ) on some columns c, the two constants among them: stumps
 * on features, or thresholds on monomials. On a sorted column a threshold splits the rows into a prefix and the rest,
 *
 *     Σ_i σ_i h(x_i) = ±(Σ_i σ_i − 2 Σ_{c(x_i) ≤ θ} σ_i),
 *
 * so one pass over the prefix sums finds the best one exactly. Each column is sorted once for all draws, and no two
 * columns are held at a time.
 *
 * Node questions x ↦ 1[c(x) ≤ θ] and their complements are (1 + h)/2 of these functions h, so their complexity is
 * exactly half as large.
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

/** max over thresholds of |Σσ − 2 Σ_{left} σ|; cuts are only between different values. */
function bestOfColumn(signs: Int8Array, all: number, order: Uint32Array, lastOfValue: Uint8Array): number {
  let left = 0;
  let best = 0;
  for (let k = 0; k < order.length; k++) {
    left += signs[order[k]];
    if (lastOfValue[k]) best = Math.max(best, Math.abs(all - 2 * left));
  }
  return best;
}

/** The rows in ascending order of their values, and where the last row of each value stands. */
function sorted(column: ArrayLike<number>): { order: Uint32Array; lastOfValue: Uint8Array } {
  const order = new Uint32Array(column.length);
  for (let i = 0; i < order.length; i++) {
    if (Number.isNaN(column[i])) throw notANumber(i);
    order[i] = i;
  }
  order.sort((a, b) => (column[a] < column[b] ? -1 : column[a] > column[b] ? 1 : 0));
  const lastOfValue = new Uint8Array(order.length).fill(1);
  for (let k = 0; k + 1 < order.length; k++) {
    lastOfValue[k] = column[order[k]] === column[order[k + 1]] ? 0 : 1;
  }
  return { order, lastOfValue };
}

function notANumber(row: number): VouchError {
  return new VouchError(
    "data/not-a-number",
    `Row ${row + 1} of a column has no number, so it cannot be sorted.`,
  );
}

function total(signs: Int8Array): number {
  let sum = 0;
  for (let i = 0; i < signs.length; i++) sum += signs[i];
  return sum;
}

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
