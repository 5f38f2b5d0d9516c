/**
 * The exports for boosted trees. For TypeScript a tree is an address.
 */
import { build, planLevel, search, sumParts } from "./boosted-build";
import { divide, move, planMoves, planRows } from "./boosted-divide";
import { addRows, decide, descend, start } from "./boosted-grow";
import { formBlocks } from "./boosted-histogram";
import {
  addNodes, descendShard, MOST_PACKED, packNodes, placeBatch, planShard, planShardSearch, prepare, putSplits, searchShard, startShard,
  startTotals, sumTotal, takeSplits,
} from "./boosted-shard";
import { Boosted, freeHistograms, nodeAt, place, Split, WORKER_BYTES } from "./boosted-state";

export { logistic as boostedLogistic, normalise as boostedNormalise, softmax as boostedSoftmax } from "./boosted-loss";

export function boostedStateBytes(): i32 {
  return offsetof<Boosted>();
}

/** Bytes of scratch of each worker. */
export function boostedWorkerBytes(): i32 {
  return <i32>WORKER_BYTES;
}

export function boostedPlace(
  tree: usize, at: usize,
  columns: i32, rows: i32, leaves: i32, histograms: i32, partials: i32, units: i32,
): usize {
  return place(changetype<Boosted>(tree), at, columns, rows, leaves, histograms, partials, units);
}

export function boostedSetSample(
  tree: usize, table: usize, cells: usize, stride: i32,
  gradients: usize, histograms: i32, scratch: usize,
): void {
  const it = changetype<Boosted>(tree);
  it.table = table;
  it.cells = cells;
  it.stride = stride;
  it.gradients = gradients;
  it.scratch = scratch;
  freeHistograms(it, histograms);
  formBlocks(it);
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

export function boostedSetMask(tree: usize, treeMask: usize, mask: usize, stride: i32): void {
  const it = changetype<Boosted>(tree);
  it.treeMask = treeMask;
  it.mask = mask;
  it.maskStride = stride;
}

export function boostedStart(tree: usize, count: i32, isEveryRow: bool, margins: usize): void {
  const it = changetype<Boosted>(tree);
  it.margins = margins;
  start(it, count, isEveryRow);
}

export function boostedPlanLevel(tree: usize, target: i32): i32 {
  return planLevel(changetype<Boosted>(tree), target);
}

export function boostedBuild(tree: usize, unit: i32, worker: i32): void {
  build(changetype<Boosted>(tree), unit, worker);
}

/** Returns the number of units to search, once all histograms are built. */
export function boostedPlanSearch(tree: usize): i32 {
  sumParts(changetype<Boosted>(tree));
  return changetype<Boosted>(tree).searchCount;
}

export function boostedSearch(tree: usize, unit: i32, worker: i32): void {
  search(changetype<Boosted>(tree), unit, worker);
}

/** Splits nodes and returns the number of units to divide their rows. */
export function boostedDecide(tree: usize, target: i32): i32 {
  decide(changetype<Boosted>(tree));
  return planRows(changetype<Boosted>(tree), target);
}

export function boostedDivide(tree: usize, unit: i32): void {
  divide(changetype<Boosted>(tree), unit);
}

export function boostedPlanMoves(tree: usize): i32 {
  return planMoves(changetype<Boosted>(tree));
}

export function boostedMove(tree: usize, unit: i32): void {
  move(changetype<Boosted>(tree), unit);
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

export function boostedBuildCount(tree: usize): i32 {
  return changetype<Boosted>(tree).buildCount;
}

export function boostedSearchCount(tree: usize): i32 {
  return changetype<Boosted>(tree).searchCount;
}

export function boostedRowCount(tree: usize): i32 {
  return changetype<Boosted>(tree).rowCount;
}

export function boostedMoveCount(tree: usize): i32 {
  return changetype<Boosted>(tree).moveCount;
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

// With rows on several machines: see `boosted-shard.ts`.

export function boostedStartShard(tree: usize, count: i32, isEveryRow: bool, margins: usize): void {
  const it = changetype<Boosted>(tree);
  it.margins = margins;
  startShard(it, count, isEveryRow);
}

export function boostedPlanShard(tree: usize, begin: i32, end: i32, totals: usize, target: i32): i32 {
  return planShard(changetype<Boosted>(tree), begin, end, totals, target);
}

export function boostedSumTotal(tree: usize, k: i32, feature: i32): void {
  sumTotal(changetype<Boosted>(tree), k, feature);
}

export { prepare as boostedPrepare };

export function boostedStartTotals(tree: usize, begin: i32, end: i32, first: i32, last: i32): void {
  startTotals(changetype<Boosted>(tree), begin, end, first, last);
}

export function boostedMostPacked(): i32 {
  return MOST_PACKED;
}

export function boostedPackTotals(tree: usize, begin: i32, end: i32, first: i32, last: i32, to: usize): usize {
  return packNodes(changetype<Boosted>(tree), begin, end, first, last, true, to);
}

export function boostedAddPacked(
  tree: usize, begin: i32, end: i32, first: i32, last: i32,
  from: usize, limit: usize,
): usize {
  return addNodes(changetype<Boosted>(tree), begin, end, first, last, from, limit);
}

export function boostedPlanShardSearch(tree: usize, begin: i32, end: i32, first: i32, last: i32, target: i32): i32 {
  return planShardSearch(changetype<Boosted>(tree), begin, end, first, last, target);
}

export function boostedSearchShard(tree: usize, unit: i32, worker: i32): void {
  searchShard(changetype<Boosted>(tree), unit, worker);
}

export function boostedSplitBytes(): i32 {
  return offsetof<Split>();
}

export function boostedPutSplits(tree: usize, begin: i32, end: i32, to: usize): usize {
  return putSplits(changetype<Boosted>(tree), begin, end, to);
}

export function boostedTakeSplits(tree: usize, begin: i32, end: i32, first: i32, last: i32, from: usize): usize {
  return takeSplits(changetype<Boosted>(tree), begin, end, first, last, from);
}

export function boostedDescendShard(tree: usize, slots: i32): bool {
  return descendShard(changetype<Boosted>(tree), slots);
}

export function boostedPlaceBatch(tree: usize, begin: i32, end: i32, give: bool): void {
  placeBatch(changetype<Boosted>(tree), begin, end, give);
}

/** Returns the address of a node: its gradient and Hessian, both f64, come first. */
export function boostedNode(tree: usize, k: i32): usize {
  return changetype<usize>(nodeAt(changetype<Boosted>(tree), k));
}
