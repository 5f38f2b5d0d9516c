import { countBelow, type IndexSorter, valuesAt } from "../../runtime/maths/sort.js";
import type { SharedHeap } from "../../runtime/parallel/shared-array.js";
import { indexOfLargest } from "../scores.js";
import {
  type BucketedFeature,
  type InnerOrder,
  LAST_OF_VALUE,
  type PreparedFeature,
  type TwoValuedFeature,
} from "./prepared-feature.js";

/**
 * Returns the threshold between two neighbouring values: their midpoint, or the lower one if rounding would take the midpoint
 * out of [lower, upper).
 */
export function thresholdBetween(lower: number, upper: number): number {
  const middle = lower / 2 + upper / 2;
  return middle >= lower && middle < upper ? middle : lower;
}

/**
 * Collects the distinct values of a column of finite numbers, ascending; undefined if there are more than `most`. Minus zero
 * is zero.
 */
export function fewDistinctValues(column: Float64Array, most: number): Float64Array | undefined {
  const few = new Float64Array(most);
  let count = 0;
  let last = Number.NaN;
  let beforeLast = Number.NaN;
  for (let i = 0; i < column.length; i++) {
    const value = column[i];
    if (value === last || value === beforeLast) continue;
    beforeLast = last;
    last = value;
    const place = countBelow(few, 0, count, value);
    if (place < count && few[place] === value) continue;
    if (count === most) return undefined;
    few.copyWithin(place + 1, place, count++);
    few[place] = value;
  }
  return few.subarray(0, count);
}

/** Ranks each cell of a column: the number of the column's distinct values below it. */
export function ranksOf(column: Float64Array, distinct: Float64Array): Uint32Array {
  const ranks = new Uint32Array(column.length);
  const bucketOf = bucketing(distinct);
  const starts = new Uint32Array(bucketOf(distinct[distinct.length - 1]) + 2);
  for (let g = 0; g < distinct.length; g++) starts[bucketOf(distinct[g]) + 1] = g + 1;
  for (let b = 1; b < starts.length; b++) starts[b] = Math.max(starts[b], starts[b - 1]);
  for (let i = 0; i < column.length; i++) {
    const bucket = bucketOf(column[i]);
    ranks[i] = starts[bucket] + countBelow(distinct, starts[bucket], starts[bucket + 1], column[i]);
  }
  return ranks;
}

/**
 * Maps values to twice as many buckets of equal width as there are distinct ones, so that most searches end where they
 * begin; one bucket for all if the range is too wide or too narrow to be divided.
 */
function bucketing(distinct: Float64Array): (value: number) => number {
  const lowest = distinct[0];
  const scale = (2 * distinct.length) / (distinct[distinct.length - 1] - lowest);
  return scale > 0 && scale < Infinity ? (value) => Math.floor((value - lowest) * scale) : () => 0;
}

/** Columns with up to this many distinct values are collected by insertion instead of being sorted. */
const FEW = 256;

/** A search reads each class in each bucket: that may cost this many times as much as reading the rows. */
const SUMS_PER_ROW = 4;

/** Limits on buckets of sorted rows: all sums together stay in the second-level cache, … */
const MOST_SUMS = 8192;

/** … and a bucket of fewer rows would take longer than searching inside a larger one. */
const FEWEST_ROWS_PER_BUCKET = 64;

/** With up to this many classes, the keys of few values fit in two bytes. */
const CLASSES_FOR_SHORT_KEYS = 65536 / FEW;

/** The same for all features of a sample. */
interface Preparation {
  readonly labels: Int32Array;
  readonly classes: number;
  readonly sorter: IndexSorter;
  /** Memory of the result. */
  readonly pool: SharedHeap;
  readonly checkpoint: () => Promise<void> | undefined;
}

/** Prepares a feature for searches, from its column of finite numbers; undefined if it is constant. */
export async function prepareFeature(
  feature: number,
  column: Float64Array,
  preparation: Preparation,
): Promise<PreparedFeature | undefined> {
  const affordable = Math.floor((SUMS_PER_ROW * column.length) / preparation.classes);
  const distinct = fewDistinctValues(column, Math.max(2, Math.min(FEW, affordable)));
  if (distinct?.length === 1) return undefined;
  if (distinct?.length === 2) return twoValued(feature, column, distinct, preparation);
  if (distinct) return fewValued(feature, column, distinct, preparation);
  return manyValued(feature, column, preparation);
}

/** Lists the rows of the rarer of two values by class. */
function twoValued(
  feature: number,
  column: Float64Array,
  [lower, upper]: Float64Array,
  { labels, classes, pool }: Preparation,
): TwoValuedFeature {
  let uppers = 0;
  for (let i = 0; i < column.length; i++) uppers += Number(column[i] === upper);
  const rarer = Number(2 * uppers <= column.length);
  const value = rarer === 1 ? upper : lower;

  const counts = new Uint32Array(classes);
  for (let i = 0; i < column.length; i++) if (column[i] === value) counts[labels[i]]++;
  const ends = pool.uint32(classes);
  for (let k = 1; k < classes; k++) ends[k] = ends[k - 1] + counts[k - 1];
  const rows = pool.uint32(ends[classes - 1] + counts[classes - 1]);
  // So far these are the starts; each row advances that of its class.
  for (let i = 0; i < column.length; i++) if (column[i] === value) rows[ends[labels[i]]++] = i;

  const thresholds = pool.float64(1);
  thresholds[0] = thresholdBetween(lower, upper);
  return { kind: "two-valued", feature, thresholds, rarer, rows, ends };
}

/** Gives each value a bucket. */
function fewValued(
  feature: number,
  column: Float64Array,
  distinct: Float64Array,
  preparation: Preparation,
): BucketedFeature {
  const thresholds = preparation.pool.float64(distinct.length - 1);
  for (let g = 0; g < thresholds.length; g++) thresholds[g] = thresholdBetween(distinct[g], distinct[g + 1]);
  const listing = listRows(ranksOf(column, distinct), distinct.length, preparation);
  return { kind: "bucketed", feature, thresholds, ...listing, inner: undefined };
}

/** Sorts the rows and divides them into buckets of about the same size. */
async function manyValued(
  feature: number,
  column: Float64Array,
  preparation: Preparation,
): Promise<BucketedFeature> {
  const { pool, classes, sorter, checkpoint } = preparation;
  const order = await sorter.sortWithCheckpoints(column, checkpoint);
  const values = valuesAt(column, order);
  await checkpoint();
  const starts = bucketStarts(values, rowsPerBucket(column.length, classes));
  const buckets = starts.length - 1;
  await checkpoint();
  const listing = listRows(bucketsOf(order, starts), buckets, preparation);
  await checkpoint();
  const thresholds = pool.float64(buckets - 1);
  for (let b = 1; b < buckets; b++) {
    thresholds[b - 1] = thresholdBetween(values[starts[b] - 1], values[starts[b]]);
  }
  const inner = innerOrder(order, values, starts, pool);
  return { kind: "bucketed", feature, thresholds, ...listing, inner };
}

function rowsPerBucket(rows: number, classes: number): number {
  return Math.ceil(Math.max(FEWEST_ROWS_PER_BUCKET, classes, (rows * classes) / MOST_SUMS));
}

/** Lists the keys of all rows or, if most rows are in one bucket, of the others. */
function listRows(
  bucketOf: Uint32Array,
  buckets: number,
  { labels, classes, pool }: Preparation,
): Pick<BucketedFeature, "keys" | "rows" | "rest"> {
  const counts = new Uint32Array(buckets);
  for (let i = 0; i < bucketOf.length; i++) counts[bucketOf[i]]++;
  const rest = indexOfLargest(counts);
  const isListed = buckets > 1 && 2 * counts[rest] >= bucketOf.length;
  const listed = isListed ? bucketOf.length - counts[rest] : bucketOf.length;
  const keys = classes <= CLASSES_FOR_SHORT_KEYS ? pool.uint16(listed) : pool.uint32(listed);
  if (!isListed) {
    for (let i = 0; i < bucketOf.length; i++) keys[i] = bucketOf[i] * classes + labels[i];
    return { keys, rows: undefined, rest };
  }
  const rows = pool.uint32(listed);
  for (let i = 0, k = 0; k < listed; i++) {
    if (bucketOf[i] === rest) continue;
    keys[k] = bucketOf[i] * classes + labels[i];
    rows[k++] = i;
  }
  return { keys, rows, rest };
}

/**
 * Finds where buckets of ascending values start, and the end. A bucket is full when it has `size` rows; a value with as
 * many rows has a bucket of its own; the rows of one value stay together.
 */
function bucketStarts(values: Float64Array, size: number): readonly number[] {
  const starts = [0];
  let bucket = 0;
  let value = 0;
  for (let next = 1; next <= values.length; next++) {
    if (values[next] === values[next - 1]) continue;
    if (next - value >= size && value > bucket) {
      starts.push(value);
      bucket = value;
    }
    if (next - bucket >= size) {
      starts.push(next);
      bucket = next;
    }
    value = next;
  }
  if (bucket < values.length) starts.push(values.length);
  return starts;
}

/** Finds the bucket of each row. */
function bucketsOf(order: Uint32Array, starts: readonly number[]): Uint32Array {
  const buckets = new Uint32Array(order.length);
  for (let b = 1; b + 1 < starts.length; b++) {
    for (let k = starts[b]; k < starts[b + 1]; k++) buckets[order[k]] = b;
  }
  return buckets;
}

/** Keeps the order of the rows in buckets of several values; undefined if there are no such buckets. */
function innerOrder(
  order: Uint32Array,
  values: Float64Array,
  starts: readonly number[],
  pool: SharedHeap,
): InnerOrder | undefined {
  const innerStarts = pool.uint32(starts.length);
  for (let b = 0; b + 1 < starts.length; b++) {
    const hasSeveral = values[starts[b]] !== values[starts[b + 1] - 1];
    innerStarts[b + 1] = innerStarts[b] + (hasSeveral ? starts[b + 1] - starts[b] : 0);
  }
  const total = innerStarts[innerStarts.length - 1];
  if (total === 0) return undefined;
  const rows = pool.uint32(total);
  for (let b = 0; b + 1 < starts.length; b++) {
    if (innerStarts[b + 1] === innerStarts[b]) continue;
    for (let k = starts[b], at = innerStarts[b]; k < starts[b + 1]; k++, at++) {
      rows[at] = order[k] + LAST_OF_VALUE * Number(values[k] !== values[k + 1]);
    }
  }
  return { rows, starts: innerStarts };
}
