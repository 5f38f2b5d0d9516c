import { type FloatArray, Matrix } from "../numeric/matrix.js";
import { SparseRows } from "../numeric/sparse-rows.js";
import { BinnedColumns } from "./binned-columns.js";
import type { Features, Selectable } from "./sample.js";
import { sharedBuffer, sharedBytes, sharedFloats } from "./shared-array.js";

/** Features as they are sent to another thread, which shares their numbers where it can. */
export type FeaturePieces =
  | Pick<Matrix, "rows" | "columns" | "values">
  | Pick<SparseRows, "rows" | "columns" | "starts" | "indices" | "values">
  | Pick<BinnedColumns, "rows" | "features" | "bins">;

/** What to send of features. */
export function inPieces(features: Features): FeaturePieces {
  if (features instanceof Matrix) {
    const { rows, columns, values } = features;
    return { rows, columns, values };
  }
  if (features instanceof SparseRows) {
    const { rows, columns, starts, indices, values } = features;
    return { rows, columns, starts, indices, values };
  }
  const { rows, features: columns, bins } = features;
  return { rows, features: columns, bins };
}

/** The same on memory that threads share, for pieces that are sent many times; a copy unless they are there already. */
export function inSharedPieces(features: Features): FeaturePieces {
  const pieces = inPieces(features);
  if ("bins" in pieces) return { ...pieces, bins: onShared(pieces.bins, sharedBytes) };
  const values = onShared(pieces.values, (length) =>
    sharedFloats(length, pieces.values instanceof Float32Array ? "f32" : "f64"),
  );
  if (!("indices" in pieces)) return { ...pieces, values };
  const starts = onShared(pieces.starts, sharedIntegers);
  return { ...pieces, values, starts, indices: onShared(pieces.indices, sharedIntegers) };
}

/** The features that were sent. */
export function ofPieces(pieces: FeaturePieces): Features & Selectable<Features> {
  if ("bins" in pieces) return new BinnedColumns(pieces.rows, pieces.features, pieces.bins);
  if ("indices" in pieces) return new SparseRows(pieces.rows, pieces.columns, pieces);
  return new Matrix(pieces.rows, pieces.columns, pieces.values);
}

/** The array itself if it is on shared memory, otherwise a copy that is. */
function onShared<A extends Uint8Array | Int32Array | FloatArray>(array: A, make: (length: number) => A): A {
  if (isShared(array)) return array;
  const copy = make(array.length);
  copy.set(array);
  return copy;
}

function sharedIntegers(length: number): Int32Array {
  return new Int32Array(sharedBuffer(4 * length));
}

/** A page without cross-origin isolation has no shared memory: nothing is. */
function isShared({ buffer }: { readonly buffer: ArrayBufferLike }): boolean {
  return typeof SharedArrayBuffer !== "undefined" && buffer instanceof SharedArrayBuffer;
}
