import * as real from "../../runtime/maths/portable-math.js";
import { VouchError } from "../../runtime/vouch-error.js";
import type { LabelledBins } from "./boosted-rows.js";

/** Sums of weights beyond this overflow when they are squared, or vanish. */
const LARGEST_WEIGHT = 1e100;

/** Throws if the sum of the weights of rows is too large or too small. */
export function checkTotalWeight(total: number): void {
  if (total <= LARGEST_WEIGHT && total >= 1 / LARGEST_WEIGHT) return;
  throw new VouchError("data/malformed", `The weights of the rows sum to ${total}.`, {
    hint: "Rescale the weights so that they average 1.",
  });
}

/** The share of the weight that a class without rows gets. */
const SMALLEST_SHARE = 1e-9;

/** Computes margins that give each class its share of the weight: log(p₁ / p₀) for two classes, otherwise log(p_k). */
export function initialMargins({ labels, weights }: LabelledBins, classes: number): Float64Array {
  const shares = new Float64Array(classes);
  const total = weights ? weights.reduce((sum, weight) => sum + weight, 0) : labels.length;
  addShares(shares, { labels, weights }, total);
  return marginsFrom(shares);
}

/** Adds the shares of rows in the total weight to those of their classes, row by row. */
export function addShares(
  shares: Float64Array,
  { labels, weights }: Pick<LabelledBins, "labels" | "weights">,
  total: number,
): void {
  const share = 1 / total;
  for (let i = 0; i < labels.length; i++) shares[labels[i]] += weights ? weights[i] / total : share;
}

/** Computes the margins from the shares of the classes. */
export function marginsFrom(shares: Float64Array): Float64Array {
  const logarithms = shares.map((share) => real.log(Math.max(share, SMALLEST_SHARE)));
  return shares.length === 2 ? Float64Array.of(logarithms[1] - logarithms[0]) : logarithms;
}
