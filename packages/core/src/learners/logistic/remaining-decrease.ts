/** Steps of each of the two spans that are compared. */
const SPAN = 5;

/**
 * Estimates how much further a sequence of objectives will fall. It fell by a in one span of steps and by b in the next; if it
 * goes on falling by the ratio r = b/a, then by b·r/(1 − r) in all. Infinite if it does not slow down, or after one step.
 */
export function remainingDecrease(objectives: readonly number[]): number {
  const last = objectives.length - 1;
  const span = Math.min(SPAN, Math.floor(last / 2));
  if (span === 0) return Number.POSITIVE_INFINITY;
  const before = objectives[last - 2 * span] - objectives[last - span];
  const after = objectives[last - span] - objectives[last];
  if (after <= 0) return 0;
  return after < before ? (after * after) / (before - after) : Number.POSITIVE_INFINITY;
}
