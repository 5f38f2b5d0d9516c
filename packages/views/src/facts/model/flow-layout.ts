import type { TreeLeaf, TreeNode } from "@vouch/core/internal/learners/description";

/** A gate or leaf of a cascade, with the share of rows that reaches it. */
export interface FlowBand {
  readonly node: TreeNode;
  /** Start and end of the rows that reach it, as fractions of all rows. */
  readonly from: number;
  readonly to: number;
  /** Line of the picture, and the line that its rows come from; absent for the first. */
  readonly line: number;
  readonly source?: number;
  /** How the rows get here: "stays" or "goes on". */
  readonly outcome?: string;
}

/** Lays out a cascade: each gate above its outcomes, and rows straight below their origin. */
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

/** Returns the fraction of a leaf's rows that it misclassifies; 0 if unknown. */
export function wrongShare({ wrong = 0, rows = 0 }: TreeLeaf): number {
  return rows > 0 ? wrong / rows : 0;
}
