/** Completely random splits: a random cut of a number, a random set of categories. */
import { binAt, listBins, noteBin } from "./tree-bins";
import { binOf, Column, MISSING } from "./tree-column";
import { below, bits } from "./tree-random";
import { countOf, numberOf, rowAt, rowShift } from "./tree-rows";
import { addToSet, clearSet, isInSet } from "./tree-set";
import { Grower } from "./tree-state";

/** Draws a split by a feature; returns false if it is constant. The split is dropped if it leaves too few rows on a side. */
export function drawSplit<T>(grower: Grower, feature: i32, column: Column): bool {
  const varies = column.categorical ? drawSet<T>(grower, column) : drawCut<T>(grower, column);
  if (!varies) return false;
  const least = grower.minLeafRows;
  if (least > 1) {
    const left = countLeft<T>(grower, column);
    if (left < least || grower.rowCount - left < least) return true;
  }
  grower.splitFeature = feature;
  grower.splitCategorical = column.categorical != 0;
  return true;
}

function drawCut<T>(grower: Grower, column: Column): bool {
  const cells = grower.cells, stride = <usize>grower.stride, end = rowAt<T>(grower, grower.end);
  let least = MISSING, most = -1, missing = 0;
  if (column.missing) {
    for (let row = rowAt<T>(grower, grower.begin); row < end; row += 1 << rowShift<T>()) {
      const bin = <i32>binOf(cells, stride, numberOf(row));
      missing |= <i32>(bin == MISSING);
      least = min(least, bin);
      most = max(most, bin == MISSING ? -1 : bin);
    }
  } else {
    for (let row = rowAt<T>(grower, grower.begin); row < end; row += 1 << rowShift<T>()) {
      const bin = <i32>binOf(cells, stride, numberOf(row));
      least = min(least, bin);
      most = max(most, bin);
    }
  }
  if (most <= least && (missing == 0 || most < 0)) return false;
  grower.splitHasMissing = missing != 0;
  if (most > least) {
    grower.splitCut = least + below(grower, most - least);
    grower.splitMissingLeft = missing != 0 && <bool>(bits(grower) >> 31);
  } else {
    grower.splitCut = MISSING - 1;
    grower.splitMissingLeft = false;
  }
  return true;
}

/** Draws a random set of the categories that occur, neither empty nor all of them. */
function drawSet<T>(grower: Grower, column: Column): bool {
  const cells = grower.cells, stride = <usize>grower.stride, flags = grower.flags, end = rowAt<T>(grower, grower.end), set = grower.splitSet;
  for (let row = rowAt<T>(grower, grower.begin); row < end; row += 1 << rowShift<T>()) {
    noteBin(flags, binOf(cells, stride, numberOf(row)));
  }
  const count = listBins(grower, column.missing ? MISSING : column.count - 1);
  if (count < 2) return false;
  clearSet(grower.splitPresent);
  for (let place = 0; place < count; place++) addToSet(grower.splitPresent, binAt(grower.order, place));
  let inside = 0;
  while (inside == 0 || inside == count) {
    clearSet(set);
    inside = 0;
    for (let place = 0; place < count; place++) {
      if (bits(grower) >> 31) continue;
      addToSet(set, binAt(grower.order, place));
      inside++;
    }
  }
  return true;
}

function countLeft<T>(grower: Grower, column: Column): i32 {
  const cells = grower.cells, stride = <usize>grower.stride, end = rowAt<T>(grower, grower.end), shift = <i32>grower.splitMissingLeft;
  let count = 0;
  for (let row = rowAt<T>(grower, grower.begin); row < end; row += 1 << rowShift<T>()) {
    const bin = <i32>binOf(cells, stride, numberOf(row));
    const isLeft = column.categorical
      ? isInSet(grower.splitSet, bin)
      : <i32>(((bin + shift) & 255) <= grower.splitCut + shift);
    count += isLeft ? countOf(row) : 0;
  }
  return count;
}
