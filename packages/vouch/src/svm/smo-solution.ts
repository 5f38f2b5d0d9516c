import type { SvmSolution } from "./solver.js";

/** The facts of a solution that follow from β and the gradient G. */
export function solutionOf(
  labels: Int8Array,
  upperBounds: Float64Array,
  beta: Float64Array,
  gradient: Float64Array,
  iterations: number,
  tolerance: number,
): SvmSolution {
  const { bias, gap } = biasAndGap(labels, upperBounds, beta, gradient);
  const decisionValues = gradient.map((g, i) => labels[i] - g + bias);
  let alphas = 0;
  let squaredNorm = 0;
  let losses = 0;
  for (let i = 0; i < labels.length; i++) {
    alphas += beta[i] * labels[i];
    squaredNorm += beta[i] * (labels[i] - gradient[i]);
    losses += upperBounds[i] * Math.max(0, 1 - labels[i] * decisionValues[i]);
  }
  return {
    coefficients: beta,
    bias,
    decisionValues,
    objective: squaredNorm / 2 - alphas,
    gap,
    dualityGap: squaredNorm - alphas + losses,
    squaredNorm: Math.max(0, squaredNorm),
    iterations,
    converged: gap < tolerance,
  };
}

/**
 * The bias is the mean of G over the rows strictly between their bounds, for which f(xᵢ) = yᵢ; without such rows, the
 * middle of the interval that the others leave (LIBSVM, calculate_rho). Rows with C = 0 have no say.
 */
function biasAndGap(labels: Int8Array, bounds: Float64Array, beta: Float64Array, gradient: Float64Array) {
  let highest = Number.NEGATIVE_INFINITY;
  let lowest = Number.POSITIVE_INFINITY;
  let free = 0;
  let sum = 0;
  for (let i = 0; i < labels.length; i++) {
    const canRise = beta[i] < (labels[i] > 0 ? bounds[i] : 0);
    const canFall = beta[i] > (labels[i] > 0 ? 0 : -bounds[i]);
    if (canRise) highest = Math.max(highest, gradient[i]);
    if (canFall) lowest = Math.min(lowest, gradient[i]);
    if (canRise && canFall) {
      free++;
      sum += gradient[i];
    }
  }
  return {
    bias: free > 0 ? sum / free : middle(highest, lowest),
    gap: Math.max(0, highest - lowest),
  };
}

/** The middle of two numbers, one of which may be missing: then the other; without both 0. */
function middle(highest: number, lowest: number): number {
  const present = [highest, lowest].filter(Number.isFinite);
  return present.length === 0 ? 0 : present.reduce((sum, value) => sum + value, 0) / present.length;
}
