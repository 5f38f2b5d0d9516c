import { binOf } from "./tree-column";
import { below } from "./tree-random";
import { isInSet } from "./tree-set";
import { Grower } from "./tree-state";

/**
 * Rows of nodes: row number u32, class u16, number of draws u16, and with T = f64 the weight times that number. With T = i32
 * the weight is the number of draws.
 */
@inline export function rowShift<T>(): usize {
  return isFloat<T>() ? 4 : 3;
}

@inline export function rowAt<T>(grower: Grower, index: i32): usize {
  return grower.rows + (<usize>index << rowShift<T>());
}

@inline export function numberOf(row: usize): usize {
  return load<u32>(row);
}

@inline export function labelOf(row: usize): usize {
  return load<u16>(row, 4);
}

@inline export function countOf(row: usize): i32 {
  return load<u16>(row, 6);
}

@inline export function weightOf<T>(row: usize): T {
  return isFloat<T>() ? load<T>(row, 8) : <T>load<u16>(row, 6);
}

/** As `draws` of `drawRows`: the numbers of draws are in `drawn`. */
@inline export const GIVEN: i32 = -1;

/**
 * Collects the rows of the root; returns how many there are. Without `draws` they are the listed rows of positive weight, otherwise this many draws
 * from these, at most as many as there are, or those that are given.
 */
export function drawRows<T>(grower: Grower, draws: i32): i32 {
  if (draws == GIVEN) return writeRows<T>(grower);
  const positive = grower.next;
  let candidates = 0;
  for (let i = 0; i < grower.listed; i++) {
    store<u16>(grower.drawn + (<usize>i << 1), 0);
    if (grower.weights && !(load<f64>(grower.weights + (listedRow(grower, i) << 3)) > 0)) continue;
    store<i32>(positive + (<usize>candidates << 2), i);
    candidates++;
  }
  const count = draws == 0 ? candidates : min(draws, candidates);
  for (let draw = 0; draw < count; draw++) {
    const chosen = draws == 0 ? draw : below(grower, candidates);
    const times = grower.drawn + (<usize>load<i32>(positive + (<usize>chosen << 2)) << 1);
    store<u16>(times, load<u16>(times) + 1);
  }
  return writeRows<T>(grower);
}

@inline function listedRow(grower: Grower, index: i32): usize {
  return load<u32>(grower.list + (<usize>index << 2));
}

function writeRows<T>(grower: Grower): i32 {
  let rows = 0;
  for (let i = 0; i < grower.listed; i++) {
    const times = load<u16>(grower.drawn + (<usize>i << 1));
    if (times == 0) continue;
    const number = listedRow(grower, i), row = rowAt<T>(grower, rows++);
    store<u32>(row, <u32>number);
    store<u16>(row, load<u16>(grower.labels + (number << 1)), 4);
    store<u16>(row, times, 6);
    if (isFloat<T>()) store<f64>(row, load<f64>(grower.weights + (number << 3)) * <f64>times, 8);
  }
  return rows;
}

/** Moves the listed rows that were not drawn to the front of the list; returns their number. */
export function outOfBag(grower: Grower): i32 {
  let count = 0;
  for (let i = 0; i < grower.listed; i++) {
    if (load<u16>(grower.drawn + (<usize>i << 1))) continue;
    store<u32>(grower.list + (<usize>count << 2), <u32>listedRow(grower, i));
    count++;
  }
  return count;
}

/**
 * Moves the rows that go left to the front of the node, both sides in their order, and returns where the right side begins.
 * `leftWeight` is set to the weight of the left side.
 */
export function partitionByCut<T>(grower: Grower, cut: i32, missingLeft: bool): i32 {
  // As in nodes: with the shift, the bin of missing cells is below all others.
  const shift = <i32>missingLeft;
  return partition<T>(grower, false, 0, cut + shift, shift);
}

/** Partitions by a set of bins that go left. */
export function partitionBySet<T>(grower: Grower, set: usize): i32 {
  return partition<T>(grower, true, set, 0, 0);
}

/** Partitions by a set, or by the highest bin on the left after the shift. */
@inline function partition<T>(grower: Grower, bySet: bool, set: usize, highest: i32, shift: i32): i32 {
  const cells = grower.cells, stride = <usize>grower.stride, last = rowAt<T>(grower, grower.end);
  const spare = grower.spare + (<usize>grower.begin << rowShift<T>());
  let left = rowAt<T>(grower, grower.begin), right = spare, weight: T = 0;
  for (let row = left; row < last; row += 1 << rowShift<T>()) {
    const bin = <i32>binOf(cells, stride, numberOf(row));
    const isLeft = bySet ? isInSet(set, bin) : <i32>(((bin + shift) & 255) <= highest);
    weight += ifLeft<T>(weightOf<T>(row), isLeft);
    moveRow<T>(row, left, right);
    left += <usize>isLeft << rowShift<T>();
    right += <usize>(isLeft ^ 1) << rowShift<T>();
  }
  grower.leftWeight = <f64>weight;
  copyRows(left, spare, right);
  return <i32>((left - grower.rows) >> rowShift<T>());
}

/** Returns the weight or 0, without a branch. */
@inline function ifLeft<T>(weight: T, isLeft: i32): T {
  return isFloat<T>() ? weight * <T>isLeft : <T>(<i32>weight & -isLeft);
}

/** Writes to both places, of which only one will be kept, which takes less time than a branch. */
@inline function moveRow<T>(row: usize, left: usize, right: usize): void {
  if (isFloat<T>()) {
    const words = v128.load(row);
    v128.store(left, words);
    v128.store(right, words);
  } else {
    const words = load<u64>(row);
    store<u64>(left, words);
    store<u64>(right, words);
  }
}

/** Copies few rows in a loop, which is faster than a call of the system's copy. */
@inline function copyRows(to: usize, from: usize, end: usize): void {
  if (end - from > 256) {
    memory.copy(to, from, end - from);
    return;
  }
  for (; from < end; from += 8, to += 8) store<u64>(to, load<u64>(from));
}
