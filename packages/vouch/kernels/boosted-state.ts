import { NODE_SHIFT, SET_BYTES } from "./tree-node";

/** Bytes of a cell of a histogram: the sums of gradients and Hessians, both f64. */
@inline export const CELL_SHIFT: usize = 4;

/**
 * Bytes between the histograms of two features: 256 cells and one cache line, so that the same bin of all features does not map
 * to the same place in the cache.
 */
@inline export const FEATURE_BYTES: usize = 4160;

/** Bytes that a worker needs to sort categories: 256 ratios, f64, and as many bins, i32. */
@inline const ORDER_BYTES: usize = 3072;

/** Bytes that a worker needs for patterns: two histograms of 256 cells. */
@inline const PATTERN_BYTES: usize = 8192;

@inline const WORKER_BYTES: usize = ORDER_BYTES + PATTERN_BYTES;

/**
 * A node of the growing tree. Sums are integer multiples of a unit, so that they are exact and do not depend on the order of
 * the rows.
 */
@unmanaged export class Node {
  gradient: f64;
  hessian: f64;
  /** Its rows, in `list`. */
  begin: i32;
  end: i32;
  /** Whether it may be split; otherwise it is a leaf and has been written. */
  isOpen: bool;
  /** The left child, followed by the right one; 0 if it is not split. */
  left: i32;
  /** The histogram kept for its children; 0 if there is none. */
  histogram: usize;
  /** Whether the histogram is still that of the parent, from which that of the sibling must be subtracted. */
  isDerived: bool;
}

/** The best split of a node that a worker has found. */
@unmanaged export class Split {
  /** GL² / (HL + λ) + GR² / (HR + λ), in units; the node's own value if there is no split. */
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

/** A tree that is grown level by level. */
@unmanaged export class Boosted {
  // The sample
  table: usize;
  columns: i32;
  cells: usize;
  stride: i32;
  /** Gradient and Hessian of each row, two i32, in units. */
  gradients: usize;

  // Growth; sums are in units
  lambda: f64;
  gamma: f64;
  minChildWeight: f64;
  rate: f64;
  maxDepth: i32;
  /** Whether a feature may be split: a byte each, in rows `maskStride` apart for the nodes of a level. */
  mask: usize;
  maskStride: i32;

  // Rows of a node are contiguous in the list, u32.
  list: usize;
  other: usize;

  // Histograms
  histogramBytes: usize;
  /** For nodes without their own histogram. */
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

/** Returns the best split of a node of the level that a worker has found. */
@inline export function splitOf(tree: Boosted, worker: i32, node: i32): Split {
  const place = <usize>worker * tree.leaves + (node - tree.levelBegin);
  return changetype<Split>(tree.splits + place * offsetof<Split>());
}

/** Returns the scratch in which a worker sorts categories: ratios, then bins. */
@inline export function orderOf(tree: Boosted, worker: i32): usize {
  return tree.scratch + <usize>worker * WORKER_BYTES;
}

/** Returns the scratch in which a worker counts patterns. */
@inline export function patternsOf(tree: Boosted, worker: i32): usize {
  return orderOf(tree, worker) + ORDER_BYTES;
}

/** Lays the parts out from an address on and returns their end. Touches only the state. */
export function place(tree: Boosted, at: usize, columns: i32, rows: i32, leaves: i32, histograms: i32, workers: i32): usize {
  tree.columns = columns;
  tree.leaves = leaves;
  tree.workers = workers;
  tree.histogramBytes = <usize>columns * FEATURE_BYTES;
  const nodes: usize = <usize>leaves << 1;
  tree.spare = at = aligned(at);
  tree.free = at = at + tree.histogramBytes;
  // The histograms follow the list of free ones.
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

/** Frees all histograms. */
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
