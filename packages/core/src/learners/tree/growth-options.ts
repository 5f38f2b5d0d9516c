import { VouchError } from "../../runtime/vouch-error.js";

/** Growth of a tree. Limits on rows count bootstrap duplicates and ignore weights. */
export interface TreeGrowth {
  /** Impurity that splits lower. */
  readonly criterion: "gini" | "entropy";
  /**
   * `best`: the best cut of `featuresPerSplit` random features; `random`: one random cut of one random feature, as in
   * completely random trees. As in scikit-learn, features that are constant in the node do not count.
   */
  readonly splits: "best" | "random";
  /** At least 1; larger numbers than that of the features mean all. Ignored by random splits. */
  readonly featuresPerSplit: number;
  /** A tree of depth 0 is one leaf; Infinity is allowed. */
  readonly maxDepth: number;
  /** Minimum number of rows on each side of a split. */
  readonly minLeafRows: number;
  /** Nodes with fewer rows are leaves. */
  readonly minSplitRows: number;
}

/** Growth without limits, by the best split of all features. */
export const FULL_GROWTH: TreeGrowth = {
  criterion: "gini",
  splits: "best",
  featuresPerSplit: Infinity,
  maxDepth: Infinity,
  minLeafRows: 1,
  minSplitRows: 2,
};

/** Operations to read a cell of a feature in a search for splits, for estimates of time. */
export const WORK_PER_CELL = 10;

/** Kernels take limits as 32-bit integers; there are never more rows or levels than this. */
const MOST = 2 ** 29;

/** Returns the growth with all limits as integers that kernels take. */
export function checkedGrowth(growth: TreeGrowth): TreeGrowth {
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
  throw new VouchError("option/invalid", `A tree cannot be grown with ${name} ${value}.`, {
    hint: `${name} is a whole number ≥ ${least}.`,
  });
}
