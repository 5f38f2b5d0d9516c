import { Matrix } from "../numeric/matrix.js";
import { multiplyTransposed } from "../numeric/product.js";
import { type Kernel, kernelValue } from "./kernel.js";

/**
 * The kernel values of every row of X with every row of `support`, in double precision. For many rows call it with some
 * of them at a time.
 */
export function crossKernel(kernel: Kernel, X: Matrix, support: Matrix): Matrix {
  switch (kernel.kind) {
    case "linear":
      return products(X, support);
    case "polynomial":
      return polynomials(products(X, support), kernel.scale, kernel.offset ?? 1, kernel.degree);
    case "rbf":
      return gaussians(products(X, support), squaredNorms(X), squaredNorms(support), kernel.gamma);
    default:
      return onePairAtATime(kernel, X, support);
  }
}

/** x·y of all pairs, in double precision. */
function products(X: Matrix, support: Matrix): Matrix {
  return multiplyTransposed(X, inDoublePrecision(support));
}

function inDoublePrecision(matrix: Matrix): Matrix {
  if (matrix.values instanceof Float64Array) return matrix;
  return new Matrix(matrix.rows, matrix.columns, Float64Array.from(matrix.values));
}

function polynomials(sums: Matrix, scale: number, offset: number, degree: number): Matrix {
  const { values } = sums;
  for (let k = 0; k < values.length; k++) {
    const base = offset + scale * values[k];
    let power = 1;
    for (let factors = 0; factors < degree; factors++) power *= base;
    values[k] = power;
  }
  return sums;
}

/** exp(−γ(‖x‖² + ‖y‖² − 2x·y)) */
function gaussians(sums: Matrix, norms: Float64Array, supportNorms: Float64Array, gamma: number): Matrix {
  const { rows, columns, values } = sums;
  for (let i = 0; i < rows; i++) {
    for (let j = 0, k = i * columns; j < columns; j++, k++) {
      values[k] = Math.exp(-gamma * Math.max(0, norms[i] - values[k] - (values[k] - supportNorms[j])));
    }
  }
  return sums;
}

function squaredNorms({ rows, columns, values }: Matrix): Float64Array {
  const norms = new Float64Array(rows);
  for (let i = 0; i < rows; i++) {
    for (let k = i * columns; k < (i + 1) * columns; k++) norms[i] += values[k] * values[k];
  }
  return norms;
}

function onePairAtATime(kernel: Kernel, X: Matrix, support: Matrix): Matrix {
  const values = new Float64Array(X.rows * support.rows);
  for (let i = 0; i < X.rows; i++) {
    const x = X.row(i);
    for (let j = 0; j < support.rows; j++) {
      values[i * support.rows + j] = kernelValue(kernel, x, support.row(j));
    }
  }
  return new Matrix(X.rows, support.rows, values);
}
