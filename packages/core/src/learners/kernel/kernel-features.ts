import type { Features } from "../../encode/sample.js";
import { isLargeAndSparse } from "../../encode/write-sparse-rows.js";
import type { Size } from "../../runtime/codec/part-io.js";
import { object, type Part, size } from "../../runtime/codec/parts.js";
import { float64, int32, matrix } from "../../runtime/codec/tensor-parts.js";
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
export function columnOf(features: KernelFeatures, row: number, k: number): number {
  return features instanceof SparseRows ? features.indices[k] : k - row * features.columns;
}

/** Finds the first element of `values` that meets a condition. */
export function findCell(
  features: KernelFeatures,
  holds: (value: number) => boolean,
): { readonly row: number; readonly column: number; readonly value: number } | undefined {
  const k = features.values.findIndex(holds);
  if (k < 0) return undefined;
  let row = 0;
  while (rowStart(features, row + 1) <= k) row++;
  return { row, column: columnOf(features, row, k), value: features.values[k] };
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

/** Makes the codec of vectors: a tensor for a matrix, the three arrays of sparse rows otherwise. */
export function kernelVectors(rows: string, columns: Size): Part<KernelFeatures> {
  const dense = matrix(rows, columns);
  const sparse = object({
    rows: size(rows),
    starts: int32([(sizes) => sizes[rows] + 1], { min: 0 }),
    indices: int32(["entries"], { min: 0, below: columns }),
    values: float64(["entries"]),
  });
  return {
    write(value, to) {
      if (value instanceof Matrix) return dense.write(value, to);
      to.sizes.learn(columns, value.columns);
      const values = Float64Array.from(value.values);
      return sparse.write({ rows: value.rows, starts: value.starts, indices: value.indices, values }, to);
    },
    read(json, from) {
      if (json === undefined) return dense.read(json, from);
      const { rows: count, ...parts } = sparse.read(json, from);
      try {
        return new SparseRows(count, from.sizes.get(columns) ?? 0, parts);
      } catch (error) {
        if (error instanceof VouchError) throw from.corrupt(error.message);
        throw error;
      }
    },
  };
}
