import { logHalfSpaceGrowth } from "./growth-half-spaces.js";

/**
 * ln of how many ways deep cascades can label n points. Level k < l has a function f_k of a space of dimension D_k, which
 * has the constants in it: points with |f_k(x)| ≤ c_k go on, the others get the sign of f_k; the last level gives its sign to
 * all that reach it. What becomes of a point at level k depends on the signs of f_k(x) − c_k, f_k(x) + c_k and f_k(x), which
 * are linear in (f_k, c_k). So level k treats n points in no more ways than half-spaces of dimension D_k + 2 label 3n
 * points, where the second new dimension decides ties, and the last one in no more ways than those of dimension D_l label n:
 *
 *     ln Π(n) ≤ Σ_{k<l} ln Π_{D_k+2}(3n) + ln Π_{D_l}(n),   Π_D(n) = 2 Σ_{i<D} C(n − 1, i).
 *
 * @param dimensions D_1, …, D_l
 */
export function logCascadeGrowth(points: number, dimensions: readonly number[]): number {
  const last = dimensions.length - 1;
  const logs = dimensions.map((dimension, k) =>
    k === last ? logHalfSpaceGrowth(points, dimension) : logHalfSpaceGrowth(3 * points, dimension + 2),
  );
  return Math.min(
    points * Math.LN2,
    logs.reduce((sum, log) => sum + log, 0),
  );
}
