import { countBelow } from "../numeric/count-below.js";

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
