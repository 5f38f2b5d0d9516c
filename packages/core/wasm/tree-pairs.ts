/** Histograms for two classes: a pair of class weights for each bin, and the number of rows if rows have weights. */
import { binAt, noteBin } from "./tree-bins";
import { binOf } from "./tree-column";
import { splitScore, sumOfTwo } from "./tree-criterion";
import { countOf, labelOf, numberOf, rowAt, rowShift, weightOf } from "./tree-rows";
import { Grower } from "./tree-state";

@inline function pairOf<T>(grower: Grower, bin: usize): usize {
  return grower.histogram + bin * (2 * sizeof<T>());
}

/** Counts the rows of the node. */
export function fillPairs<T>(grower: Grower): void {
  const cells = grower.cells, stride = <usize>grower.stride, end = rowAt<T>(grower, grower.end);
  const histogram = grower.histogram, binRows = grower.binRows, flags = grower.flags;
  for (let row = rowAt<T>(grower, grower.begin); row < end; row += 1 << rowShift<T>()) {
    const bin = binOf(cells, stride, numberOf(row));
    const place = histogram + (2 * bin + labelOf(row)) * sizeof<T>();
    store<T>(place, load<T>(place) + weightOf<T>(row));
    noteBin(flags, bin);
    if (isFloat<T>()) {
      const rows = binRows + (bin << 2);
      store<i32>(rows, load<i32>(rows) + countOf(row));
    }
  }
}

/** Counts the rows if all bins are 0 or 1, without a table, whose few cells would wait for each other. */
export function fillTwoBins(grower: Grower): void {
  const cells = grower.cells, stride = <usize>grower.stride, end = rowAt<i32>(grower, grower.end);
  let all = 0, second = 0;
  for (let row = rowAt<i32>(grower, grower.begin); row < end; row += 1 << rowShift<i32>()) {
    const inSecondBin = countOf(row) & -<i32>binOf(cells, stride, numberOf(row));
    all += inSecondBin;
    second += inSecondBin & -<i32>labelOf(row);
  }
  const histogram = grower.histogram;
  store<i32>(histogram, load<i32>(grower.totals) - all + second);
  store<i32>(histogram, load<i32>(grower.totals, 4) - second, 4);
  store<i32>(histogram, all - second, 8);
  store<i32>(histogram, second, 12);
  if (all < grower.rowCount) noteBin(grower.flags, 0);
  if (all > 0) noteBin(grower.flags, 1);
}

/** See `sweepBins`. */
export function sweepPairs<T>(grower: Grower, count: i32, from: i32): i32 {
  const order = grower.order, least = grower.minLeafRows, most = grower.rowCount - least;
  const firstTotal = <f64>load<T>(grower.totals), secondTotal = <f64>load<T>(grower.totals, sizeof<T>());
  let first: f64 = 0, second: f64 = 0, leftRows = 0, best = grower.score, bestPlace = 0;
  for (let place = 0; place < count; place++) {
    if (place >= from && leftRows >= least && leftRows <= most) {
      const firstRight = firstTotal - first, secondRight = secondTotal - second;
      const score = splitScore<T>(
        grower,
        sumOfTwo<T>(grower, first, second), first + second,
        sumOfTwo<T>(grower, firstRight, secondRight), firstRight + secondRight,
      );
      if (score > best) {
        best = score;
        bestPlace = place;
      }
    }
    const bin = binAt(order, place), pair = pairOf<T>(grower, bin);
    first += <f64>load<T>(pair);
    second += <f64>load<T>(pair, sizeof<T>());
    if (isFloat<T>()) leftRows += load<i32>(grower.binRows + (<usize>bin << 2));
    else leftRows = <i32>(first + second);
  }
  grower.score = best;
  return bestPlace;
}

/** Clears the bins that occur. */
export function clearPairs<T>(grower: Grower, count: i32): void {
  for (let place = 0; place < count; place++) {
    const bin = binAt(grower.order, place), pair = pairOf<T>(grower, bin);
    store<T>(pair, 0);
    store<T>(pair, 0, sizeof<T>());
    if (isFloat<T>()) store<i32>(grower.binRows + (<usize>bin << 2), 0);
  }
}
