import { type FloatArray, Matrix } from "../runtime/maths/matrix.js";
import type { Executor } from "../runtime/parallel/executor.js";
import type { Run } from "../runtime/parallel/run.js";
import { onSharedMemory, sharedBytes } from "../runtime/parallel/shared-array.js";
import { defineTask } from "../runtime/parallel/task.js";
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

/** Cells that are binned in a millisecond, very roughly; only for estimates of time. */
const CELLS_PER_MILLISECOND = 20_000;

/**
 * Bins the columns of a matrix on the threads of the run: by the cuts of given features, as `binLike` does, or with as many bins
 * as there can be, as `binMatrix` does, with these names.
 */
export async function binOnThreads(
  matrix: Matrix,
  like: readonly BinnedFeature[] | { readonly names: readonly string[] },
  { executor, signal }: Pick<Run, "executor" | "signal">,
): Promise<BinnedColumns> {
  const { rows, columns } = matrix;
  const milliseconds = (rows * columns) / CELLS_PER_MILLISECOND;
  const given = "names" in like ? undefined : like.map(numericFeature);
  const bins = sharedBytes(rows * columns);
  const values = onSharedMemory(matrix.values);
  const names = "names" in like ? like.names : like.map(({ name }) => name);
  const inputs = columnParts(columns, executor).map(({ begin, end }): BinInput => {
    return { rows, columns, values, bins, begin, end, names, given: given?.slice(begin, end) };
  });
  const features = await executor.map(binTask, inputs, { ...(signal && { signal }), milliseconds });
  return new BinnedColumns(rows, features.flat(), bins);
}

function columnParts(columns: number, { threads }: Executor): { begin: number; end: number }[] {
  const parts = Math.min(columns, threads);
  const start = (part: number) => Math.floor((part * columns) / parts);
  return Array.from({ length: parts }, (_, part) => ({ begin: start(part), end: start(part + 1) }));
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

const binTask = defineTask(
  "encode/bin-matrix",
  ({ rows, columns, values, bins, begin, end, names, given }: BinInput): NumericBins[] =>
    writeColumns(new Matrix(rows, columns, values), begin, end, bins, (cells, j) =>
      given ? given[j - begin] : featureFrom(cells, names[j], MISSING_BIN),
    ),
);
