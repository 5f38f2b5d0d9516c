import type { LinearLoss } from "#core/learners/linear/dual-coordinate-descent.js";
import type { Matrix } from "#core/runtime/maths/matrix.js";
import { dot } from "./random-problem.js";

/** What the reference solves: the same as `LinearProblem`, on all rows of a matrix. */
export interface ReferenceProblem {
  readonly features: Matrix;
  readonly labels: Int8Array;
  readonly costs: Float64Array;
  readonly loss: LinearLoss;
  readonly bias: number;
}

/**
 * α by projected gradient descent on min ½αᵀQα − Σα, 0 ≤ α ≤ U, with the whole matrix Q = (yᵢyⱼ(xᵢ·xⱼ + bias²)) + D:
 * slow, simple, and nothing like coordinate descent. The step is 1/trace(Q) ≤ 1/λ_max.
 */
export function referenceAlpha(problem: ReferenceProblem, steps: number): Float64Array {
  const { features, labels, costs, loss, bias } = problem;
  const m = labels.length;
  const product = (i: number, j: number) =>
    dot(Float64Array.from(features.row(i)), features.row(j)) + bias * bias;
  const Q = Array.from({ length: m }, (_, i) =>
    Array.from({ length: m }, (_, j) => labels[i] * labels[j] * product(i, j)),
  );
  if (loss === "squared-hinge") for (let i = 0; i < m; i++) Q[i][i] += 1 / (2 * costs[i]);
  const upper = Array.from(costs, (cost) => (loss === "hinge" ? cost : Number.POSITIVE_INFINITY));
  const step = 1 / Q.reduce((sum, row, i) => sum + row[i], 1e-12);
  let alpha = new Float64Array(m);
  for (let s = 0; s < steps; s++) {
    alpha = alpha.map((a, i) => {
      const gradient = Q[i].reduce((sum, q, j) => sum + q * alpha[j], -1);
      return Math.min(upper[i], Math.max(0, a - step * gradient));
    });
  }
  return alpha;
}

/** w = Σ yαx, which is unique even where α is not. */
export function weightsOf({ features, labels }: ReferenceProblem, alpha: Float64Array): Float64Array {
  return Float64Array.from({ length: features.columns }, (_, j) =>
    alpha.reduce((sum, a, i) => sum + a * labels[i] * features.row(i)[j], 0),
  );
}
