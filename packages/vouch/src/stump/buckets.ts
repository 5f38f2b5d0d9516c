import { type InnerOrder, LAST_OF_VALUE } from "./prepared-feature.js";
import type { SharedPool } from "./shared-pool.js";

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
