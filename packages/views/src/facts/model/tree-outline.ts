import type { TreeLeaf, TreeNode, TreeSplit } from "@vouch/core/internal/learners/description";

/** Maximum number of splits shown at first, and of levels to choose them from. */
const MOST_SPLITS = 31;
const MOST_LEVELS = 6;

/**
 * Chooses the splits to show at first. A small tree is shown completely. Of a large one, the splits with the most
 * training rows on the upper levels are shown, or the splits nearest to the root if rows are not counted. A node has at
 * least as many rows as its children, so all ancestors of a shown split are shown.
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

/** Counts the splits of a tree, including those its description leaves out. */
export function countSplits(node: TreeNode): number {
  if (node.kind === "leaf") return node.hiddenSplits ?? 0;
  return node.branches.reduce((sum, branch) => sum + countSplits(branch.node), 1);
}

/** Maximum number of classes listed for a leaf. */
const MOST_SHARES = 3;

/** Lists the largest class shares of a leaf; none for a pure leaf, whose label is enough. */
export function largestShares({
  shares = [],
}: Pick<TreeLeaf, "shares">): readonly { readonly class: string; readonly share: number }[] {
  const present = shares.filter(({ share }) => share > 0).toSorted((a, b) => b.share - a.share);
  return present.length > 1 ? present.slice(0, MOST_SHARES) : [];
}
