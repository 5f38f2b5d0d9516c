import { indexOfLargest } from "../learning/scores.js";
import { type IndexSorter, valuesAt } from "../numeric/index-sort.js";
import { bucketStarts, bucketsOf, innerOrder } from "./buckets.js";
import type { BucketedFeature, PreparedFeature, TwoValuedFeature } from "./prepared-feature.js";
import { fewDistinctValues, ranksOf } from "./ranks.js";
import type { SharedPool } from "./shared-pool.js";
import { thresholdBetween } from "./split.js";

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
export interface Preparation {
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
