import { kernelBallComplexity } from "../bounds/rademacher-kernel-ball.js";
import { thresholdComplexity } from "../bounds/threshold-complexity.js";
import { leafVcComplexity } from "../bounds/vc-complexity.js";
import { type KernelRows, kernelVcDimension } from "../kernel/index.js";
import { stumpVcDimension } from "../stump/index.js";
import { degreeOf } from "./node-kernels.js";

/** How complex a set of hypotheses is that the classifier of a leaf may come from. */
export interface LeafFamily {
  /** Degree of the polynomials in it; 0 for constants, and for kernels that are not polynomial. */
  readonly degree: number;
  /** VC dimension, or an upper bound of it. */
  readonly dimension: number;
  /** An upper bound of R̂_S, for certificates. */
  readonly guaranteed: number;
  /** An upper bound of R̂_S for a leaf with a classifier of that norm; 0 ≤ norm. */
  rademacher(norm: number): number;
}

/** The two constants. R̂_S ≤ 1/√m, since E|Σσ_i| ≤ √m. */
export function constantLeaves(m: number): LeafFamily {
  const complexity = 1 / Math.sqrt(m);
  return {
    degree: 0,
    dimension: 1,
    guaranteed: Math.min(complexity, leafVcComplexity(1, m)),
    rademacher: () => complexity,
  };
}

/** Thresholds on so many monomials, the constants among them; `complexity` is what R̂_S was found to be at most. */
export function thresholdLeaves(
  monomials: number,
  degree: number,
  m: number,
  complexity: () => number,
): LeafFamily {
  const dimension = stumpVcDimension(monomials);
  return {
    degree,
    dimension,
    guaranteed: thresholdComplexity(monomials, degree, m),
    rademacher: complexity,
  };
}

/** Machines with a kernel, on some training points. R̂_S is that of the ball with the norm of the trained one. */
export function kernelLeaves(
  { kernel, diagonal }: KernelRows,
  features: number,
  training: Int32Array,
): LeafFamily {
  const unit = kernelBallComplexity(
    Float64Array.from(training, (row) => diagonal[row]),
    1,
  );
  const dimension = kernelVcDimension(kernel, features, { bias: true });
  return {
    degree: degreeOf(kernel),
    dimension,
    guaranteed: leafVcComplexity(dimension, training.length),
    rademacher: (norm) => Math.min(1, norm * unit),
  };
}
