import type { DescribedChild, DescribedNode } from "@vouch/core/internal/learners/description";
import { formatCount, formatNumber, shortList } from "@vouch/core/internal/runtime/text/number-format";

/** The content of a line of an outline. */
export type OutlineItem =
  | { readonly kind: "node"; readonly number: number; readonly node: DescribedNode }
  | { readonly kind: "class"; readonly name: string }
  /** A node that has a line elsewhere because several nodes lead to it. */
  | { readonly kind: "again"; readonly number: number }
  /** A node without room for it, with all below it. */
  | { readonly kind: "folded"; readonly classes: readonly string[]; readonly nodes: number };

/** A line of an outline: its content, and whether it and each of its ancestors is the last child. */
export interface OutlineLine {
  readonly item: OutlineItem;
  readonly last: readonly boolean[];
}

/**
 * Outlines a hierarchy line by line, as a tree: each node once, then its left child with all below it, then its right one. At
 * most `most` nodes are shown, those nearest to the root; the others are folded.
 */
export function hierarchyOutline(nodes: readonly DescribedNode[], most: number): OutlineLine[] {
  const shown = nearestNodes(nodes, most);
  const drawn = new Set<number>();
  const lines: OutlineLine[] = [];
  const draw = (child: DescribedChild, last: readonly boolean[]): void => {
    lines.push({ item: outlineItem(child, nodes, shown, drawn), last });
    if (!("node" in child) || !shown.has(child.node) || drawn.has(child.node)) return;
    drawn.add(child.node);
    const { leftChild, rightChild } = nodes[child.node - 1];
    draw(leftChild, [...last, false]);
    draw(rightChild, [...last, true]);
  };
  if (nodes.length > 0) draw({ node: 1 }, []);
  return lines;
}

/** Lists up to a number of names, and how many more there are. */
export function shortNames(names: readonly string[], most: number): string {
  // The last of them takes no more room than its number.
  return shortList(names, names.length === most + 1 ? names.length : most);
}

function outlineItem(
  child: DescribedChild,
  nodes: readonly DescribedNode[],
  shown: ReadonlySet<number>,
  drawn: ReadonlySet<number>,
): OutlineItem {
  if (!("node" in child)) return { kind: "class", name: child.class };
  const number = child.node;
  if (drawn.has(number)) return { kind: "again", number };
  const node = nodes[number - 1];
  if (shown.has(number)) return { kind: "node", number, node };
  const classes = [...node.left, ...node.ignored, ...node.right];
  return { kind: "folded", classes, nodes: nearestNodes(nodes, Number.POSITIVE_INFINITY, number).size };
}

/** Finds the numbers of at most `most` nodes: `from`, and those below it, level by level. */
export function nearestNodes(nodes: readonly DescribedNode[], most: number, from = 1): Set<number> {
  const found = new Set([from]);
  for (const number of found) {
    const { leftChild, rightChild } = nodes[number - 1] ?? {};
    for (const child of [leftChild, rightChild]) {
      if (child && "node" in child && found.size < most) found.add(child.node);
    }
  }
  return found;
}

/** Describes a node: "26 classes, 3 ignored, margin 0.12, no training error" */
export function nodeSummary({ left, right, ignored, margin, rows, errors }: DescribedNode): string {
  const facts = [formatCount(left.length + right.length + ignored.length, "class", "classes")];
  if (ignored.length > 0) facts.push(`${formatNumber(ignored.length)} ignored`);
  if (errors === 0) facts.push(`margin ${formatNumber(margin)}`);
  facts.push(
    errors === 0
      ? "no training error"
      : `${formatNumber(errors)} of ${formatCount(rows, "training row")} misclassified`,
  );
  return facts.join(", ");
}
