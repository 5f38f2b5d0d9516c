/** Methods to find the best cut, each fastest for some nodes: see the files of their names. All find the same cut. */
import { clearLists, fillLists, sweepLists } from "./tree-lists";
import { Column } from "./tree-column";
import { clearPairs, fillPairs, fillTwoBins, sweepPairs } from "./tree-pairs";
import { clearShort, fillShort, MOST_SHORT, prepareShort, sweepShort } from "./tree-short";
import { MOST_DENSE_CLASSES, Tree } from "./tree-state";
import { clearWide, fillWide, sweepWide } from "./tree-wide";

@inline const LISTS: i32 = 0;
@inline const PAIRS: i32 = 1;
@inline const SHORT: i32 = 2;
@inline const WIDE: i32 = 3;

/** Chooses the histogram for a node, which replaces lists if there are enough rows. */
export function prepareNode<T>(tree: Tree): void {
  if (tree.classes <= 2) tree.histogramMethod = PAIRS;
  else if (tree.entropy || tree.classes > MOST_DENSE_CLASSES) tree.histogramMethod = LISTS;
  else if (isFloat<T>() || tree.rowCount > MOST_SHORT) tree.histogramMethod = WIDE;
  else {
    tree.histogramMethod = SHORT;
    prepareShort(tree);
  }
}

/** Chooses the method for a column in a node, by the work per bin that may occur. */
export function methodFor(tree: Tree, column: Column): i32 {
  const rows = tree.end - tree.begin, bins = min(rows, column.count);
  switch (tree.histogramMethod) {
    case SHORT: return bins * (tree.shortStride >> 3) < rows * 16 ? SHORT : LISTS;
    case WIDE: return bins * tree.classes < rows * 8 ? WIDE : LISTS;
    default: return tree.histogramMethod;
  }
}

/** Sums or lists the rows of each bin, and marks the bins that occur. */
export function fillBins<T>(tree: Tree, method: i32, column: Column): void {
  switch (method) {
    case PAIRS:
      if (isInteger<T>() && column.count == 2 && !column.missing) fillTwoBins(tree);
      else fillPairs<T>(tree);
      break;
    case SHORT: fillShort(tree); break;
    case WIDE: fillWide<T>(tree); break;
    default: fillLists<T>(tree);
  }
}

/**
 * Moves the `count` bins of `order` from the right side to the left one by one, and tries the cuts before bin `from` of the
 * order and after. Returns the place of the best cut if it is better than `score`, which it then sets; otherwise 0.
 */
export function sweepBins<T>(tree: Tree, method: i32, count: i32, from: i32): i32 {
  switch (method) {
    case PAIRS: return sweepPairs<T>(tree, count, from);
    case SHORT: return sweepShort(tree, count, from);
    case WIDE: return sweepWide<T>(tree, count, from);
    default: return sweepLists<T>(tree, count, from);
  }
}

/** Clears the bins. */
export function clearBins<T>(tree: Tree, method: i32, count: i32): void {
  switch (method) {
    case PAIRS: clearPairs<T>(tree, count); break;
    case SHORT: clearShort(tree, count); break;
    case WIDE: clearWide<T>(tree, count); break;
    default: clearLists(tree, count);
  }
}
