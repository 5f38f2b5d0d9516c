import { type FloatArray, Matrix } from "../runtime/maths/matrix.js";
import { defineRangeTask, forRanges } from "../runtime/parallel/for-ranges.js";
import { type Pausable, runNow } from "../runtime/parallel/pausable.js";
import { sharedBytes } from "../runtime/parallel/shared-array.js";
import { VouchError } from "../runtime/vouch-error.js";
import type { NumericColumn } from "../table/column.js";
import { rangeOf } from "../table/value-blocks.js";
import { writeNumberBins } from "./bin-search.js";
import { BinnedColumns, type BinnedFeature, checkMaxBins, MISSING_BIN } from "./binned-columns.js";
import { cutPoints } from "./cut-points.js";

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
  return binColumns(matrix, (values, j) => featureFrom(values, names?.[j] ?? `x${j + 1}`, maxBins));
}

function featureFrom(values: Float64Array, name: string, maxBins: number): NumericBins {
  const range = rangeOf(MATRIX, { kind: "numeric", name, values });
  return { kind: "numeric", name, cuts: cutPoints(values, range, maxBins) };
}

/** Bins the columns of a matrix by the cuts of features that `binMatrix` found. */
export function binLike(matrix: Matrix, features: readonly BinnedFeature[]): BinnedColumns {
  return runNow(binRows(matrix, features));
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
  return new BinnedColumns(rows, writeColumns(matrix, 0, columns, bins, featureOf), bins);
}

/** Bins columns `begin` … `end` − 1, and returns their features. */
function writeColumns(
  { rows, columns, values: cells }: Matrix,
  begin: number,
  end: number,
  bins: Uint8Array,
  featureOf: (values: Float64Array, j: number) => NumericBins,
): NumericBins[] {
  const features: NumericBins[] = [];
  const some = new Float64Array(Math.min(BLOCK_COLUMNS, end - begin) * rows);
  for (let first = begin; first < end; first += BLOCK_COLUMNS) {
    const stop = Math.min(end, first + BLOCK_COLUMNS);
    copyColumns(cells, columns, first, stop, some);
    for (let j = first; j < stop; j++) {
      const values = some.subarray((j - first) * rows, (j - first + 1) * rows);
      const feature = featureOf(values, j);
      const column: NumericColumn = { kind: "numeric", name: feature.name, values };
      const own = bins.subarray(j * rows, (j + 1) * rows);
      writeNumberBins(MATRIX, { column, cuts: feature.cuts, bins: own });
      features.push(feature);
    }
  }
  return features;
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

/** Operations to bin a cell. */
const WORK_PER_CELL = 50;

/**
 * Bins the columns of a matrix: by the cuts of given features, as `binLike` does, or with as many bins as there can be, as
 * `binMatrix` does, with these names.
 */
export function* binRows(
  matrix: Matrix,
  like: readonly BinnedFeature[] | { readonly names: readonly string[] },
): Pausable<BinnedColumns> {
  const { rows, columns, values } = matrix;
  const given = "names" in like ? undefined : like.map(numericFeature);
  if (given && given.length !== columns) {
    throw new VouchError(
      "data/malformed",
      `The matrix has ${columns} columns, but ${given.length} were binned.`,
    );
  }
  const bins = sharedBytes(rows * columns);
  const names = "names" in like ? like.names : like.map(({ name }) => name);
  const division = { count: columns, work: WORK_PER_CELL * rows, output: bins };
  const features = yield* forRanges(binTask, division, (begin, end): BinInput => {
    return { rows, columns, values, bins, begin, end, names, given: given?.slice(begin, end) };
  });
  return new BinnedColumns(rows, features.flat(), bins);
}

/** Columns `begin` … `end` − 1 of a matrix, and the bins of all its columns. */
interface BinInput {
  readonly rows: number;
  readonly columns: number;
  readonly values: FloatArray;
  readonly bins: Uint8Array;
  readonly begin: number;
  readonly end: number;
  readonly names: readonly string[];
  readonly given: readonly NumericBins[] | undefined;
}

const binTask = defineRangeTask(
  "encode/bin-matrix",
  ({ rows, columns, values, bins, begin, end, names, given }: BinInput): NumericBins[] =>
    writeColumns(new Matrix(rows, columns, values), begin, end, bins, (cells, j) =>
      given ? given[j - begin] : featureFrom(cells, names[j], MISSING_BIN),
    ),
);
