/** Finds the best split of a node by a feature, from the feature's histogram. */
import { cellsEnd, missingCell } from "./boosted-histogram";
import { Boosted, CELL_SHIFT, Node, Split } from "./boosted-state";
import { Column, columnAt, MISSING } from "./tree-column";
import { addToSet, clearSet } from "./tree-set";

/** Searches one feature; keeps its best split if it is better than the best so far. */
export function searchFeature(tree: Boosted, node: Node, best: Split, feature: i32, histogram: usize, order: usize): void {
  const column = columnAt(tree.table, feature);
  if (column.count + column.missing < 2) return;
  if (column.categorical) searchCategories(tree, node, best, feature, column, histogram, order);
  else searchCuts(tree, node, best, feature, column, histogram);
}

/** Computes GL² / (HL + λ) + GR² / (HR + λ), or −∞ if a side is too light. `left` and `total` are pairs of sums. */
@inline function scoreOf(tree: Boosted, left: v128, total: v128): f64 {
  const right = f64x2.sub(total, left);
  const hessians = v128.shuffle<f64>(left, right, 1, 3);
  if (!v128.all_true<i64>(f64x2.ge(hessians, f64x2.splat(tree.minChildWeight)))) return -Infinity;
  const gradients = v128.shuffle<f64>(left, right, 0, 2);
  const terms = f64x2.div(f64x2.mul(gradients, gradients), f64x2.add(hessians, f64x2.splat(tree.lambda)));
  return f64x2.extract_lane(terms, 0) + f64x2.extract_lane(terms, 1);
}

/** Keeps the better split; among equal ones the smaller feature wins, so that the order of the search does not matter. */
@inline function winsTies(feature: i32, best: Split): bool {
  return feature < best.feature;
}

function keep(best: Split, score: f64, feature: i32, cut: i32, left: v128, missingLeft: bool): void {
  best.score = score;
  best.feature = feature;
  best.cut = cut;
  best.leftGradient = f64x2.extract_lane(left, 0);
  best.leftHessian = f64x2.extract_lane(left, 1);
  best.missingLeft = missingLeft;
}

@inline function totalOf(node: Node): v128 {
  return v128.load(changetype<usize>(node));
}

/**
 * Tries all cuts of a number, with missing cells on the right and on the left. Most pairs of cuts are worse than the best so far:
 * the scores of two neighbours are computed at once, and only if one of them may be better, each is looked at.
 */
function searchCuts(tree: Boosted, node: Node, best: Split, feature: i32, column: Column, histogram: usize): void {
  const total = totalOf(node), missing = v128.load(missingCell(histogram)), hasMissing = v128.any_true(missing);
  const end = cellsEnd(column, histogram), isTied = winsTies(feature, best);
  let sum = f64x2.splat(0), bestScore = best.score, found = false;
  for (let cell = histogram; cell < end; cell += 32) {
    // An odd cell is tried twice, which changes nothing.
    const first = f64x2.add(sum, v128.load(cell));
    const second = cell + 16 < end ? f64x2.add(first, v128.load(cell, 16)) : first;
    sum = second;
    if (!mayWin(tree, first, second, total, bestScore)) {
      if (!hasMissing) continue;
      if (!mayWin(tree, f64x2.add(first, missing), f64x2.add(second, missing), total, bestScore)) continue;
    }
    const cut = <i32>((cell - histogram) >> CELL_SHIFT);
    for (let k = 0; k < 2; k++) {
      const left = k == 0 ? first : second;
      // Equal scores win only against a larger feature, and only once.
      const score = scoreOf(tree, left, total);
      if (score > bestScore || (isTied && !found && score == bestScore)) {
        bestScore = score;
        found = true;
        keep(best, score, feature, cut + k, left, false);
      }
      if (!hasMissing) continue;
      const withMissing = f64x2.add(left, missing), other = scoreOf(tree, withMissing, total);
      if (other > bestScore || (isTied && !found && other == bestScore)) {
        bestScore = other;
        found = true;
        keep(best, other, feature, cut + k, withMissing, true);
      }
    }
  }
  if (!found) return;
  best.hasMissing = hasMissing;
  best.categorical = false;
}

/** Returns whether one of two sums on the left has a score of at least the best one. */
@inline function mayWin(tree: Boosted, first: v128, second: v128, total: v128, best: f64): bool {
  const gradients = v128.shuffle<f64>(first, second, 0, 2), hessians = v128.shuffle<f64>(first, second, 1, 3);
  const lambda = f64x2.splat(tree.lambda), least = f64x2.splat(tree.minChildWeight);
  const otherGradients = f64x2.sub(v128.shuffle<f64>(total, total, 0, 0), gradients);
  const otherHessians = f64x2.sub(v128.shuffle<f64>(total, total, 1, 1), hessians);
  const scores = f64x2.add(
    f64x2.div(f64x2.mul(gradients, gradients), f64x2.add(hessians, lambda)),
    f64x2.div(f64x2.mul(otherGradients, otherGradients), f64x2.add(otherHessians, lambda)),
  );
  const areHeavy = v128.and(f64x2.ge(hessians, least), f64x2.ge(otherHessians, least));
  return v128.any_true(v128.and(areHeavy, f64x2.ge(scores, f64x2.splat(best))));
}

/**
 * Sorts categories by G / (H + λ) and tries all cuts (Fisher 1958: without λ no other division is better). Missing cells are a
 * category like any other.
 */
function searchCategories(
  tree: Boosted, node: Node, best: Split, feature: i32, column: Column,
  histogram: usize, order: usize,
): void {
  const count = orderCategories(tree, column, histogram, order), bins = order + 2048;
  const total = totalOf(node);
  let sum = f64x2.splat(0), bestScore = best.score, bestPlace = -1, bestLeft = sum;
  let orEqual = winsTies(feature, best);
  for (let place = 0; place < count - 1; place++) {
    sum = f64x2.add(sum, v128.load(histogram + (<usize>load<i32>(bins + (<usize>place << 2)) << CELL_SHIFT)));
    const score = scoreOf(tree, sum, total);
    if (score > bestScore || (orEqual && score == bestScore)) {
      bestScore = score;
      bestPlace = place;
      bestLeft = sum;
      orEqual = false;
    }
  }
  if (bestPlace < 0) return;
  keep(best, bestScore, feature, 0, bestLeft, false);
  best.categorical = true;
  const set = changetype<usize>(best) + offsetof<Split>("set0");
  const present = changetype<usize>(best) + offsetof<Split>("present0");
  clearSet(set);
  clearSet(present);
  for (let place = 0; place < count; place++) {
    const bin = load<i32>(bins + (<usize>place << 2));
    addToSet(present, bin);
    if (place <= bestPlace) addToSet(set, bin);
  }
}

/** Writes the ratios of the categories that occur, then their bins in ascending order of the ratios. */
function orderCategories(tree: Boosted, column: Column, histogram: usize, order: usize): i32 {
  const bins = order + 2048;
  let count = 0;
  for (let bin = 0; bin < column.count; bin++) count += noteCategory(tree, histogram, order, bins, count, bin);
  count += noteCategory(tree, histogram, order, bins, count, MISSING);
  // Shell sort, with gaps that triple.
  for (let gap = 40; gap > 0; gap = (gap - 1) / 3) {
    for (let i = gap; i < count; i++) {
      const bin = load<i32>(bins + (<usize>i << 2)), ratio = ratioOf(order, bin);
      let at = i;
      for (; at >= gap; at -= gap) {
        const other = load<i32>(bins + (<usize>(at - gap) << 2)), ratioOfOther = ratioOf(order, other);
        if (ratioOfOther < ratio || (ratioOfOther == ratio && other < bin)) break;
        store<i32>(bins + (<usize>at << 2), other);
      }
      store<i32>(bins + (<usize>at << 2), bin);
    }
  }
  return count;
}

@inline function noteCategory(tree: Boosted, histogram: usize, order: usize, bins: usize, count: i32, bin: i32): i32 {
  const cell = histogram + (<usize>bin << CELL_SHIFT), hessian = load<f64>(cell, 8), gradient = load<f64>(cell);
  if (hessian == 0 && gradient == 0) return 0;
  // One more unit, for rows whose Hessian is less than that.
  store<f64>(order + (<usize>bin << 3), gradient / (hessian + tree.lambda + 1));
  store<i32>(bins + (<usize>count << 2), bin);
  return 1;
}

@inline function ratioOf(order: usize, bin: i32): f64 {
  return load<f64>(order + (<usize>bin << 3));
}
