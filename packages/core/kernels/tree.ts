/**
 * The exports for trees. For TypeScript, trees and tables of columns are addresses.
 */
import { columnAt, describeColumn } from "./tree-column";
import { grow, start, take } from "./tree-grow";
import { assemble, clearSlot, closeJob, placeSlot, Slot } from "./tree-jobs";
import { outOfBag } from "./tree-rows";
import { clear, place, Tree } from "./tree-state";
import { addVotes, sumDecreases, sumLosses } from "./tree-votes";

export function treeDescribeColumn(
  table: usize, index: i32, bins: usize, rows: i32,
  cells: usize, stride: i32, categorical: bool,
): void {
  describeColumn(columnAt(table, index), bins, rows, cells, stride, categorical);
}

export {
  copyRows as treeCopyRows, hasFewCategories as treeHasFewCategories, writeRows as treeWriteRows,
} from "./tree-column";

// Growth of trees

export function treeStateBytes(): i32 {
  return offsetof<Tree>();
}

export function treePlace(tree: usize, at: usize, columns: i32, classes: i32, weighted: bool): usize {
  return place(changetype<Tree>(tree), at, columns, classes, weighted);
}

export function treePlaceSlot(
  tree: usize, at: usize, capacity: i32, weighted: bool, categorical: bool, entropy: bool,
): usize {
  return placeSlot(changetype<Tree>(tree), at, capacity, weighted, categorical, entropy);
}

export function treeClearSlot(tree: usize): void {
  clearSlot(changetype<Tree>(tree));
}

export function treeSetSample(tree: usize, table: usize, rows: i32, labels: usize, weights: usize): void {
  const it = changetype<Tree>(tree);
  it.sampleRows = rows;
  it.isLarge = <u64>rows * it.columns > 1 << 20;
  it.table = table;
  it.labels = labels;
  it.weights = weights;
  clear(it);
}

export function treeSetGrowth(
  tree: usize, entropy: bool, random: bool,
  featuresPerSplit: i32, maxDepth: i32, minLeafRows: i32, minSplitRows: i32,
): void {
  const it = changetype<Tree>(tree);
  it.entropy = entropy;
  it.random = random;
  it.featuresPerSplit = featuresPerSplit;
  it.maxDepth = maxDepth;
  it.minLeafRows = minLeafRows;
  it.minSplitRows = minSplitRows;
}

export function treeSetRandom(tree: usize, a: u32, b: u32, c: u32, counter: u32): void {
  const it = changetype<Tree>(tree);
  it.a = a;
  it.b = b;
  it.c = c;
  it.counter = counter;
}

export function treeStart(tree: usize, count: i32, draws: i32): i32 {
  return start(changetype<Tree>(tree), count, draws);
}

export function treeTakeJob(tree: usize): bool {
  return take(changetype<Tree>(tree));
}

export function treeGrow(tree: usize, cells: i32): bool {
  return grow(changetype<Tree>(tree), cells);
}

export function treeCloseJob(tree: usize): bool {
  return closeJob(changetype<Tree>(tree));
}

export function treeAssemble(tree: usize): void {
  assemble(changetype<Tree>(tree));
}

export function treeRowList(tree: usize): usize {
  return changetype<Tree>(tree).list;
}

/** Returns the address of the numbers of draws of listed rows, u16. */
export function treeDrawn(tree: usize): usize {
  return changetype<Tree>(tree).drawn;
}

export function treeOutOfBag(tree: usize): i32 {
  return outOfBag(changetype<Tree>(tree));
}

export function treeNodes(tree: usize): usize {
  return changetype<Tree>(tree).nodes;
}

export function treeNodeCount(tree: usize): i32 {
  return changetype<Tree>(tree).nodeCount;
}

export function treeSets(tree: usize): usize {
  return changetype<Tree>(tree).sets;
}

export function treeSetCount(tree: usize): i32 {
  return changetype<Tree>(tree).setCount;
}

export function treeLeafClasses(tree: usize): usize {
  return changetype<Tree>(tree).leafClasses;
}

export function treeLeafShares(tree: usize): usize {
  return changetype<Tree>(tree).leafShares;
}

export function treeLeafCount(tree: usize): i32 {
  return changetype<Tree>(tree).leafCount;
}

export function treeDecreases(tree: usize): usize {
  return changetype<Tree>(tree).decreases;
}

export function treeRootWeight(tree: usize): f64 {
  return changetype<Slot>(changetype<Tree>(tree).slot).rootWeight;
}

// Votes on rows that a tree was not grown on

export function treeAddVotes(tree: usize, list: usize, leaves: usize, count: i32, sums: usize, units: f64): void {
  addVotes(changetype<Tree>(tree), list, leaves, count, sums, units);
}

export function treeSumLosses(
  tree: usize, list: usize, leaves: usize, count: i32,
  rows: i32, measured: i32, losses: usize, bits: usize,
): f64 {
  return sumLosses(changetype<Tree>(tree), list, leaves, count, rows, measured, losses, bits);
}

export function treeSumDecreases(tree: usize, sums: usize, units: f64): void {
  const it = changetype<Tree>(tree);
  sumDecreases(it.decreases, it.columns, changetype<Slot>(it.slot).rootWeight, sums, units);
}

export {
  clearLosses as treeClearLosses, countVotes as treeCountVotes, pairLosses as treePairLosses,
} from "./tree-votes";

// Walks through trees

export {
  addShares as treeAddShares, walkerBytes as treeWalkerBytes, walkRows as treeWalkRows,
} from "./tree-walk";
