/**
 * A feature prepared for searches. Its values are divided, in ascending order, into buckets, so that for any weights one
 * pass over the rows gives the weight of each class in each bucket, and with it the accuracy of all thresholds between
 * buckets. All arrays are on memory that threads share.
 */
export type PreparedFeature = TwoValuedFeature | BucketedFeature;

/** A feature with two values, a bucket each: the class weights of one give those of the other. */
export interface TwoValuedFeature {
  readonly kind: "two-valued";
  readonly feature: number;
  /** One threshold. */
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
  /** The order inside the buckets; absent if each of them holds one value. */
  readonly inner: InnerOrder | undefined;
}

/** Keys take two bytes unless there are too many classes. */
type Keys = Uint16Array | Uint32Array;

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

/** A cut of a feature: left are all buckets before `bucket`, and the first `inside` rows of this one. */
export interface Cut {
  readonly bucket: number;
  readonly inside: number;
}

/** Counts the rows that a pass over the feature reads. */
export function rowsRead(prepared: PreparedFeature): number {
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

/** Marks buckets from `first` on as right. */
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
 * Writes the weight of class k in bucket b to `sums[b · classes + k]`. `totals` are the weights of the classes over
 * all rows. The order of each sum depends on the feature alone.
 */
export function sumBuckets(
  prepared: PreparedFeature,
  weights: Float64Array,
  totals: Float64Array,
  sums: Float64Array,
): void {
  if (prepared.kind === "two-valued") sumTwo(prepared, weights, totals, sums);
  else sumMany(prepared, weights, totals, sums);
}

function sumTwo(
  { rows, ends, rarer }: TwoValuedFeature,
  weights: Float64Array,
  totals: Float64Array,
  sums: Float64Array,
): void {
  const classes = totals.length;
  for (let k = 0, start = 0; k < classes; start = ends[k++]) {
    const sum = sumOver(rows, start, ends[k], weights);
    sums[rarer * classes + k] = sum;
    sums[(1 - rarer) * classes + k] = Math.max(0, totals[k] - sum);
  }
}

function sumMany(
  { keys, rows, rest, thresholds }: BucketedFeature,
  weights: Float64Array,
  totals: Float64Array,
  sums: Float64Array,
): void {
  const classes = totals.length;
  const buckets = thresholds.length + 1;
  sums.fill(0, 0, buckets * classes);
  if (!rows) {
    addAll(keys, weights, sums);
    return;
  }
  addListed(keys, rows, weights, sums);
  for (let k = 0; k < classes; k++) {
    let listed = 0;
    for (let b = 0; b < buckets; b++) listed += sums[b * classes + k];
    sums[rest * classes + k] = Math.max(0, totals[k] - listed);
  }
}

/** Sums the weights of rows[from … to) in four sums that do not wait for each other. */
function sumOver(rows: Uint32Array, from: number, to: number, weights: Float64Array): number {
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  let k = from;
  for (; k + 3 < to; k += 4) {
    a += weights[rows[k]];
    b += weights[rows[k + 1]];
    c += weights[rows[k + 2]];
    d += weights[rows[k + 3]];
  }
  for (; k < to; k++) a += weights[rows[k]];
  return a + b + (c + d);
}

/** Adds the weight of each row to the sum with its key. Four rows at a time take half the time. */
function addAll(keys: Keys, weights: Float64Array, sums: Float64Array): void {
  let i = 0;
  for (; i + 3 < keys.length; i += 4) {
    const a = weights[i];
    const b = weights[i + 1];
    const c = weights[i + 2];
    const d = weights[i + 3];
    sums[keys[i]] += a;
    sums[keys[i + 1]] += b;
    sums[keys[i + 2]] += c;
    sums[keys[i + 3]] += d;
  }
  for (; i < keys.length; i++) sums[keys[i]] += weights[i];
}

/** Adds the weights of the listed rows. */
function addListed(keys: Keys, rows: Uint32Array, weights: Float64Array, sums: Float64Array): void {
  let k = 0;
  for (; k + 3 < keys.length; k += 4) {
    const a = weights[rows[k]];
    const b = weights[rows[k + 1]];
    const c = weights[rows[k + 2]];
    const d = weights[rows[k + 3]];
    sums[keys[k]] += a;
    sums[keys[k + 1]] += b;
    sums[keys[k + 2]] += c;
    sums[keys[k + 3]] += d;
  }
  for (; k < keys.length; k++) sums[keys[k]] += weights[rows[k]];
}
