/**
 * The exports for trees. For TypeScript, trees and tables of columns are addresses.
 */
import { columnAt, describeColumn } from "./tree-column";
import { Slot } from "./tree-jobs";
import { clear, Grower } from "./tree-state";
import { sumDecreases } from "./tree-votes";

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

export { grow as treeGrow, start as treeStart, take as treeTakeJob } from "./tree-grow";
export {
  assemble as treeAssemble, clearSlot as treeClearSlot, closeJob as treeCloseJob, placeSlot as treePlaceSlot,
} from "./tree-jobs";
export { outOfBag as treeOutOfBag } from "./tree-rows";
export { place as treePlace } from "./tree-state";

export function treeSetSample(grower: Grower, table: usize, rows: i32, labels: usize, weights: usize): void {
  grower.sampleRows = rows;
  grower.isLarge = <u64>rows * grower.columns > 1 << 20;
  grower.table = table;
  grower.labels = labels;
  grower.weights = weights;
  clear(grower);
}

export function treeSetGrowth(
  grower: Grower, entropy: bool, random: bool,
  featuresPerSplit: i32, maxDepth: i32, minLeafRows: i32, minSplitRows: i32,
): void {
  grower.entropy = entropy;
  grower.random = random;
  grower.featuresPerSplit = featuresPerSplit;
  grower.maxDepth = maxDepth;
  grower.minLeafRows = minLeafRows;
  grower.minSplitRows = minSplitRows;
}

export function treeSetRandom(grower: Grower, a: u32, b: u32, c: u32, counter: u32): void {
  grower.a = a;
  grower.b = b;
  grower.c = c;
  grower.counter = counter;
}

export function treeRowList(grower: Grower): usize {
  return grower.list;
}

/** Returns the address of the numbers of draws of listed rows, u16. */
export function treeDrawn(grower: Grower): usize {
  return grower.drawn;
}

export function treeNodes(grower: Grower): usize {
  return grower.nodes;
}

export function treeNodeCount(grower: Grower): i32 {
  return grower.nodeCount;
}

export function treeSets(grower: Grower): usize {
  return grower.sets;
}

export function treeSetCount(grower: Grower): i32 {
  return grower.setCount;
}

export function treeLeafClasses(grower: Grower): usize {
  return grower.leafClasses;
}

export function treeLeafShares(grower: Grower): usize {
  return grower.leafShares;
}

export function treeLeafCount(grower: Grower): i32 {
  return grower.leafCount;
}

export function treeDecreases(grower: Grower): usize {
  return grower.decreases;
}

export function treeRootWeight(grower: Grower): f64 {
  return changetype<Slot>(grower.slot).rootWeight;
}

// Votes on rows that a tree was not grown on

export function treeSumDecreases(grower: Grower, sums: usize, units: f64): void {
  sumDecreases(grower.decreases, grower.columns, changetype<Slot>(grower.slot).rootWeight, sums, units);
}

export {
  addVotes as treeAddVotes, clearLosses as treeClearLosses, countVotes as treeCountVotes, pairLosses as treePairLosses,
  sumLosses as treeSumLosses,
} from "./tree-votes";

// Walks through trees

export { addShares as treeAddShares, walkRows as treeWalkRows } from "./tree-walk";
