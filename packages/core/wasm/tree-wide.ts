/** Histograms for the Gini index of rows that have weights, or are too many for `tree-short.ts`: sums are f64. */
import { binAt, noteBin } from "./tree-bins";
import { binOf } from "./tree-column";
import { giniScore } from "./tree-criterion";
import { countOf, labelOf, numberOf, rowAt, rowShift, weightOf } from "./tree-rows";
import { Grower } from "./tree-state";

/** Returns the bytes of a bin, for an even number of classes. */
@inline function strideOf<T>(grower: Grower): usize {
  return <usize>((grower.classes + 1) & ~1) * sizeof<T>();
}

/** Sums the rows of the node. */
export function fillWide<T>(grower: Grower): void {
  const histogram = grower.histogram, binRows = grower.binRows, flags = grower.flags, binBytes = strideOf<T>(grower);
  const cells = grower.cells, stride = <usize>grower.stride, end = rowAt<T>(grower, grower.end);
  for (let row = rowAt<T>(grower, grower.begin); row < end; row += 1 << rowShift<T>()) {
    const bin = binOf(cells, stride, numberOf(row));
    const place = histogram + bin * binBytes + labelOf(row) * sizeof<T>(), rows = binRows + (bin << 2);
    store<T>(place, load<T>(place) + weightOf<T>(row));
    store<i32>(rows, load<i32>(rows) + countOf(row));
    noteBin(flags, bin);
  }
}

/** Loads two weights as doubles. */
@inline function two<T>(place: usize): v128 {
  return isFloat<T>() ? v128.load(place) : f64x2.convert_low_i32x4_s(v128.load64_zero(place));
}

/** See `sweepBins`. */
export function sweepWide<T>(grower: Grower, count: i32, from: i32): i32 {
  const histogram = grower.histogram, order = grower.order, left = grower.denseLeft, totals = grower.totals;
  const stride = strideOf<T>(grower), least = grower.minLeafRows, most = grower.rowCount - least, weight = grower.weight;
  const zero = f64x2.splat(0), doubles: usize = sizeof<f64>() / sizeof<T>();
  for (let c: usize = 0; c < stride; c += 2 * sizeof<T>()) v128.store(left + c * doubles, zero);
  let weights = zero, leftRows = 0, score: f64 = 0, best = grower.score, bestPlace = 0;
  for (let place = 0; place < count; place++) {
    if (score > best && place >= from && leftRows >= least && leftRows <= most) {
      best = score;
      bestPlace = place;
    }
    const bin = <usize>binAt(order, place), added = histogram + bin * stride;
    let sumLeft = zero, sumRight = zero;
    for (let c: usize = 0; c < stride; c += 2 * sizeof<T>()) {
      const more = two<T>(added + c), side = f64x2.add(v128.load(left + c * doubles), more);
      const other = f64x2.sub(two<T>(totals + c), side);
      v128.store(left + c * doubles, side);
      weights = f64x2.add(weights, more);
      sumLeft = f64x2.add(sumLeft, f64x2.mul(side, side));
      sumRight = f64x2.add(sumRight, f64x2.mul(other, other));
    }
    leftRows += load<i32>(grower.binRows + (bin << 2));
    const leftWeight = sumOfLanes(weights);
    score = giniScore(sumOfLanes(sumLeft), leftWeight, sumOfLanes(sumRight), weight - leftWeight);
  }
  grower.score = best;
  return bestPlace;
}

@inline function sumOfLanes(lanes: v128): f64 {
  return f64x2.extract_lane(lanes, 0) + f64x2.extract_lane(lanes, 1);
}

/** Clears the bins that occur. */
export function clearWide<T>(grower: Grower, count: i32): void {
  const stride = strideOf<T>(grower);
  for (let place = 0; place < count; place++) {
    const bin = <usize>binAt(grower.order, place), cells = grower.histogram + bin * stride;
    for (let c: usize = 0; c < stride; c += 8) store<u64>(cells + c, 0);
    store<i32>(grower.binRows + (bin << 2), 0);
  }
}
