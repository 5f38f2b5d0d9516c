import { binAt, listBins, moveMissingToFront } from "./tree-bins";
import { Column, MISSING } from "./tree-column";
import { clearBins, fillBins, methodFor, sweepBins } from "./tree-method";
import { Tree } from "./tree-state";

/** Searches for the best cut of a number, with missing cells on the right and on the left; returns false if it is constant. */
export function searchNumber<T>(tree: Tree, column: Column): bool {
  const method = methodFor(tree, column);
  fillBins<T>(tree, method, column);
  const count = listBins(tree, column.missing ? MISSING : column.count - 1);
  if (count > 1) {
    tree.hasMissing = binAt(tree.order, count - 1) == MISSING;
    keepCut(tree, sweepBins<T>(tree, method, count, 1), false);
    if (tree.hasMissing) {
      moveMissingToFront(tree, count);
      keepCut(tree, sweepBins<T>(tree, method, count, 2), true);
    }
  }
  clearBins<T>(tree, method, count);
  return count > 1;
}

/** Keeps a cut, which lies in the middle between two bins, or between all bins and missing cells. */
@inline function keepCut(tree: Tree, place: i32, missingLeft: bool): void {
  if (place == 0) return;
  const bin = binAt(tree.order, place - 1), following = binAt(tree.order, place);
  tree.cut = following == MISSING ? MISSING - 1 : (bin + following) >> 1;
  tree.missingLeft = missingLeft;
}
