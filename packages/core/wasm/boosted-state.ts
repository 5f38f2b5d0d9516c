import { NODE_SHIFT, SET_BYTES } from "./tree-node";

/** Bytes of a cell of a histogram: the sums of gradients and Hessians, both f64. */
@inline export const CELL_SHIFT: usize = 4;

/**
 * Bytes between the histograms of two features: 256 cells and one cache line, so that the same bin of all features does not map
 * to the same place in the cache.
 */
@inline export const FEATURE_BYTES: usize = 4160;

/** Rows whose cells are gathered before they are added to histograms. */
@inline export const BATCH: i32 = 512;

/** Features that are gathered together: a cache line of a row. */
@inline export const GROUP: i32 = 64;

/** Bytes that a worker needs to sort categories: 256 ratios, f64, and as many bins, i32. */
@inline const ORDER_BYTES: usize = 3072;

/** Bytes of the gathered gradients and cells of a batch. */
@inline const PAIR_BYTES: usize = <usize>BATCH << 3;
@inline const GATHER_BYTES: usize = PAIR_BYTES + <usize>(BATCH * (GROUP + 8));

/** Bytes of the histograms of a group of features, for nodes without histograms of their own. */
@inline const SPARE_BYTES: usize = <usize>GROUP * FEATURE_BYTES;

@inline export const WORKER_BYTES: usize = ORDER_BYTES + GATHER_BYTES + SPARE_BYTES;

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
  /** Whether the histogram is still that of the parent, from which that of the sibling must be subtracted. */
  isDerived: bool;
  /** The left child, followed by the right one; 0 if it is not split. */
  left: i32;
  /** The histogram kept for its children; 0 if there is none. */
  histogram: usize;
  /** With rows on several machines: the sum of the histograms of all of them, of some features; 0 if there is none. */
  total: usize;
  /** The total of its parent; 0 if that is not kept. */
  parentTotal: usize;
  /** The first of the units that build its histogram from parts of its rows, and the number of these parts. */
  build: i32;
  parts: i32;
  /** The first of the units that search its splits, and their number. */
  search: i32;
  searches: i32;
}

/** Bytes between two nodes: their sums stay aligned. */
@inline const ITEM_BYTES: usize = (offsetof<Node>() + 7) & ~7;

/** A block of up to eight features that are added together: all of them have two values, or none. */
@unmanaged export class Features {
  first: i32;
  width: i32;
  twoValued: i32;
}

/** The histogram of blocks of features over some rows of a node. */
@unmanaged export class BuildUnit {
  /** At the root: the sums of these rows. */
  gradient: f64;
  hessian: f64;
  histogram: usize;
  node: i32;
  begin: i32;
  end: i32;
  firstBlock: i32;
  endBlock: i32;
}

/** The best split of a node that a unit has found. */
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

/** The search of the root, or of two siblings, for splits by some features. The best splits of the nodes follow. */
@unmanaged export class SearchUnit {
  /** The root, or the left sibling. */
  node: i32;
  /** Features, or blocks of features if histograms have not been built. */
  first: i32;
  end: i32;
}

@inline const SEARCH_BYTES: usize = 16 + 2 * offsetof<Split>();

/** Some rows of a node, to be divided among its children. */
@unmanaged export class RowUnit {
  node: i32;
  begin: i32;
  end: i32;
  /** How many of them go right. */
  rights: i32;
  /** Where to move those that go left and those that go right. */
  leftTo: i32;
  rightTo: i32;
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
  /** The margins that leaf values are added to as leaves form; 0 if the tree has not seen all rows. */
  margins: usize;

  // Growth; sums are in units
  lambda: f64;
  gamma: f64;
  minChildWeight: f64;
  rate: f64;
  maxDepth: i32;
  /** Whether the tree may split a feature: a byte each. */
  treeMask: usize;
  /** Whether a node of the level may split a feature: a byte each, in rows `maskStride` apart. */
  mask: usize;
  maskStride: i32;

  // Rows of a node are contiguous in `list`, u32. The next level has the other list.
  other: usize;
  /** Whether the list of the root is 0, 1, 2, … and has not been written. */
  isEveryRow: bool;

  // Histograms
  histogramBytes: usize;
  free: usize;
  freeCount: i32;
  /** Histograms of parts of rows, until they are added up. */
  partial: usize;
  partialCount: i32;

  // Blocks of features, nodes, and the units of the jobs of a level
  blocks: usize;
  blockCount: i32;
  items: usize;
  builds: usize;
  /** Groups of blocks of features, each with its own unit, in which histograms are built. */
  groups: i32;
  searches: usize;
  rowUnits: usize;
  leaves: i32;
  /** Room for each worker, which all trees share. */
  scratch: usize;
  depth: i32;

  // Words that TypeScript reads, in this order: see `growing-tree.ts`.
  levelBegin: i32;
  levelEnd: i32;
  buildCount: i32;
  searchCount: i32;
  rowCount: i32;
  /** Whether a node is divided in several units, which must be moved when all are counted. */
  moveCount: i32;
  list: usize;
  // The tree so far: see `tree-node.ts`. Leaves have one share each, their value; gains are those of the splits.
  nodes: usize;
  nodeCount: i32;
  sets: usize;
  setCount: i32;
  values: usize;
  gains: usize;

  valueCount: i32;
  gainCount: i32;
}

@inline export function nodeAt(tree: Boosted, index: i32): Node {
  return changetype<Node>(tree.items + <usize>index * ITEM_BYTES);
}

@inline export function blockAt(tree: Boosted, index: i32): Features {
  return changetype<Features>(tree.blocks + <usize>index * offsetof<Features>());
}

@inline export function buildAt(tree: Boosted, index: i32): BuildUnit {
  return changetype<BuildUnit>(tree.builds + <usize>index * offsetof<BuildUnit>());
}

@inline export function searchAt(tree: Boosted, index: i32): SearchUnit {
  return changetype<SearchUnit>(tree.searches + <usize>index * SEARCH_BYTES);
}

/** Returns the best split that a unit has found for its first node (0) or the sibling of that (1). */
@inline export function splitOf(unit: SearchUnit, side: i32): Split {
  return changetype<Split>(changetype<usize>(unit) + 16 + <usize>side * offsetof<Split>());
}

@inline export function rowUnitAt(tree: Boosted, index: i32): RowUnit {
  return changetype<RowUnit>(tree.rowUnits + <usize>index * offsetof<RowUnit>());
}

/** Returns the scratch in which a worker sorts categories: ratios, then bins. */
@inline export function orderOf(tree: Boosted, worker: i32): usize {
  return tree.scratch + <usize>worker * WORKER_BYTES;
}

/** Returns the place for the gradients of a batch of rows. */
@inline export function pairsOf(tree: Boosted, worker: i32): usize {
  return orderOf(tree, worker) + ORDER_BYTES;
}

/** Returns the place for the cells of a batch of rows. */
@inline export function gatheredOf(tree: Boosted, worker: i32): usize {
  return pairsOf(tree, worker) + PAIR_BYTES;
}

/** Returns the histograms of a worker for a group of features. */
@inline export function spareOf(tree: Boosted, worker: i32): usize {
  return pairsOf(tree, worker) + GATHER_BYTES;
}

/** Lays the parts out from an address on and returns their end. Touches only the state. `units` is the most of a level. */
export function place(
  tree: Boosted, at: usize, columns: i32, rows: i32, leaves: i32,
  histograms: i32, partials: i32, units: i32,
): usize {
  tree.columns = columns;
  tree.leaves = leaves;
  tree.histogramBytes = <usize>columns * FEATURE_BYTES;
  tree.partialCount = partials;
  const nodes: usize = <usize>leaves << 1;
  tree.free = at = aligned(at);
  // The histograms follow the list of free ones.
  tree.freeCount = histograms;
  at = aligned(at + (<usize>histograms << 2)) + <usize>histograms * tree.histogramBytes;
  tree.partial = at;
  tree.blocks = at = aligned(at + <usize>partials * tree.histogramBytes);
  tree.items = at = aligned(at + <usize>columns * offsetof<Features>());
  tree.builds = at = aligned(at + nodes * ITEM_BYTES);
  tree.searches = at = aligned(at + <usize>units * offsetof<BuildUnit>());
  tree.rowUnits = at = aligned(at + <usize>units * SEARCH_BYTES);
  tree.list = at = aligned(at + <usize>units * offsetof<RowUnit>());
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
