import { VouchError } from "../error.js";
import type { FloatArray, Matrix } from "../numeric/matrix.js";
import { checkMaxBins, cutPoints } from "./bin-cuts.js";
import { BinnedColumns, type BinnedFeature, MISSING_BIN } from "./binned-columns.js";
import { sharedBytes } from "./shared-array.js";
import type { NumericColumn } from "./table.js";
import { rangeOf } from "./value-blocks.js";
import { writeNumberBins } from "./write-bins.js";

/** What messages call a matrix. */
const MATRIX = "The matrix";

/** So many columns are taken at a time: as many doubles of a row share a line of the cache, which is then read once. */
const COLUMNS_AT_ONCE = 8;

/** They are taken from so many rows at a time, whose lines stay in the first-level cache. */
const ROWS_AT_ONCE = 256;

/**
 * Bins the columns of a matrix, for tree learners fed by a program instead of a table. All columns are kept,
 * constant ones too; NaN is missing. `binLike` bins further rows in the same way.
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

type NumericFeature = BinnedFeature & { readonly kind: "numeric" };

function numericFeature(feature: BinnedFeature): NumericFeature {
  if (feature.kind === "numeric") return feature;
  throw new VouchError("data/wrong-kind", `Column "${feature.name}" holds categories, not numbers.`);
}

/** Bins each column by the cuts of a feature that may be made for its values. */
function binColumns(
  matrix: Matrix,
  featureOf: (values: Float64Array, j: number) => NumericFeature,
): BinnedColumns {
  const { rows, columns } = matrix;
  const bins = sharedBytes(rows * columns);
  const features: BinnedFeature[] = [];
  const some = new Float64Array(COLUMNS_AT_ONCE * rows);
  for (let first = 0; first < columns; first += COLUMNS_AT_ONCE) {
    const end = Math.min(columns, first + COLUMNS_AT_ONCE);
    takeColumns(matrix.values, columns, first, end, some);
    for (let j = first; j < end; j++) {
      const values = some.subarray((j - first) * rows, (j - first + 1) * rows);
      const feature = featureOf(values, j);
      const column: NumericColumn = { kind: "numeric", name: feature.name, values };
      writeNumberBins(MATRIX, column, feature.cuts, bins.subarray(j * rows, (j + 1) * rows));
      features.push(feature);
    }
  }
  return new BinnedColumns(rows, features, bins);
}

/** Writes the columns first … end − 1 of a matrix one after the other, from few rows at a time. */
function takeColumns(from: FloatArray, columns: number, first: number, end: number, to: Float64Array): void {
  const rows = from.length / columns;
  for (let begin = 0; begin < rows; begin += ROWS_AT_ONCE) {
    const stop = Math.min(rows, begin + ROWS_AT_ONCE);
    for (let j = first; j < end; j++) {
      const start = (j - first) * rows;
      for (let i = begin, k = begin * columns + j; i < stop; i++, k += columns) to[start + i] = from[k];
    }
  }
}
