/**
 * Histograms of unweighted rows for the Gini index, in nodes whose rows can be counted in 15 bits: one instruction squares
 * and adds the counts of eight classes.
 */
import { binAt, noteBin } from "./tree-bins";
import { binOf } from "./tree-column";
import { giniScore } from "./tree-criterion";
import { countOf, labelOf, numberOf, rowAt } from "./tree-rows";
import { Grower } from "./tree-state";

/** Maximum number of rows for counts of 15 bits. */
@inline export const MOST_SHORT: i32 = 32767;

/** Converts the class totals of a node to 16 bits. */
export function prepareShort(grower: Grower): void {
  const stride = <usize>grower.shortStride, totals = grower.totals, to = grower.shortTotals;
  for (let c: usize = 0; c < stride; c += 16) {
    v128.store(to + c, i16x8.narrow_i32x4_s(v128.load(totals + 2 * c), v128.load(totals + 2 * c, 16)));
  }
}

/** Counts the rows of the node. */
export function fillShort(grower: Grower): void {
  const histogram = grower.histogram, flags = grower.flags, binBytes = <usize>grower.shortStride;
  const cells = grower.cells, stride = <usize>grower.stride, end = rowAt<i32>(grower, grower.end);
  for (let row = rowAt<i32>(grower, grower.begin); row < end; row += 8) {
    const bin = binOf(cells, stride, numberOf(row));
    const place = histogram + bin * binBytes + (labelOf(row) << 1);
    store<u16>(place, load<u16>(place) + <u16>countOf(row));
    noteBin(flags, bin);
  }
}

/** See `sweepBins`. */
export function sweepShort(grower: Grower, count: i32, from: i32): i32 {
  const stride = <usize>grower.shortStride, left = grower.denseLeft, totals = grower.shortTotals;
  const histogram = grower.histogram, order = grower.order;
  const rows = grower.rowCount, least = grower.minLeafRows, most = rows - least;
  const ones = i16x8.splat(1), zero = i32x4.splat(0);
  for (let c: usize = 0; c < stride; c += 16) v128.store(left + c, zero);
  let weights = zero, leftRows = 0, score: f64 = 0, best = grower.score, bestPlace = 0;
  for (let place = 0; place < count; place++) {
    if (score > best && place >= from && leftRows >= least && leftRows <= most) {
      best = score;
      bestPlace = place;
    }
    const counts = histogram + <usize>binAt(order, place) * stride;
    let sumLeft = zero, sumRight = zero;
    for (let c: usize = 0; c < stride; c += 16) {
      const more = v128.load(counts + c), side = i16x8.add(v128.load(left + c), more);
      const other = i16x8.sub(v128.load(totals + c), side);
      v128.store(left + c, side);
      weights = i32x4.add(weights, i32x4.dot_i16x8_s(more, ones));
      sumLeft = i32x4.add(sumLeft, i32x4.dot_i16x8_s(side, side));
      sumRight = i32x4.add(sumRight, i32x4.dot_i16x8_s(other, other));
    }
    leftRows = sumOfLanes(weights);
    score = giniScore(<f64>sumOfLanes(sumLeft), <f64>leftRows, <f64>sumOfLanes(sumRight), <f64>(rows - leftRows));
  }
  grower.score = best;
  return bestPlace;
}

@inline function sumOfLanes(lanes: v128): i32 {
  const two = i32x4.add(lanes, v128.shuffle<i32>(lanes, lanes, 2, 3, 0, 1));
  return i32x4.extract_lane(two, 0) + i32x4.extract_lane(two, 1);
}

/** Clears the bins that occur. */
export function clearShort(grower: Grower, count: i32): void {
  const stride = <usize>grower.shortStride, zero = i32x4.splat(0);
  for (let place = 0; place < count; place++) {
    const counts = grower.histogram + <usize>binAt(grower.order, place) * stride;
    for (let c: usize = 0; c < stride; c += 16) v128.store(counts + c, zero);
  }
}
