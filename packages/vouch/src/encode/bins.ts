import * as z from "zod";
import type { FloatArray, Matrix } from "../runtime/matrix.js";
import { sharedBytes } from "../runtime/shared-array.js";
import { VouchError } from "../runtime/vouch-error.js";
import type { NumericColumn } from "../table/column.js";
import { rangeOf } from "../table/value-blocks.js";
import { writeNumberBins } from "./bin-search.js";
import { BinnedColumns, type BinnedFeature, MISSING_BIN } from "./binned-columns.js";
import { cutPoints } from "./cut-points.js";

/** Range of the number of bins: bins are bytes, and one is for missing cells. */
export const binLimit = z.int().min(2).max(MISSING_BIN);

/** Throws on numbers of bins that do not fit in a byte beside the bin of missing cells. */
export function checkMaxBins(maxBins: number): void {
  if (binLimit.safeParse(maxBins).success) return;
  throw new VouchError(
    "option/invalid",
    `maxBins is ${maxBins}, but must be an integer from 2 to ${MISSING_BIN}.`,
  );
}

/** Name of a matrix in messages. */
const MATRIX = "The matrix";

/** Columns that are copied at a time: the doubles of a row that share a cache line, which is then read once. */
const BLOCK_COLUMNS = 8;

/** Rows that are copied at a time; their lines stay in the first-level cache. */
const BLOCK_ROWS = 256;

/**
 * Bins the columns of a matrix, for tree learners whose data do not come from a table. All columns are kept, constant ones too;
 * NaN is missing. `binLike` bins further rows in the same way.
 */
export function binMatrix(matrix: Matrix, maxBins = MISSING_BIN, names?: readonly string[]): BinnedColumns {
  checkMaxBins(maxBins);
  return binColumns(matrix, (values, j) => {
    const name = names?.[j] ?? `x${j + 1}`;
    const range = rangeOf(MATRIX, { kind: "numeric", name, values });
    return { kind: "numeric", name, cuts: cutPoints(values, range, maxBins) };
  });
}

/** Bins the columns of a matrix by the cuts of features that `binMatrix` found. */
export function binLike(matrix: Matrix, features: readonly BinnedFeature[]): BinnedColumns {
  if (features.length !== matrix.columns) {
    throw new VouchError(
      "data/malformed",
      `The matrix has ${matrix.columns} columns, but ${features.length} were binned.`,
    );
  }
  return binColumns(matrix, (_, j) => numericFeature(features[j]));
}

type NumericBins = BinnedFeature & { readonly kind: "numeric" };

function numericFeature(feature: BinnedFeature): NumericBins {
  if (feature.kind === "numeric") return feature;
  throw new VouchError("data/wrong-kind", `Column "${feature.name}" holds categories, not numbers.`);
}

/** Bins each column by the cuts of its feature, which may depend on its values. */
function binColumns(
  matrix: Matrix,
  featureOf: (values: Float64Array, j: number) => NumericBins,
): BinnedColumns {
  const { rows, columns } = matrix;
  const bins = sharedBytes(rows * columns);
  const features: BinnedFeature[] = [];
  const some = new Float64Array(BLOCK_COLUMNS * rows);
  for (let first = 0; first < columns; first += BLOCK_COLUMNS) {
    const end = Math.min(columns, first + BLOCK_COLUMNS);
    copyColumns(matrix.values, columns, first, end, some);
    for (let j = first; j < end; j++) {
      const values = some.subarray((j - first) * rows, (j - first + 1) * rows);
      const feature = featureOf(values, j);
      const column: NumericColumn = { kind: "numeric", name: feature.name, values };
      const own = bins.subarray(j * rows, (j + 1) * rows);
      writeNumberBins(MATRIX, { column, cuts: feature.cuts, bins: own });
      features.push(feature);
    }
  }
  return new BinnedColumns(rows, features, bins);
}

/** Copies the columns first … end − 1 of a matrix one after the other, some rows at a time. */
function copyColumns(from: FloatArray, columns: number, first: number, end: number, to: Float64Array): void {
  const rows = from.length / columns;
  for (let begin = 0; begin < rows; begin += BLOCK_ROWS) {
    const stop = Math.min(rows, begin + BLOCK_ROWS);
    for (let j = first; j < end; j++) {
      const start = (j - first) * rows;
      for (let i = begin, k = begin * columns + j; i < stop; i++, k += columns) to[start + i] = from[k];
    }
  }
}
