import { logTreeGrowth } from "./growth-tree-committee.js";

/**
 * An upper bound of the VC dimension of trees with at most L leaves on d numeric features: the largest k for which 2^k is
 * at most the number of ways in which such trees can label k points (`logTreeGrowth`), found by halving. There is such a
 * k: that number grows like k^{L−1}.
 */
export function treeVcDimension(features: number, leaves: number): number {
  const family = { features, leaves, classes: 2 };
  const fits = (points: number) => points * Math.LN2 <= logTreeGrowth(points, family);
  let low = 1;
  let high = 2;
  while (fits(high)) [low, high] = [high, 2 * high];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low;
}
