import type { LinearLoss, LinearProblem } from "#core/learners/linear/dual-coordinate-descent.js";
import { type LinearRows, loadLinearRows } from "#core/learners/linear/linear-rows.js";
import { Matrix } from "#core/runtime/maths/matrix.js";
import { Random } from "#core/runtime/maths/random.js";
import type { SparseRows } from "#core/runtime/maths/sparse-rows.js";
import { runNow } from "#core/runtime/parallel/pausable.js";

/** x · y */
export function dot(x: Float64Array, y: ArrayLike<number>): number {
  return x.reduce((sum, value, j) => sum + value * y[j], 0);
}

export interface Shape {
  readonly rows: number;
  readonly columns: number;
  /** Part of the cells that is not zero. */
  readonly density: number;
  readonly seed: number;
}

/** Normal features, a part of them zero. */
export function randomFeatures({ rows, columns, density, seed }: Shape): Matrix {
  const random = new Random(seed);
  const values = Float64Array.from({ length: rows * columns }, () => {
    const value = random.normal();
    return random.uniform() < density ? value : 0;
  });
  return new Matrix(rows, columns, values);
}

/** Labels that a noisy hyperplane gives, so that some rows are on the wrong side. */
export function noisyLabels(features: Matrix, seed: number): Int8Array {
  const random = new Random(seed).fork(1);
  const weights = Float64Array.from({ length: features.columns }, () => random.normal());
  return Int8Array.from({ length: features.rows }, (_, i) => {
    return dot(weights, features.row(i)) + random.normal() > 0 ? 1 : -1;
  });
}

/** A problem on all rows of features, with costs around C. */
export function problemOn(
  features: Matrix | SparseRows,
  labels: Int8Array,
  { loss = "hinge", bias = 1, C = 1 }: { loss?: LinearLoss; bias?: number; C?: number } = {},
): LinearProblem & { readonly rows: LinearRows } {
  return {
    rows: runNow(loadLinearRows(features)),
    taken: Int32Array.from(labels, (_, i) => i),
    labels,
    upperBounds: new Float64Array(labels.length).fill(C),
    loss,
    bias,
  };
}
