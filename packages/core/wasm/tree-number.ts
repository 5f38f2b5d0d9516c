import { binAt, listBins, moveMissingToFront } from "./tree-bins";
import { Column, MISSING } from "./tree-column";
import { clearBins, fillBins, methodFor, sweepBins } from "./tree-method";
import { Grower } from "./tree-state";

/** Searches for the best cut of a number, with missing cells on the right and on the left; returns false if it is constant. */
export function searchNumber<T>(grower: Grower, column: Column): bool {
  const method = methodFor(grower, column);
  fillBins<T>(grower, method, column);
  const count = listBins(grower, column.missing ? MISSING : column.count - 1);
  if (count > 1) {
    grower.hasMissing = binAt(grower.order, count - 1) == MISSING;
    keepCut(grower, sweepBins<T>(grower, method, count, 1), false);
    if (grower.hasMissing) {
      moveMissingToFront(grower, count);
      keepCut(grower, sweepBins<T>(grower, method, count, 2), true);
    }
  }
  clearBins<T>(grower, method, count);
  return count > 1;
}

/** Keeps a cut, which lies in the middle between two bins, or between all bins and missing cells. */
@inline function keepCut(grower: Grower, place: i32, missingLeft: bool): void {
  if (place == 0) return;
  const bin = binAt(grower.order, place - 1), following = binAt(grower.order, place);
  grower.cut = following == MISSING ? MISSING - 1 : (bin + following) >> 1;
  grower.missingLeft = missingLeft;
}
