import { Random } from "../runtime/maths/random.js";
import { countBelow, IndexSorter, valuesAt } from "../runtime/maths/sort.js";
import { inParallel, type Pausable } from "../runtime/parallel/pausable.js";
import { definePureTask } from "../runtime/parallel/task.js";
import { keptCells, type NumericColumn, type NumericValues } from "../table/column.js";
import {
  type CellSource,
  cellsFrom,
  numberSource,
  sharedSource,
  sourceLength,
} from "../table/column-cells.js";
import { cellAt, type ReadableCells, type SelectedValues } from "../table/selected-values.js";
import { SparseValues } from "../table/sparse-cells.js";
import {
  type CheckedRange,
  countZeros,
  forEachBlock,
  rangeOfCells,
  type ValueRange,
} from "../table/value-blocks.js";

/** Columns of integers with at most this range are counted instead of sorted. */
const MAX_COUNTED_RANGE = 65536;
/** Quantiles of longer columns are estimated from a sample of this many rows. */
const MAX_SORTED_ROWS = 200_000;

/** The distinct values of a column, ascending, and the number of rows of each. */
export interface DistinctValues {
  readonly values: Float64Array;
  readonly counts: Float64Array;
}

/**
 * Finds the cut points between at most `maxBins` bins of a column, halfway between neighbouring values. If there are no more
 * distinct values than bins, each gets its own; otherwise the bins hold about equally many rows. Equal values share a bin, and
 * no bin is empty. For a column of more than 200,000 rows that are not integers in a small range, the quantiles are those of a
 * sample of its rows, the same in every run.
 */
export function cutPoints(values: ReadableCells, range: ValueRange, maxBins: number): Float64Array {
  if (!(range.min < range.max)) return new Float64Array(0);
  const counted = countedIntegers(values, range);
  const few = counted ? undefined : fewValues(values, maxBins);
  if (few) return cutsOfFew(few);
  return cutsOfDistinct(counted ?? sortedValues(values), maxBins);
}

/** Returns the cuts between all values, ascending, that a column has. */
export function cutsOfFew(values: Float64Array): Float64Array {
  return cutsBetween(
    values,
    Int32Array.from(values.subarray(1), (_, i) => i),
  );
}

/** Returns the cuts between at most `maxBins` bins of a column, from its values or a sample of them. */
export function cutsOfDistinct({ values, counts }: DistinctValues, maxBins: number): Float64Array {
  return cutsBetween(values, lastOfEachBin(counts, maxBins));
}

/** Tells whether a column whose values are integers is counted instead of sorted. */
export function isCountedRange({ min, max }: Pick<ValueRange, "min" | "max">): boolean {
  return max - min < MAX_COUNTED_RANGE && Number.isSafeInteger(min);
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
function countedIntegers(values: ReadableCells, { min, max }: ValueRange): DistinctValues | undefined {
  if (!isCountedRange({ min, max })) return undefined;
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
export function fewValues(values: ReadableCells, max: number): Float64Array | undefined {
  const kept = keptCells(values);
  const seen = new Set<number>(kept.length < values.length ? [0] : []);
  for (let i = 0; i < kept.length && seen.size <= max; i++) {
    const value = cellAt(kept, i);
    if (!Number.isNaN(value)) seen.add(value);
  }
  return seen.size <= max ? Float64Array.from(seen).sort() : undefined;
}

function sortedValues(values: ReadableCells): DistinctValues {
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

/** Sorts values and counts equal ones. */
export function distinctOf(cells: Float64Array): DistinctValues {
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
function presentSample(values: NumericValues | SelectedValues): Float64Array {
  const sample = new Float64Array(Math.min(values.length, MAX_SORTED_ROWS));
  let present = 0;
  forEachSampled(values.length, (row) => {
    const value = cellAt(values, row);
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
export function forEachSampled(rows: number, visit: (row: number) => void): void {
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

/** The range of a column and the cut points between its bins; none if it is constant or has an infinite cell. */
export interface ColumnCuts {
  readonly range: CheckedRange;
  readonly cuts: Float64Array;
}

/** Milliseconds that the cut points of a cell take, about. */
const MILLISECONDS_PER_CELL = 2e-5;

/** Finds the cut points of columns, on threads if there are many cells. */
export function* cutPointsOf(columns: readonly NumericColumn[], maxBins: number): Pausable<ColumnCuts[]> {
  const sources = columns.map((column) => numberSource(column));
  const dense = sources.flatMap((source) => (source ? [{ source, maxBins }] : []));
  const cells = dense.reduce((sum, { source }) => sum + sourceLength(source), 0);
  const found = yield* inParallel(cutPointsTask, dense, {
    milliseconds: cells * MILLISECONDS_PER_CELL,
    share: ({ source }) => ({ source: sharedSource(source), maxBins }),
  });
  const cuts: ColumnCuts[] = [];
  let next = 0;
  for (const [j, source] of sources.entries()) {
    cuts.push(source ? found[next++] : cutsOf(columns[j].values, maxBins));
    if (!source) yield;
  }
  return cuts;
}

const cutPointsTask = definePureTask(
  "encode/cut-points",
  ({ source, maxBins }: { readonly source: CellSource; readonly maxBins: number }) =>
    cutsOf(cellsFrom(source), maxBins),
);

function cutsOf(values: ReadableCells, maxBins: number): ColumnCuts {
  const range = rangeOfCells(values);
  const cuts = range.infinite === undefined ? cutPoints(values, range, maxBins) : new Float64Array(0);
  return { range, cuts };
}
