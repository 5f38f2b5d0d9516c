import { countBelow, type IndexSorter, valuesAt } from "../../runtime/sort.js";
import { indexOfLargest } from "../scores.js";
import { bucketStarts, bucketsOf, innerOrder } from "./buckets.js";
import type { SharedPool } from "./prepare-features.js";
import { thresholdBetween } from "./stump-finder.js";

/**
 * A feature as searches want it. Its values are divided, in ascending order, into buckets, so that one pass over
 * the rows gives the weight of each class in each bucket, whatever the weights are, and with it the accuracy of
 * all thresholds between buckets. All arrays are on memory that threads share.
 */
export type PreparedFeature = TwoValuedFeature | BucketedFeature;

/** A feature with two values, a bucket each: the class weights of one of them give those of the other. */
export interface TwoValuedFeature {
  readonly kind: "two-valued";
  readonly feature: number;
  /** The one threshold. */
  readonly thresholds: Float64Array;
  /** Which value is rarer: 0 for the lower, 1 for the upper one. */
  readonly rarer: number;
  /** The rows with the rarer value, class after class and ascending in each. */
  readonly rows: Uint32Array;
  /** Where the rows of each class end. */
  readonly ends: Uint32Array;
}

/** A feature with more values. */
export interface BucketedFeature {
  readonly kind: "bucketed";
  readonly feature: number;
  /** The thresholds between neighbouring buckets. */
  readonly thresholds: Float64Array;
  /** Bucket and class of rows, as bucket · classes + class. */
  readonly keys: Keys;
  /** The rows that the keys belong to, ascending; absent if those are all rows. */
  readonly rows: Uint32Array | undefined;
  /** The bucket of all other rows. */
  readonly rest: number;
  /** What is in the buckets; absent if each of them holds one value. */
  readonly inner: InnerOrder | undefined;
}

/** Keys are kept in two bytes unless there are too many classes. */
export type Keys = Uint16Array | Uint32Array;

/** The rows of all buckets that hold several values. */
export interface InnerOrder {
  /** Ascending by value; the last row of each value has the flag `LAST_OF_VALUE` added. */
  readonly rows: Uint32Array;
  /** Bucket b has rows[starts[b]] … rows[starts[b + 1] − 1]; none if it holds a single value. */
  readonly starts: Uint32Array;
}

/** Marks the last row of a value. */
export const LAST_OF_VALUE = 0x80000000;

/** The row without the mark. */
export const ROW = 0x7fffffff;

/** Where a feature is cut in two: left are all buckets before `bucket`, and the first `inside` rows of this one. */
export interface Cut {
  readonly bucket: number;
  readonly inside: number;
}

/** How many rows a pass over the feature looks at. */
export function rowsToLookAt(prepared: PreparedFeature): number {
  return prepared.kind === "two-valued" ? prepared.rows.length : prepared.keys.length;
}

/** Sets `sides[i]` to 0 for rows left of a cut and to 1 for rows right of it. */
export function markSides(prepared: PreparedFeature, cut: Cut, classes: number, sides: Uint8Array): void {
  if (prepared.kind === "two-valued") {
    const { rows, rarer } = prepared;
    sides.fill(1 - rarer);
    for (let k = 0; k < rows.length; k++) sides[rows[k]] = rarer;
    return;
  }
  markBuckets(prepared, cut.bucket, classes, sides);
  const { inner } = prepared;
  if (!inner || cut.inside === 0) return;
  const start = inner.starts[cut.bucket];
  for (let k = start; k < start + cut.inside; k++) sides[inner.rows[k] & ROW] = 0;
}

/** Buckets from `first` on are on the right. */
function markBuckets(
  { keys, rows, rest }: BucketedFeature,
  first: number,
  classes: number,
  sides: Uint8Array,
) {
  const firstKey = first * classes;
  if (!rows) {
    for (let i = 0; i < keys.length; i++) sides[i] = Number(keys[i] >= firstKey);
    return;
  }
  sides.fill(Number(rest >= first));
  for (let k = 0; k < keys.length; k++) sides[rows[k]] = Number(keys[k] >= firstKey);
}

/**
 * The distinct values of a column of finite numbers, ascending, if there are at most `most`; gives up early if
 * there are more. Minus zero is zero.
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

/** For each cell of a column, how many of the column's distinct values are below it. */
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
 * Deals values out to twice as many buckets of equal width as there are distinct ones, so that most searches end
 * where they begin; one bucket for all if the values span too much or too little to be divided.
 */
function bucketing(distinct: Float64Array): (value: number) => number {
  const lowest = distinct[0];
  const scale = (2 * distinct.length) / (distinct[distinct.length - 1] - lowest);
  return scale > 0 && scale < Infinity ? (value) => Math.floor((value - lowest) * scale) : () => 0;
}

/** Columns with up to this many distinct values are collected by insertion instead of being sorted. */
const FEW = 256;

/** A search looks at each class in each bucket: that may cost so many times as much as to look at the rows. */
const SUMS_PER_ROW = 4;

/** Where rows are sorted into buckets, all sums together stay in the second-level cache, … */
const MOST_SUMS = 8192;

/** … and buckets of fewer rows than this would take longer than to look into them. */
const FEWEST_ROWS_PER_BUCKET = 64;

/** With up to this many classes, the keys of few values fit in two bytes. */
const CLASSES_FOR_SHORT_KEYS = 65536 / FEW;

/** What all features of a sample are prepared with. */
interface Preparation {
  /** Class of each row. */
  readonly labels: Int32Array;
  readonly classes: number;
  readonly sorter: IndexSorter;
  /** Where the result is put. */
  readonly pool: SharedPool;
  readonly checkpoint: () => Promise<void> | undefined;
}

/** Prepares a feature for searches, from its column of finite numbers; nothing if it is constant. */
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
  let ofUpper = 0;
  for (let i = 0; i < column.length; i++) ofUpper += Number(column[i] === upper);
  const rarer = Number(2 * ofUpper <= column.length);
  const value = rarer === 1 ? upper : lower;

  const counts = new Uint32Array(classes);
  for (let i = 0; i < column.length; i++) if (column[i] === value) counts[labels[i]]++;
  const ends = pool.uint32(classes);
  for (let k = 1; k < classes; k++) ends[k] = ends[k - 1] + counts[k - 1];
  const rows = pool.uint32(ends[classes - 1] + counts[classes - 1]);
  // So far these are the starts; each row moves that of its class on.
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

/** Sorts the rows and gives each bucket about equally many. */
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

/** The keys of all rows; or, if most rows are in one bucket, of the others. */
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
