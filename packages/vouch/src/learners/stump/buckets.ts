import type { SharedPool } from "./prepare-features.js";
import {
  type BucketedFeature,
  type InnerOrder,
  type Keys,
  LAST_OF_VALUE,
  type PreparedFeature,
  type TwoValuedFeature,
} from "./prepared-feature.js";

/**
 * Where buckets of ascending values start, and the end. A bucket is full when it has `size` rows; a value with as
 * many rows has a bucket of its own; the rows of one value stay together.
 */
export function bucketStarts(values: Float64Array, size: number): readonly number[] {
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

/** The bucket of each row. */
export function bucketsOf(order: Uint32Array, starts: readonly number[]): Uint32Array {
  const buckets = new Uint32Array(order.length);
  for (let b = 1; b + 1 < starts.length; b++) {
    for (let k = starts[b]; k < starts[b + 1]; k++) buckets[order[k]] = b;
  }
  return buckets;
}

/** Keeps the order of the rows in buckets of several values; nothing if there are no such buckets. */
export function innerOrder(
  order: Uint32Array,
  values: Float64Array,
  starts: readonly number[],
  pool: SharedPool,
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

/** Sum of the weights of rows[from … to), by four sums that do not wait for each other. */
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

/** Adds the weight of each row to the sum with its key. Four rows at a time take half as long. */
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

/** The same for some of the rows. */
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
