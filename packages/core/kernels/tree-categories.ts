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
import { Tree } from "./tree-state";

/** Random halves of the classes to try before accepting one that does not divide the rows. */
@inline const HALVINGS: i32 = 8;

/** Searches for the best set of categories; returns false if all rows have the same one. */
export function searchCategories<T>(tree: Tree, column: Column): bool {
  const method = methodFor(tree, column);
  fillBins<T>(tree, method, column);
  const count = listBins(tree, column.missing ? MISSING : column.count - 1);
  if (count > 1) {
    if (tree.classes > 2) findShares<T>(tree, count);
    else sharesOfPairs<T>(tree, count);
    sortByShare(tree, count);
    const best = sweepBins<T>(tree, method, count, 1);
    clearSet(tree.set);
    clearSet(tree.present);
    for (let place = 0; place < count; place++) {
      addToSet(tree.present, binAt(tree.order, place));
      if (place < best) addToSet(tree.set, binAt(tree.order, place));
    }
  }
  clearBins<T>(tree, method, count);
  return count > 1;
}

/** Tells whether a class is in the half that belongs to a salt. */
@inline function isInHalf(label: u32, salt: u32): bool {
  let hash = (label + 1) * 0x9e3779b1 ^ salt;
  hash = (hash ^ (hash >> 15)) * 0x85ebca6b;
  return <bool>((hash ^ (hash >> 13)) >> 7 & 1);
}

/** Draws a random half of the classes, if possible one that divides those of the node. */
function drawHalving<T>(tree: Tree): u32 {
  const begin = rowAt<T>(tree, tree.begin), end = rowAt<T>(tree, tree.end);
  let salt: u32 = 0;
  for (let attempt = 0; attempt < HALVINGS; attempt++) {
    salt = bits(tree) | 1;
    const side = isInHalf(<u32>labelOf(begin), salt);
    for (let row = begin; row < end; row += 1 << rowShift<T>()) {
      if (isInHalf(<u32>labelOf(row), salt) != side) return salt;
    }
  }
  return salt;
}

/** Computes the share of a random half of the classes in each category, from the weights of the half and of all. */
function findShares<T>(tree: Tree, count: i32): void {
  const salt = drawHalving<T>(tree);
  const shares = tree.shares, cells = tree.cells, stride = <usize>tree.stride, end = rowAt<T>(tree, tree.end);
  memory.fill(shares, 0, 256 * 16);
  for (let row = rowAt<T>(tree, tree.begin); row < end; row += 1 << rowShift<T>()) {
    const pair = shares + (binOf(cells, stride, numberOf(row)) << 4);
    const weight = <f64>weightOf<T>(row);
    const both = f64x2.replace_lane(f64x2.splat(weight), 0, isInHalf(<u32>labelOf(row), salt) ? weight : 0);
    v128.store(pair, f64x2.add(v128.load(pair), both));
  }
  for (let place = 0; place < count; place++) {
    const pair = shares + (<usize>binAt(tree.order, place) << 4);
    store<f64>(pair, load<f64>(pair) / load<f64>(pair, 8));
  }
}

/** Computes the share of the second of two classes in each category. */
function sharesOfPairs<T>(tree: Tree, count: i32): void {
  for (let place = 0; place < count; place++) {
    const bin = <usize>binAt(tree.order, place), pair = tree.histogram + bin * (2 * sizeof<T>());
    const first = <f64>load<T>(pair), second = <f64>load<T>(pair, sizeof<T>());
    store<f64>(tree.shares + (bin << 4), second / (first + second));
  }
}

/** Sorts the categories of `order` by the share of the half, equal ones by number (Shell sort). */
function sortByShare(tree: Tree, count: i32): void {
  let gap = 1;
  while (gap < count / 3) gap = 3 * gap + 1;
  for (; gap > 0; gap = (gap - 1) / 3) {
    for (let place = gap; place < count; place++) insertByShare(tree, place, gap);
  }
}

@inline function insertByShare(tree: Tree, place: i32, gap: i32): void {
  const order = tree.order, bin = binAt(order, place), share = shareOf(tree, bin);
  for (; place >= gap; place -= gap) {
    const other = binAt(order, place - gap), otherShare = shareOf(tree, other);
    if (otherShare < share || (otherShare == share && other < bin)) break;
    store<u8>(order + place, <u8>other);
  }
  store<u8>(order + place, <u8>bin);
}

@inline function shareOf(tree: Tree, bin: i32): f64 {
  return load<f64>(tree.shares + (<usize>bin << 4));
}
