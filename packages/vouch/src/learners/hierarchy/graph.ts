import type { Matrix } from "../../runtime/matrix.js";
import type { HierarchyMachines } from "./machines.js";

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

/** The rows that come to a node, and f(x) of each; rows with f(x) < 0 go to the left, the others to the right. */
type NodeVisit = (node: number, rows: Int32Array, values: Float64Array) => void;

/**
 * Sends rows from the first node to a class each. All rows of a node are evaluated at once: children come after their
 * parents, so all that come to a node are there when its turn comes.
 */
export function walk(
  graph: readonly GraphNode[],
  machines: HierarchyMachines,
  features: Matrix,
  visit: NodeVisit = () => {},
): Int32Array {
  const arrived = new Int32Array(features.rows);
  const waiting: number[][] = graph.map(() => []);
  for (const [node, { left, right }] of graph.entries()) {
    const rows = node === 0 ? Int32Array.from(arrived.keys()) : Int32Array.from(waiting[node]);
    waiting[node] = [];
    if (rows.length === 0) continue;
    const values = machines.values(node, features, rows);
    visit(node, rows, values);
    for (let i = 0; i < rows.length; i++) {
      const child = values[i] < 0 ? left : right;
      if (child.kind === "node") waiting[child.node].push(rows[i]);
      else arrived[rows[i]] = child.class;
    }
  }
  return arrived;
}

/**
 * What the walk says of each class of the graph: of the class that a row comes to, the smallest |f(x)| of the nodes on its
 * way where it took part, so how close a call it was; of any other class −|f(x)| at the node that ruled it out. f(x) is
 * multiplied by the factor of the node.
 */
export function pathScores(
  graph: readonly GraphNode[],
  machines: HierarchyMachines,
  features: Matrix,
  factors: ArrayLike<number>,
  scores: Matrix,
): void {
  const { columns, values: cells } = scores;
  cells.fill(Number.POSITIVE_INFINITY);
  walk(graph, machines, features, (node, rows, values) => {
    const { classes, colours } = graph[node];
    for (let i = 0; i < rows.length; i++) {
      const start = rows[i] * columns;
      const side = values[i] < 0 ? -1 : 1;
      const size = Math.abs(values[i] * factors[node]);
      for (let place = 0; place < classes.length; place++) {
        if (colours[place] === 0) continue;
        const cell = start + classes[place];
        // What is ruled out is below zero, however small f(x) is: so it never ties with the winner.
        cells[cell] =
          colours[place] === side ? Math.min(cells[cell], size) : Math.min(-size, -Number.MIN_VALUE);
      }
    }
  });
}
