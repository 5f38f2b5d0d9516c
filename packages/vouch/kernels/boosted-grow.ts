/**
 * Growing a tree by gradients and Hessians (Chen, Guestrin 2016, "XGBoost"), level by level. For each level:
 *
 *   1. `searchLevel` builds histograms and finds splits, for each block of features, on any worker;
 *   2. `decide` takes the best split of each node and writes the nodes;
 *   3. `settle` divides the rows of a node among its children or adds its value to their margins, on any worker;
 *   4. `descend` moves on to the children.
 */
import { buildHistograms, subtractHistogram } from "./boosted-histogram";
import { searchFeature } from "./boosted-search";
import { Boosted, FEATURE_BYTES, Node, nodeAt, orderOf, Split, splitOf } from "./boosted-state";
import { columnAt } from "./tree-column";
import { CATEGORICAL, FEATURE_SHIFT, isRightOfCut, NODE_SHIFT, SET_BYTES, SHIFT_PLACE } from "./tree-node";
import { isInSet } from "./tree-set";

/** A leaf with one share: see `tree-node.ts`. */
@inline const LEAF: i32 = -2;

/** Starts a tree with the listed rows. */
export function start(tree: Boosted, count: i32): void {
  const root = nodeAt(tree, 0), list = tree.list;
  let sum = f64x2.splat(0);
  for (let i: usize = 0; i < <usize>count; i++) {
    const row = <usize>load<u32>(list + (i << 2));
    sum = f64x2.add(sum, f64x2.convert_low_i32x4_s(v128.load64_zero(tree.gradients + (row << 3))));
  }
  root.begin = 0;
  root.end = count;
  root.gradient = f64x2.extract_lane(sum, 0);
  root.hessian = f64x2.extract_lane(sum, 1);
  root.left = 0;
  root.isOpen = true;
  root.isDerived = false;
  tree.depth = tree.levelBegin = 0;
  tree.levelEnd = tree.nodeCount = 1;
  tree.setCount = tree.valueCount = tree.gainCount = 0;
  root.histogram = placeFor(tree);
  forgetSplits(tree);
}

/** Takes a free histogram for a node whose children will need it. */
function placeFor(tree: Boosted): usize {
  if (tree.depth + 1 >= tree.maxDepth || tree.freeCount == 0) return 0;
  tree.freeCount--;
  return load<u32>(tree.free + (<usize>tree.freeCount << 2));
}

function giveBack(tree: Boosted, histogram: usize): void {
  if (!histogram) return;
  store<u32>(tree.free + (<usize>tree.freeCount << 2), <u32>histogram);
  tree.freeCount++;
}

/** Resets the best splits of all workers to not splitting the nodes of the level. */
function forgetSplits(tree: Boosted): void {
  for (let worker = 0; worker < tree.workers; worker++) {
    for (let k = tree.levelBegin; k < tree.levelEnd; k++) {
      const split = splitOf(tree, worker, k);
      split.feature = -1;
      split.score = scoreOfNode(tree, nodeAt(tree, k));
    }
  }
}

@inline function scoreOfNode(tree: Boosted, node: Node): f64 {
  const weight = node.hessian + tree.lambda;
  return weight > 0 ? node.gradient * node.gradient / weight : 0;
}

/** Computes −G / (H + λ), the minimum of G·w + ½ (H + λ)·w², times the learning rate. */
@inline function valueOf(tree: Boosted, node: Node): f32 {
  const weight = node.hessian + tree.lambda;
  return weight > 0 ? <f32>(-tree.rate * node.gradient / weight) : 0;
}

// 1. Search

/**
 * Builds histograms and finds splits of features from `first` on, for all nodes of the level; for `width` see
 * `buildHistograms`.
 */
export function searchLevel(tree: Boosted, first: i32, width: i32, worker: i32): void {
  if (tree.depth == 0) {
    searchFresh(tree, 0, first, width, worker);
    return;
  }
  for (let k = tree.levelBegin; k < tree.levelEnd; k += 2) {
    const left = nodeAt(tree, k), right = nodeAt(tree, k + 1);
    if (!(left.isOpen || right.isOpen)) continue;
    if (left.isDerived) searchPair(tree, k + 1, k, first, width, worker);
    else if (right.isDerived) searchPair(tree, k, k + 1, first, width, worker);
    else {
      if (left.isOpen) searchFresh(tree, k, first, width, worker);
      if (right.isOpen) searchFresh(tree, k + 1, first, width, worker);
    }
  }
}

function searchFresh(tree: Boosted, k: i32, first: i32, width: i32, worker: i32): void {
  const node = nodeAt(tree, k), histograms = histogramsOf(tree, node);
  buildHistograms(tree, node, histograms, first, width, worker);
  searchFeatures(tree, k, histograms, first, width, worker);
}

/** Searches two siblings, one of which has the histograms of their parent. */
function searchPair(tree: Boosted, smaller: i32, derived: i32, first: i32, width: i32, worker: i32): void {
  const small = nodeAt(tree, smaller), other = nodeAt(tree, derived), histograms = histogramsOf(tree, small);
  buildHistograms(tree, small, histograms, first, width, worker);
  if (small.isOpen) searchFeatures(tree, smaller, histograms, first, width, worker);
  for (let feature = first; feature < first + abs(width); feature++) {
    const place = <usize>feature * FEATURE_BYTES;
    subtractHistogram(columnAt(tree.table, feature), other.histogram + place, histograms + place);
  }
  searchFeatures(tree, derived, other.histogram, first, width, worker);
}

@inline function histogramsOf(tree: Boosted, node: Node): usize {
  return node.histogram ? node.histogram : tree.spare;
}

function searchFeatures(tree: Boosted, k: i32, histograms: usize, first: i32, width: i32, worker: i32): void {
  const node = nodeAt(tree, k), best = splitOf(tree, worker, k), order = orderOf(tree, worker);
  const mask = tree.mask + <usize>((k - tree.levelBegin) * tree.maskStride);
  for (let feature = first; feature < first + abs(width); feature++) {
    if (!load<u8>(mask + feature)) continue;
    searchFeature(tree, node, best, feature, histograms + <usize>feature * FEATURE_BYTES, order);
  }
}

// 2. Decide

/** Splits the nodes of the level or turns them into leaves; returns how many were split. */
export function decide(tree: Boosted): i32 {
  let count = 0;
  for (let k = tree.levelBegin; k < tree.levelEnd; k++) {
    const node = nodeAt(tree, k);
    if (!node.isOpen) continue;
    const split = bestSplit(tree, k);
    const gain = split.score - scoreOfNode(tree, node);
    if (split.feature < 0 || !(gain > tree.gamma)) {
      writeLeaf(tree, k, node);
      continue;
    }
    node.left = tree.nodeCount;
    tree.nodeCount += 2;
    store<f32>(tree.gains + (<usize>tree.gainCount << 2), <f32>gain);
    tree.gainCount++;
    writeSplit(tree, k, node, split);
    addChild(tree, node.left, split.leftGradient, split.leftHessian);
    addChild(tree, node.left + 1, node.gradient - split.leftGradient, node.hessian - split.leftHessian);
    count++;
  }
  return count;
}

/** Finds the best split of all workers; among equal splits the one with the smaller feature. */
function bestSplit(tree: Boosted, k: i32): Split {
  let best = splitOf(tree, 0, k);
  for (let worker = 1; worker < tree.workers; worker++) {
    const split = splitOf(tree, worker, k);
    if (split.feature < 0) continue;
    const isTie = split.score == best.score && (best.feature < 0 || split.feature < best.feature);
    if (split.score > best.score || isTie) best = split;
  }
  return best;
}

function writeLeaf(tree: Boosted, k: i32, node: Node): void {
  const place = tree.nodes + (<usize>k << NODE_SHIFT);
  node.left = 0;
  store<i32>(place, tree.valueCount);
  store<i32>(place, LEAF, 4);
  store<f32>(tree.values + (<usize>tree.valueCount << 2), valueOf(tree, node));
  tree.valueCount++;
}

/** Writes a child; it is a leaf if it is too deep or too light to be split. */
function addChild(tree: Boosted, k: i32, gradient: f64, hessian: f64): void {
  const node = nodeAt(tree, k);
  node.gradient = gradient;
  node.hessian = hessian;
  node.left = 0;
  node.histogram = 0;
  node.isDerived = false;
  node.isOpen = tree.depth + 1 < tree.maxDepth && hessian >= 2 * tree.minChildWeight;
  if (!node.isOpen) writeLeaf(tree, k, node);
}

function writeSplit(tree: Boosted, k: i32, node: Node, split: Split): void {
  const place = tree.nodes + (<usize>k << NODE_SHIFT);
  // Unseen categories go to the heavier side.
  const leftHeavier = 2 * split.leftHessian >= node.hessian;
  if (split.categorical) {
    store<i32>(place, writeSet(tree, split, node.left, leftHeavier));
    store<i32>(place, (split.feature << FEATURE_SHIFT) | CATEGORICAL, 4);
  } else {
    const shift = <i32>(split.hasMissing ? split.missingLeft : leftHeavier);
    store<i32>(place, node.left);
    store<i32>(place, (split.feature << FEATURE_SHIFT) | (shift << SHIFT_PLACE) | (split.cut + shift), 4);
  }
}

function writeSet(tree: Boosted, split: Split, leftChild: i32, unseenLeft: bool): i32 {
  const place = tree.sets + <usize>tree.setCount * SET_BYTES;
  const set = changetype<usize>(split) + offsetof<Split>("set0");
  const present = changetype<usize>(split) + offsetof<Split>("present0");
  store<i32>(place, leftChild);
  for (let word: usize = 0; word < 32; word += 4) {
    const inside = load<u32>(set + word), unseen = ~load<u32>(present + word);
    store<u32>(place + word, unseenLeft ? inside | unseen : inside, 4);
  }
  return tree.setCount++;
}

// 3. Settle

/**
 * Divides the rows of a node of the level among its children, in their order, and adds values of leaves to the margins of their
 * rows if `margins` is not 0.
 */
export function settle(tree: Boosted, k: i32, margins: usize): void {
  const node = nodeAt(tree, k);
  if (!node.isOpen) return;
  if (node.left == 0) {
    if (margins) addValue(tree, k, margins);
    return;
  }
  const left = nodeAt(tree, node.left), right = nodeAt(tree, node.left + 1);
  const areLeaves = !(left.isOpen || right.isOpen);
  if (areLeaves && !margins) return;
  const rule = load<i32>(tree.nodes + (<usize>k << NODE_SHIFT), 4);
  const bins = columnAt(tree.table, rule >> FEATURE_SHIFT).bins;
  const set = rule & CATEGORICAL
    ? tree.sets + <usize>load<i32>(tree.nodes + (<usize>k << NODE_SHIFT)) * SET_BYTES + 4
    : 0;
  const begin = tree.list + (<usize>node.begin << 2), end = tree.list + (<usize>node.end << 2);
  if (areLeaves) {
    const values = tree.values + (<usize>load<i32>(tree.nodes + (<usize>node.left << NODE_SHIFT)) << 2);
    addEither(begin, end, bins, rule, set, <f64>load<f32>(values), <f64>load<f32>(values, 4), margins);
    return;
  }
  const middle = divide(begin, end, bins, rule, set, tree.other + (<usize>node.begin << 2));
  left.begin = node.begin;
  left.end = right.begin = node.begin + <i32>((middle - begin) >> 2);
  right.end = node.end;
  if (!margins) return;
  if (!left.isOpen) addValue(tree, node.left, margins);
  if (!right.isOpen) addValue(tree, node.left + 1, margins);
}

/** Returns 1 if a row goes right. */
@inline function isRight(bins: usize, row: usize, rule: i32, set: usize): i32 {
  const bin = <i32>load<u8>(bins + row);
  return set ? 1 - isInSet(set, bin) : isRightOfCut(rule, bin);
}

/** Moves the rows that go left before the others; returns where the others begin. */
function divide(begin: usize, end: usize, bins: usize, rule: i32, set: usize, other: usize): usize {
  let left = begin, right = other;
  for (let at = begin; at < end; at += 4) {
    const row = load<u32>(at), goesRight = <usize>isRight(bins, row, rule, set);
    store<u32>(left, row);
    store<u32>(right, row);
    left += 4 - (goesRight << 2);
    right += goesRight << 2;
  }
  memory.copy(left, other, right - other);
  return left;
}

/** Adds the value of the left or the right leaf to the margin of each row. */
function addEither(
  begin: usize, end: usize, bins: usize, rule: i32, set: usize,
  left: f64, right: f64, margins: usize,
): void {
  for (let at = begin; at < end; at += 4) {
    const row = <usize>load<u32>(at), margin = margins + (row << 3);
    const value = isRight(bins, row, rule, set) ? right : left;
    store<f64>(margin, load<f64>(margin) + value);
  }
}

/** Adds the value of a leaf to the margins of its rows. */
function addValue(tree: Boosted, k: i32, margins: usize): void {
  const leaf = nodeAt(tree, k), number = <usize>load<i32>(tree.nodes + (<usize>k << NODE_SHIFT));
  const value = <f64>load<f32>(tree.values + (number << 2));
  const end = tree.list + (<usize>leaf.end << 2);
  for (let at = tree.list + (<usize>leaf.begin << 2); at < end; at += 4) {
    const margin = margins + (<usize>load<u32>(at) << 3);
    store<f64>(margin, load<f64>(margin) + value);
  }
}

/** Adds the value of their leaf in a tree to the margins of rows begin … end − 1, which lie `stride` bytes apart. */
export function addRows(
  tree: Boosted, cells: usize, stride: i32,
  begin: i32, end: i32, margins: usize,
): void {
  const nodes = tree.nodes, sets = tree.sets, values = tree.values;
  for (let row = <usize>begin; row < <usize>end; row++) {
    const place = cells + row * stride;
    let node = nodes, rule = load<i32>(node, 4);
    while (rule >= 0) {
      const bin = <i32>load<u8>(place + (rule >> FEATURE_SHIFT)), word = load<i32>(node);
      let child: i32;
      if (rule & CATEGORICAL) {
        const set = sets + <usize>word * SET_BYTES;
        child = load<i32>(set) + 1 - isInSet(set + 4, bin);
      } else {
        child = word + isRightOfCut(rule, bin);
      }
      node = nodes + (<usize>child << NODE_SHIFT);
      rule = load<i32>(node, 4);
    }
    const margin = margins + (row << 3);
    store<f64>(margin, load<f64>(margin) + <f64>load<f32>(values + (<usize>load<i32>(node) << 2)));
  }
}

// 4. Descend

/** Moves on to the next level; returns whether a node of it may be split. */
export function descend(tree: Boosted): bool {
  const begin = tree.levelBegin, end = tree.levelEnd;
  tree.depth++;
  tree.levelBegin = end;
  tree.levelEnd = tree.nodeCount;
  let isOpen = false;
  // Nodes that need no histogram release theirs first.
  for (let k = begin; k < end; k++) {
    const node = nodeAt(tree, k);
    if (!node.isOpen) continue;
    if (node.left && inherit(tree, node)) isOpen = true;
    else giveBack(tree, node.histogram);
  }
  for (let k = end; k < tree.nodeCount; k++) {
    const node = nodeAt(tree, k);
    if (node.isOpen && !node.isDerived) node.histogram = placeFor(tree);
  }
  forgetSplits(tree);
  return isOpen;
}

/** Passes the histograms of a node on to its larger child, if that is open; returns whether a child is open. */
function inherit(tree: Boosted, node: Node): bool {
  const left = nodeAt(tree, node.left), right = nodeAt(tree, node.left + 1);
  if (!(left.isOpen || right.isOpen)) return false;
  const larger = left.end - left.begin > right.end - right.begin ? left : right;
  larger.isDerived = larger.isOpen && node.histogram != 0;
  if (larger.isDerived) larger.histogram = node.histogram;
  else giveBack(tree, node.histogram);
  return true;
}
