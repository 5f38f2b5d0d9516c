import type { TreeLeaf, TreeNode, TreeSplit } from "@vouch/core/internal/learners/description";

/** Splits that are shown at first, and the levels that they are on if there are more. */
const MOST_SPLITS = 31;
const MOST_LEVELS = 6;

/**
 * Chooses the splits of a tree that are shown at first: all of a small tree; on the upper levels of a large one those with the most training rows, or those nearest
 * to the root if rows are not counted. A node has at least as many rows as those below it, so no split is shown without those
 * above.
 */
export function shownSplits(root: TreeNode): ReadonlySet<TreeSplit> {
  const upper: TreeSplit[] = [];
  let level: readonly TreeNode[] = [root];
  const levels = countSplits(root) > MOST_SPLITS ? MOST_LEVELS : Number.POSITIVE_INFINITY;
  for (let depth = 0; depth < levels && level.length > 0; depth++) {
    const splits = level.filter((node) => node.kind === "split");
    upper.push(...splits);
    level = splits.flatMap(({ branches }) => branches.map(({ node }) => node));
  }
  const ordered = upper.toSorted((a, b) => (b.rows ?? 0) - (a.rows ?? 0));
  return new Set(ordered.slice(0, MOST_SPLITS));
}

/** Counts the splits of a tree, with those that its description leaves out. */
export function countSplits(node: TreeNode): number {
  if (node.kind === "leaf") return node.hiddenSplits ?? 0;
  return node.branches.reduce((sum, branch) => sum + countSplits(branch.node), 1);
}

/** Classes of a leaf that are listed with their shares. */
const MOST_SHARES = 3;

/** Lists the largest class shares of a leaf; none if it is pure, since its label says it all. */
export function largestShares({
  shares = [],
}: Pick<TreeLeaf, "shares">): readonly { readonly class: string; readonly share: number }[] {
  const present = shares.filter(({ share }) => share > 0).toSorted((a, b) => b.share - a.share);
  return present.length > 1 ? present.slice(0, MOST_SHARES) : [];
}
