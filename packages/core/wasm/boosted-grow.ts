/**
 * Growing a tree by gradients and Hessians (Chen, Guestrin 2016, "XGBoost"), level by level. For each level:
 *
 *   1. `build` and `search` make histograms and find splits, in units that any worker can take: see `boosted-build.ts`;
 *   2. `decide` takes the best split of each node and writes the nodes;
 *   3. `divide` and `move` divide the rows of nodes among their children, in units again: see `boosted-divide.ts`;
 *   4. `descend` moves on to the children.
 */
import { bestSplit, scoreOfNode } from "./boosted-build";
import { Boosted, Node, nodeAt, Split } from "./boosted-state";
import { CATEGORICAL, FEATURE_SHIFT, isRightOfCut, NODE_SHIFT, SET_BYTES, SHIFT_PLACE } from "./tree-node";
import { isInSet } from "./tree-set";

/** A leaf with one share: see `tree-node.ts`. */
@inline const LEAF: i32 = -2;

/** Starts a tree with the first `count` listed rows; with all rows, the list need not be written. */
export function start(tree: Boosted, count: i32, isEveryRow: bool): void {
  const root = nodeAt(tree, 0);
  root.begin = 0;
  root.end = count;
  root.left = 0;
  root.isOpen = true;
  root.isDerived = false;
  tree.isEveryRow = isEveryRow;
  tree.depth = tree.levelBegin = 0;
  tree.levelEnd = tree.nodeCount = 1;
  tree.setCount = tree.valueCount = tree.gainCount = 0;
  root.histogram = placeFor(tree);
}

/** Takes a free histogram for a node whose children will need it. */
function placeFor(tree: Boosted): usize {
  if (tree.depth + 1 >= tree.maxDepth || tree.freeCount == 0) return 0;
  tree.freeCount--;
  return load<u32>(tree.free + (<usize>tree.freeCount << 2));
}

export function giveBack(tree: Boosted, histogram: usize): void {
  if (!histogram) return;
  store<u32>(tree.free + (<usize>tree.freeCount << 2), <u32>histogram);
  tree.freeCount++;
}

/** Computes −G / (H + λ), the minimum of G·w + ½ (H + λ)·w², times the learning rate. */
@inline function valueOf(tree: Boosted, node: Node): f32 {
  const weight = node.hessian + tree.lambda;
  return weight > 0 ? <f32>(-tree.rate * node.gradient / weight) : 0;
}

/** Splits the nodes of the level or turns them into leaves. */
export function decide(tree: Boosted): void {
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
  }
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
  const list = tree.list;
  tree.list = tree.other;
  tree.other = list;
  tree.isEveryRow = false;
  // A grown tree has no level, and so no work while others grow on.
  if (!isOpen) tree.levelBegin = tree.levelEnd = tree.nodeCount;
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
