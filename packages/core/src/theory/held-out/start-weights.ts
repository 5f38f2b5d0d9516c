import * as real from "../../runtime/maths/portable-math.js";

/**
 * Weights of a test that may have to start at any time: prior probabilities of the times 0 < 1 < 2 < … that sum to 1 over all of them. With
 *
 *     T(n) = 1 / (1 + ln(1 + n/s)),   the time in (m, n] has the weight T(m) − T(n).
 *
 * T falls to 0, so the weights of any division of time into intervals sum to 1. Up to about the time s each unit has the weight 1/s; later ones
 * have about 1/(n ln²(n/s)), which is close to the slowest fall that has a sum. Evidence that starts at n thus costs about ln n, whatever n is.
 */

/** Returns T(n): the weight of all times after n. */
export function weightAfter(n: number, scale: number): number {
  return 1 / (1 + real.log1p(n / scale));
}

/** Returns T(m) − T(n): the weight of the times in (m, n]. Nothing cancels, so it is accurate also for a single step after 10⁹. */
export function weightBetween(m: number, n: number, scale: number): number {
  return real.log1p((n - m) / (scale + m)) * weightAfter(m, scale) * weightAfter(n, scale);
}
