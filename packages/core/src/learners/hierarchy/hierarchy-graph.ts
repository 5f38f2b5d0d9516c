import { converted, object } from "../../runtime/codec/parts.js";
import { int8, int32, records } from "../../runtime/codec/tensor-parts.js";
import { Matrix } from "../../runtime/maths/matrix.js";
import { type HierarchyMachines, nodeValues } from "./node-machines.js";

/** The classes of a node and their colours. */
export interface ColouredClasses {
  /** Indices, ascending. */
  readonly classes: Int32Array;
  /** −1: left, +1: right, 0: ignored, so on both sides. */
  readonly colours: Int8Array;
}

/** A node and how its machine does on the training rows of the classes that take part. */
interface NodeFacts extends ColouredClasses {
  readonly rows: number;
  readonly errors: number;
  /** ‖w‖² */
  readonly squaredNorm: number;
  /** The smallest y·f(x) of a row. */
  readonly smallestValue: number;
  /** The largest violation of the KKT conditions that the solver left. */
  readonly gap: number;
}

/** The child on one side of a node: another node, or the only class that is left. */
export type Child =
  | { readonly kind: "node"; readonly node: number }
  | { readonly kind: "class"; readonly class: number };

/** A node of a hierarchy. */
export interface HierarchyNode extends NodeFacts {
  readonly left: Child;
  readonly right: Child;
}

/** Selects the classes of the left (−1) or right (+1) child: all but those of the other side. */
export function childClasses({ classes, colours }: ColouredClasses, side: -1 | 1): Int32Array {
  return classes.filter((_, k) => colours[k] !== -side);
}

/** Returns a key that sets of the same classes share. */
export function classSetKey(classes: Int32Array): string {
  return classes.join();
}

/**
 * Links nodes with different classes to a graph: the colours say where each side leads. Nodes come by decreasing number of
 * classes, so children after their parents; the first has all classes. Returns undefined if a child is missing or a node
 * cannot be reached.
 */
export function linkedNodes(nodes: readonly NodeFacts[]): readonly HierarchyNode[] | undefined {
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
  const linked: HierarchyNode[] = [];
  for (const [place, node] of nodes.entries()) {
    const left = childOf(node, place, -1);
    const right = childOf(node, place, 1);
    if (!left || !right) return undefined;
    linked.push({ ...node, left, right });
  }
  return reached.size === nodes.length ? linked : undefined;
}

/** The nodes of a hierarchy; their number is the size `nodes`. */
export const hierarchyNodes = converted(
  object({
    facts: records("nodes", {
      size: { type: "int32", min: 2 },
      rows: { type: "int32", min: 2 },
      errors: { type: "int32", min: 0 },
      squaredNorm: { type: "float64", min: 0 },
      smallestValue: { type: "float64" },
      gap: { type: "float64", min: 0 },
    }),
    /** Classes and colours of all nodes, one node after the other. */
    members: int32(["members"], { min: 0, below: "classes" }),
    colours: int8(["members"], { min: -1, max: 1 }),
  }),
  (nodes: readonly HierarchyNode[]) => ({
    facts: nodes.map((node) => ({ ...node, size: node.classes.length })),
    members: Int32Array.from(nodes.flatMap(({ classes }) => Array.from(classes))),
    colours: Int8Array.from(nodes.flatMap(({ colours }) => Array.from(colours))),
  }),
  ({ facts, members, colours }) => {
    let end = 0;
    const nodes = facts.map(({ size, ...node }) => {
      const start = end;
      end += size;
      return { ...node, classes: members.slice(start, end), colours: colours.slice(start, end) };
    });
    if (end !== members.length) return `its nodes have ${end} classes, and not ${members.length}`;
    return (
      nodes.map(faultOf).find((fault) => fault) ?? linkedNodes(nodes) ?? "a node has no child or no parent"
    );
  },
);

function faultOf({ classes, colours, rows, errors }: NodeFacts, j: number): string | undefined {
  if (errors > rows) return `node ${j + 1} has ${errors} errors on ${rows} rows`;
  if (!classes.every((k, place) => place === 0 || k > classes[place - 1]))
    return `the classes of node ${j + 1} are [${classes}]`;
  return colours.includes(-1) && colours.includes(1) ? undefined : `node ${j + 1} has an empty side`;
}

/** Computes γ of a node: the smallest distance y·f(x)/‖w‖ of a training row from the hyperplane; not positive with errors. */
export function marginOf({ smallestValue, squaredNorm }: NodeFacts): number {
  return squaredNorm > 0 ? smallestValue / Math.sqrt(squaredNorm) : 0;
}

/** Selects the classes of a node with a colour; by default those that take part. */
export function coloured({ classes, colours }: ColouredClasses, colour?: -1 | 0 | 1): number[] {
  return Array.from(classes).filter((_, place) =>
    colour === undefined ? colours[place] !== 0 : colours[place] === colour,
  );
}

/** Counts the nodes on the longest path from the first node. */
export function depthOf(nodes: readonly HierarchyNode[]): number {
  const depths = new Int32Array(nodes.length);
  for (let j = nodes.length - 1; j >= 0; j--) {
    const below = [nodes[j].left, nodes[j].right].map((child) =>
      child.kind === "node" ? depths[child.node] : 0,
    );
    depths[j] = 1 + Math.max(...below);
  }
  return depths[0];
}

/** The rows that come to a node, and f(x) of each. */
export interface NodeVisit {
  readonly node: number;
  readonly rows: Int32Array;
  readonly values: Float64Array;
}

/** The paths of rows through a hierarchy. */
export interface RowPaths {
  /** The class at which each row arrives. */
  readonly arrived: Int32Array;
  readonly visits: readonly NodeVisit[];
}

/**
 * Sends rows from the first node to a class each: to the left if f(x) < 0, otherwise to the right. All rows of a node are
 * evaluated at once: children come after their parents, so every row that comes to a node is there when its turn comes.
 */
export function walk(
  nodes: readonly HierarchyNode[],
  machines: HierarchyMachines,
  features: Matrix,
): RowPaths {
  const arrived = new Int32Array(features.rows);
  const waiting: number[][] = nodes.map(() => []);
  const visits: NodeVisit[] = [];
  for (const [node, { left, right }] of nodes.entries()) {
    const rows = node === 0 ? Int32Array.from(arrived.keys()) : Int32Array.from(waiting[node]);
    waiting[node] = [];
    if (rows.length === 0) continue;
    const values = nodeValues(machines, node, features, rows);
    visits.push({ node, rows, values });
    for (let i = 0; i < rows.length; i++) {
      const child = values[i] < 0 ? left : right;
      if (child.kind === "node") waiting[child.node].push(rows[i]);
      else arrived[rows[i]] = child.class;
    }
  }
  return { arrived, visits };
}

/**
 * Scores classes by the path of each row. The class at which it arrives has the smallest |f(x)| of the nodes on the path
 * where that class takes part: how close a call it was. Any other class has −|f(x)| at the node that ruled it out. A class
 * that no node knows is infinite. f(x) is multiplied by the factor of the node.
 */
export function pathScores(
  nodes: readonly HierarchyNode[],
  { arrived, visits }: RowPaths,
  factors: ArrayLike<number>,
  columns: number,
): Matrix {
  const cells = new Float64Array(arrived.length * columns).fill(Number.POSITIVE_INFINITY);
  for (const { node, rows, values } of visits) {
    const { classes, colours } = nodes[node];
    for (let i = 0; i < rows.length; i++) {
      const start = rows[i] * columns;
      const side = values[i] < 0 ? -1 : 1;
      const size = Math.abs(values[i] * factors[node]);
      for (let place = 0; place < classes.length; place++) {
        if (colours[place] === 0) continue;
        const cell = start + classes[place];
        // A class that is ruled out is below zero, however small f(x) is: so it never ties with the winner.
        cells[cell] =
          colours[place] === side ? Math.min(cells[cell], size) : Math.min(-size, -Number.MIN_VALUE);
      }
    }
  }
  return new Matrix(arrived.length, columns, cells);
}
