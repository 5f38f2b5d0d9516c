/**
 * Ranges [begin, end) of `count` things that together take about `workAtOnce` each, but at least one thing, when one of
 * them takes `workEach`: so that long work can be left after every range.
 */
export function* workRanges(
  count: number,
  workEach: number,
  workAtOnce: number,
): Generator<[begin: number, end: number], void> {
  const step = Math.max(1, Math.floor(workAtOnce / Math.max(1, workEach)));
  for (let begin = 0; begin < count; begin += step) yield [begin, Math.min(begin + step, count)];
}
