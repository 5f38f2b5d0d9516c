import * as z from "zod";
import type { FloatArray, Matrix } from "../runtime/matrix.js";
import { Random } from "../runtime/random.js";
import { sharedBytes } from "../runtime/shared-array.js";
import { countBelow, IndexSorter, valuesAt } from "../runtime/sort.js";
import { VouchError } from "../runtime/vouch-error.js";
import { type ColumnValues, keptCells, type NumericColumn, type NumericValues } from "../table/column.js";
import { SparseValues } from "../table/sparse-values.js";
import { countZeros, forEachBlock, rangeOf, type ValueRange } from "../table/value-blocks.js";
import { writeNumberBins } from "./bin-search.js";
import { BinnedColumns, type BinnedFeature, MISSING_BIN } from "./binned-columns.js";

/** Columns of integers with at most this range are counted instead of sorted. */
const MAX_COUNTED_RANGE = 65536;
/** Quantiles of longer columns are estimated from a sample of this many rows. */
const MAX_SORTED_ROWS = 200_000;

/** Range of the number of bins: bins are bytes, and one is for missing cells. */
export const binLimit = z.int().min(2).max(MISSING_BIN);

/** The distinct values of a column, ascending, and the number of rows of each. */
interface DistinctValues {
  readonly values: Float64Array;
  readonly counts: Float64Array;
}

/**
 * Finds the cut points between at most `maxBins` bins of a column, halfway between neighbouring values. If there are no more
 * distinct values than bins, each gets its own; otherwise the bins hold about equally many rows. Equal values share a bin, and
 * no bin is empty. For a column of more than 200,000 rows that are not integers in a small range, the quantiles are those of a
 * sample of its rows, the same in every run.
 */
export function cutPoints(values: ColumnValues, range: ValueRange, maxBins: number): Float64Array {
  if (!(range.min < range.max)) return new Float64Array(0);
  const counted = countedIntegers(values, range);
  const few = counted ? undefined : fewValues(values, maxBins);
  if (few)
    return cutsBetween(
      few,
      Int32Array.from(few.subarray(1), (_, i) => i),
    );
  const distinct = counted ?? sortedValues(values);
  return cutsBetween(distinct.values, lastOfEachBin(distinct.counts, maxBins));
}

/** Throws on numbers of bins that do not fit in a byte beside the bin of missing cells. */
export function checkMaxBins(maxBins: number): void {
  if (binLimit.safeParse(maxBins).success) return;
  throw new VouchError(
    "option/invalid",
    `maxBins is ${maxBins}, but must be an integer from 2 to ${MISSING_BIN}.`,
  );
}

/** Returns a number m with lower ≤ m < upper, halfway unless they are neighbouring doubles. */
function between(lower: number, upper: number): number {
  const middle = lower / 2 + upper / 2;
  return middle >= lower && middle < upper ? middle : lower;
}

function cutsBetween(values: Float64Array, lasts: Int32Array): Float64Array {
  return Float64Array.from(lasts, (last) => between(values[last], values[last + 1]));
}

/** Counts the values of a column of integers in a small range; undefined for other columns. */
function countedIntegers(values: ColumnValues, { min, max }: ValueRange): DistinctValues | undefined {
  if (!(max - min < MAX_COUNTED_RANGE) || !Number.isSafeInteger(min)) return undefined;
  const counts = new Float64Array(max - min + 1);
  let allIntegers = true;
  const kept = keptCells(values);
  forEachBlock(kept, (block) => {
    allIntegers &&= countIntegers(block, min, counts);
  });
  if (kept.length < values.length) counts[-min] += values.length - kept.length;
  if (!allIntegers) return undefined;
  const present = Float64Array.from(counts.keys()).filter((offset) => counts[offset] > 0);
  return { values: present.map((offset) => min + offset), counts: present.map((offset) => counts[offset]) };
}

function countIntegers(block: Float64Array, min: number, counts: Float64Array): boolean {
  for (let i = 0; i < block.length; i++) {
    const value = block[i];
    if (value === Math.floor(value)) counts[value - min]++;
    else if (!Number.isNaN(value)) return false;
  }
  return true;
}

/** Collects the distinct values, ascending; undefined as soon as there are more than `max`. */
function fewValues(values: ColumnValues, max: number): Float64Array | undefined {
  const kept = keptCells(values);
  const seen = new Set<number>(kept.length < values.length ? [0] : []);
  for (let i = 0; i < kept.length && seen.size <= max; i++) {
    if (!Number.isNaN(kept[i])) seen.add(kept[i]);
  }
  return seen.size <= max ? Float64Array.from(seen).sort() : undefined;
}

function sortedValues(values: ColumnValues): DistinctValues {
  if (!(values instanceof SparseValues)) return distinctOf(presentSample(values));
  const { cells, zeros } = sparseSample(values);
  return withZeros(distinctOf(cells), zeros);
}

/** Adds zeros to distinct values other than 0. */
function withZeros({ values, counts }: DistinctValues, zeros: number): DistinctValues {
  if (zeros === 0) return { values, counts };
  const place = countBelow(values, 0, values.length, 0);
  const inserted = (numbers: Float64Array, number: number) => {
    const longer = new Float64Array(numbers.length + 1);
    longer.set(numbers.subarray(0, place));
    longer[place] = number;
    longer.set(numbers.subarray(place), place + 1);
    return longer;
  };
  return { values: inserted(values, 0), counts: inserted(counts, zeros) };
}

function distinctOf(cells: Float64Array): DistinctValues {
  const sorted = ascending(cells);
  const counts = new Float64Array(sorted.length);
  let distinct = 0;
  for (let i = 0; i < sorted.length; i++) {
    if (i === 0 || sorted[i] !== sorted[distinct - 1]) sorted[distinct++] = sorted[i];
    counts[distinct - 1]++;
  }
  return { values: sorted.subarray(0, distinct), counts: counts.subarray(0, distinct) };
}

function ascending(values: Float64Array): Float64Array {
  const sorter = new IndexSorter(values.length);
  try {
    return valuesAt(values, sorter.sort(values));
  } finally {
    sorter.release();
  }
}

/** Takes all present values, or of a long column the present ones among a random row of each of 200,000 equal stretches. */
function presentSample(values: NumericValues): Float64Array {
  const sample = new Float64Array(Math.min(values.length, MAX_SORTED_ROWS));
  let present = 0;
  forEachSampled(values.length, (row) => {
    const value = values[row];
    if (!Number.isNaN(value)) sample[present++] = value;
  });
  return sample.subarray(0, present);
}

/** Takes the same sample of sparse values: the present ones that are kept, and the number of zeros. */
function sparseSample(values: SparseValues): { readonly cells: Float64Array; readonly zeros: number } {
  const { rows, last, length } = values;
  if (length <= MAX_SORTED_ROWS) {
    const cells = values.values.slice(values.first, last);
    return { cells: cells.filter((value) => value !== 0 && !Number.isNaN(value)), zeros: countZeros(values) };
  }
  const cells: number[] = [];
  let zeros = 0;
  let entry = values.first;
  forEachSampled(length, (row) => {
    while (entry < last && rows[entry] < row) entry++;
    const value = entry < last && rows[entry] === row ? values.values[entry] : 0;
    if (value === 0) zeros++;
    else if (!Number.isNaN(value)) cells.push(value);
  });
  return { cells: Float64Array.from(cells), zeros };
}

/** Visits all rows, or a random row of each of 200,000 equal stretches, ascending. */
function forEachSampled(rows: number, visit: (row: number) => void): void {
  const stretch = rows / Math.min(rows, MAX_SORTED_ROWS);
  if (stretch === 1) {
    for (let row = 0; row < rows; row++) visit(row);
    return;
  }
  const random = new Random(0);
  for (let k = 0; k < MAX_SORTED_ROWS; k++) visit(Math.floor((k + random.uniform()) * stretch));
}

/**
 * Bins ascending values greedily by equal frequency: a bin ends where the next value would take it further from an equal share
 * of the remaining rows. Returns the index of the last value of each bin except the last.
 */
function lastOfEachBin(counts: Float64Array, maxBins: number): Int32Array {
  const lasts: number[] = [];
  let left = 0;
  for (const count of counts) left += count;
  let inBin = 0;
  for (let i = 0; i + 1 < counts.length && lasts.length + 1 < maxBins; i++) {
    inBin += counts[i];
    const binsLeft = maxBins - lasts.length;
    const room = binsLeft >= counts.length - i;
    if (room || inBin + counts[i + 1] / 2 >= left / binsLeft) {
      lasts.push(i);
      left -= inBin;
      inBin = 0;
    }
  }
  return Int32Array.from(lasts);
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
      writeNumberBins(MATRIX, column, feature.cuts, bins.subarray(j * rows, (j + 1) * rows));
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
