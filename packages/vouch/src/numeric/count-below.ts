/**
 * How many of the ascending values from index `from` up to `to` are below x. A binary search without a branch
 * on the comparison: nobody can predict it, and a wrong guess costs more than the rest of the step.
 */
export function countBelow(ascending: Float64Array, from: number, to: number, x: number): number {
  let base = from;
  let length = to - from;
  if (length <= 0) return 0;
  while (length > 1) {
    const half = length >>> 1;
    base += half * Number(ascending[base + half - 1] < x);
    length -= half;
  }
  return base - from + Number(ascending[base] < x);
}
