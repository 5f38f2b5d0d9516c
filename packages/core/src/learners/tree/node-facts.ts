import type { BinnedColumns } from "../../encode/binned-columns.js";
import * as real from "../../runtime/maths/portable-math.js";
import type { Pausable } from "../../runtime/parallel/pausable.js";
import type { TreeGrowth } from "./growth-options.js";
import type { TreeSet } from "./tree-set.js";

/** Rows that walk through a tree, and nodes that are counted, between two steps: a few milliseconds. */
export const ROWS_PER_STEP = 1 << 14;
const NODES_PER_STEP = 1 << 12;

/** The bins of rows, column after column. */
export type RowBins = Pick<BinnedColumns, "rows" | "bins">;

/** Rows with their classes and weights. */
export interface WeighedRows {
  readonly features: RowBins;
  readonly labels: Int32Array;
  /** Absent if all rows weigh 1. */
  readonly weights?: Float64Array | undefined;
}

/** The training rows in each node of a tree. */
export interface NodeFacts {
  readonly left: Int32Array;
  /** Number of rows. */
  readonly rows: Int32Array;
  /** Sum of their weights. */
  readonly weights: Float64Array;
  /** The class with the largest weight; ties go to the smaller index. */
  readonly classes: Int32Array;
  /** Weight of the rows of other classes: the training error of the node as a leaf. */
  readonly errors: Float64Array;
  /** Impurity times weight. */
  readonly impurities: Float64Array;
}

/** Finds the leaf of each listed row in a set of one tree. */
export function* leavesOfRows(tree: TreeSet, features: RowBins, rows: Int32Array): Pausable<Int32Array> {
  const leaves = new Int32Array(rows.length);
  for (let i = 0; i < rows.length; i++) {
    leaves[i] = tree.leafOf(0, features, rows[i]);
    if (i % ROWS_PER_STEP === ROWS_PER_STEP - 1) yield;
  }
  return leaves;
}

/**
 * Counts rows and classes in the nodes of a set of one tree. The classes of a node are merged from its children, the smaller
 * list into the larger one, so that many classes cost no more than many rows.
 */
export function* nodeFacts(
  tree: TreeSet,
  { features, labels, weights }: WeighedRows,
  rows: Int32Array,
  criterion: TreeGrowth["criterion"],
): Pausable<NodeFacts> {
  const left = tree.leftChildren(0);
  const nodes = left.length;
  const facts = {
    left,
    rows: new Int32Array(nodes),
    weights: new Float64Array(nodes),
    classes: new Int32Array(nodes),
    errors: new Float64Array(nodes),
    impurities: new Float64Array(nodes),
  };
  const merged = yield* leafClasses(tree, { features, labels, weights }, rows, facts);
  for (let node = nodes - 1; node >= 0; node--) {
    const child = left[node];
    if (child > 0) {
      facts.rows[node] = facts.rows[child] + facts.rows[child + 1];
      facts.weights[node] = facts.weights[child] + facts.weights[child + 1];
      merged[node] = mergedMaps(merged[child], merged[child + 1]);
      merged[child] = undefined;
      merged[child + 1] = undefined;
    }
    const classes = merged[node] ?? NO_CLASSES;
    const total = facts.weights[node];
    const heaviest = heaviestOf(classes);
    facts.classes[node] = heaviest;
    facts.errors[node] = Math.max(0, total - (classes.get(heaviest) ?? 0));
    facts.impurities[node] = impurityOf(classes, total, criterion);
    if (node % NODES_PER_STEP === 0) yield;
  }
  return facts;
}

type ClassWeights = ReadonlyMap<number, number>;

const NO_CLASSES: ClassWeights = new Map();

/** Sums the weight of each class in each leaf, and counts rows and weights; other nodes have no classes yet. */
export function* leafClasses(
  tree: TreeSet,
  { features, labels, weights }: WeighedRows,
  rows: Int32Array,
  counts: Pick<NodeFacts, "rows" | "weights">,
): Pausable<(Map<number, number> | undefined)[]> {
  const classes = new Array<Map<number, number> | undefined>(tree.nodes);
  const leaves = yield* leavesOfRows(tree, features, rows);
  for (let i = 0; i < rows.length; i++) {
    const leaf = leaves[i];
    const weight = weights ? weights[rows[i]] : 1;
    counts.rows[leaf]++;
    counts.weights[leaf] += weight;
    classes[leaf] ??= new Map();
    add(classes[leaf], labels[rows[i]], weight);
    if (i % ROWS_PER_STEP === ROWS_PER_STEP - 1) yield;
  }
  return classes;
}

function add(to: Map<number, number>, label: number, weight: number): void {
  to.set(label, (to.get(label) ?? 0) + weight);
}

function mergedMaps(
  a: Map<number, number> = new Map(),
  b: Map<number, number> = new Map(),
): Map<number, number> {
  const [small, large] = a.size < b.size ? [a, b] : [b, a];
  for (const [label, weight] of small) add(large, label, weight);
  return large;
}

function heaviestOf(classes: ClassWeights): number {
  let heaviest = 0;
  let most = 0;
  for (const [label, weight] of classes) {
    if (weight < most || (weight === most && label > heaviest)) continue;
    heaviest = label;
    most = weight;
  }
  return heaviest;
}

/** Computes weight times impurity: W − Σ w² / W for the Gini index, −Σ w ln(w / W) for the entropy. */
function impurityOf(classes: ClassWeights, total: number, criterion: TreeGrowth["criterion"]): number {
  let sum = 0;
  for (const weight of classes.values()) {
    sum += criterion === "gini" ? weight * (1 - weight / total) : -weight * real.log(weight / total);
  }
  return sum;
}
