import { VouchError } from "../error.js";

/** How a tree is grown. Rows count as often as bootstrap has drawn them; weights do not count as rows. */
export interface Growth {
  /** What makes a split good: the Gini index or the entropy of the classes on its two sides. */
  readonly criterion: "gini" | "entropy";
  /**
   * `best`: the best cut of `featuresPerSplit` random features; `random`: one random cut of one random feature, as in
   * completely random trees. As in scikit-learn, the search goes on until a feature was seen that is not constant in
   * the node.
   */
  readonly splits: "best" | "random";
  /** From 1 to the number of features, which is as good as any larger number; not used by random splits. */
  readonly featuresPerSplit: number;
  /** A tree of depth 0 is one leaf; Infinity is allowed. */
  readonly maxDepth: number;
  /** Splits leave at least so many rows on each side. */
  readonly minLeafRows: number;
  /** Nodes with fewer rows are leaves. */
  readonly minSplitRows: number;
}

/** Growth without limits, by the best cut of all features. */
export const FULL_GROWTH: Growth = {
  criterion: "gini",
  splits: "best",
  featuresPerSplit: Infinity,
  maxDepth: Infinity,
  minLeafRows: 1,
  minSplitRows: 2,
};

/** Kernels take limits as 32-bit integers: more rows or levels than this there never are. */
const MOST = 2 ** 29;

/** The same growth with all limits as integers that kernels take. */
export function checkedGrowth(growth: Growth): Growth {
  return {
    ...growth,
    featuresPerSplit: checkedLimit("featuresPerSplit", growth.featuresPerSplit, 1),
    maxDepth: checkedLimit("maxDepth", growth.maxDepth, 0),
    minLeafRows: checkedLimit("minLeafRows", growth.minLeafRows, 1),
    minSplitRows: checkedLimit("minSplitRows", growth.minSplitRows, 0),
  };
}

function checkedLimit(name: string, value: number, least: number): number {
  const limit = Math.min(value, MOST);
  if (Number.isInteger(limit) && limit >= least) return limit;
  throw new VouchError("option/invalid", `${name} of a tree is ${value}.`, {
    hint: `${name} is a whole number from ${least}.`,
  });
}
