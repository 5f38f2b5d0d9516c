import * as real from "../runtime/maths/portable-math.js";

/**
 * Returns whether more of n independent events happened than their probability p explains: the Chernoff bound on the
 * tail of their number, exp(−n kl(events/n ‖ p)), is below e^−limit.
 */
export function exceedsShare(events: number, n: number, p: number, limit: number): boolean {
  const share = events / n;
  if (!(share > p)) return false;
  const part = (one: number, other: number) => (one === 0 ? 0 : one * real.log(one / other));
  return n * (part(share, p) + part(1 - share, 1 - p)) > limit;
}
