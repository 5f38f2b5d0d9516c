/**
 * A level of a tree whose rows are on several machines, each of which has a shard of them. Each shard builds the histograms of its own
 * rows; those of all shards are added up by features, each shard searches some features, and the best splits go to all. Sums are
 * integers, so any order of addition gives the same tree.
 *
 *   1. `planShard`, `build` and `finishPair` make the histograms of the shard: of two siblings the one with fewer rows here is built, and
 *      the other is that of the parent without it;
 *   2. `takeOwn`, `pack` and `addPacked` add up the histograms of nodes of all shards, in `total`; of two siblings one is sent, and
 *      `deriveTotal` makes the other;
 *   3. `planShardSearch` and `searchShard` search some features, and `takeSplit` compares the splits that other shards have found;
 *   4. `decide`, `divide` and `move` are those of one machine, and `descendShard` moves on.
 */
import {
  addParts, bestSplit, FEWEST_CELLS, FEWEST_PART_ROWS, groupsFor, isBuilt, MOST_CELLS, partsOf, planBuilds, rowsOf, scoreOfNode,
  shareOf,
} from "./boosted-build";
import { giveBack, start } from "./boosted-grow";
import { cellsEnd, missingCell, subtractHistogram } from "./boosted-histogram";
import { searchFeature } from "./boosted-search";
import { Boosted, FEATURE_BYTES, Node, nodeAt, orderOf, searchAt, Split, splitOf } from "./boosted-state";
import { Column, columnAt } from "./tree-column";

/** Starts a tree as `start` does; the root has a histogram in any case. */
export function startShard(tree: Boosted, count: i32, isEveryRow: bool): void {
  start(tree, count, isEveryRow);
  const root = nodeAt(tree, 0);
  if (!root.histogram) root.histogram = freeSlot(tree);
  tree.searchCount = 0;
}

/** Plans to build histograms of nodes begin … end − 1 of the level, in about `target` units. Returns the number of units. */
export function planShard(tree: Boosted, begin: i32, end: i32, target: i32): i32 {
  tree.buildCount = 0;
  let rows: f64 = 0;
  for (let k = begin; k < end; k++) if (isBuilt(tree, k)) rows += <f64>rowsOf(nodeAt(tree, k));
  const cells = min(max(rows * tree.columns / target, FEWEST_CELLS), MOST_CELLS);
  let partRows = <i32>max(<f64>FEWEST_PART_ROWS, ceil(cells / tree.columns)), parts = 0;
  for (;;) {
    let built = 0;
    parts = 0;
    for (let k = begin; k < end; k++) {
      if (!isBuilt(tree, k)) continue;
      built++;
      parts += partsOf(nodeAt(tree, k), partRows);
    }
    // The first part of a node is its own histogram.
    if (parts - built <= tree.partialCount) break;
    partRows = partRows > 1 << 29 ? i32.MAX_VALUE >> 1 : partRows << 1;
  }
  if (parts > 0) planBuilds(tree, begin, end, partRows, groupsFor(tree, parts, target, rows));
  return tree.buildCount;
}

/** Completes features first … end − 1 of the histograms of the root or of the pair of siblings that begins with node k. */
export function finishPair(tree: Boosted, k: i32, first: i32, end: i32): void {
  const isRoot = tree.depth == 0, left = nodeAt(tree, k);
  if (isBuilt(tree, k)) addParts(tree, left, left.histogram, first, end);
  if (isRoot) return;
  const right = nodeAt(tree, k + 1);
  if (isBuilt(tree, k + 1)) addParts(tree, right, right.histogram, first, end);
  if (!left.isDerived && !right.isDerived) return;
  const derived = left.isDerived ? left.histogram : right.histogram, built = left.isDerived ? right.histogram : left.histogram;
  for (let feature = first; feature < end; feature++) {
    if (!load<u8>(tree.treeMask + feature)) continue;
    const place = <usize>feature * FEATURE_BYTES;
    subtractHistogram(columnAt(tree.table, feature), derived + place, built + place);
  }
}

/** Starts the total of a node with the histogram of this shard. */
export function takeOwn(tree: Boosted, k: i32, total: usize): void {
  const node = nodeAt(tree, k);
  node.total = total;
  memory.copy(total, node.histogram, tree.histogramBytes);
}

/** Makes features first … end − 1 of the total of a node from those of its parent and its sibling. */
export function deriveTotal(tree: Boosted, k: i32, total: usize, parent: usize, sibling: i32, first: i32, end: i32): void {
  const other = nodeAt(tree, sibling).total;
  nodeAt(tree, k).total = total;
  for (let feature = first; feature < end; feature++) {
    if (!load<u8>(tree.treeMask + feature)) continue;
    const place = <usize>feature * FEATURE_BYTES;
    memory.copy(total + place, parent + place, FEATURE_BYTES);
    subtractHistogram(columnAt(tree.table, feature), total + place, other + place);
  }
}

/** Sets the gradient and the Hessian of a node to those of the cells of a feature of its total. */
export function sumTotal(tree: Boosted, k: i32, feature: i32): void {
  const histogram = nodeAt(tree, k).total + <usize>feature * FEATURE_BYTES, last = cellsEnd(columnAt(tree.table, feature), histogram);
  let sum = v128.load(missingCell(histogram));
  for (let cell = histogram; cell < last; cell += 16) sum = f64x2.add(sum, v128.load(cell));
  v128.store(changetype<usize>(nodeAt(tree, k)), sum);
}

/** The most bytes of a packed histogram, with those that a reader may touch after it. */
@inline export const MOST_PACKED: i32 = 2 + 256 * 16 + 16;

/** Returns the number of bytes of a two's complement number. */
@inline function widthOf(bits: u64): i32 {
  return bits == 0 ? 0 : (64 - <i32>clz(bits)) / 8 + 1;
}

/**
 * Packs features first … end − 1 of the total of a node: for each two bytes with the widths of gradients and Hessians, and then both of
 * each cell with that many bytes. Returns the end.
 */
export function pack(tree: Boosted, k: i32, first: i32, end: i32, to: usize): usize {
  const total = nodeAt(tree, k).total;
  for (let feature = first; feature < end; feature++) {
    if (load<u8>(tree.treeMask + feature)) to = packCells(columnAt(tree.table, feature), total + <usize>feature * FEATURE_BYTES, to);
  }
  return to;
}

function packCells(column: Column, histogram: usize, to: usize): usize {
  const last = cellsEnd(column, histogram), missing = missingCell(histogram);
  let gradients: u64 = bitsOf(missing), hessians: u64 = <u64>load<f64>(missing, 8);
  for (let cell = histogram; cell < last; cell += 16) {
    gradients |= bitsOf(cell);
    hessians |= <u64>load<f64>(cell, 8);
  }
  const g = widthOf(gradients), h = widthOf(hessians);
  store<u8>(to, g);
  store<u8>(to, h, 1);
  to = packCell(missing, to + 2, g, h);
  for (let cell = histogram; cell < last; cell += 16) to = packCell(cell, to, g, h);
  return to;
}

/** Returns the bits that a gradient needs besides its sign: at least one unless it is 0. */
@inline function bitsOf(cell: usize): u64 {
  const gradient = <i64>load<f64>(cell);
  return <u64>((gradient ^ (gradient >> 63)) | <i64>(gradient != 0));
}

@inline function packCell(cell: usize, to: usize, g: usize, h: usize): usize {
  // Eight bytes each time: the next number overwrites those that are not needed.
  store<i64>(to, <i64>load<f64>(cell));
  store<i64>(to + g, <i64>load<f64>(cell, 8));
  return to + g + h;
}

/**
 * Adds packed features first … end − 1 to the total of a node. Returns the end of what it has read, or 0 if that is beyond `limit`, which
 * eight more bytes must follow.
 */
export function addPacked(tree: Boosted, k: i32, first: i32, end: i32, from: usize, limit: usize): usize {
  const total = nodeAt(tree, k).total;
  for (let feature = first; feature < end; feature++) {
    if (!load<u8>(tree.treeMask + feature)) continue;
    if (from + 2 > limit) return 0;
    const column = columnAt(tree.table, feature), histogram = total + <usize>feature * FEATURE_BYTES;
    const g = <usize>load<u8>(from), h = <usize>load<u8>(from, 1);
    if (g > 8 || h > 8 || from + 2 + <usize>(column.count + 1) * (g + h) > limit) return 0;
    from = addCell(missingCell(histogram), from + 2, g, h);
    const last = cellsEnd(column, histogram);
    for (let cell = histogram; cell < last; cell += 16) from = addCell(cell, from, g, h);
  }
  return from;
}

@inline function addCell(cell: usize, from: usize, g: usize, h: usize): usize {
  store<f64>(cell, load<f64>(cell) + numberAt(from, g));
  store<f64>(cell, load<f64>(cell, 8) + numberAt(from + g, h), 8);
  return from + g + h;
}

@inline function numberAt(from: usize, width: usize): f64 {
  const shift = <i64>(64 - (width << 3));
  return width == 0 ? 0 : <f64>((load<i64>(from) << shift) >> shift);
}

/** Plans units that search features first … end − 1 of the open nodes of begin … end − 1, about `target` in all. Returns their number so far. */
export function planShardSearch(tree: Boosted, begin: i32, end: i32, first: i32, last: i32, target: i32): i32 {
  let open = 0;
  for (let k = begin; k < end; k++) if (nodeAt(tree, k).isOpen) open++;
  const groups = max(1, min(last - first, target / max(1, open)));
  for (let k = begin; k < end; k++) {
    const node = nodeAt(tree, k);
    node.search = tree.searchCount;
    node.searches = node.isOpen ? groups : 0;
    for (let group = 0; group < node.searches; group++) {
      const unit = searchAt(tree, tree.searchCount++);
      unit.node = k;
      unit.first = first + shareOf(last - first, group, groups);
      unit.end = first + shareOf(last - first, group + 1, groups);
    }
  }
  return tree.searchCount;
}

/** Finds the best split of a unit by the features that this shard searches. */
export function searchShard(tree: Boosted, index: i32, worker: i32): void {
  const unit = searchAt(tree, index), node = nodeAt(tree, unit.node), best = splitOf(unit, 0);
  best.feature = -1;
  best.score = scoreOfNode(tree, node);
  const mask = tree.mask + <usize>((unit.node - tree.levelBegin) * tree.maskStride);
  for (let feature = unit.first; feature < unit.end; feature++) {
    if (!load<u8>(mask + feature)) continue;
    searchFeature(tree, node, best, feature, node.total + <usize>feature * FEATURE_BYTES, orderOf(tree, worker));
  }
}

/** Returns the address of the best split that the units of a node have found. */
export function foundSplit(tree: Boosted, k: i32): usize {
  return changetype<usize>(bestSplit(tree, k));
}

/** Keeps the better of the split of a node and that of another shard. */
export function takeSplit(tree: Boosted, k: i32, other: usize): void {
  const node = nodeAt(tree, k), found = bestSplit(tree, k), split = changetype<Split>(other);
  const own = splitOf(searchAt(tree, node.search), 0);
  // Without a split the score is that of the node, whose sums this shard may not have known when it searched.
  if (found.feature < 0) found.score = scoreOfNode(tree, node);
  const isTie = split.score == found.score && (found.feature < 0 || split.feature < found.feature);
  const better = split.feature >= 0 && (split.score > found.score || isTie) ? split : found;
  if (changetype<usize>(better) != changetype<usize>(own)) {
    memory.copy(changetype<usize>(own), changetype<usize>(better), offsetof<Split>());
  }
  node.searches = 1;
}

/**
 * Moves on to the next level; returns whether a node of it may be split. Its nodes have histograms if there is room for all of them;
 * otherwise none has, and `placeBatch` gives them to some at a time.
 */
export function descendShard(tree: Boosted, slots: i32): bool {
  const begin = tree.levelBegin, end = tree.levelEnd, isWide = tree.nodeCount - end > slots;
  tree.depth++;
  tree.levelBegin = end;
  tree.levelEnd = tree.nodeCount;
  tree.searchCount = 0;
  let isOpen = false;
  for (let k = begin; k < end; k++) {
    const node = nodeAt(tree, k);
    if (node.left && (nodeAt(tree, node.left).isOpen || nodeAt(tree, node.left + 1).isOpen)) isOpen = true;
    if (isWide || !passOn(tree, node)) giveBack(tree, node.histogram);
    node.histogram = 0;
  }
  for (let k = end; k < tree.nodeCount; k += 2) {
    if (isWide) continue;
    const left = nodeAt(tree, k), right = nodeAt(tree, k + 1);
    if (!left.isDerived && (left.isOpen || right.isDerived)) left.histogram = freeSlot(tree);
    if (!right.isDerived && (right.isOpen || left.isDerived)) right.histogram = freeSlot(tree);
  }
  const list = tree.list;
  tree.list = tree.other;
  tree.other = list;
  tree.isEveryRow = false;
  if (!isOpen) {
    for (let k = end; k < tree.nodeCount; k++) giveBack(tree, nodeAt(tree, k).histogram);
    tree.levelBegin = tree.levelEnd = tree.nodeCount;
  }
  return isOpen;
}

/** Passes the histogram of a node on to the child with more rows of this shard, if that is open. */
function passOn(tree: Boosted, node: Node): bool {
  if (node.histogram == 0 || node.left == 0) return false;
  const left = nodeAt(tree, node.left), right = nodeAt(tree, node.left + 1);
  const larger = rowsOf(left) > rowsOf(right) ? left : right;
  if (!larger.isOpen) return false;
  larger.isDerived = true;
  larger.histogram = node.histogram;
  return true;
}

function freeSlot(tree: Boosted): usize {
  tree.freeCount--;
  return load<u32>(tree.free + (<usize>tree.freeCount << 2));
}

/** Gives histograms to the open nodes of begin … end − 1, of a level that is too wide for all; takes them back if `give` is false. */
export function placeBatch(tree: Boosted, begin: i32, end: i32, give: bool): void {
  for (let k = begin; k < end; k++) {
    const node = nodeAt(tree, k);
    if (!node.isOpen) continue;
    if (!give) giveBack(tree, node.histogram);
    node.histogram = give ? freeSlot(tree) : 0;
  }
}
