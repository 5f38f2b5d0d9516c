/**
 * The best cut of a feature with time per row and per bin that occurs, whatever the number of classes and bins: the rows
 * of each bin are linked to a list, and the lists are moved from the right side to the left one after the other.
 */
import { clearSet, cutBetween, isAllowed, listSet } from "./tree-candidate";
import { Column, MISSING } from "./tree-column";
import { growthOfSum, splitScore } from "./tree-criterion";
import { countOf, labelOf, numberOf, rowAt, rowShift, weightOf } from "./tree-rows";
import { Tree } from "./tree-state";

/** Looks for the best cut of a number; false if it is constant. */
export function searchLists<T>(tree: Tree, column: Column): bool {
  linkRows<T>(tree, column.bins);
  const count = listSet(tree.present, tree.order);
  if (count < 2) return false;
  tree.hasMissing = binAt(tree, count - 1) == MISSING;
  keepCut(tree, sweepLists<T>(tree, count, 1), false);
  if (tree.hasMissing) {
    // Once more, with the missing cells as the first bin instead of the last.
    memory.copy(tree.order + 4, tree.order, <usize>(count - 1) << 2);
    store<i32>(tree.order, MISSING);
    keepCut(tree, sweepLists<T>(tree, count, 2), true);
  }
  return true;
}

@inline function binAt(tree: Tree, place: i32): i32 {
  return load<i32>(tree.order + (<usize>place << 2));
}

@inline function keepCut(tree: Tree, place: i32, missingLeft: bool): void {
  if (place == 0) return;
  tree.cut = cutBetween(binAt(tree, place - 1), binAt(tree, place));
  tree.missingLeft = missingLeft;
}

/** Links the rows of each bin, from `head` on, and notes the bins in `present`. */
export function linkRows<T>(tree: Tree, bins: usize): void {
  const rows = tree.rows, head = tree.head, next = tree.next, present = tree.present, end = tree.end;
  clearSet(present);
  for (let i = tree.begin; i < end; i++) {
    const bin = <i32>load<u8>(bins + numberOf(rows + (<usize>i << rowShift<T>())));
    const first = head + (<usize>bin << 2), word = present + ((bin >> 5) << 2);
    const seen = load<u32>(word), bit: u32 = 1 << (bin & 31);
    store<i32>(next + (<usize>i << 2), seen & bit ? load<i32>(first) : -1);
    store<i32>(first, i);
    store<u32>(word, seen | bit);
  }
}

/**
 * Moves the `count` bins of `order` to the left one after the other. The first cut to be looked at is that before
 * bin `from` of the order; the place of the best cut if it is better than `score`, which it becomes, otherwise 0.
 */
export function sweepLists<T>(tree: Tree, count: i32, from: i32): i32 {
  const rows = tree.rows, head = tree.head, next = tree.next, order = tree.order;
  const left = tree.left, totals = tree.totals;
  let sumLeft: f64 = 0, sumRight = tree.sum, leftWeight: f64 = 0, leftRows = 0;
  let best = tree.score, bestPlace = 0;
  for (let place = 0; place < count; place++) {
    if (place >= from && isAllowed(tree, leftRows)) {
      const score = splitScore<T>(tree, sumLeft, leftWeight, sumRight, tree.weight - leftWeight);
      if (score > best) {
        best = score;
        bestPlace = place;
      }
    }
    const bin = load<i32>(order + (<usize>place << 2));
    for (let i = load<i32>(head + (<usize>bin << 2)); i >= 0; i = load<i32>(next + (<usize>i << 2))) {
      const row = rows + (<usize>i << rowShift<T>());
      const weight = weightOf<T>(row), place = labelOf(row) * sizeof<T>();
      const before = load<T>(left + place), rest = load<T>(totals + place) - before;
      sumLeft += growthOfSum<T>(tree, before, weight);
      sumRight += growthOfSum<T>(tree, rest, -weight);
      store<T>(left + place, before + weight);
      leftWeight += <f64>weight;
      leftRows += countOf(row);
    }
  }
  clearClasses<T>(tree, left);
  tree.score = best;
  return bestPlace;
}

/** Zeros for the classes of the node's rows. */
@inline export function clearClasses<T>(tree: Tree, classes: usize): void {
  if (tree.end - tree.begin > tree.classes) {
    memory.fill(classes, 0, <usize>tree.classes * sizeof<T>());
    return;
  }
  const end = rowAt<T>(tree, tree.end);
  for (let row = rowAt<T>(tree, tree.begin); row < end; row += 1 << rowShift<T>()) {
    store<T>(classes + labelOf(row) * sizeof<T>(), 0);
  }
}
