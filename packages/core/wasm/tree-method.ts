/** Methods to find the best cut, each fastest for some nodes: see the files of their names. All find the same cut. */
import { clearLists, fillLists, sweepLists } from "./tree-lists";
import { Column } from "./tree-column";
import { clearPairs, fillPairs, fillTwoBins, sweepPairs } from "./tree-pairs";
import { clearShort, fillShort, MOST_SHORT, prepareShort, sweepShort } from "./tree-short";
import { MOST_DENSE_CLASSES, Grower } from "./tree-state";
import { clearWide, fillWide, sweepWide } from "./tree-wide";

@inline const LISTS: i32 = 0;
@inline const PAIRS: i32 = 1;
@inline const SHORT: i32 = 2;
@inline const WIDE: i32 = 3;

/** Chooses the histogram for a node, which replaces lists if there are enough rows. */
export function prepareNode<T>(grower: Grower): void {
  if (grower.classes <= 2) grower.histogramMethod = PAIRS;
  else if (grower.entropy || grower.classes > MOST_DENSE_CLASSES) grower.histogramMethod = LISTS;
  else if (isFloat<T>() || grower.rowCount > MOST_SHORT) grower.histogramMethod = WIDE;
  else {
    grower.histogramMethod = SHORT;
    prepareShort(grower);
  }
}

/** Chooses the method for a column in a node, by the work per bin that may occur. */
export function methodFor(grower: Grower, column: Column): i32 {
  const rows = grower.end - grower.begin, bins = min(rows, column.count);
  switch (grower.histogramMethod) {
    case SHORT: return bins * (grower.shortStride >> 3) < rows * 16 ? SHORT : LISTS;
    case WIDE: return bins * grower.classes < rows * 8 ? WIDE : LISTS;
    default: return grower.histogramMethod;
  }
}

/** Sums or lists the rows of each bin, and marks the bins that occur. */
export function fillBins<T>(grower: Grower, method: i32, column: Column): void {
  switch (method) {
    case PAIRS:
      if (isInteger<T>() && column.count == 2 && !column.missing) fillTwoBins(grower);
      else fillPairs<T>(grower);
      break;
    case SHORT: fillShort(grower); break;
    case WIDE: fillWide<T>(grower); break;
    default: fillLists<T>(grower);
  }
}

/**
 * Moves the `count` bins of `order` from the right side to the left one by one, and tries the cuts before bin `from` of the
 * order and after. Returns the place of the best cut if it is better than `score`, which it then sets; otherwise 0.
 */
export function sweepBins<T>(grower: Grower, method: i32, count: i32, from: i32): i32 {
  switch (method) {
    case PAIRS: return sweepPairs<T>(grower, count, from);
    case SHORT: return sweepShort(grower, count, from);
    case WIDE: return sweepWide<T>(grower, count, from);
    default: return sweepLists<T>(grower, count, from);
  }
}

/** Clears the bins. */
export function clearBins<T>(grower: Grower, method: i32, count: i32): void {
  switch (method) {
    case PAIRS: clearPairs<T>(grower, count); break;
    case SHORT: clearShort(grower, count); break;
    case WIDE: clearWide<T>(grower, count); break;
    default: clearLists(grower, count);
  }
}
