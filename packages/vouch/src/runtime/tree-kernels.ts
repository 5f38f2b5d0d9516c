/** TRANSITION: learners import these from here. */
export {
  COLUMN_WORDS,
  MAX_TREE_CLASSES as MOST_TREE_CLASSES,
  MAX_TREE_COLUMNS as MOST_TREE_COLUMNS,
  NODE_WORDS,
  SET_WORDS,
} from "./kernels.js";
