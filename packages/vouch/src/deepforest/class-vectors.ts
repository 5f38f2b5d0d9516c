import { Matrix } from "../numeric/matrix.js";

/** The mean of matrices of one shape, of which there is at least one. */
export function meanOf(matrices: readonly Matrix[]): Matrix {
  const [{ rows, columns }] = matrices;
  const values = new Float64Array(rows * columns);
  for (const matrix of matrices) {
    for (let k = 0; k < values.length; k++) values[k] += matrix.values[k] / matrices.length;
  }
  return new Matrix(rows, columns, values);
}

/** Matrices of as many rows, side by side. */
export function besideEachOther(matrices: readonly Matrix[]): Matrix {
  const [{ rows }] = matrices;
  const columns = matrices.reduce((sum, matrix) => sum + matrix.columns, 0);
  const joined = new Matrix(rows, columns);
  let at = 0;
  for (const matrix of matrices) {
    for (let i = 0; i < rows; i++) joined.values.set(matrix.row(i), i * columns + at);
    at += matrix.columns;
  }
  return joined;
}
