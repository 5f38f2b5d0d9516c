import type { Features } from "../../encode/sample.js";
import { isLargeAndSparse } from "../../encode/write-sparse-rows.js";
import { type FloatArray, Matrix } from "../../runtime/maths/matrix.js";
import { SparseRows } from "../../runtime/maths/sparse-rows.js";
import { VouchError } from "../../runtime/vouch-error.js";

/** Rows that kernels compare. */
export type KernelFeatures = Matrix | SparseRows;

/** Checks that features are numbers in rows. */
export function kernelFeatures(features: Features): KernelFeatures {
  if (features instanceof Matrix || features instanceof SparseRows) return features;
  throw new VouchError("data/wrong-kind", "Expected numbers in rows (a Matrix or SparseRows) for a kernel.", {
    hint: "Encode the table with the encoding of the learner.",
  });
}

/** Turns sparse rows into a matrix unless it would be large: sums over the columns of a matrix are faster. */
export function chooseLayout(features: KernelFeatures): KernelFeatures {
  return features instanceof SparseRows && !isLargeAndSparse(features) ? features.toMatrix() : features;
}

/** Returns where the numbers of a row begin in `values`; they end where those of the next row begin. */
export function rowStart(features: KernelFeatures, row: number): number {
  return features instanceof SparseRows ? features.starts[row] : row * features.columns;
}

/** Returns the numbers of a row. Those of a sparse row are not all its columns, but the others change no K(x, x). */
export function rowValues(features: KernelFeatures, row: number): FloatArray {
  return features.values.subarray(rowStart(features, row), rowStart(features, row + 1));
}

/** Returns the column of an element of `values` that belongs to a row. */
export function columnAt(features: KernelFeatures, row: number, k: number): number {
  return features instanceof SparseRows ? features.indices[k] : k - row * features.columns;
}

/** Finds the first element of `values` that meets a condition. */
export function findValue(
  features: KernelFeatures,
  holds: (value: number) => boolean,
): { readonly row: number; readonly column: number; readonly value: number } | undefined {
  const k = features.values.findIndex(holds);
  if (k < 0) return undefined;
  let row = 0;
  while (rowStart(features, row + 1) <= k) row++;
  return { row, column: columnAt(features, row, k), value: features.values[k] };
}

/** Returns the rows in double precision. */
export function inDoublePrecision(features: KernelFeatures): KernelFeatures {
  const { rows, columns, values } = features;
  if (values instanceof Float64Array) return features;
  const doubles = Float64Array.from(values);
  return features instanceof SparseRows
    ? new SparseRows(rows, columns, { ...features, values: doubles })
    : new Matrix(rows, columns, doubles);
}

/** Returns the rows as a matrix, which must fit in memory. */
export function asMatrix(features: KernelFeatures): Matrix {
  return features instanceof SparseRows ? features.toMatrix() : features;
}
