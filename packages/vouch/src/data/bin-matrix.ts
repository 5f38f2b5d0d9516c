import { VouchError } from "../error.js";
import type { Matrix } from "../numeric/matrix.js";
import { checkMaxBins, cutPoints } from "./bin-cuts.js";
import { BinnedColumns, type BinnedFeature, MISSING_BIN } from "./binned-columns.js";
import { sharedBytes } from "./shared-array.js";
import type { NumericColumn } from "./table.js";
import { rangeOf } from "./value-blocks.js";
import { writeNumberBins } from "./write-bins.js";

/** What messages call a matrix. */
const MATRIX = "The matrix";

/**
 * Bins the columns of a matrix, for tree learners fed by a program instead of a table. All columns are kept,
 * constant ones too; NaN is missing. `binLike` bins further rows in the same way.
 */
export function binMatrix(matrix: Matrix, maxBins = MISSING_BIN, names?: readonly string[]): BinnedColumns {
  checkMaxBins(maxBins);
  const features = Array.from({ length: matrix.columns }, (_, j): BinnedFeature => {
    const column = matrixColumn(matrix, j, names?.[j] ?? `x${j + 1}`);
    const cuts = cutPoints(column.values, rangeOf(MATRIX, column), maxBins);
    return { kind: "numeric", name: column.name, cuts };
  });
  return binLike(matrix, features);
}

/** Bins the columns of a matrix by the cuts of features that `binMatrix` found. */
export function binLike(matrix: Matrix, features: readonly BinnedFeature[]): BinnedColumns {
  if (features.length !== matrix.columns) {
    throw new VouchError(
      "data/malformed",
      `The matrix has ${matrix.columns} columns, but ${features.length} were binned.`,
    );
  }
  const { rows } = matrix;
  const bins = sharedBytes(rows * matrix.columns);
  features.forEach((feature, j) => {
    if (feature.kind === "categorical") {
      throw new VouchError("data/wrong-kind", `Column "${feature.name}" holds categories, not numbers.`);
    }
    const column = matrixColumn(matrix, j, feature.name);
    writeNumberBins(MATRIX, column, feature.cuts, bins.subarray(j * rows, (j + 1) * rows));
  });
  return new BinnedColumns(rows, features, bins);
}

function matrixColumn({ rows, columns, values }: Matrix, j: number, name: string): NumericColumn {
  const cells = new Float64Array(rows);
  for (let i = 0; i < rows; i++) cells[i] = values[i * columns + j];
  return { kind: "numeric", name, values: cells };
}
