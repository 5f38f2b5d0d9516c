/**
 * The best cut of a number by a histogram of classes, for nodes with many rows and the Gini index. As long as the rows of
 * a node can be counted in 15 bits, counts are i16: then one instruction squares and adds eight classes. Counts of
 * more rows are i32, weights f64.
 */
import { cutBetween, isAllowed } from "./tree-candidate";
import { Column, MISSING } from "./tree-column";
import { giniScore } from "./tree-criterion";
import { countOf, labelOf, numberOf, rowAt } from "./tree-rows";
import { Tree } from "./tree-state";

/** The most rows for counts of 15 bits. */
@inline export const MOST_SHORT: i32 = 32767;

/** Looks for the best cut of a number; false if it is constant. For nodes of up to MOST_SHORT rows, unweighted. */
export function searchShort(tree: Tree, column: Column): bool {
  fillShort(tree, column.bins);
  tree.hasMissing = column.missing != 0 && !isEmpty(tree.histogram + <usize>MISSING * tree.histogramStride, tree.histogramStride);
  const varies = sweepShort(tree, column.count, false);
  if (tree.hasMissing) sweepShort(tree, column.count, true);
  clearShort(tree, column.count);
  return varies;
}

function fillShort(tree: Tree, bins: usize): void {
  const histogram = tree.histogram, stride = <usize>tree.histogramStride, end = rowAt<i32>(tree, tree.end);
  for (let row = rowAt<i32>(tree, tree.begin); row < end; row += 8) {
    const place = histogram + <usize>load<u8>(bins + numberOf(row)) * stride + (labelOf(row) << 1);
    store<u16>(place, load<u16>(place) + <u16>countOf(row));
  }
}

@inline function isEmpty(counts: usize, bytes: i32): bool {
  let any = i16x8.splat(0);
  for (let c: usize = 0; c < <usize>bytes; c += 16) any = v128.or(any, v128.load(counts + c));
  return !v128.any_true(any);
}

function clearShort(tree: Tree, count: i32): void {
  const stride = <usize>tree.histogramStride;
  memory.fill(tree.histogram, 0, <usize>count * stride);
  if (tree.hasMissing) memory.fill(tree.histogram + <usize>MISSING * stride, 0, stride);
}

/**
 * Moves the bins below `count` from the right side to the left one after the other; missing cells are on the left from
 * the start if `missingLeft`. False if all rows are in one bin.
 */
function sweepShort(tree: Tree, count: i32, missingLeft: bool): bool {
  const stride = <usize>tree.histogramStride, left = tree.left, totals = tree.shortTotals, rows = tree.rowCount;
  const ones = i16x8.splat(1), zero = i32x4.splat(0);
  let counts = tree.histogram, weights = zero, leftRows = 0, previous = -1;
  let score: f64 = 0, best = tree.score;
  startLeft(tree, missingLeft);
  if (missingLeft) leftRows = rowsIn(tree.left, stride);
  const missingRows = leftRows;
  for (let bin = 0; bin < count; bin++, counts += stride) {
    if (isEmpty(counts, tree.histogramStride)) continue;
    if (previous >= 0 && score > best && isAllowed(tree, leftRows)) {
      best = score;
      tree.cut = cutBetween(previous, bin);
      tree.missingLeft = missingLeft;
    }
    let sumLeft = zero, sumRight = zero;
    for (let c: usize = 0; c < stride; c += 16) {
      const more = v128.load(counts + c), side = i16x8.add(v128.load(left + c), more);
      const other = i16x8.sub(v128.load(totals + c), side);
      v128.store(left + c, side);
      weights = i32x4.add(weights, i32x4.dot_i16x8_s(more, ones));
      sumLeft = i32x4.add(sumLeft, i32x4.dot_i16x8_s(side, side));
      sumRight = i32x4.add(sumRight, i32x4.dot_i16x8_s(other, other));
    }
    leftRows = missingRows + sumOfLanes(weights);
    score = giniScore(<f64>sumOfLanes(sumLeft), <f64>leftRows, <f64>sumOfLanes(sumRight), <f64>(rows - leftRows));
    if (previous < 0 && leftRows == rows && !missingLeft) break;
    previous = bin;
  }
  // What is left over are missing cells.
  if (previous >= 0 && leftRows < rows && score > best && isAllowed(tree, leftRows)) {
    best = score;
    tree.cut = cutBetween(previous, MISSING);
    tree.missingLeft = false;
  }
  memory.fill(left, 0, stride);
  tree.score = best;
  return previous >= 0;
}

/** Begins with the missing cells on the left side, or with none. */
@inline function startLeft(tree: Tree, missingLeft: bool): void {
  if (!missingLeft) return;
  const stride = <usize>tree.histogramStride;
  memory.copy(tree.left, tree.histogram + <usize>MISSING * stride, stride);
}

@inline function rowsIn(counts: usize, bytes: usize): i32 {
  let sum = i32x4.splat(0);
  for (let c: usize = 0; c < bytes; c += 16) {
    sum = i32x4.add(sum, i32x4.dot_i16x8_s(v128.load(counts + c), i16x8.splat(1)));
  }
  return sumOfLanes(sum);
}

@inline function sumOfLanes(lanes: v128): i32 {
  const two = i32x4.add(lanes, v128.shuffle<i32>(lanes, lanes, 2, 3, 0, 1));
  return i32x4.extract_lane(two, 0) + i32x4.extract_lane(two, 1);
}
