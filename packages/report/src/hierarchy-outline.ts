/** Where a side of a node leads: to another node, by number, or to the only class that is left. */
export type HierarchyChild = { readonly node: number } | { readonly class: string };

/** A node of a hierarchy of classes. */
export interface HierarchyNode {
  readonly left: readonly string[];
  readonly right: readonly string[];
  /** Classes that the node does not tell apart: they go to both sides. */
  readonly ignored: readonly string[];
  /** The smallest distance of a training row from the surface that decides; not positive where rows are wrong. */
  readonly margin: number;
  /** Training rows of the classes on the left and on the right, and how many of them are on the wrong side. */
  readonly rows: number;
  readonly errors: number;
  readonly leftChild: HierarchyChild;
  readonly rightChild: HierarchyChild;
}

/** What a line of an outline shows. */
export type OutlineItem =
  | { readonly kind: "node"; readonly number: number; readonly node: HierarchyNode }
  | { readonly kind: "class"; readonly name: string }
  /** A node that has a line elsewhere, because several nodes lead to it. */
  | { readonly kind: "again"; readonly number: number }
  /** A node that there is no room for, with all below it. */
  | { readonly kind: "folded"; readonly classes: readonly string[]; readonly nodes: number };

/** A line of an outline: what it shows, and for itself and each line that it hangs on whether it is the last child. */
export interface OutlineLine {
  readonly item: OutlineItem;
  readonly last: readonly boolean[];
}

/**
 * A hierarchy line by line, as a tree: each node once, then its left child with all below it, then its right one. So many
 * nodes are shown, those nearest to the first one, and the others folded.
 */
export function hierarchyOutline(nodes: readonly HierarchyNode[], most: number): OutlineLine[] {
  const shown = nearest(nodes, most);
  const drawn = new Set<number>();
  const lines: OutlineLine[] = [];
  const draw = (child: HierarchyChild, last: readonly boolean[]): void => {
    lines.push({ item: itemOf(child, nodes, shown, drawn), last });
    if (!("node" in child) || !shown.has(child.node) || drawn.has(child.node)) return;
    drawn.add(child.node);
    const { leftChild, rightChild } = nodes[child.node - 1];
    draw(leftChild, [...last, false]);
    draw(rightChild, [...last, true]);
  };
  if (nodes.length > 0) draw({ node: 1 }, []);
  return lines;
}

/** Names up to a number of them, and how many more there are. */
export function shortNames(names: readonly string[], most: number): string {
  if (names.length <= most + 1) return names.join(", ");
  return `${names.slice(0, most).join(", ")} and ${names.length - most} more`;
}

function itemOf(
  child: HierarchyChild,
  nodes: readonly HierarchyNode[],
  shown: ReadonlySet<number>,
  drawn: ReadonlySet<number>,
): OutlineItem {
  if (!("node" in child)) return { kind: "class", name: child.class };
  const number = child.node;
  if (drawn.has(number)) return { kind: "again", number };
  const node = nodes[number - 1];
  if (shown.has(number)) return { kind: "node", number, node };
  const classes = [...node.left, ...node.ignored, ...node.right];
  return { kind: "folded", classes, nodes: nearest(nodes, Number.POSITIVE_INFINITY, number).size };
}

/** The numbers of so many nodes, nearest to one of them first. */
function nearest(nodes: readonly HierarchyNode[], most: number, from = 1): Set<number> {
  const found = new Set([from]);
  for (const number of found) {
    const { leftChild, rightChild } = nodes[number - 1] ?? {};
    for (const child of [leftChild, rightChild]) {
      if (child && "node" in child && found.size < most) found.add(child.node);
    }
  }
  return found;
}
