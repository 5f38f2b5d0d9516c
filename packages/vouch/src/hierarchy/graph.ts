/** Where a side of a node leads: to another node, or to the only class that is left. */
export type Child =
  | { readonly kind: "node"; readonly node: number }
  | { readonly kind: "class"; readonly class: number };

/** The classes of a node and their colours. */
export interface ColouredClasses {
  /** By index, ascending. */
  readonly classes: Int32Array;
  /** −1: left, +1: right, 0: ignored, so on both sides. */
  readonly colours: Int8Array;
}

/** A node of a hierarchy. */
export interface GraphNode extends ColouredClasses {
  readonly left: Child;
  readonly right: Child;
}

/** The classes of the left (−1) or right (+1) child: all but those of the other side. */
export function childClasses({ classes, colours }: ColouredClasses, side: -1 | 1): Int32Array {
  return classes.filter((_, k) => colours[k] !== -side);
}

/** What a set of classes is known by. */
export function classSetKey(classes: Int32Array): string {
  return classes.join();
}

/**
 * The graph of nodes that have different classes each: what a side leads to follows from the colours. The nodes come with
 * fewer and fewer classes, so children after their parents, and the first one has all classes. Undefined if some child is
 * missing or there is a node that no path leads to.
 */
export function graphOf(nodes: readonly ColouredClasses[]): GraphNode[] | undefined {
  const places = new Map(nodes.map(({ classes }, place) => [classSetKey(classes), place]));
  if (places.size < nodes.length) return undefined;
  const reached = new Set([0]);
  const childOf = (node: ColouredClasses, place: number, side: -1 | 1): Child | undefined => {
    const classes = childClasses(node, side);
    if (classes.length === 1) return { kind: "class", class: classes[0] };
    const child = places.get(classSetKey(classes));
    if (child === undefined || child <= place || !reached.has(place)) return undefined;
    reached.add(child);
    return { kind: "node", node: child };
  };
  const graph: GraphNode[] = [];
  for (const [place, { classes, colours }] of nodes.entries()) {
    const node = { classes, colours };
    const left = childOf(node, place, -1);
    const right = childOf(node, place, 1);
    if (!left || !right) return undefined;
    graph.push({ ...node, left, right });
  }
  return reached.size === nodes.length ? graph : undefined;
}

/** How many nodes the longest path from the first node goes through. */
export function depthOf(graph: readonly GraphNode[]): number {
  const depths = new Int32Array(graph.length);
  for (let j = graph.length - 1; j >= 0; j--) {
    const below = [graph[j].left, graph[j].right].map((child) =>
      child.kind === "node" ? depths[child.node] : 0,
    );
    depths[j] = 1 + Math.max(...below);
  }
  return depths[0];
}
