import type { Size } from "../../runtime/codec/part-io.js";
import { converted, object, type Part, size } from "../../runtime/codec/parts.js";
import { nonNegativeNumber, realNumber } from "../../runtime/codec/schema-numbers.js";
import { float64, int32, matrix } from "../../runtime/codec/tensor-parts.js";
import { Matrix } from "../../runtime/maths/matrix.js";
import { SparseRows } from "../../runtime/maths/sparse-rows.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { KernelExpansion } from "./kernel-expansion.js";
import type { KernelFeatures } from "./kernel-features.js";
import { kernelSchema } from "./kernel-options.js";

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

/** A kernel expansion as a part of a model, on the model's features; the size `support` counts its support vectors. */
export const kernelExpansion: Part<KernelExpansion> = converted(
  object({
    kernel: kernelSchema,
    support: kernelVectors("support", "features"),
    coefficients: float64(["support"]),
    bias: realNumber,
    norm: nonNegativeNumber,
  }),
  (expansion) => expansion,
  (parts) => new KernelExpansion(parts),
);
