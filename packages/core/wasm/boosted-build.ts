/**
 * Histograms and best splits of the nodes of a level, in units that any worker can take. A node with many rows has several
 * units for parts of its rows; when all are built, units for blocks of features add the parts up and search. If no node has
 * several parts, units for blocks of features build and search at once.
 */
import { addHistogram, buildHistograms, groupEnd, subtractHistogram } from "./boosted-histogram";
import { searchFeature } from "./boosted-search";
import {
  blockAt, Boosted, buildAt, FEATURE_BYTES, Node, nodeAt, orderOf, searchAt, SearchUnit, spareOf, Split, splitOf,
} from "./boosted-state";
import { columnAt } from "./tree-column";

/** A part of the rows of a node has no fewer rows: histograms of fewer rows would be added up for most of the time. */
@inline export const FEWEST_PART_ROWS: i32 = 4096;

/** A unit has no fewer cells, 10 to 20 microseconds. */
@inline export const FEWEST_CELLS: f64 = 25000;

/** A unit has no more cells, about 10 milliseconds, if possible: there is a checkpoint after each. */
@inline export const MOST_CELLS: f64 = 16000000;

/** Returns whether the histogram of a node is built from rows. */
@inline export function isBuilt(tree: Boosted, k: i32): bool {
  const node = nodeAt(tree, k);
  if (node.isDerived) return false;
  if (k == 0) return true;
  // A sibling that is derived needs it.
  const sibling = nodeAt(tree, siblingOf(tree, k));
  return node.isOpen || sibling.isDerived;
}

/** Siblings follow each other; a level begins with a left one. */
@inline export function siblingOf(tree: Boosted, k: i32): i32 {
  return tree.levelBegin + ((k - tree.levelBegin) ^ 1);
}

@inline export function rowsOf(node: Node): i32 {
  return node.end - node.begin;
}

/**
 * Divides the work of the level into about `target` units, or more if there are many nodes. Returns the number to build first.
 */
export function planLevel(tree: Boosted, target: i32): i32 {
  tree.buildCount = tree.searchCount = 0;
  if (tree.levelBegin == tree.levelEnd) return 0;
  let rows: f64 = 0;
  for (let k = tree.levelBegin; k < tree.levelEnd; k++) if (isBuilt(tree, k)) rows += <f64>rowsOf(nodeAt(tree, k));
  const cells = min(max(rows * tree.columns / target, FEWEST_CELLS), MOST_CELLS);
  const partRows = <i32>max(<f64>FEWEST_PART_ROWS, ceil(cells / tree.columns));
  if (hasParts(tree, partRows)) {
    const parts = countParts(tree, partRows);
    if (parts <= tree.partialCount) {
      planBuilds(tree, tree.levelBegin, tree.levelEnd, partRows, groupsFor(tree, parts, target, rows));
      planSearches(tree, tree.columns, target, 1);
      return tree.buildCount;
    }
  }
  const most = max(target, <i32>ceil(rows * tree.columns / MOST_CELLS));
  planSearches(tree, tree.blockCount, most, <i32>ceil(FEWEST_CELLS / max(1, meanRows(tree, rows))));
  return 0;
}

function hasParts(tree: Boosted, partRows: i32): bool {
  for (let k = tree.levelBegin; k < tree.levelEnd; k++) {
    if (isBuilt(tree, k) && rowsOf(nodeAt(tree, k)) > partRows) return true;
  }
  return false;
}

@inline export function partsOf(node: Node, partRows: i32): i32 {
  return max(1, (rowsOf(node) + partRows - 1) / partRows);
}

function countParts(tree: Boosted, partRows: i32): i32 {
  let parts = 0;
  for (let k = tree.levelBegin; k < tree.levelEnd; k++) {
    if (isBuilt(tree, k)) parts += partsOf(nodeAt(tree, k), partRows);
  }
  return parts;
}

/** Returns the mean number of rows of the pairs that are searched together. */
function meanRows(tree: Boosted, rows: f64): f64 {
  return rows / max(1, (tree.levelEnd - tree.levelBegin) >> 1);
}

/** Returns into how many groups to divide the blocks of features, so that there are enough units. */
export function groupsFor(tree: Boosted, parts: i32, target: i32, rows: f64): i32 {
  const most = <i32>(rows * tree.columns / FEWEST_CELLS / parts);
  return max(1, min(tree.blockCount, min(most, target / parts)));
}

/** Plans the histograms of nodes begin … end − 1. */
export function planBuilds(tree: Boosted, begin: i32, end: i32, partRows: i32, groups: i32): void {
  let slot = tree.partial;
  for (let k = begin; k < end; k++) {
    const node = nodeAt(tree, k);
    node.parts = 0;
    if (!isBuilt(tree, k)) continue;
    node.build = tree.buildCount;
    node.parts = partsOf(node, partRows);
    for (let part = 0; part < node.parts; part++) {
      const own = part == 0 && node.histogram ? node.histogram : slot;
      if (own == slot) slot += tree.histogramBytes;
      for (let group = 0; group < groups; group++) {
        const unit = buildAt(tree, tree.buildCount++);
        unit.node = k;
        unit.histogram = own;
        unit.begin = node.begin + shareOf(rowsOf(node), part, node.parts);
        unit.end = node.begin + shareOf(rowsOf(node), part + 1, node.parts);
        unit.firstBlock = shareOf(tree.blockCount, group, groups);
        unit.endBlock = shareOf(tree.blockCount, group + 1, groups);
      }
    }
  }
  tree.groups = groups;
}

@inline export function shareOf(count: i32, part: i32, parts: i32): i32 {
  return <i32>(<i64>count * part / parts);
}

/** Plans about `target` units of at least `fewest` features each; `count` is the number of features, or of blocks of them. */
function planSearches(tree: Boosted, count: i32, target: i32, fewest: i32): void {
  const step = tree.depth == 0 ? 1 : 2, pairs = (tree.levelEnd - tree.levelBegin + step - 1) / step;
  const groups = max(1, min(min(count, target / pairs), tree.columns / fewest));
  for (let k = tree.levelBegin; k < tree.levelEnd; k += step) {
    const isSearched = nodeAt(tree, k).isOpen || (step == 2 && nodeAt(tree, k + 1).isOpen);
    for (let side = 0; side < step; side++) {
      const node = nodeAt(tree, k + side);
      node.search = tree.searchCount;
      node.searches = isSearched ? groups : 0;
    }
    for (let group = 0; group < groups && isSearched; group++) {
      const unit = searchAt(tree, tree.searchCount++);
      unit.node = k;
      unit.first = shareOf(count, group, groups);
      unit.end = shareOf(count, group + 1, groups);
    }
  }
}

/** Builds the histograms of a unit. */
export function build(tree: Boosted, index: i32, worker: i32): void {
  const unit = buildAt(tree, index);
  buildHistograms(tree, unit.begin, unit.end, unit.histogram, unit.firstBlock, unit.endBlock, worker);
  if (tree.depth == 0 && unit.firstBlock == 0) v128.store(changetype<usize>(unit), sumRows(tree, unit.begin, unit.end));
}

/** Sums gradients and Hessians of rows. */
function sumRows(tree: Boosted, begin: i32, end: i32): v128 {
  let sum = f64x2.splat(0);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const row = tree.isEveryRow ? i : <usize>load<u32>(tree.list + (i << 2));
    sum = f64x2.add(sum, f64x2.convert_low_i32x4_s(v128.load64_zero(tree.gradients + (row << 3))));
  }
  return sum;
}

/** Sums the gradients of the root, once its parts are built. */
export function sumParts(tree: Boosted): void {
  if (tree.depth > 0 || tree.buildCount == 0) return;
  let sum = f64x2.splat(0);
  for (let index = 0; index < tree.buildCount; index += tree.groups) {
    sum = f64x2.add(sum, v128.load(changetype<usize>(buildAt(tree, index))));
  }
  v128.store(changetype<usize>(nodeAt(tree, 0)), sum);
}

/** Finds the best splits of a unit. */
export function search(tree: Boosted, index: i32, worker: i32): void {
  const unit = searchAt(tree, index), isRoot = tree.depth == 0;
  // Every unit of the root writes the same sums.
  if (isRoot && tree.buildCount == 0) {
    const root = nodeAt(tree, 0);
    v128.store(changetype<usize>(root), sumRows(tree, root.begin, root.end));
  }
  forget(tree, unit, 0);
  if (!isRoot) forget(tree, unit, 1);
  if (tree.buildCount > 0) {
    searchBoth(tree, unit, unit.first, unit.end, 0, 0, worker);
    return;
  }
  for (let first = unit.first; first < unit.end; ) {
    const last = groupEnd(tree, first, unit.end), block = blockAt(tree, last - 1);
    searchBoth(tree, unit, blockAt(tree, first).first, block.first + block.width, first, last, worker);
    first = last;
  }
}

/** Resets the best split to none. */
function forget(tree: Boosted, unit: SearchUnit, side: i32): void {
  const split = splitOf(unit, side);
  split.feature = -1;
  split.score = scoreOfNode(tree, nodeAt(tree, unit.node + side));
}

@inline export function scoreOfNode(tree: Boosted, node: Node): f64 {
  const weight = node.hessian + tree.lambda;
  return weight > 0 ? node.gradient * node.gradient / weight : 0;
}

/**
 * Searches features first … end − 1 of the root or of two siblings, one of which may still have the histograms of their parent.
 * Histograms of blocks firstBlock … endBlock − 1 are built if they have not been.
 */
function searchBoth(
  tree: Boosted, unit: SearchUnit, first: i32, end: i32,
  firstBlock: i32, endBlock: i32, worker: i32,
): void {
  const left = nodeAt(tree, unit.node), right = nodeAt(tree, unit.node + 1), isRoot = tree.depth == 0;
  if (isRoot || (!left.isDerived && !right.isDerived)) {
    if (left.isOpen) searchBuilt(tree, unit, 0, first, end, firstBlock, endBlock, worker);
    if (!isRoot && right.isOpen) searchBuilt(tree, unit, 1, first, end, firstBlock, endBlock, worker);
    return;
  }
  const side = left.isDerived ? 0 : 1, derived = left.isDerived ? left.histogram : right.histogram;
  const histograms = searchBuilt(tree, unit, side ^ 1, first, end, firstBlock, endBlock, worker);
  for (let feature = first; feature < end; feature++) {
    if (!load<u8>(tree.treeMask + feature)) continue;
    const place = <usize>feature * FEATURE_BYTES;
    subtractHistogram(columnAt(tree.table, feature), derived + place, histograms + place);
  }
  searchFeatures(tree, unit, side, derived, first, end, worker);
}

/** Builds the histograms of a node, or adds up its parts, and searches them if it is open; returns their place. */
function searchBuilt(
  tree: Boosted, unit: SearchUnit, side: i32, first: i32, end: i32,
  firstBlock: i32, endBlock: i32, worker: i32,
): usize {
  const node = nodeAt(tree, unit.node + side);
  let histograms: usize;
  if (tree.buildCount > 0) {
    histograms = buildAt(tree, node.build).histogram;
    addParts(tree, node, histograms, first, end);
  } else {
    // Spare histograms begin with the first feature of the group.
    const spare = spareOf(tree, worker) - <usize>first * FEATURE_BYTES;
    histograms = node.histogram ? node.histogram : spare;
    buildHistograms(tree, node.begin, node.end, histograms, firstBlock, endBlock, worker);
  }
  searchFeatures(tree, unit, side, histograms, first, end, worker);
  return histograms;
}

/** Adds the parts of a node up. */
export function addParts(tree: Boosted, node: Node, histograms: usize, first: i32, end: i32): void {
  for (let feature = first; feature < end; feature++) {
    if (!load<u8>(tree.treeMask + feature)) continue;
    const place = <usize>feature * FEATURE_BYTES, column = columnAt(tree.table, feature);
    for (let part = 1; part < node.parts; part++) {
      addHistogram(column, histograms + place, buildAt(tree, node.build + part * tree.groups).histogram + place);
    }
  }
}

function searchFeatures(
  tree: Boosted, unit: SearchUnit, side: i32, histograms: usize,
  first: i32, end: i32, worker: i32,
): void {
  const k = unit.node + side, node = nodeAt(tree, k);
  if (!node.isOpen) return;
  const best = splitOf(unit, side), order = orderOf(tree, worker);
  const mask = tree.mask + <usize>((k - tree.levelBegin) * tree.maskStride);
  for (let feature = first; feature < end; feature++) {
    if (!load<u8>(mask + feature)) continue;
    searchFeature(tree, node, best, feature, histograms + <usize>feature * FEATURE_BYTES, order);
  }
}

/** Finds the best split of a node of all units; among equal splits the one with the smaller feature. */
export function bestSplit(tree: Boosted, k: i32): Split {
  const node = nodeAt(tree, k);
  let best = splitAt(tree, k, node.search);
  for (let index = node.search + 1; index < node.search + node.searches; index++) {
    const split = splitAt(tree, k, index);
    if (split.feature < 0) continue;
    const isTie = split.score == best.score && (best.feature < 0 || split.feature < best.feature);
    if (split.score > best.score || isTie) best = split;
  }
  return best;
}

@inline function splitAt(tree: Boosted, k: i32, index: i32): Split {
  const unit = searchAt(tree, index);
  return splitOf(unit, k - unit.node);
}
