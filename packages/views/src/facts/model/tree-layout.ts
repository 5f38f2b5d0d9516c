import type { TreeNode, TreeSplit } from "@vouch/core/internal/learners/description";

/** Maximum number of leaves and folded branches side by side. */
const MOST_ENDS = 8;
const MOST_LEVELS = 5;

/** A node of the picture of a tree. */
export interface PlacedNode {
  readonly node: TreeNode;
  /** Whether its branches are drawn. */
  readonly open: boolean;
  /** Horizontal position, where the first end is at 0.5. */
  readonly x: number;
  readonly level: number;
  /** The outcome of the parent split that leads here; absent for the root. */
  readonly from?: { readonly parent: TreeSplit; readonly outcome: string };
}

export interface TreeLayout {
  /** The nodes, parents first. */
  readonly placed: readonly PlacedNode[];
  readonly ends: number;
  readonly levels: number;
}

/** Lays out the part of a tree that fits: splits are opened from the root, those with the most rows first. */
export function treeLayout(root: TreeNode): TreeLayout {
  const open = openSplits(root);
  const placed: PlacedNode[] = [];
  let ends = 0;
  const place = (node: TreeNode, level: number, from: PlacedNode["from"]): number => {
    const at = placed.length;
    const isOpen = node.kind === "split" && open.has(node);
    placed.push({ node, open: isOpen, x: 0, level, from });
    const middles = isOpen
      ? node.branches.map(({ outcome, node: child }) => place(child, level + 1, { parent: node, outcome }))
      : [ends++ + 0.5];
    const x = (middles[0] + middles[middles.length - 1]) / 2;
    placed[at] = { ...placed[at], x };
    return x;
  };
  place(root, 0, undefined);
  return { placed, ends, levels: 1 + Math.max(...placed.map(({ level }) => level)) };
}

function openSplits(root: TreeNode): ReadonlySet<TreeSplit> {
  const open = new Set<TreeSplit>();
  let closed = root.kind === "split" ? [{ split: root, level: 1 }] : [];
  let ends = 1;
  while (closed.length > 0) {
    const [next, ...rest] = closed.toSorted((a, b) => (b.split.rows ?? 0) - (a.split.rows ?? 0));
    ends += next.split.branches.length - 1;
    if (ends > MOST_ENDS) return open;
    open.add(next.split);
    const below = next.split.branches.flatMap(({ node }) =>
      node.kind === "split" && next.level + 1 < MOST_LEVELS ? [{ split: node, level: next.level + 1 }] : [],
    );
    closed = [...rest, ...below];
  }
  return open;
}
