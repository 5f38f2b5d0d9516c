/** Bins of a column, that of missing cells included. */
@inline export const BINS: i32 = 256;

/** Bytes of a set of bins. */
@inline export const SET: usize = 32;

/** With more classes there are no histograms of classes: they would be mostly empty. */
@inline export const MOST_DENSE_CLASSES: i32 = 1024;

/** The smaller part of a node is grown first, so that at most 32 others wait. */
@inline const STACK_ITEMS: i32 = 64;

/** A node that waits to be grown. */
@unmanaged export class Waiting {
  node: i32;
  begin: i32;
  end: i32;
  depth: i32;
  /** Number of features, at the front of `features`, that are known to be constant in it. */
  constants: i32;
  /** The feature of its parent's split, or −1. */
  splitBy: i32;
}

/**
 * A thread that grows trees, and the part of a tree that it is growing: see `tree-jobs.ts`. Rows of a node are contiguous in
 * `rows`, in the order of the list: see `tree-rows.ts`. Weights of rows are i32, or f64 if the sample has weights.
 */
@unmanaged export class Grower {
  // The sample
  table: usize;
  sampleRows: i32;
  /** Whether the sample is too large for the second-level cache. */
  isLarge: bool;
  columns: i32;
  labels: usize;
  /** 0 if all rows have the same weight. */
  weights: usize;
  classes: i32;
  /** Bytes of a bin in a histogram of classes of 16 bits. */
  shortStride: i32;
  histogramBytes: i32;

  // Growth
  entropy: bool;
  random: bool;
  featuresPerSplit: i32;
  maxDepth: i32;
  minLeafRows: i32;
  minSplitRows: i32;

  // The state of the generator: see `tree-random.ts`.
  a: u32;
  b: u32;
  c: u32;
  counter: u32;

  /** The slot of the tree, and the job: see `tree-jobs.ts`. */
  slot: usize;
  job: usize;

  // Rows
  listed: i32;
  rows: usize;
  /** As much room as for rows; a node uses the part at the places of its rows. */
  spare: usize;
  /** For rows in lists: the next row of the same bin, or −1; i32. */
  next: usize;
  /** x · log x of integers up to `logsUpTo`; f64. */
  logs: usize;

  // Features in random order, constant ones first; and the constant ones in the order in which they were found.
  features: usize;
  constants: usize;

  // Waiting nodes
  stack: usize;
  waiting: i32;

  // The current node
  begin: i32;
  end: i32;
  rowCount: i32;
  weight: f64;
  /** Weight of the left side of its split. */
  leftWeight: f64;
  /** Sum of the squared class weights; for entropy sum of x · log x. */
  sum: f64;
  /** Weight of each class; T. */
  totals: usize;
  /** The same as i16, for histograms. */
  shortTotals: usize;
  /** The best kind of histogram for it, if any: see `tree-method.ts`. */
  histogramMethod: i32;

  // The cells of the current feature: see `tree-column.ts`.
  cells: usize;
  stride: i32;

  // Scratch of searches: the first five are empty between searches.
  /** Rows or weights of each bin and class: see the methods. */
  histogram: usize;
  /** Number of rows in each bin; i32. */
  binRows: usize;
  /** The first row of the list of each bin, or −1; i32. */
  head: usize;
  /** Weight of each class on the left side; T. */
  left: usize;
  /** Marks of the bins that occur, a byte each. */
  flags: usize;
  /** The bins that occur in the order in which they are moved to the left, a byte each. */
  order: usize;
  /** Weight of each class on the left side, for histograms. */
  denseLeft: usize;
  /** For categories: the share of a class, or of some; f64 every 16 bytes. */
  shares: usize;

  // The best cut of the current feature
  score: f64;
  cut: i32;
  missingLeft: bool;
  hasMissing: bool;
  /** Bins that go left, and bins that occur, if they are categories: sets. */
  set: usize;
  present: usize;

  // The best split of the node so far: the same
  splitFeature: i32;
  splitScore: f64;
  splitCut: i32;
  splitMissingLeft: bool;
  splitHasMissing: bool;
  splitCategorical: bool;
  splitSet: usize;
  splitPresent: usize;

  // The result of the job or, once this is assembled, of the tree. TypeScript reads it at `GROWN_TREE`.
  /** Weight of the root of the assembled tree. */
  rootWeight: f64;
  /** Listed rows; u32. */
  list: usize;
  /** Number of draws of each listed row; u16. */
  drawn: usize;
  nodes: usize;
  nodeCount: i32;
  sets: usize;
  setCount: i32;
  leafClasses: usize;
  leafShares: usize;
  leafCount: i32;
  decreases: usize;

  /** Cells read since the last pause. */
  looked: i32;
}

/** A state that nobody reads: `place` and `placeSlot` measure with it, on several threads at once. */
export const MEASURED: usize = memory.data(<i32>offsetof<Grower>(), 8);

/** Lays the scratch of a thread out from `at` on and returns its end. Writes to the state only, and does not read it. */
export function place(grower: Grower, at: usize, columns: i32, classes: i32, weighted: bool): usize {
  const perColumn = <usize>columns, perClass = <usize>((classes + 7) & ~7) << 3;
  const shortStride = <usize>((classes + 7) & ~7) << 1, histogram = histogramBytes(classes, weighted);
  grower.columns = columns;
  grower.classes = classes;
  grower.shortStride = <i32>shortStride;
  grower.histogramBytes = histogram;
  at = grower.features = aligned(at);
  at = grower.constants = aligned(at + (perColumn << 2));
  at = grower.totals = aligned(at + (perColumn << 2));
  at = grower.shortTotals = aligned(at + perClass);
  at = grower.left = aligned(at + shortStride);
  at = grower.denseLeft = aligned(at + perClass);
  at = grower.histogram = aligned(at + perClass);
  at = grower.binRows = aligned(at + histogram);
  at = grower.head = aligned(at + (BINS << 2));
  at = grower.flags = aligned(at + (BINS << 2));
  at = grower.order = at + BINS;
  at = grower.shares = at + BINS;
  at = grower.set = at + (BINS << 4);
  at = grower.present = at + SET;
  at = grower.splitSet = at + SET;
  at = grower.splitPresent = at + SET;
  at = grower.stack = at + SET;
  return aligned(at + STACK_ITEMS * offsetof<Waiting>());
}

@inline export function aligned(bytes: usize): usize {
  return (bytes + 63) & ~63;
}

/** Returns the bytes for all classes, or for two, in each bin: as i32 or i16, or as f64. */
function histogramBytes(classes: i32, weighted: bool): i32 {
  const dense = classes > MOST_DENSE_CLASSES ? 2 : (classes + 7) & ~7;
  return (BINS * dense) << (weighted ? 3 : 2);
}

/** Clears the scratch that is empty between searches. */
export function clear(grower: Grower): void {
  memory.fill(grower.totals, 0, grower.shortTotals - grower.totals);
  memory.fill(grower.left, 0, grower.denseLeft - grower.left);
  memory.fill(grower.histogram, 0, grower.histogramBytes);
  memory.fill(grower.binRows, 0, BINS << 2);
  memory.fill(grower.head, 0xff, BINS << 2);
  memory.fill(grower.flags, 0, BINS);
}
