/**
 * Votes of trees on rows that they were not grown on. Several threads add to the same sums, so these are integers: sums of
 * integers do not depend on their order.
 */
import { NODE_SHIFT } from "./tree-node";
import { Grower } from "./tree-state";

/** A loss of 1 in the table of losses. Sums of products over 256 rows then fit in 32 bits. */
@inline export const LOSS_UNITS: f64 = 4096;

@inline function nodeOf(grower: Grower, leaves: usize, index: i32): usize {
  return grower.nodes + (<usize>load<i32>(leaves + (<usize>index << 2)) << NODE_SHIFT);
}

@inline function rowIn(list: usize, index: i32): usize {
  return <usize>load<u32>(list + (<usize>index << 2));
}

/** Adds the class shares of the leaves of listed rows to their sums, in units of 1 / `units`. */
export function addVotes(grower: Grower, list: usize, leaves: usize, count: i32, sums: usize, units: f64): void {
  for (let i = 0; i < count; i++) {
    const node = nodeOf(grower, leaves, i), to = sums + ((rowIn(list, i) * grower.classes) << 2);
    const word = load<i32>(node), shares = -1 - load<i32>(node, 4);
    if (shares == 0) atomic.add<i32>(to + (<usize>word << 2), <i32>units);
    for (let k = <usize>word; k < <usize>(word + shares); k++) {
      const share = <f64>load<f32>(grower.leafShares + (k << 2));
      atomic.add<i32>(to + (<usize>load<i32>(grower.leafClasses + (k << 2)) << 2), <i32>nearest(share * units));
    }
  }
}

/** Counts a vote for each listed row. */
export function countVotes(list: usize, count: i32, votes: usize): void {
  for (let i = 0; i < count; i++) atomic.add<i32>(votes + (rowIn(list, i) << 2), 1);
}

/** Returns the share of a row's leaf that is of wrong classes. */
@inline function lossOf(grower: Grower, node: usize, row: usize): f64 {
  const label = <i32>load<u16>(grower.labels + (row << 1)), word = load<i32>(node), shares = -1 - load<i32>(node, 4);
  if (shares == 0) return <f64>(word != label);
  for (let k = <usize>word; k < <usize>(word + shares); k++) {
    if (load<i32>(grower.leafClasses + (k << 2)) != label) continue;
    return max(0, 1 - <f64>load<f32>(grower.leafShares + (k << 2)));
  }
  return 1;
}

/** Clears the losses of a tree on `measured` rows, and the bits of these rows. */
export function clearLosses(measured: i32, losses: usize, bits: usize): void {
  const padded = <usize>((measured + 127) & ~127);
  memory.fill(losses, 0, padded << 1);
  memory.fill(bits, 0, padded >> 3);
}

/**
 * Sums the losses of the tree on listed rows. Also writes the losses on `measured` rows, spread evenly over all `rows`, to a table of i16, rounded up
 * so that bounds stay bounds, and a bit for each of these rows that is listed.
 */
export function sumLosses(
  grower: Grower, list: usize, leaves: usize, count: i32,
  rows: i32, measured: i32, losses: usize, bits: usize,
): f64 {
  let sum: f64 = 0;
  for (let i = 0; i < count; i++) {
    const row = rowIn(list, i), loss = lossOf(grower, nodeOf(grower, leaves, i), row);
    sum += loss;
    if (measured == 0) continue;
    const place = <u64>row * measured / rows;
    if ((<u64>row + 1) * measured / rows == place) continue;
    store<i16>(losses + (<usize>place << 1), <i16>ceil(loss * LOSS_UNITS));
    const byte = bits + (<usize>place >> 3), bit: u32 = 1 << (<u32>place & 7);
    store<u8>(byte, <u8>(<u32>load<u8>(byte) | bit));
  }
  return sum;
}

/** Adds the decreases of impurity by the assembled tree, per unit of the root's weight, to sums of i64 in units of 1 / `units`. */
export function sumDecreases(grower: Grower, sums: usize, units: f64): void {
  const decreases = grower.decreases, rootWeight = grower.rootWeight;
  for (let at: usize = 0; at < <usize>grower.columns << 3; at += 8) {
    // Rounding may take a decrease of zero below zero.
    const share = max(0, load<f64>(decreases + at) / rootWeight);
    if (share > 0) atomic.add<i64>(sums + at, <i64>nearest(share * units));
  }
}

/** Rows of the table of losses that are multiplied before those of the next trees, so that they stay in the cache. */
@inline const ROWS_AT_ONCE: i32 = 4096;

/** Rows whose products fit in 32 bits. */
@inline const ROWS_PER_SUM: i32 = 256;

/**
 * For trees `begin` … `end` − 1 and each tree b up to a of them, sums the products of their losses over the rows of the table, and
 * counts the rows that both have bits for, at place a(a + 1) / 2 + b. `begin` is even, and the table has an even number of trees.
 */
export function pairLosses(
  losses: usize, bits: usize, measured: i32, begin: i32, end: i32,
  sums: usize, counts: usize,
): void {
  const rows = (measured + 127) & ~127, last = (end + 1) & ~1;
  for (let from = 0; from < rows; from += ROWS_AT_ONCE) {
    const to = min(rows, from + ROWS_AT_ONCE);
    for (let b = 0; b < last; b += 2) {
      for (let a = max(begin, b); a < end; a += 2) addProducts(losses, rows, from, to, a, b, end, sums);
    }
  }
  for (let a = begin; a < end; a++) {
    for (let b = 0; b <= a; b++) {
      store<i32>(counts + (<usize>placeOf(a, b) << 2), commonBits(bits, rows, a, b));
    }
  }
}

@inline function placeOf(a: i32, b: i32): i32 {
  return a * (a + 1) / 2 + b;
}

/** Adds the products of the losses of trees a, a + 1 and trees b, b + 1, for rows `from` … `to` − 1. */
@inline function addProducts(
  losses: usize, rows: i32, from: i32, to: i32,
  a: i32, b: i32, end: i32, sums: usize,
): void {
  const stride = <usize>rows << 1;
  const first = losses + <usize>a * stride, second = first + stride;
  const third = losses + <usize>b * stride, fourth = third + stride;
  let sum0: i64 = 0, sum1: i64 = 0, sum2: i64 = 0, sum3: i64 = 0;
  for (let begin = from; begin < to; begin += ROWS_PER_SUM) {
    const limit = <usize>min(to, begin + ROWS_PER_SUM) << 1;
    let part0 = i32x4.splat(0), part1 = part0, part2 = part0, part3 = part0;
    for (let at = <usize>begin << 1; at < limit; at += 16) {
      const a0 = v128.load(first + at), a1 = v128.load(second + at);
      const b0 = v128.load(third + at), b1 = v128.load(fourth + at);
      part0 = i32x4.add(part0, i32x4.dot_i16x8_s(a0, b0));
      part1 = i32x4.add(part1, i32x4.dot_i16x8_s(a0, b1));
      part2 = i32x4.add(part2, i32x4.dot_i16x8_s(a1, b0));
      part3 = i32x4.add(part3, i32x4.dot_i16x8_s(a1, b1));
    }
    sum0 += sumOfLanes(part0);
    sum1 += sumOfLanes(part1);
    sum2 += sumOfLanes(part2);
    sum3 += sumOfLanes(part3);
  }
  addSum(sums, a, b, sum0);
  if (b < a) addSum(sums, a, b + 1, sum1);
  if (a + 1 == end) return;
  addSum(sums, a + 1, b, sum2);
  addSum(sums, a + 1, b + 1, sum3);
}

@inline function sumOfLanes(lanes: v128): i64 {
  const pairs = i64x2.add(i64x2.extend_low_i32x4_s(lanes), i64x2.extend_high_i32x4_s(lanes));
  return i64x2.extract_lane(pairs, 0) + i64x2.extract_lane(pairs, 1);
}

/** Adds an integer, exactly: sums are below 2⁵³. */
@inline function addSum(sums: usize, a: i32, b: i32, more: i64): void {
  const sum = sums + (<usize>placeOf(a, b) << 3);
  store<f64>(sum, load<f64>(sum) + <f64>more);
}

function commonBits(bits: usize, rows: i32, a: i32, b: i32): i32 {
  const stride = <usize>rows >> 3, first = bits + <usize>a * stride, second = bits + <usize>b * stride;
  let counts = i32x4.splat(0);
  for (let at: usize = 0; at < stride; at += 16) {
    const common = i8x16.popcnt(v128.and(v128.load(first + at), v128.load(second + at)));
    counts = i32x4.add(counts, i32x4.extadd_pairwise_i16x8_u(i16x8.extadd_pairwise_i8x16_u(common)));
  }
  return i32x4.extract_lane(counts, 0) + i32x4.extract_lane(counts, 1)
    + i32x4.extract_lane(counts, 2) + i32x4.extract_lane(counts, 3);
}
