/**
 * Lists of the rows in each bin: for nodes with fewer rows than a histogram of classes would have cells, and for entropy. The
 * time depends on the rows, not on the number of classes.
 */
import { binAt, noteBin } from "./tree-bins";
import { binOf } from "./tree-column";
import { growthOfSum, splitScore } from "./tree-criterion";
import { countOf, labelOf, numberOf, rowAt, rowShift, weightOf } from "./tree-rows";
import { Grower } from "./tree-state";

/** Links the rows of each bin, from `head` on. */
export function fillLists<T>(grower: Grower): void {
  const rows = grower.rows, head = grower.head, next = grower.next, flags = grower.flags, end = grower.end;
  const cells = grower.cells, stride = <usize>grower.stride;
  for (let i = grower.begin; i < end; i++) {
    const bin = binOf(cells, stride, numberOf(rows + (<usize>i << rowShift<T>())));
    const first = head + (bin << 2);
    store<i32>(next + (<usize>i << 2), load<i32>(first));
    store<i32>(first, i);
    noteBin(flags, bin);
  }
}

/** See `sweepBins`. */
export function sweepLists<T>(grower: Grower, count: i32, from: i32): i32 {
  const rows = grower.rows, head = grower.head, next = grower.next, order = grower.order;
  const left = grower.left, totals = grower.totals, least = grower.minLeafRows, most = grower.rowCount - least;
  let sumLeft: f64 = 0, sumRight = grower.sum, leftWeight: f64 = 0, leftRows = 0;
  let best = grower.score, bestPlace = 0;
  for (let place = 0; place < count; place++) {
    if (place >= from && leftRows >= least && leftRows <= most) {
      const score = splitScore<T>(grower, sumLeft, leftWeight, sumRight, grower.weight - leftWeight);
      if (score > best) {
        best = score;
        bestPlace = place;
      }
    }
    const bin = <usize>binAt(order, place);
    for (let i = load<i32>(head + (bin << 2)); i >= 0; i = load<i32>(next + (<usize>i << 2))) {
      const row = rows + (<usize>i << rowShift<T>());
      const weight = weightOf<T>(row), place = labelOf(row) * sizeof<T>();
      const before = load<T>(left + place), rest = load<T>(totals + place) - before;
      sumLeft += growthOfSum<T>(grower, before, weight);
      sumRight += growthOfSum<T>(grower, rest, -weight);
      store<T>(left + place, before + weight);
      leftWeight += <f64>weight;
      leftRows += countOf(row);
    }
  }
  clearClasses<T>(grower, left);
  grower.score = best;
  return bestPlace;
}

/** Empties the lists of the bins that occur. */
export function clearLists(grower: Grower, count: i32): void {
  for (let place = 0; place < count; place++) {
    store<i32>(grower.head + (<usize>binAt(grower.order, place) << 2), -1);
  }
}

/** Clears the weights of the classes of the node's rows. */
export function clearClasses<T>(grower: Grower, classes: usize): void {
  if (grower.end - grower.begin > grower.classes) {
    for (let end = classes + <usize>grower.classes * sizeof<T>(); classes < end; classes += 16) {
      v128.store(classes, i32x4.splat(0));
    }
    return;
  }
  const end = rowAt<T>(grower, grower.end);
  for (let row = rowAt<T>(grower, grower.begin); row < end; row += 1 << rowShift<T>()) {
    store<T>(classes + labelOf(row) * sizeof<T>(), 0);
  }
}
