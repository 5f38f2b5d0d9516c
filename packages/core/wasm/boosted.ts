/**
 * The exports for boosted trees. For TypeScript a tree is an address.
 */
import { sumParts } from "./boosted-build";
import { planRows } from "./boosted-divide";
import { decide, start } from "./boosted-grow";
import { formBlocks } from "./boosted-histogram";
import { packNodes, startShard } from "./boosted-shard";
import { Boosted, freeHistograms, nodeAt } from "./boosted-state";

export { build as boostedBuild, planLevel as boostedPlanLevel, search as boostedSearch } from "./boosted-build";
export { divide as boostedDivide, move as boostedMove, planMoves as boostedPlanMoves } from "./boosted-divide";
export { addRows as boostedAddRows, descend as boostedDescend } from "./boosted-grow";
export { place as boostedPlace } from "./boosted-state";
export { logistic as boostedLogistic, normalise as boostedNormalise, softmax as boostedSoftmax } from "./boosted-loss";

export function boostedSetSample(
  tree: Boosted, table: usize, cells: usize, stride: i32,
  gradients: usize, histograms: i32, scratch: usize,
): void {
  tree.table = table;
  tree.cells = cells;
  tree.stride = stride;
  tree.gradients = gradients;
  tree.scratch = scratch;
  freeHistograms(tree, histograms);
  formBlocks(tree);
}

export function boostedSetGrowth(
  tree: Boosted, lambda: f64, gamma: f64, minChildWeight: f64,
  rate: f64, maxDepth: i32,
): void {
  tree.lambda = lambda;
  tree.gamma = gamma;
  tree.minChildWeight = minChildWeight;
  tree.rate = rate;
  tree.maxDepth = maxDepth;
}

export function boostedSetMask(tree: Boosted, treeMask: usize, mask: usize, stride: i32): void {
  tree.treeMask = treeMask;
  tree.mask = mask;
  tree.maskStride = stride;
}

export function boostedStart(tree: Boosted, count: i32, isEveryRow: bool, margins: usize): void {
  tree.margins = margins;
  start(tree, count, isEveryRow);
}

/** Returns the number of units to search, once all histograms are built. */
export function boostedPlanSearch(tree: Boosted): i32 {
  sumParts(tree);
  return tree.searchCount;
}

/** Splits nodes and returns the number of units to divide their rows. */
export function boostedDecide(tree: Boosted, target: i32): i32 {
  decide(tree);
  return planRows(tree, target);
}

// With rows on several computers: see `boosted-shard.ts`.

export {
  addNodes as boostedAddPacked, descendShard as boostedDescendShard, placeBatch as boostedPlaceBatch,
  planShard as boostedPlanShard, planShardSearch as boostedPlanShardSearch, writeBestSplits as boostedWriteBestSplits,
  searchShard as boostedSearchShard, startTotals as boostedStartTotals, sumOfNode as boostedSumOfNode,
  mergeBestSplits as boostedMergeBestSplits, packHistograms as boostedPackHistograms,
} from "./boosted-shard";

export function boostedStartShard(tree: Boosted, count: i32, isEveryRow: bool, margins: usize): void {
  tree.margins = margins;
  startShard(tree, count, isEveryRow);
}

export function boostedPackTotals(tree: Boosted, begin: i32, end: i32, first: i32, last: i32, to: usize): usize {
  return packNodes(tree, begin, end, first, last, true, to);
}

/** Returns the address of a node: its gradient and Hessian, both f64, come first. */
export function boostedNode(tree: Boosted, k: i32): usize {
  return changetype<usize>(nodeAt(tree, k));
}
