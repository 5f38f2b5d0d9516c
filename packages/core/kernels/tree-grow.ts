import { searchCategories } from "./tree-categories";
import { columnAt, useColumn } from "./tree-column";
import { growthOfSum, nodeScore, perfectScore, prepareLogs, sumOfOne, sumOfTwo } from "./tree-criterion";
import { addFirstJob, addJob, isJob, Job, Slot, takeJob } from "./tree-jobs";
import { clearClasses } from "./tree-lists";
import { prepareNode } from "./tree-method";
import { CATEGORICAL, FEATURE_SHIFT, NODE_SHIFT, SET_BYTES, SHIFT_PLACE } from "./tree-node";
import { searchNumber } from "./tree-number";
import { below } from "./tree-random";
import { drawSplit } from "./tree-random-split";
import {
  countOf, drawRows, labelOf, partitionByCut, partitionBySet, rowAt, rowShift, weightOf,
} from "./tree-rows";
import { copySet } from "./tree-set";
import { Tree, Waiting } from "./tree-state";

/** Features to try for a random split that leaves enough rows on both sides. */
@inline const RANDOM_FEATURES: i32 = 16;

/** The score without any cut. */
@inline const NO_CUT: f64 = -Infinity;

/** Draws the rows of a tree and makes its first job; returns how many rows it has. See `drawRows`. */
export function start(tree: Tree, listed: i32, draws: i32): i32 {
  const slot = changetype<Slot>(tree.slot);
  tree.listed = listed;
  const rows = tree.weights ? drawRows<f64>(tree, draws) : drawRows<i32>(tree, draws);
  if (tree.entropy && !tree.weights) {
    // No node weighs more than the draws; without a number of draws, each row counts once.
    const most = draws > 0 ? draws : rows;
    prepareLogs(tree, slot.logs, most);
    slot.logs = max(slot.logs, most + 1);
  }
  if (rows > 0) addFirstJob(tree, rows);
  return rows;
}

/** Takes a job of the slot; returns whether there was one. */
export function take(tree: Tree): bool {
  if (!takeJob(tree)) return false;
  const job = changetype<Job>(tree.job);
  tree.waiting = 0;
  wait(tree, 0, job.begin, job.end, job.depth, job.constants, job.splitBy);
  return true;
}

/** Grows nodes of the job until about `cells` cells were read; returns whether none is left. */
export function grow(tree: Tree, cells: i32): bool {
  tree.looked = 0;
  while (tree.waiting > 0 && tree.looked < cells) {
    if (tree.weights) growNode<f64>(tree);
    else growNode<i32>(tree);
  }
  return tree.waiting == 0;
}

@inline function waitingAt(tree: Tree, index: i32): Waiting {
  return changetype<Waiting>(tree.stack + <usize>index * offsetof<Waiting>());
}

function wait(tree: Tree, node: i32, begin: i32, end: i32, depth: i32, constants: i32, splitBy: i32): void {
  const waiting = waitingAt(tree, tree.waiting++);
  waiting.node = node;
  waiting.begin = begin;
  waiting.end = end;
  waiting.depth = depth;
  waiting.constants = constants;
  waiting.splitBy = splitBy;
}

/** Takes the last waiting node and makes it a split, whose children then wait, or a leaf. */
function growNode<T>(tree: Tree): void {
  const waiting = waitingAt(tree, --tree.waiting);
  const node = waiting.node, depth = waiting.depth, splitBy = waiting.splitBy;
  let constants = waiting.constants;
  tree.begin = waiting.begin;
  tree.end = waiting.end;
  const present = countClasses<T>(tree);
  const score = nodeScore<T>(tree, tree.sum, tree.weight);
  if (splitBy >= 0) addDecrease(tree, splitBy, score);
  else changetype<Slot>(tree.slot).rootWeight = tree.weight;
  tree.splitFeature = -1;
  const mayBeSplit = present > 1 && depth < tree.maxDepth && tree.rowCount >= tree.minSplitRows;
  if (mayBeSplit && tree.rowCount >= 2 * tree.minLeafRows) constants = search<T>(tree, constants);
  if (tree.splitFeature < 0) writeLeaf<T>(tree, node, present);
  clearClasses<T>(tree, tree.totals);
  if (tree.splitFeature < 0) return;
  addDecrease(tree, tree.splitFeature, -score);
  split<T>(tree, node, depth, constants);
}

@inline function addDecrease(tree: Tree, feature: i32, more: f64): void {
  const place = tree.decreases + (<usize>feature << 3);
  store<f64>(place, load<f64>(place) + more);
}

/** Sums weights and rows of the node; returns its number of classes. */
function countClasses<T>(tree: Tree): i32 {
  return tree.classes == 2 ? countTwo<T>(tree) : countAll<T>(tree);
}

/** Counts two classes without a table, whose two cells would wait for each other. */
function countTwo<T>(tree: Tree): i32 {
  const end = rowAt<T>(tree, tree.end);
  let rows = 0, first: T = 0, second: T = 0;
  for (let row = rowAt<T>(tree, tree.begin); row < end; row += 1 << rowShift<T>()) {
    const isSecond = <i32>labelOf(row), more = weightOf<T>(row);
    rows += countOf(row);
    first += isFloat<T>() ? more * <T>(1 - isSecond) : more & (isSecond - 1);
    second += isFloat<T>() ? more * <T>isSecond : more & -isSecond;
  }
  store<T>(tree.totals, first);
  store<T>(tree.totals, second, sizeof<T>());
  tree.rowCount = rows;
  tree.weight = <f64>(first + second);
  tree.sum = sumOfTwo<T>(tree, <f64>first, <f64>second);
  return <i32>(first > 0) + <i32>(second > 0);
}

function countAll<T>(tree: Tree): i32 {
  const totals = tree.totals, end = rowAt<T>(tree, tree.end);
  let present = 0, rows = 0, weight: T = 0;
  for (let row = rowAt<T>(tree, tree.begin); row < end; row += 1 << rowShift<T>()) {
    const place = totals + labelOf(row) * sizeof<T>();
    const before = load<T>(place), more = weightOf<T>(row);
    present += <i32>(before == 0);
    rows += countOf(row);
    weight += more;
    store<T>(place, before + more);
  }
  tree.rowCount = rows;
  tree.weight = <f64>weight;
  tree.sum = tree.end - tree.begin > tree.classes ? sumOverClasses<T>(tree) : sumOverRows<T>(tree);
  return present;
}

/** Sums the criterion over the classes, by classes or by rows, whichever are fewer. */
function sumOverClasses<T>(tree: Tree): f64 {
  const end = tree.totals + <usize>tree.classes * sizeof<T>();
  let sum: f64 = 0;
  for (let place = tree.totals; place < end; place += sizeof<T>()) sum += sumOfOne<T>(tree, <f64>load<T>(place));
  return sum;
}

function sumOverRows<T>(tree: Tree): f64 {
  const end = rowAt<T>(tree, tree.end);
  let sum: f64 = 0;
  for (let row = rowAt<T>(tree, tree.begin); row < end; row += 1 << rowShift<T>()) {
    const total = <f64>load<T>(tree.totals + labelOf(row) * sizeof<T>());
    // Each row contributes its part of its class.
    sum += sumOfOne<T>(tree, total) / total * <f64>weightOf<T>(row);
  }
  return sum;
}

// Choice of the split

/**
 * Tries random features until enough were seen and at least one of them varies, and keeps the best split. As in scikit-learn,
 * features that are constant in a node are skipped in all nodes below: at the front of `features` are those known before
 * (`known`, of which the first `drawn` have been drawn here), then those found here (`found`), then the features not yet drawn,
 * up to `rest`, then those drawn. Returns the number of known constant features.
 */
function search<T>(tree: Tree, known: i32): i32 {
  let rest = tree.columns, visited = 0, found = 0, drawn = 0;
  tree.splitScore = NO_CUT;
  prepareNode<T>(tree);
  const enough = tree.random ? RANDOM_FEATURES : tree.featuresPerSplit, good = goodEnough(tree);
  const rows = tree.end - tree.begin;
  while (rest > known + found && (visited < enough || visited <= found + drawn)) {
    visited++;
    let place = drawn + below(tree, rest - found - drawn);
    if (place < known) {
      swapFeatures(tree, drawn++, place);
      continue;
    }
    place += found;
    const feature = load<i32>(tree.features + (<usize>place << 2));
    tree.looked += rows;
    if (searchFeature<T>(tree, feature)) {
      swapFeatures(tree, --rest, place);
      if (tree.splitFeature >= 0 && tree.splitScore >= good) break;
    } else {
      swapFeatures(tree, place, known + found++);
    }
  }
  // Restores the order of the known ones, which sibling nodes rely on, and appends the new ones.
  if (drawn > 0) memory.copy(tree.features, tree.constants, <usize>known << 2);
  const place = <usize>known << 2;
  if (found > 0) memory.copy(tree.constants + place, tree.features + place, <usize>found << 2);
  return known + found;
}

/**
 * Returns the score at which the search can stop: any if splits are random; that of sides with one class each, which no split
 * exceeds; but none if all features are tried, since then the first of equal ones wins.
 */
function goodEnough(tree: Tree): f64 {
  if (tree.random) return NO_CUT;
  return tree.featuresPerSplit < tree.columns ? perfectScore(tree) : Infinity;
}

@inline function swapFeatures(tree: Tree, i: i32, j: i32): void {
  const first = tree.features + (<usize>i << 2), second = tree.features + (<usize>j << 2);
  const feature = load<i32>(first);
  store<i32>(first, load<i32>(second));
  store<i32>(second, feature);
}

/** Searches for a split by a feature; returns false if the feature is constant in the node. */
function searchFeature<T>(tree: Tree, feature: i32): bool {
  const column = columnAt(tree.table, feature);
  if (column.count + column.missing < 2) return false;
  useColumn(tree, column);
  if (tree.random) return drawSplit<T>(tree, feature, column);
  tree.score = NO_CUT;
  tree.hasMissing = false;
  const isSet = column.categorical != 0;
  const varies = isSet ? searchCategories<T>(tree, column) : searchNumber<T>(tree, column);
  offerSplit(tree, feature, isSet);
  return varies;
}

/**
 * Keeps the best cut of a feature if it is the best of the node so far. Among equal splits the feature that was drawn first
 * wins; if all features are tried, the smaller one.
 */
function offerSplit(tree: Tree, feature: i32, categorical: bool): void {
  if (tree.score == NO_CUT) return;
  const isTie = tree.score == tree.splitScore && tree.featuresPerSplit == tree.columns && feature < tree.splitFeature;
  if (!(tree.score > tree.splitScore || isTie)) return;
  tree.splitFeature = feature;
  tree.splitScore = tree.score;
  tree.splitCut = tree.cut;
  tree.splitMissingLeft = tree.missingLeft;
  tree.splitHasMissing = tree.hasMissing;
  tree.splitCategorical = categorical;
  if (!categorical) return;
  copySet(tree.splitSet, tree.set);
  copySet(tree.splitPresent, tree.present);
}

// Nodes

function writeLeaf<T>(tree: Tree, node: i32, present: i32): void {
  const place = tree.nodes + (<usize>node << NODE_SHIFT);
  if (present == 1) {
    writePureLeaf(tree, node, <i32>labelOf(rowAt<T>(tree, tree.begin)));
    return;
  }
  store<i32>(place, tree.leafCount);
  store<i32>(place, -1 - present, 4);
  for (let label = 0; label < tree.classes; label++) {
    const weight = <f64>load<T>(tree.totals + <usize>label * sizeof<T>());
    if (weight == 0) continue;
    store<i32>(tree.leafClasses + (<usize>tree.leafCount << 2), label);
    store<f32>(tree.leafShares + (<usize>tree.leafCount << 2), <f32>(weight / tree.weight));
    tree.leafCount++;
  }
}

@inline function writePureLeaf(tree: Tree, node: i32, label: i32): void {
  const place = tree.nodes + (<usize>node << NODE_SHIFT);
  store<i32>(place, label);
  store<i32>(place, -1, 4);
}

function split<T>(tree: Tree, node: i32, depth: i32, constants: i32): void {
  const feature = tree.splitFeature, begin = tree.begin, end = tree.end;
  const left = tree.nodeCount, place = tree.nodes + (<usize>node << NODE_SHIFT);
  tree.nodeCount += 2;
  tree.looked += end - begin;
  useColumn(tree, columnAt(tree.table, feature));
  let middle: i32;
  if (tree.splitCategorical) {
    middle = partitionBySet<T>(tree, tree.splitSet);
    store<i32>(place, writeSet(tree, left, isLeftHeavier(tree)));
    store<i32>(place, (feature << FEATURE_SHIFT) | CATEGORICAL, 4);
  } else {
    middle = partitionByCut<T>(tree, tree.splitCut, tree.splitMissingLeft);
    // If no cell is missing here, missing cells go to the heavier side.
    const missingLeft = tree.splitHasMissing ? tree.splitMissingLeft : isLeftHeavier(tree);
    store<i32>(place, left);
    store<i32>(place, (feature << FEATURE_SHIFT) | ruleOf(tree, missingLeft), 4);
  }
  if (isJob(tree, middle - begin, end - middle)) {
    writePureLeaf(tree, left + 1, 0);
    addJob(tree, left + 1, middle, end, depth + 1, constants, feature);
    addChild<T>(tree, left, begin, middle, depth, constants);
    return;
  }
  // The smaller side is grown first, so that only the other one waits at this depth.
  const leftFirst = middle - begin <= end - middle;
  if (!leftFirst) addChild<T>(tree, left, begin, middle, depth, constants);
  addChild<T>(tree, left + 1, middle, end, depth, constants);
  if (leftFirst) addChild<T>(tree, left, begin, middle, depth, constants);
}

/** Adds a child of the current node: it waits, unless it is a leaf because it has a single row. */
@inline function addChild<T>(tree: Tree, node: i32, begin: i32, end: i32, depth: i32, constants: i32): void {
  const feature = tree.splitFeature;
  if (end - begin > 1) {
    wait(tree, node, begin, end, depth + 1, constants, feature);
    return;
  }
  const row = rowAt<T>(tree, begin), weight = <f64>weightOf<T>(row);
  addDecrease(tree, feature, nodeScore<T>(tree, sumOfOne<T>(tree, weight), weight));
  writePureLeaf(tree, node, <i32>labelOf(row));
}

@inline function ruleOf(tree: Tree, missingLeft: bool): i32 {
  const shift = <i32>missingLeft;
  return (shift << SHIFT_PLACE) | (tree.splitCut + shift);
}

@inline function isLeftHeavier(tree: Tree): bool {
  return 2 * tree.leftWeight >= tree.weight;
}

/** Writes the set of the split and returns its number; unseen categories go to the heavier side. */
function writeSet(tree: Tree, leftChild: i32, unseenLeft: bool): i32 {
  const place = tree.sets + <usize>tree.setCount * SET_BYTES;
  store<i32>(place, leftChild);
  for (let word: usize = 0; word < 32; word += 4) {
    const inside = load<u32>(tree.splitSet + word), unseen = ~load<u32>(tree.splitPresent + word);
    store<u32>(place + word, unseenLeft ? inside | unseen : inside, 4);
  }
  return tree.setCount++;
}
