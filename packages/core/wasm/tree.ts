/**
 * The exports for trees. For TypeScript, trees and tables of columns are addresses.
 */
import { columnAt, describeColumn } from "./tree-column";
import { placeSlot } from "./tree-jobs";
import { clear, Grower, MEASURED, place } from "./tree-state";

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

/** Returns the bytes of the scratch of a thread. */
export function treeScratchBytes(columns: i32, classes: i32, weighted: bool): usize {
  return place(changetype<Grower>(MEASURED), 0, columns, classes, weighted);
}

/** Returns the bytes of a slot. */
export function treeSlotBytes(columns: i32, capacity: i32, weighted: bool, categorical: bool, entropy: bool): usize {
  return placeSlot(changetype<Grower>(MEASURED), 0, columns, capacity, weighted, categorical, entropy);
}

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

// Votes on rows that a tree was not grown on

export {
  addVotes as treeAddVotes, clearLosses as treeClearLosses, countVotes as treeCountVotes, pairLosses as treePairLosses,
  sumDecreases as treeSumDecreases, sumLosses as treeSumLosses,
} from "./tree-votes";

// Walks through trees

export { addShares as treeAddShares, walkRows as treeWalkRows } from "./tree-walk";
