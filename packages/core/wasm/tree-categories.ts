/**
 * Finds the best set of categories. With two classes, some number of categories with the smallest shares of one class is the
 * best of all 2ⁿ sets (Breiman et al., Classification and Regression Trees, 1984, section 4.2.2). With more classes a random
 * half of the classes takes the place of this class: a random choice among sensible sets. Missing cells are one more category.
 */
import { binAt, listBins } from "./tree-bins";
import { binOf, Column, MISSING } from "./tree-column";
import { clearBins, fillBins, methodFor, sweepBins } from "./tree-method";
import { bits } from "./tree-random";
import { labelOf, numberOf, rowAt, rowShift, weightOf } from "./tree-rows";
import { addToSet, clearSet } from "./tree-set";
import { Grower } from "./tree-state";

/** Random halves of the classes to try before accepting one that does not divide the rows. */
@inline const HALVINGS: i32 = 8;

/** Searches for the best set of categories; returns false if all rows have the same one. */
export function searchCategories<T>(grower: Grower, column: Column): bool {
  const method = methodFor(grower, column);
  fillBins<T>(grower, method, column);
  const count = listBins(grower, column.missing ? MISSING : column.count - 1);
  if (count > 1) {
    if (grower.classes > 2) findShares<T>(grower, count);
    else sharesOfPairs<T>(grower, count);
    sortByShare(grower, count);
    const best = sweepBins<T>(grower, method, count, 1);
    clearSet(grower.set);
    clearSet(grower.present);
    for (let place = 0; place < count; place++) {
      addToSet(grower.present, binAt(grower.order, place));
      if (place < best) addToSet(grower.set, binAt(grower.order, place));
    }
  }
  clearBins<T>(grower, method, count);
  return count > 1;
}

/** Tells whether a class is in the half that belongs to a salt. */
@inline function isInHalf(label: u32, salt: u32): bool {
  let hash = (label + 1) * 0x9e3779b1 ^ salt;
  hash = (hash ^ (hash >> 15)) * 0x85ebca6b;
  return <bool>((hash ^ (hash >> 13)) >> 7 & 1);
}

/** Draws a random half of the classes, if possible one that divides those of the node. */
function drawHalving<T>(grower: Grower): u32 {
  const begin = rowAt<T>(grower, grower.begin), end = rowAt<T>(grower, grower.end);
  let salt: u32 = 0;
  for (let attempt = 0; attempt < HALVINGS; attempt++) {
    salt = bits(grower) | 1;
    const side = isInHalf(<u32>labelOf(begin), salt);
    for (let row = begin; row < end; row += 1 << rowShift<T>()) {
      if (isInHalf(<u32>labelOf(row), salt) != side) return salt;
    }
  }
  return salt;
}

/** Computes the share of a random half of the classes in each category, from the weights of the half and of all. */
function findShares<T>(grower: Grower, count: i32): void {
  const salt = drawHalving<T>(grower);
  const shares = grower.shares, cells = grower.cells, stride = <usize>grower.stride, end = rowAt<T>(grower, grower.end);
  memory.fill(shares, 0, 256 * 16);
  for (let row = rowAt<T>(grower, grower.begin); row < end; row += 1 << rowShift<T>()) {
    const pair = shares + (binOf(cells, stride, numberOf(row)) << 4);
    const weight = <f64>weightOf<T>(row);
    const both = f64x2.replace_lane(f64x2.splat(weight), 0, isInHalf(<u32>labelOf(row), salt) ? weight : 0);
    v128.store(pair, f64x2.add(v128.load(pair), both));
  }
  for (let place = 0; place < count; place++) {
    const pair = shares + (<usize>binAt(grower.order, place) << 4);
    store<f64>(pair, load<f64>(pair) / load<f64>(pair, 8));
  }
}

/** Computes the share of the second of two classes in each category. */
function sharesOfPairs<T>(grower: Grower, count: i32): void {
  for (let place = 0; place < count; place++) {
    const bin = <usize>binAt(grower.order, place), pair = grower.histogram + bin * (2 * sizeof<T>());
    const first = <f64>load<T>(pair), second = <f64>load<T>(pair, sizeof<T>());
    store<f64>(grower.shares + (bin << 4), second / (first + second));
  }
}

/** Sorts the categories of `order` by the share of the half, equal ones by number (Shell sort). */
function sortByShare(grower: Grower, count: i32): void {
  let gap = 1;
  while (gap < count / 3) gap = 3 * gap + 1;
  for (; gap > 0; gap = (gap - 1) / 3) {
    for (let place = gap; place < count; place++) insertByShare(grower, place, gap);
  }
}

@inline function insertByShare(grower: Grower, place: i32, gap: i32): void {
  const order = grower.order, bin = binAt(order, place), share = shareOf(grower, bin);
  for (; place >= gap; place -= gap) {
    const other = binAt(order, place - gap), otherShare = shareOf(grower, other);
    if (otherShare < share || (otherShare == share && other < bin)) break;
    store<u8>(order + place, <u8>other);
  }
  store<u8>(order + place, <u8>bin);
}

@inline function shareOf(grower: Grower, bin: i32): f64 {
  return load<f64>(grower.shares + (<usize>bin << 4));
}
