/** Number of quantiles that summarise margins: the minimum, every per cent, the maximum. */
export const MARGIN_QUANTILES = 101;

/** With fewer margins, sorting all of them is as fast. */
const MIN_MARGINS_TO_BUCKET = 20_000;
const BUCKETS = 2 ** 14;

/** Returns the margins at 0%, 1%, … 100% of their ascending order; each is one of the margins. */
export function marginQuantiles(margins: Float64Array): number[] {
  return margins.length < MIN_MARGINS_TO_BUCKET
    ? sortedQuantiles(margins.slice().sort())
    : bucketedQuantiles(margins);
}

/** Returns the quantiles of values in ascending order. */
export function sortedQuantiles(sorted: Float64Array): number[] {
  return quantilePlaces(sorted.length).map((place) => sorted[place]);
}

/** Lists the places of the quantiles in the ascending order. */
function quantilePlaces(rows: number): number[] {
  const last = MARGIN_QUANTILES - 1;
  return Array.from({ length: MARGIN_QUANTILES }, (_, percent) => Math.floor((percent * (rows - 1)) / last));
}

/** Sorts only the margins of those buckets that have a quantile; NaN is above all others. */
function bucketedQuantiles(margins: Float64Array): number[] {
  const ends = new Uint32Array(BUCKETS + 1);
  for (let i = 0; i < margins.length; i++) ends[bucketOf(margins[i])]++;
  for (let bucket = 1; bucket <= BUCKETS; bucket++) ends[bucket] += ends[bucket - 1];
  const places = quantilePlaces(margins.length);
  const wanted = new Uint8Array(BUCKETS + 1);
  let bucket = 0;
  let count = 0;
  const bucketAt = places.map((place) => {
    while (ends[bucket] <= place) bucket++;
    if (wanted[bucket] === 0) count += ends[bucket] - (ends[bucket - 1] ?? 0);
    wanted[bucket] = 1;
    return bucket;
  });
  const kept = new Float64Array(count);
  for (let i = 0, k = 0; k < count; i++) if (wanted[bucketOf(margins[i])] === 1) kept[k++] = margins[i];
  kept.sort();
  // Margins of earlier buckets that have no quantile are not among the sorted ones.
  let missing = 0;
  let next = 0;
  return places.map((place, q) => {
    for (; next <= bucketAt[q]; next++) {
      if (wanted[next] === 0) missing += ends[next] - (ends[next - 1] ?? 0);
    }
    return kept[place - missing];
  });
}

/** Returns the bucket of a margin; buckets ascend. */
function bucketOf(margin: number): number {
  if (Number.isNaN(margin)) return BUCKETS;
  return Math.max(0, Math.min(BUCKETS - 1, Math.floor((margin + 1) * (BUCKETS / 2))));
}
