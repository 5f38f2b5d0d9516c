/** Words of a column's entry in the table of columns. See `kernels/tree-column.ts`. */
export const COLUMN_WORDS = 6;

/** Features have 21 bits in a node. */
export const MOST_TREE_COLUMNS = 2 ** 21;

/** Classes have 16 bits in a row of a node. */
export const MOST_TREE_CLASSES = 65535;

/** Words of a node, and of a category set. See `kernels/tree-node.ts`. */
export const NODE_WORDS = 2;
export const SET_WORDS = 9;
