/**
 * The exports for boosted trees. For TypeScript a tree is an address.
 */
import { addRows, decide, descend, searchLevel, settle, start } from "./boosted-grow";
import { isTwoValued } from "./boosted-patterns";
import { Boosted, freeHistograms, place } from "./boosted-state";
import { columnAt } from "./tree-column";

export { logistic as boostedLogistic, normalise as boostedNormalise, softmax as boostedSoftmax } from "./boosted-loss";

export function boostedIsTwoValued(table: usize, column: i32): bool {
  return isTwoValued(columnAt(table, column));
}

export function boostedStateBytes(): i32 {
  return offsetof<Boosted>();
}

export function boostedPlace(
  tree: usize, at: usize,
  columns: i32, rows: i32, leaves: i32, histograms: i32, workers: i32,
): usize {
  return place(changetype<Boosted>(tree), at, columns, rows, leaves, histograms, workers);
}

export function boostedSetSample(
  tree: usize, table: usize, cells: usize, stride: i32,
  gradients: usize, histograms: i32,
): void {
  const it = changetype<Boosted>(tree);
  it.table = table;
  it.cells = cells;
  it.stride = stride;
  it.gradients = gradients;
  freeHistograms(it, histograms);
}

export function boostedSetGrowth(
  tree: usize, lambda: f64, gamma: f64, minChildWeight: f64,
  rate: f64, maxDepth: i32,
): void {
  const it = changetype<Boosted>(tree);
  it.lambda = lambda;
  it.gamma = gamma;
  it.minChildWeight = minChildWeight;
  it.rate = rate;
  it.maxDepth = maxDepth;
}

export function boostedSetMask(tree: usize, mask: usize, stride: i32): void {
  const it = changetype<Boosted>(tree);
  it.mask = mask;
  it.maskStride = stride;
}

export function boostedStart(tree: usize, count: i32): void {
  start(changetype<Boosted>(tree), count);
}

export function boostedSearchLevel(tree: usize, first: i32, width: i32, worker: i32): void {
  searchLevel(changetype<Boosted>(tree), first, width, worker);
}

export function boostedDecide(tree: usize): i32 {
  return decide(changetype<Boosted>(tree));
}

export function boostedSettle(tree: usize, node: i32, margins: usize): void {
  settle(changetype<Boosted>(tree), node, margins);
}

export function boostedDescend(tree: usize): bool {
  return descend(changetype<Boosted>(tree));
}

export function boostedAddRows(tree: usize, cells: usize, stride: i32, begin: i32, end: i32, margins: usize): void {
  addRows(changetype<Boosted>(tree), cells, stride, begin, end, margins);
}

export function boostedLevelBegin(tree: usize): i32 {
  return changetype<Boosted>(tree).levelBegin;
}

export function boostedLevelEnd(tree: usize): i32 {
  return changetype<Boosted>(tree).levelEnd;
}

export function boostedRowList(tree: usize): usize {
  return changetype<Boosted>(tree).list;
}

export function boostedNodes(tree: usize): usize {
  return changetype<Boosted>(tree).nodes;
}

export function boostedNodeCount(tree: usize): i32 {
  return changetype<Boosted>(tree).nodeCount;
}

export function boostedSets(tree: usize): usize {
  return changetype<Boosted>(tree).sets;
}

export function boostedSetCount(tree: usize): i32 {
  return changetype<Boosted>(tree).setCount;
}

export function boostedValues(tree: usize): usize {
  return changetype<Boosted>(tree).values;
}

export function boostedGains(tree: usize): usize {
  return changetype<Boosted>(tree).gains;
}
