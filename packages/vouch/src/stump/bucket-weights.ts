import type { BucketedFeature, Keys, PreparedFeature, TwoValuedFeature } from "./prepared-feature.js";

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
