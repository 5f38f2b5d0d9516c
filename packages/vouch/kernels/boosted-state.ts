import { NODE_SHIFT, SET_BYTES } from "./tree-node";

/** Bytes of the cell of a histogram: the sum of the gradients and that of the Hessians, both f64. */
@inline export const CELL_SHIFT: usize = 4;

/**
 * Bytes between the histograms of two features: 256 cells, and a line of the cache more, lest the same bin of all
 * features is at the same place of the cache.
 */
@inline export const FEATURE_BYTES: usize = 4160;

/** Bytes of what a worker needs to order categories: 256 ratios, f64, and as many bins, i32. */
@inline const ORDER_BYTES: usize = 3072;

/** Bytes of what a worker needs besides for patterns of features with two values: two histograms of 256 cells. */
@inline const PATTERN_BYTES: usize = 8192;

@inline const WORKER_BYTES: usize = ORDER_BYTES + PATTERN_BYTES;

/**
 * A node of the tree that grows. Sums are in units: integers, so that they are exact, and the same in whatever order
 * rows were added.
 */
@unmanaged export class Node {
  gradient: f64;
  hessian: f64;
  /** Its rows, in `list`. */
  begin: i32;
  end: i32;
  /** Whether it may be split; otherwise it is a leaf, and written. */
  isOpen: bool;
  /** The left child, which the right one follows; 0 if it is not split. */
  left: i32;
  /** Where its histogram is kept for its children; 0 if nowhere. */
  histogram: usize;
  /** Whether the histogram is still that of the parent, from which that of the sibling is to be taken. */
  isDerived: bool;
}

/** The best split of a node among those that a worker has looked at. */
@unmanaged export class Split {
  /** GL² / (HL + λ) + GR² / (HR + λ), in units; what the node itself has if there is none. */
  score: f64;
  leftGradient: f64;
  leftHessian: f64;
  /** −1 if there is none. */
  feature: i32;
  cut: i32;
  missingLeft: bool;
  /** Whether cells are missing in the node. */
  hasMissing: bool;
  categorical: bool;
  // For categories: bins that go left, and bins that occur.
  set0: u64;
  set1: u64;
  set2: u64;
  set3: u64;
  present0: u64;
  present1: u64;
  present2: u64;
  present3: u64;
}

/** A tree that grows, level by level. */
@unmanaged export class Boosted {
  // The sample
  table: usize;
  columns: i32;
  cells: usize;
  stride: i32;
  /** Gradient and Hessian of each row, two i32, in units. */
  gradients: usize;

  // How it grows, in units where it is about sums
  lambda: f64;
  gamma: f64;
  minChildWeight: f64;
  rate: f64;
  maxDepth: i32;
  /** Whether a feature may be asked for: a byte for each, in rows `maskStride` apart for the nodes of a level. */
  mask: usize;
  maskStride: i32;

  // Rows of a node are next to each other in the list, u32.
  list: usize;
  other: usize;

  // Histograms
  histogramBytes: usize;
  /** For nodes without a place of their own. */
  spare: usize;
  free: usize;
  freeCount: i32;

  // Nodes, and the best splits of the nodes of a level for each worker
  items: usize;
  splits: usize;
  leaves: i32;
  scratch: usize;
  levelBegin: i32;
  levelEnd: i32;
  depth: i32;
  workers: i32;

  // The tree so far: see `tree-node.ts`. Leaves have one share each, their value; gains are those of the splits.
  nodes: usize;
  nodeCount: i32;
  sets: usize;
  setCount: i32;
  values: usize;
  valueCount: i32;
  gains: usize;
  gainCount: i32;
}

@inline export function nodeAt(tree: Boosted, index: i32): Node {
  return changetype<Node>(tree.items + <usize>index * offsetof<Node>());
}

/** The best split that a worker knows of a node of the level. */
@inline export function splitOf(tree: Boosted, worker: i32, node: i32): Split {
  const place = <usize>worker * tree.leaves + (node - tree.levelBegin);
  return changetype<Split>(tree.splits + place * offsetof<Split>());
}

/** Where a worker orders categories: ratios, and bins behind them. */
@inline export function orderOf(tree: Boosted, worker: i32): usize {
  return tree.scratch + <usize>worker * WORKER_BYTES;
}

/** Where a worker counts patterns. */
@inline export function patternsOf(tree: Boosted, worker: i32): usize {
  return orderOf(tree, worker) + ORDER_BYTES;
}

/** Lays the parts out from an address on; the address of their end. Touches nothing but the state. */
export function place(tree: Boosted, at: usize, columns: i32, rows: i32, leaves: i32, histograms: i32, workers: i32): usize {
  tree.columns = columns;
  tree.leaves = leaves;
  tree.workers = workers;
  tree.histogramBytes = <usize>columns * FEATURE_BYTES;
  const nodes: usize = <usize>leaves << 1;
  tree.spare = at = aligned(at);
  tree.free = at = at + tree.histogramBytes;
  // Behind the list of free histograms are these.
  tree.freeCount = histograms;
  at = aligned(at + (<usize>histograms << 2)) + <usize>histograms * tree.histogramBytes;
  tree.items = at;
  tree.splits = at = aligned(at + nodes * offsetof<Node>());
  tree.scratch = at = aligned(at + <usize>leaves * workers * offsetof<Split>());
  tree.list = at = aligned(at + WORKER_BYTES * workers);
  tree.other = at = aligned(at + (<usize>rows << 2));
  tree.nodes = at = aligned(at + (<usize>rows << 2));
  tree.sets = at = aligned(at + (nodes << NODE_SHIFT));
  tree.values = at = aligned(at + <usize>leaves * SET_BYTES);
  tree.gains = at = aligned(at + (<usize>leaves << 2));
  return aligned(at + (<usize>leaves << 2));
}

/** Makes all histograms free. */
export function freeHistograms(tree: Boosted, histograms: i32): void {
  const first = aligned(tree.free + (<usize>histograms << 2));
  for (let k = 0; k < histograms; k++) {
    store<u32>(tree.free + (<usize>k << 2), <u32>(first + <usize>k * tree.histogramBytes));
  }
  tree.freeCount = histograms;
}

@inline function aligned(at: usize): usize {
  return (at + 63) & ~63;
}
