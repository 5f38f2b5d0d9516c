/**
 * The functions of `kernels/boosted.ts`. A `tree` is the address of the state of a boosted tree that grows
 * (`kernels/boosted-state.ts`). Labels are i32, weights, margins and normalisers f64; rows are numbered from 0, and where
 * rows `begin` … `end` − 1 are asked for, both are even. Gradients are pairs of i32: gradient and Hessian, times `unit`.
 */
export interface BoostedKernels {
  /** Logistic losses, weighted and summed; gradients, if there is an address for them. */
  readonly boostedLogistic: (
    margins: number,
    labels: number,
    weights: number,
    begin: number,
    end: number,
    gradients: number,
    unit: number,
  ) => number;
  /** Softmax losses, weighted and summed; the logarithms of the sums of the exponentials of margins. */
  readonly boostedNormalise: (
    margins: number,
    stride: number,
    classes: number,
    labels: number,
    weights: number,
    begin: number,
    end: number,
    normalisers: number,
  ) => number;
  /** Gradients of one class, whose margins these are. */
  readonly boostedSoftmax: (
    margins: number,
    normalisers: number,
    labels: number,
    weights: number,
    begin: number,
    end: number,
    label: number,
    gradients: number,
    unit: number,
  ) => void;

  /** Whether a column of a table has no more than two values, and no missing cells. */
  readonly boostedIsTwoValued: (table: number, column: number) => number;
  readonly boostedStateBytes: () => number;
  /** Lays the parts of a tree out from an address on; the address of their end. Touches nothing but the state. */
  readonly boostedPlace: (
    tree: number,
    at: number,
    columns: number,
    rows: number,
    leaves: number,
    histograms: number,
    workers: number,
  ) => number;
  readonly boostedSetSample: (
    tree: number,
    table: number,
    cells: number,
    stride: number,
    gradients: number,
    histograms: number,
  ) => void;
  /** Limits in units: times what gradients are multiplied by. */
  readonly boostedSetGrowth: (
    tree: number,
    lambda: number,
    gamma: number,
    minChildWeight: number,
    rate: number,
    maxDepth: number,
  ) => void;
  /** A byte for each feature that says whether it may be asked for; `stride` 0 if the same for all nodes of a level. */
  readonly boostedSetMask: (tree: number, mask: number, stride: number) => void;
  /** Begins a tree on the first rows of its list. */
  readonly boostedStart: (tree: number, count: number) => void;
  /**
   * Looks for splits of the nodes of the level by `width` features, which is 8, 4 or 1; or by up to eight with two values
   * each, if it is −1 … −8.
   */
  readonly boostedSearchLevel: (tree: number, first: number, width: number, worker: number) => void;
  /** Takes the best splits that all workers have found; how many. */
  readonly boostedDecide: (tree: number) => number;
  /** Divides the rows of a node of the level; adds values of leaves to margins, if there is an address of these. */
  readonly boostedSettle: (tree: number, node: number, margins: number) => void;
  /** Goes to the next level; whether there is more to be searched. */
  readonly boostedDescend: (tree: number) => number;
  /** The nodes of the level: from this on, and up to but without that. */
  readonly boostedLevelBegin: (tree: number) => number;
  readonly boostedLevelEnd: (tree: number) => number;
  /** Where the list of rows to grow on is to be written. */
  readonly boostedRowList: (tree: number) => number;
  readonly boostedNodes: (tree: number) => number;
  readonly boostedNodeCount: (tree: number) => number;
  readonly boostedSets: (tree: number) => number;
  readonly boostedSetCount: (tree: number) => number;
  /** The values of the leaves, f32, and the gains of the splits, f32 and in units. */
  readonly boostedValues: (tree: number) => number;
  readonly boostedGains: (tree: number) => number;
  /** Lets rows walk through the tree and adds the values of their leaves to their margins. */
  readonly boostedAddRows: (
    tree: number,
    cells: number,
    stride: number,
    begin: number,
    end: number,
    margins: number,
  ) => void;
}
