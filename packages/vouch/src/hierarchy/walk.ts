import type { Matrix } from "../numeric/matrix.js";
import type { GraphNode } from "./graph.js";
import type { Machines } from "./machines.js";

/** The rows that come to a node, and f(x) of each; rows with f(x) < 0 go to the left, the others to the right. */
export type NodeVisit = (node: number, rows: Int32Array, values: Float64Array) => void;

/**
 * Sends rows from the first node to a class each. All rows of a node are evaluated at once: children come after their
 * parents, so all that come to a node are there when its turn comes.
 */
export function walk(
  graph: readonly GraphNode[],
  machines: Machines,
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
  machines: Machines,
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
