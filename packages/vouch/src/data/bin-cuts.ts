import { VouchError } from "../error.js";
import { IndexSorter, valuesAt } from "../numeric/index-sort.js";
import { Random } from "../numeric/random.js";
import { MISSING_BIN } from "./binned-columns.js";
import type { NumericValues } from "./table.js";
import { forEachBlock, type ValueRange } from "./value-blocks.js";

/** Columns of integers that span no more than this are counted instead of sorted. */
const WIDEST_COUNTED = 65536;
/** Quantiles of longer columns are those of this many of their rows. */
const MOST_SORTED_ROWS = 200_000;

/** The different values of a column, ascending, and how many rows have each. */
interface DistinctValues {
  readonly values: Float64Array;
  readonly counts: Float64Array;
}

/**
 * The cut points between at most `maxBins` bins of a column: cuts lie halfway between neighbouring values.
 * If there are no more different values than bins, each gets its own; otherwise the bins hold about equally
 * many rows. Equal values share a bin, and no bin is empty. The quantiles of a column of more than 200,000
 * rows that are not integers in a small range are those of a sample of its rows, the same in every run.
 */
export function cutPoints(values: NumericValues, range: ValueRange, maxBins: number): Float64Array {
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

/** Refuses numbers of bins that one byte cannot tell apart, the bin for missing cells besides. */
export function checkMaxBins(maxBins: number): void {
  if (Number.isInteger(maxBins) && maxBins >= 2 && maxBins <= MISSING_BIN) return;
  throw new VouchError(
    "option/invalid",
    `maxBins is ${maxBins}, but must be an integer from 2 to ${MISSING_BIN}.`,
  );
}

/** A number m with lower ≤ m < upper, halfway if there is room: neighbouring doubles have none between. */
export function between(lower: number, upper: number): number {
  const middle = lower / 2 + upper / 2;
  return middle >= lower && middle < upper ? middle : lower;
}

function cutsBetween(values: Float64Array, lasts: Int32Array): Float64Array {
  return Float64Array.from(lasts, (last) => between(values[last], values[last + 1]));
}

/** The values of a column of integers in a small range, by counting; undefined for other columns. */
function countedIntegers(values: NumericValues, { min, max }: ValueRange): DistinctValues | undefined {
  if (!(max - min < WIDEST_COUNTED) || !Number.isSafeInteger(min)) return undefined;
  const counts = new Float64Array(max - min + 1);
  let allIntegers = true;
  forEachBlock(values, (block) => {
    allIntegers &&= countIntegers(block, min, counts);
  });
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

/** The different values, ascending, if there are at most `most`; gives up early if there are more. */
function fewValues(values: NumericValues, most: number): Float64Array | undefined {
  const seen = new Set<number>();
  for (let i = 0; i < values.length && seen.size <= most; i++) {
    if (!Number.isNaN(values[i])) seen.add(values[i]);
  }
  return seen.size <= most ? Float64Array.from(seen).sort() : undefined;
}

function sortedValues(values: NumericValues): DistinctValues {
  const sorted = ascending(presentSample(values));
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

/** All values that are not missing, or those among one at random out of each of 200,000 stretches of equal length. */
function presentSample(values: NumericValues): Float64Array {
  const sample = new Float64Array(Math.min(values.length, MOST_SORTED_ROWS));
  const stretch = values.length / sample.length;
  const random = new Random(0);
  let present = 0;
  for (let k = 0; k < sample.length; k++) {
    const value = values[stretch === 1 ? k : Math.floor((k + random.uniform()) * stretch)];
    if (!Number.isNaN(value)) sample[present++] = value;
  }
  return sample.subarray(0, present);
}

/**
 * Greedy equal-frequency binning of ascending values: a bin is full when it is nearer to an equal share of
 * the rows that are left with its last value than with the next one. Returns the index of the last value
 * of each bin but the last.
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
