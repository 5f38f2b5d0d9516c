/** Words of a column's entry in the table of columns. See `kernels/tree-column.ts`. */
export const COLUMN_WORDS = 6;

/** Features have 21 bits in a node. */
export const MOST_TREE_COLUMNS = 2 ** 21;

/** Classes have 16 bits in a row of a node. */
export const MOST_TREE_CLASSES = 65535;

/** Words of a node, and of a category set. See `kernels/tree-node.ts`. */
export const NODE_WORDS = 2;
export const SET_WORDS = 9;

/**
 * The functions of `kernels/tree.ts`. A `tree` is the address of the state of a tree that grows
 * (`kernels/tree-state.ts`), a `table` that of the table of columns, a `list` that of i32 row numbers.
 */
export interface TreeKernels {
  /** Fills entry `index` of a table of columns. */
  readonly treeDescribeColumn: (
    table: number,
    index: number,
    bins: number,
    rows: number,
    cells: number,
    stride: number,
    categorical: boolean,
  ) => void;
  /** Writes columns, `fromStride` bytes apart, as rows, `stride` bytes apart. */
  readonly treeWriteRows: (
    from: number,
    fromStride: number,
    rows: number,
    columns: number,
    to: number,
    stride: number,
  ) => void;
  /** Whether categories have bins below 63 only, the one of missing cells besides. */
  readonly treeHasFewCategories: (table: number, columns: number) => number;

  // Growing
  readonly treeStateBytes: () => number;
  /** Lays the parts of a tree out from an address on; the address of their end. Touches nothing but the state. */
  readonly treePlace: (
    tree: number,
    at: number,
    columns: number,
    classes: number,
    capacity: number,
    weighted: boolean,
  ) => number;
  /** Sets what trees grow on, once the parts are there. */
  readonly treeSetSample: (
    tree: number,
    table: number,
    rows: number,
    labels: number,
    weights: number,
  ) => void;
  /** Where the list of rows to grow on is to be written. */
  readonly treeRowList: (tree: number) => number;
  readonly treeSetGrowth: (
    tree: number,
    entropy: boolean,
    random: boolean,
    featuresPerSplit: number,
    maxDepth: number,
    minLeafRows: number,
    minSplitRows: number,
  ) => void;
  /** Begins a tree on the listed rows, with the state of a generator; how many rows it starts with. */
  readonly treeStart: (
    tree: number,
    count: number,
    bootstrap: boolean,
    a: number,
    b: number,
    c: number,
    counter: number,
  ) => number;
  /** Grows until about so many cells were looked at; whether the tree is complete. */
  readonly treeGrow: (tree: number, cells: number) => number;
  readonly treeNodes: (tree: number) => number;
  readonly treeNodeCount: (tree: number) => number;
  readonly treeSets: (tree: number) => number;
  readonly treeSetCount: (tree: number) => number;
  readonly treeLeafClasses: (tree: number) => number;
  readonly treeLeafShares: (tree: number) => number;
  readonly treeLeafCount: (tree: number) => number;
  /** Where the decrease of impurity by each feature is, doubles. */
  readonly treeDecreases: (tree: number) => number;
  readonly treeRootWeight: (tree: number) => number;
  /** Brings the listed rows that were not drawn to the front of the list; how many. */
  readonly treeOutOfBag: (tree: number) => number;

  // Walking
  /** The listed rows of the columns, row after row, `stride` bytes apart. */
  readonly treeGatherRows: (
    table: number,
    columns: number,
    list: number,
    count: number,
    to: number,
    stride: number,
  ) => void;
  /** The leaves of listed rows, which lie `stride` bytes apart; `sets` is 0 if there are none. */
  readonly treeWalkRows: (
    nodes: number,
    sets: number,
    fewCategories: boolean,
    cells: number,
    stride: number,
    list: number,
    count: number,
    leaves: number,
    walkers: number,
  ) => void;
  readonly treeWalkerBytes: () => number;
  /** Adds the class shares of leaves to the scores of listed places. */
  readonly treeAddShares: (
    nodes: number,
    leafClasses: number,
    leafShares: number,
    leaves: number,
    places: number,
    count: number,
    scores: number,
    classes: number,
  ) => void;
}
