/**
 * A level of a tree whose rows are on several machines, each of which has a shard of them. Each shard builds the histograms of its own
 * rows; those of all shards are added up by features, each shard searches some features, and the best splits go to all. Sums are
 * integers, so any order of addition gives the same tree.
 *
 *   1. `planShard` and `build` make the histograms of the shard: of two siblings that with fewer rows here is built;
 *   2. `packHistograms` completes them (the other sibling is the parent without it) and packs those of the features of each other shard, in units
 *      that any worker can take. Of two siblings the lighter one is sent;
 *   3. `startTotals`, `packNodes` and `addNodes` add up the histograms of nodes of all shards, in `total`;
 *   4. `planShardSearch` and `searchShard` search some features. The total of a heavier sibling is that of the parent without the lighter one;
 *   5. `writeBestSplits` and `mergeBestSplits` pass on the best splits;
 *   6. `decide`, `divide` and `move` are those of one machine, and `descendShard` moves on.
 */
import {
  addParts, bestSplit, FEWEST_CELLS, FEWEST_PART_ROWS, groupsFor, isBuilt, MOST_CELLS, partsOf, planBuilds, rowsOf, scoreOfNode,
  shareOf, siblingOf,
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
  root.parentTotal = 0;
  tree.searchCount = 0;
}

/**
 * Plans to build histograms of nodes begin … end − 1 of the level, in about `target` units, and places their totals from an
 * address on. Returns the number of units.
 */
export function planShard(tree: Boosted, begin: i32, end: i32, totals: usize, target: i32): i32 {
  tree.buildCount = 0;
  let rows: f64 = 0;
  for (let k = begin; k < end; k++) {
    nodeAt(tree, k).total = totals + <usize>(k - begin) * tree.histogramBytes;
    if (isBuilt(tree, k)) rows += <f64>rowsOf(nodeAt(tree, k));
  }
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

/** Some nodes of the level of a tree. */
@unmanaged export class LevelPart {
  tree: usize;
  begin: i32;
  end: i32;
}

/** The features of a shard, and where to pack their histograms; 0 for the shard itself. */
@unmanaged export class OwnerUnit {
  first: i32;
  last: i32;
  to: usize;
  /** The end of what was packed. */
  end: usize;
}

/** Levels of trees whose histograms are sent together: the address of the parts, their number, and the address of the units. */
@unmanaged export class LevelPlan {
  parts: usize;
  count: i32;
  owners: usize;
}

/** Completes the histograms of the features of an owner, and packs them for it or starts the totals with them. */
export function packHistograms(address: usize, index: i32): void {
  const plan = changetype<LevelPlan>(address);
  const owner = changetype<OwnerUnit>(plan.owners + <usize>index * offsetof<OwnerUnit>());
  let to = owner.to;
  for (let i = 0; i < plan.count; i++) {
    const part = changetype<LevelPart>(plan.parts + <usize>i * offsetof<LevelPart>()), tree = changetype<Boosted>(part.tree);
    for (let k = part.begin; k < part.end; k += 2) finishPair(tree, k, owner.first, owner.last);
    if (to) to = packNodes(tree, part.begin, part.end, owner.first, owner.last, false, to);
    else startTotals(tree, part.begin, part.end, owner.first, owner.last);
  }
  owner.end = to;
}

/** Completes features first … end − 1 of the histograms of the root or of the pair of siblings that begins with node k. */
function finishPair(tree: Boosted, k: i32, first: i32, end: i32): void {
  const left = nodeAt(tree, k);
  if (isBuilt(tree, k)) addParts(tree, left, left.histogram, first, end);
  if (tree.depth == 0) return;
  const right = nodeAt(tree, k + 1);
  if (isBuilt(tree, k + 1)) addParts(tree, right, right.histogram, first, end);
  if (!left.isDerived && !right.isDerived) return;
  // The children of the last level need no histograms.
  if (tree.depth + 1 >= tree.maxDepth && !isSent(tree, left.isDerived ? k : k + 1)) return;
  const derived = left.isDerived ? left.histogram : right.histogram, built = left.isDerived ? right.histogram : left.histogram;
  for (let feature = first; feature < end; feature++) {
    if (!load<u8>(tree.treeMask + feature)) continue;
    const place = <usize>feature * FEATURE_BYTES;
    subtractHistogram(columnAt(tree.table, feature), derived + place, built + place);
  }
}

/**
 * Returns whether the total of a node is that of its parent without its sibling: all shards know the sums by which it is
 * heavier.
 */
function isTotalDerived(tree: Boosted, k: i32): bool {
  const node = nodeAt(tree, k);
  if (!node.parentTotal || !node.isOpen) return false;
  const sibling = nodeAt(tree, siblingOf(tree, k)), isRight = ((k - tree.levelBegin) & 1) != 0;
  return sibling.isOpen && (node.hessian > sibling.hessian || (isRight && node.hessian == sibling.hessian));
}

/** Returns whether shards send the histogram of a node. */
function isSent(tree: Boosted, k: i32): bool {
  return nodeAt(tree, k).isOpen && !isTotalDerived(tree, k);
}

/** Starts features first … last − 1 of the totals of the nodes that shards send, with the histograms of this one. */
export function startTotals(tree: Boosted, begin: i32, end: i32, first: i32, last: i32): void {
  const place = <usize>first * FEATURE_BYTES, bytes = <usize>(last - first) * FEATURE_BYTES;
  for (let k = begin; k < end; k++) {
    const node = nodeAt(tree, k);
    if (isSent(tree, k)) memory.copy(node.total + place, node.histogram + place, bytes);
  }
}

/** Makes a feature of the total of a node from those of its parent and its sibling. */
function deriveTotal(tree: Boosted, k: i32, feature: i32): void {
  const node = nodeAt(tree, k), place = <usize>feature * FEATURE_BYTES, column = columnAt(tree.table, feature);
  const to = node.total + place, from = node.parentTotal + place, other = nodeAt(tree, siblingOf(tree, k)).total + place;
  const end = <usize>column.count << 4;
  for (let cell: usize = 0; cell < end; cell += 16) {
    v128.store(to + cell, f64x2.sub(v128.load(from + cell), v128.load(other + cell)));
  }
  v128.store(missingCell(to), f64x2.sub(v128.load(missingCell(from)), v128.load(missingCell(other))));
}

/** Sets the gradient and the Hessian of a node to those of the cells of a feature of its total. */
export function sumOfNode(tree: Boosted, k: i32, feature: i32): void {
  const histogram = nodeAt(tree, k).total + <usize>feature * FEATURE_BYTES, last = cellsEnd(columnAt(tree.table, feature), histogram);
  let sum = v128.load(missingCell(histogram));
  for (let cell = histogram; cell < last; cell += 16) sum = f64x2.add(sum, v128.load(cell));
  v128.store(changetype<usize>(nodeAt(tree, k)), sum);
}

/** The most bytes of a packed histogram, with those that a reader may touch after it. */
@inline export const MOST_PACKED: i32 = 2 + 256 * 16 + 16;

/** Returns the number of bytes of a two's complement number of up to this size. */
@inline function widthOf(most: f64): i32 {
  return (64 - <i32>clz(<u64>most)) / 8 + 1;
}

/**
 * Packs features first … last − 1 of the nodes that shards send, of their totals or else of the histograms of this shard: for
 * each two bytes with the widths of gradients and Hessians, and then both of each cell with that many bytes. Returns the end.
 */
export function packNodes(
  tree: Boosted, begin: i32, end: i32, first: i32, last: i32,
  isTotal: bool, to: usize,
): usize {
  for (let k = begin; k < end; k++) {
    if (!isSent(tree, k)) continue;
    const node = nodeAt(tree, k), histogram = isTotal ? node.total : node.histogram;
    for (let feature = first; feature < last; feature++) {
      if (!load<u8>(tree.treeMask + feature)) continue;
      to = packCells(columnAt(tree.table, feature), histogram + <usize>feature * FEATURE_BYTES, to);
    }
  }
  return to;
}

function packCells(column: Column, histogram: usize, to: usize): usize {
  const last = cellsEnd(column, histogram), missing = missingCell(histogram);
  let most = f64x2.abs(v128.load(missing));
  for (let cell = histogram; cell < last; cell += 16) most = f64x2.pmax(most, f64x2.abs(v128.load(cell)));
  const g = widthOf(f64x2.extract_lane(most, 0)), h = widthOf(f64x2.extract_lane(most, 1));
  store<u8>(to, g);
  store<u8>(to, h, 1);
  if (max(g, h) > 6) {
    to = packCell(missing, to + 2, g, h);
    for (let cell = histogram; cell < last; cell += 16) to = packCell(cell, to, g, h);
    return to;
  }
  to = packShort(missing, to + 2, g, h);
  for (let cell = histogram; cell < last; cell += 16) to = packShort(cell, to, g, h);
  return to;
}

/** After 1.5 · 2⁵² is added, the low bytes of an f64 are those of a two's complement number of up to six bytes. */
@inline const ROUND: f64 = 6755399441055744;

@inline function packShort(cell: usize, to: usize, g: usize, h: usize): usize {
  const numbers = f64x2.add(v128.load(cell), f64x2.splat(ROUND));
  store<i64>(to, i64x2.extract_lane(numbers, 0));
  store<i64>(to + g, i64x2.extract_lane(numbers, 1));
  return to + g + h;
}

@inline function packCell(cell: usize, to: usize, g: usize, h: usize): usize {
  // Eight bytes each time: the next number overwrites those that are not needed.
  store<i64>(to, <i64>load<f64>(cell));
  store<i64>(to + g, <i64>load<f64>(cell, 8));
  return to + g + h;
}

/**
 * Adds packed features first … last − 1 to the totals of the nodes that shards send. Returns the end of what it has read, or 0
 * if that is beyond `limit`, which eight more bytes must follow.
 */
export function addNodes(
  tree: Boosted, begin: i32, end: i32, first: i32, last: i32,
  from: usize, limit: usize,
): usize {
  for (let k = begin; k < end && from; k++) {
    if (!isSent(tree, k)) continue;
    for (let feature = first; feature < last && from; feature++) {
      if (!load<u8>(tree.treeMask + feature)) continue;
      from = addCells(columnAt(tree.table, feature), nodeAt(tree, k).total + <usize>feature * FEATURE_BYTES, from, limit);
    }
  }
  return from;
}

function addCells(column: Column, histogram: usize, from: usize, limit: usize): usize {
  if (from + 2 > limit) return 0;
  const g = <usize>load<u8>(from), h = <usize>load<u8>(from, 1);
  if (g - 1 > 7 || h - 1 > 7 || from + 2 + <usize>(column.count + 1) * (g + h) > limit) return 0;
  const gradientShift = <i64>(64 - (g << 3)), hessianShift = <i64>(64 - (h << 3)), last = cellsEnd(column, histogram);
  from += 2;
  addCell(missingCell(histogram), from, g, gradientShift, hessianShift);
  for (let cell = histogram; cell < last; cell += 16) {
    from += g + h;
    addCell(cell, from, g, gradientShift, hessianShift);
  }
  return from + g + h;
}

/** Adds a packed cell; the shifts extend signs. */
@inline function addCell(cell: usize, from: usize, g: usize, gradientShift: i64, hessianShift: i64): void {
  const gradient = <f64>((load<i64>(from) << gradientShift) >> gradientShift);
  const hessian = <f64>((load<i64>(from + g) << hessianShift) >> hessianShift);
  v128.store(cell, f64x2.add(v128.load(cell), f64x2.replace_lane(f64x2.splat(gradient), 1, hessian)));
}

/**
 * Plans units that search features first … end − 1 of the open nodes of begin … end − 1, about `target` in all. Returns their
 * number so far.
 */
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
  const isDerived = isTotalDerived(tree, unit.node);
  for (let feature = unit.first; feature < unit.end; feature++) {
    if (isDerived && load<u8>(tree.treeMask + feature)) deriveTotal(tree, unit.node, feature);
    if (!load<u8>(mask + feature)) continue;
    searchFeature(tree, node, best, feature, node.total + <usize>feature * FEATURE_BYTES, orderOf(tree, worker));
  }
}

/** Writes the best splits that the units of the open nodes of begin … end − 1 have found; returns the end. */
export function writeBestSplits(tree: Boosted, begin: i32, end: i32, to: usize): usize {
  for (let k = begin; k < end; k++) {
    if (!nodeAt(tree, k).isOpen) continue;
    memory.copy(to, changetype<usize>(bestSplit(tree, k)), offsetof<Split>());
    to += offsetof<Split>();
  }
  return to;
}

/**
 * Compares the best splits of the open nodes of begin … end − 1 with those of a shard that has searched features first … last
 * − 1, and keeps the better ones. Returns the end of what it has read, or 0 if a split is by no such feature.
 */
export function mergeBestSplits(tree: Boosted, begin: i32, end: i32, first: i32, last: i32, from: usize): usize {
  for (let k = begin; k < end; k++) {
    if (!nodeAt(tree, k).isOpen) continue;
    const split = changetype<Split>(from);
    if (split.feature >= 0 && (split.feature < first || split.feature >= last || <u32>split.cut > 255)) return 0;
    takeSplit(tree, k, split);
    from += offsetof<Split>();
  }
  return from;
}

/** Keeps the better of the split of a node and that of another shard. */
function takeSplit(tree: Boosted, k: i32, split: Split): void {
  const node = nodeAt(tree, k), found = bestSplit(tree, k), own = splitOf(searchAt(tree, node.search), 0);
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
 * Moves on to the next level; returns whether a node of it may be split. Its nodes have histograms if there is room for all of
 * them; otherwise none has, and `placeBatch` gives them to some at a time.
 */
export function descendShard(tree: Boosted, slots: i32): bool {
  const begin = tree.levelBegin, end = tree.levelEnd, isWide = tree.nodeCount - end > slots;
  // Batches of a wide level have had their totals in the same places.
  const hasTotals = end - begin <= slots;
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
    if (!node.left) continue;
    nodeAt(tree, node.left).parentTotal = nodeAt(tree, node.left + 1).parentTotal = hasTotals ? node.total : 0;
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

/**
 * Gives histograms to the open nodes of begin … end − 1, of a level that is too wide for all; takes them back if `give` is
 * false.
 */
export function placeBatch(tree: Boosted, begin: i32, end: i32, give: bool): void {
  for (let k = begin; k < end; k++) {
    const node = nodeAt(tree, k);
    if (!node.isOpen) continue;
    if (!give) giveBack(tree, node.histogram);
    node.histogram = give ? freeSlot(tree) : 0;
  }
}
