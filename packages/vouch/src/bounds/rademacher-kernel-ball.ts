import { VouchError } from "../error.js";
import type { Matrix } from "../numeric/matrix.js";
import type { Supremum } from "./rademacher.js";

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
