import { Matrix } from "../numeric/matrix.js";
import { BinnedColumns } from "./binned-columns.js";
import type { Features, Selectable } from "./sample.js";
import { sharedBytes, sharedFloats } from "./shared-array.js";

/** Features as they are sent to another thread, which shares their numbers where it can. */
export type FeaturePieces =
  | Pick<Matrix, "rows" | "columns" | "values">
  | Pick<BinnedColumns, "rows" | "features" | "bins">;

/** What to send of features. */
export function inPieces(features: Features): FeaturePieces {
  if (features instanceof Matrix) {
    const { rows, columns, values } = features;
    return { rows, columns, values };
  }
  const { rows, features: columns, bins } = features;
  return { rows, features: columns, bins };
}

/** The same on memory that threads share, for pieces that are sent many times; a copy unless they are there already. */
export function inSharedPieces(features: Features): FeaturePieces {
  const pieces = inPieces(features);
  if ("values" in pieces) {
    const { values } = pieces;
    if (isShared(values)) return pieces;
    const copy = sharedFloats(values.length, values instanceof Float32Array ? "f32" : "f64");
    copy.set(values);
    return { ...pieces, values: copy };
  }
  if (isShared(pieces.bins)) return pieces;
  const copy = sharedBytes(pieces.bins.length);
  copy.set(pieces.bins);
  return { ...pieces, bins: copy };
}

/** The features that were sent. */
export function ofPieces(pieces: FeaturePieces): Features & Selectable<Features> {
  return "values" in pieces
    ? new Matrix(pieces.rows, pieces.columns, pieces.values)
    : new BinnedColumns(pieces.rows, pieces.features, pieces.bins);
}

/** A page without cross-origin isolation has no shared memory: nothing is. */
function isShared({ buffer }: { readonly buffer: ArrayBufferLike }): boolean {
  return typeof SharedArrayBuffer !== "undefined" && buffer instanceof SharedArrayBuffer;
}
