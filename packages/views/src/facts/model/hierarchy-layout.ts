import type { DescribedChild, DescribedNode } from "@vouch/core/internal/learners/description";

/** A node of the graph of a hierarchy. */
export interface GraphNode {
  readonly key: string;
  readonly kind: "node" | "class" | "folded";
  /** Node number; the first number of folded nodes; absent for a class. */
  readonly number?: number;
  /** Class name; absent for nodes. */
  readonly name?: string;
  /** Column from the left and row from the top; inner nodes may lie between rows. */
  readonly column: number;
  readonly row: number;
}

/** An edge of the graph, by keys: a side of a node and its target. */
export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  readonly side: "left" | "right";
}

/** A hierarchy laid out in columns, from left to right. */
export interface HierarchyGraph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  readonly columns: number;
  readonly rows: number;
}

/**
 * Lays out a hierarchy as a layered graph. A node is to the right of all its parents, level with the middle of its
 * targets. Only the nodes in `shown` are drawn. A class has one end for each node that decides on it.
 */
export function hierarchyGraph(nodes: readonly DescribedNode[], shown: ReadonlySet<number>): HierarchyGraph {
  const columns = nodeColumns(nodes, shown);
  const placed = new Map<string, GraphNode>();
  const edges: GraphEdge[] = [];
  let rows = 0;
  const place = (child: DescribedChild, column: number, parent: number): string => {
    const key = nodeKey(child, parent);
    if (placed.has(key)) return key;
    if (!("node" in child)) {
      placed.set(key, { key, kind: "class", name: child.class, column, row: rows++ });
      return key;
    }
    const { node: number } = child;
    if (!shown.has(number)) {
      placed.set(key, { key, kind: "folded", number, column, row: rows++ });
      return key;
    }
    const own = columns.get(number) ?? 0;
    // Reserve the key, so that links back find it.
    placed.set(key, { key, kind: "node", number, column: own, row: rows });
    const { leftChild, rightChild } = nodes[number - 1];
    const before = rows;
    for (const [side, next] of [
      ["left", leftChild],
      ["right", rightChild],
    ] as const) {
      edges.push({ from: key, to: place(next, own + 1, number), side });
    }
    // A node whose children are all drawn elsewhere gets its own row.
    const last = rows > before ? rows - 1 : rows++;
    placed.set(key, { key, kind: "node", number, column: own, row: (before + last) / 2 });
    return key;
  };
  if (nodes.length > 0) place({ node: 1 }, 0, 0);
  const all = [...placed.values()];
  return { nodes: all, edges, columns: 1 + Math.max(0, ...all.map(({ column }) => column)), rows };
}

function nodeKey(child: DescribedChild, parent: number): string {
  return "node" in child ? `node ${child.node}` : `class ${parent} ${child.class}`;
}

/** Returns the column of each shown node: the length of the longest path to it. */
function nodeColumns(
  nodes: readonly DescribedNode[],
  shown: ReadonlySet<number>,
): ReadonlyMap<number, number> {
  const columns = new Map([[1, 0]]);
  const visit = (number: number, column: number): void => {
    const { leftChild, rightChild } = nodes[number - 1];
    for (const child of [leftChild, rightChild]) {
      if (!("node" in child) || !shown.has(child.node) || (columns.get(child.node) ?? -1) > column) continue;
      columns.set(child.node, column + 1);
      visit(child.node, column + 1);
    }
  };
  if (nodes.length > 0) visit(1, 0);
  return columns;
}
