/**
 * The best set of categories. With two classes, some set of the categories with the smallest shares of one class is the
 * best of all 2ⁿ sets (Breiman et al., Classification and Regression Trees, 1984, section 4.2.2). With more classes,
 * a random half of the classes takes the place of this class: a random choice among sets that make sense. Missing
 * cells are one more category.
 */
import { addToSet, clearSet, isAllowed, listSet } from "./tree-candidate";
import { Column } from "./tree-column";
import { splitScore, sumOfTwo } from "./tree-criterion";
import { linkRows, sweepLists } from "./tree-lists";
import { bits } from "./tree-random";
import { countOf, labelOf, numberOf, rowAt, rowShift, weightOf } from "./tree-rows";
import { BINS, Tree } from "./tree-state";

/** So many halvings of the classes are tried before one is taken that all rows are on one side of. */
@inline const HALVINGS: i32 = 8;

/** Looks for the best set of categories; false if all rows are of one. */
export function searchCategories<T>(tree: Tree, column: Column): bool {
  const salt: u32 = tree.classes > 2 ? drawHalving<T>(tree) : 0;
  fillCategories<T>(tree, column.bins, salt);
  const count = listSet(tree.present, tree.order);
  const varies = count > 1;
  if (varies) {
    sortByShare(tree, count);
    const best = tree.classes > 2 ? sweepSets<T>(tree, column, count) : sweepShares<T>(tree, count);
    clearSet(tree.set);
    for (let place = 0; place < best; place++) addToSet(tree.set, binAt(tree, place));
  }
  memory.fill(tree.histogram, 0, BINS << 4);
  memory.fill(tree.binRows, 0, BINS << 2);
  return varies;
}

@inline function binAt(tree: Tree, place: i32): i32 {
  return load<i32>(tree.order + (<usize>place << 2));
}

/** Whether a class is in the half that a salt stands for; class 1 of two. */
@inline function isInHalf(label: u32, salt: u32): bool {
  if (salt == 0) return label == 1;
  let hash = (label + 1) * 0x9e3779b1 ^ salt;
  hash = (hash ^ (hash >> 15)) * 0x85ebca6b;
  return <bool>((hash ^ (hash >> 13)) >> 7 & 1);
}

/** A random half of the classes, if possible one that divides those of the node. */
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

/** For each category the weight, the weight of the half, and the rows: f64 in pairs, and i32. */
function fillCategories<T>(tree: Tree, bins: usize, salt: u32): void {
  const histogram = tree.histogram, binRows = tree.binRows, end = rowAt<T>(tree, tree.end);
  clearSet(tree.present);
  for (let row = rowAt<T>(tree, tree.begin); row < end; row += 1 << rowShift<T>()) {
    const bin = <i32>load<u8>(bins + numberOf(row));
    const pair = histogram + (<usize>bin << 4), rows = binRows + (<usize>bin << 2);
    const weight = <f64>weightOf<T>(row), before = load<i32>(rows);
    store<f64>(pair, load<f64>(pair) + weight);
    store<f64>(pair, load<f64>(pair, 8) + (isInHalf(<u32>labelOf(row), salt) ? weight : 0), 8);
    if (before == 0) addToSet(tree.present, bin);
    store<i32>(rows, before + countOf(row));
  }
}

/** Sorts the categories of `order` by the share of the half, equal ones by number. */
function sortByShare(tree: Tree, count: i32): void {
  for (let place = 0; place < count; place++) {
    const pair = tree.histogram + (<usize>binAt(tree, place) << 4);
    store<f64>(tree.shares + (<usize>binAt(tree, place) << 3), load<f64>(pair, 8) / load<f64>(pair));
  }
  // Shell's method: gaps of 1, 4, 13, 40, 121.
  let gap = 1;
  while (gap < count / 3) gap = 3 * gap + 1;
  for (; gap > 0; gap = (gap - 1) / 3) {
    for (let place = gap; place < count; place++) insertByShare(tree, place, gap);
  }
}

@inline function insertByShare(tree: Tree, place: i32, gap: i32): void {
  const bin = binAt(tree, place), share = shareOf(tree, bin);
  for (; place >= gap; place -= gap) {
    const other = binAt(tree, place - gap), otherShare = shareOf(tree, other);
    if (otherShare < share || (otherShare == share && other < bin)) break;
    store<i32>(tree.order + (<usize>place << 2), other);
  }
  store<i32>(tree.order + (<usize>place << 2), bin);
}

@inline function shareOf(tree: Tree, bin: i32): f64 {
  return load<f64>(tree.shares + (<usize>bin << 3));
}

/** How many of the categories with the smallest shares are best on the left, for two classes. */
function sweepShares<T>(tree: Tree, count: i32): i32 {
  const second = <f64>load<T>(tree.totals, sizeof<T>()), first = <f64>load<T>(tree.totals);
  let leftFirst: f64 = 0, leftSecond: f64 = 0, leftRows = 0, bestPlace = 0;
  for (let place = 0; place < count; place++) {
    if (place > 0 && isAllowed(tree, leftRows)) {
      const rightFirst = first - leftFirst, rightSecond = second - leftSecond;
      const score = splitScore<T>(
        tree,
        sumOfTwo<T>(tree, leftFirst, leftSecond), leftFirst + leftSecond,
        sumOfTwo<T>(tree, rightFirst, rightSecond), rightFirst + rightSecond,
      );
      if (score > tree.score) {
        tree.score = score;
        bestPlace = place;
      }
    }
    const bin = binAt(tree, place), pair = tree.histogram + (<usize>bin << 4);
    leftFirst += load<f64>(pair) - load<f64>(pair, 8);
    leftSecond += load<f64>(pair, 8);
    leftRows += load<i32>(tree.binRows + (<usize>bin << 2));
  }
  return bestPlace;
}

/** The same for more classes. */
function sweepSets<T>(tree: Tree, column: Column, count: i32): i32 {
  linkRows<T>(tree, column.bins);
  return sweepLists<T>(tree, count, 1);
}
