import type { TreeLeaf, TreeNode } from "@vouch/core/internal/learners/description";

/** A gate or a leaf of a cascade, with the part of the rows that reaches it. */
export interface FlowBand {
  readonly node: TreeNode;
  /** The rows that reach it, as fractions of all: from and to. */
  readonly from: number;
  readonly to: number;
  /** The line of the picture that it is on, and the one that its rows come from; absent at the start. */
  readonly line: number;
  readonly source?: number;
  /** How its rows come here: "stays" or "goes on". */
  readonly outcome?: string;
}

/** Lays out a cascade: each gate above what it leads to, every row straight below where it came from. */
export function flowLayout(root: TreeNode): readonly FlowBand[] {
  const all = Math.max(1, countRows(root));
  const bands: FlowBand[] = [];
  const place = (node: TreeNode, from: number, above?: { line: number; outcome: string }): void => {
    const line = bands.length;
    const to = from + countRows(node) / all;
    bands.push({ node, from, to, line, ...(above && { source: above.line, outcome: above.outcome }) });
    if (node.kind === "leaf") return;
    let start = from;
    for (const { outcome, node: child } of node.branches) {
      place(child, start, { line, outcome });
      start += countRows(child) / all;
    }
  };
  place(root, 0);
  return bands;
}

function countRows({ rows = 0 }: TreeNode): number {
  return rows;
}

/** Returns the fraction of the rows of a leaf that it gets wrong; 0 if it is not known. */
export function wrongShare({ wrong = 0, rows = 0 }: TreeLeaf): number {
  return rows > 0 ? wrong / rows : 0;
}
