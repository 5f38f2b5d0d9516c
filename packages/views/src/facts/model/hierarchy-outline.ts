import type { DescribedChild, DescribedNode } from "@vouch/core/internal/learners/description";
import { formatCount, formatNumber, shortList } from "@vouch/core/internal/runtime/text/number-format";

export type OutlineItem =
  | { readonly kind: "node"; readonly number: number; readonly node: DescribedNode }
  | { readonly kind: "class"; readonly name: string }
  /** A node that is listed elsewhere, because several nodes lead to it. */
  | { readonly kind: "again"; readonly number: number }
  /** A node that is folded, with everything below it. */
  | { readonly kind: "folded"; readonly classes: readonly string[]; readonly nodes: number };

/** A line of an outline. The flags say whether the item and each of its ancestors is the last child. */
export interface OutlineLine {
  readonly item: OutlineItem;
  readonly last: readonly boolean[];
}

/**
 * Outlines a hierarchy as a tree, line by line: each node once, then its left subtree, then its right one. Shows the
 * `most` nodes nearest to the root and folds the rest.
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

/** Lists up to `most` names and counts the rest. */
export function shortNames(names: readonly string[], most: number): string {
  // The last name takes no more room than a count.
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

/** Finds up to `most` nodes from `from` downwards, level by level. */
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
