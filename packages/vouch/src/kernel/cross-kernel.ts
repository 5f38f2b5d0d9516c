import { Matrix } from "../numeric/matrix.js";
import { type Kernel, kernelValue } from "./kernel.js";

/** The kernel values of every row of X with every row of `support`, in double precision. */
export function crossKernel(kernel: Kernel, X: Matrix, support: Matrix): Matrix {
  const values = new Float64Array(X.rows * support.rows);
  for (let i = 0; i < X.rows; i++) {
    for (let j = 0; j < support.rows; j++)
      values[i * support.rows + j] = kernelValue(kernel, X.row(i), support.row(j));
  }
  return new Matrix(X.rows, support.rows, values);
}
