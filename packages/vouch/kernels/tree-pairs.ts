/** The best cut of a number for two classes: a histogram of pairs of class weights, and of rows where these differ. */
import { cutBetween, isAllowed } from "./tree-candidate";
import { Column, MISSING } from "./tree-column";
import { splitScore, sumOfTwo } from "./tree-criterion";
import { countOf, labelOf, numberOf, rowAt, rowShift, weightOf } from "./tree-rows";
import { BINS, Tree } from "./tree-state";

/** Looks for the best cut of a number; false if it is constant. */
export function searchPairs<T>(tree: Tree, column: Column): bool {
  fillPairs<T>(tree, column.bins);
  const count = column.count;
  const missing = tree.histogram + pairPlace<T>(MISSING);
  const missingRows = column.missing ? rowsOf<T>(tree, MISSING) : 0;
  tree.hasMissing = missingRows > 0;
  const varies = sweepPairs<T>(tree, count, 0, 0, 0, false);
  if (missingRows > 0) {
    sweepPairs<T>(tree, count, <f64>load<T>(missing), <f64>load<T>(missing, sizeof<T>()), missingRows, true);
    clearPairs<T>(tree, MISSING, BINS);
  }
  clearPairs<T>(tree, 0, count);
  return varies;
}

@inline function pairPlace<T>(bin: i32): usize {
  return <usize>bin * (2 * sizeof<T>());
}

function fillPairs<T>(tree: Tree, bins: usize): void {
  const histogram = tree.histogram, binRows = tree.binRows, end = rowAt<T>(tree, tree.end);
  for (let row = rowAt<T>(tree, tree.begin); row < end; row += 1 << rowShift<T>()) {
    const bin = <i32>load<u8>(bins + numberOf(row));
    const place = histogram + pairPlace<T>(bin) + labelOf(row) * sizeof<T>();
    store<T>(place, load<T>(place) + weightOf<T>(row));
    if (isFloat<T>()) {
      const rows = binRows + (<usize>bin << 2);
      store<i32>(rows, load<i32>(rows) + countOf(row));
    }
  }
}

@inline function rowsOf<T>(tree: Tree, bin: i32): i32 {
  if (isFloat<T>()) return load<i32>(tree.binRows + (<usize>bin << 2));
  const pair = tree.histogram + pairPlace<T>(bin);
  return <i32>(load<T>(pair) + load<T>(pair, sizeof<T>()));
}

function clearPairs<T>(tree: Tree, begin: i32, end: i32): void {
  memory.fill(tree.histogram + pairPlace<T>(begin), 0, pairPlace<T>(end - begin));
  if (isFloat<T>()) memory.fill(tree.binRows + (<usize>begin << 2), 0, <usize>(end - begin) << 2);
}

/**
 * Moves the bins below `count` to the left one after the other, where there are already missing cells of the given
 * weights if `missingLeft`. False if all rows are in one bin.
 */
function sweepPairs<T>(
  tree: Tree, count: i32,
  first: f64, second: f64, leftRows: i32, missingLeft: bool,
): bool {
  const histogram = tree.histogram;
  const firstTotal = <f64>load<T>(tree.totals), secondTotal = <f64>load<T>(tree.totals, sizeof<T>());
  const total = tree.rowCount;
  let previous = -1, best = tree.score;
  for (let bin = 0; bin < count; bin++) {
    const rows = rowsOf<T>(tree, bin);
    if (rows == 0) continue;
    if (previous >= 0 && isAllowed(tree, leftRows)) {
      const score = pairScore<T>(tree, first, second, firstTotal - first, secondTotal - second);
      if (score > best) {
        best = score;
        tree.cut = cutBetween(previous, bin);
        tree.missingLeft = missingLeft;
      }
    }
    const pair = histogram + pairPlace<T>(bin);
    first += <f64>load<T>(pair);
    second += <f64>load<T>(pair, sizeof<T>());
    leftRows += rows;
    if (previous < 0 && leftRows == total) return false;
    previous = bin;
  }
  // What is left over are missing cells.
  if (leftRows < total && previous >= 0 && isAllowed(tree, leftRows)) {
    const score = pairScore<T>(tree, first, second, firstTotal - first, secondTotal - second);
    if (score > best) {
      best = score;
      tree.cut = cutBetween(previous, MISSING);
      tree.missingLeft = false;
    }
  }
  tree.score = best;
  return previous >= 0;
}

@inline function pairScore<T>(tree: Tree, l0: f64, l1: f64, r0: f64, r1: f64): f64 {
  return splitScore<T>(tree, sumOfTwo<T>(tree, l0, l1), l0 + l1, sumOfTwo<T>(tree, r0, r1), r0 + r1);
}
