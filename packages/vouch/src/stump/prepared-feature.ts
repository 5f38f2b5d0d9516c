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
