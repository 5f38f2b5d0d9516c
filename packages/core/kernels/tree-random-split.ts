/** Completely random splits: a random cut of a number, a random set of categories. */
import { binAt, listBins, noteBin } from "./tree-bins";
import { binOf, Column, MISSING } from "./tree-column";
import { below, bits } from "./tree-random";
import { countOf, numberOf, rowAt, rowShift } from "./tree-rows";
import { addToSet, clearSet, isInSet } from "./tree-set";
import { Tree } from "./tree-state";

/** Draws a split by a feature; returns false if it is constant. The split is dropped if it leaves too few rows on a side. */
export function drawSplit<T>(tree: Tree, feature: i32, column: Column): bool {
  const varies = column.categorical ? drawSet<T>(tree, column) : drawCut<T>(tree, column);
  if (!varies) return false;
  const least = tree.minLeafRows;
  if (least > 1) {
    const left = countLeft<T>(tree, column);
    if (left < least || tree.rowCount - left < least) return true;
  }
  tree.splitFeature = feature;
  tree.splitCategorical = column.categorical != 0;
  return true;
}

function drawCut<T>(tree: Tree, column: Column): bool {
  const cells = tree.cells, stride = <usize>tree.stride, end = rowAt<T>(tree, tree.end);
  let least = MISSING, most = -1, missing = 0;
  if (column.missing) {
    for (let row = rowAt<T>(tree, tree.begin); row < end; row += 1 << rowShift<T>()) {
      const bin = <i32>binOf(cells, stride, numberOf(row));
      missing |= <i32>(bin == MISSING);
      least = min(least, bin);
      most = max(most, bin == MISSING ? -1 : bin);
    }
  } else {
    for (let row = rowAt<T>(tree, tree.begin); row < end; row += 1 << rowShift<T>()) {
      const bin = <i32>binOf(cells, stride, numberOf(row));
      least = min(least, bin);
      most = max(most, bin);
    }
  }
  if (most <= least && (missing == 0 || most < 0)) return false;
  tree.splitHasMissing = missing != 0;
  if (most > least) {
    tree.splitCut = least + below(tree, most - least);
    tree.splitMissingLeft = missing != 0 && <bool>(bits(tree) >> 31);
  } else {
    tree.splitCut = MISSING - 1;
    tree.splitMissingLeft = false;
  }
  return true;
}

/** Draws a random set of the categories that occur, neither empty nor all of them. */
function drawSet<T>(tree: Tree, column: Column): bool {
  const cells = tree.cells, stride = <usize>tree.stride, flags = tree.flags, end = rowAt<T>(tree, tree.end), set = tree.splitSet;
  for (let row = rowAt<T>(tree, tree.begin); row < end; row += 1 << rowShift<T>()) {
    noteBin(flags, binOf(cells, stride, numberOf(row)));
  }
  const count = listBins(tree, column.missing ? MISSING : column.count - 1);
  if (count < 2) return false;
  clearSet(tree.splitPresent);
  for (let place = 0; place < count; place++) addToSet(tree.splitPresent, binAt(tree.order, place));
  let inside = 0;
  while (inside == 0 || inside == count) {
    clearSet(set);
    inside = 0;
    for (let place = 0; place < count; place++) {
      if (bits(tree) >> 31) continue;
      addToSet(set, binAt(tree.order, place));
      inside++;
    }
  }
  return true;
}

function countLeft<T>(tree: Tree, column: Column): i32 {
  const cells = tree.cells, stride = <usize>tree.stride, end = rowAt<T>(tree, tree.end), shift = <i32>tree.splitMissingLeft;
  let count = 0;
  for (let row = rowAt<T>(tree, tree.begin); row < end; row += 1 << rowShift<T>()) {
    const bin = <i32>binOf(cells, stride, numberOf(row));
    const isLeft = column.categorical
      ? isInSet(tree.splitSet, bin)
      : <i32>(((bin + shift) & 255) <= tree.splitCut + shift);
    count += isLeft ? countOf(row) : 0;
  }
  return count;
}
