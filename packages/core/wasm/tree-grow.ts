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
import { Grower, Waiting } from "./tree-state";

/** Features to try for a random split that leaves enough rows on both sides. */
@inline const RANDOM_FEATURES: i32 = 16;

/** The score without any cut. */
@inline const NO_CUT: f64 = -Infinity;

/** Draws the rows of a tree and makes its first job; returns how many rows it has. See `drawRows`. */
export function start(grower: Grower, listed: i32, draws: i32): i32 {
  const slot = changetype<Slot>(grower.slot);
  grower.listed = listed;
  const rows = grower.weights ? drawRows<f64>(grower, draws) : drawRows<i32>(grower, draws);
  if (grower.entropy && !grower.weights) {
    // No node weighs more than the draws; without a number of draws, each row counts once.
    const most = draws > 0 ? draws : rows;
    prepareLogs(grower, slot.logs, most);
    slot.logs = max(slot.logs, most + 1);
  }
  if (rows > 0) addFirstJob(grower, rows);
  return rows;
}

/** Takes a job of the slot; returns whether there was one. */
export function take(grower: Grower): bool {
  if (!takeJob(grower)) return false;
  const job = changetype<Job>(grower.job);
  grower.waiting = 0;
  wait(grower, 0, job.begin, job.end, job.depth, job.constants, job.splitBy);
  return true;
}

/** Grows nodes of the job until about `cells` cells were read; returns whether none is left. */
export function grow(grower: Grower, cells: i32): bool {
  grower.looked = 0;
  while (grower.waiting > 0 && grower.looked < cells) {
    if (grower.weights) growNode<f64>(grower);
    else growNode<i32>(grower);
  }
  return grower.waiting == 0;
}

@inline function waitingAt(grower: Grower, index: i32): Waiting {
  return changetype<Waiting>(grower.stack + <usize>index * offsetof<Waiting>());
}

function wait(grower: Grower, node: i32, begin: i32, end: i32, depth: i32, constants: i32, splitBy: i32): void {
  const waiting = waitingAt(grower, grower.waiting++);
  waiting.node = node;
  waiting.begin = begin;
  waiting.end = end;
  waiting.depth = depth;
  waiting.constants = constants;
  waiting.splitBy = splitBy;
}

/** Takes the last waiting node and makes it a split, whose children then wait, or a leaf. */
function growNode<T>(grower: Grower): void {
  const waiting = waitingAt(grower, --grower.waiting);
  const node = waiting.node, depth = waiting.depth, splitBy = waiting.splitBy;
  let constants = waiting.constants;
  grower.begin = waiting.begin;
  grower.end = waiting.end;
  const present = countClasses<T>(grower);
  const score = nodeScore<T>(grower, grower.sum, grower.weight);
  if (splitBy >= 0) addDecrease(grower, splitBy, score);
  else changetype<Slot>(grower.slot).rootWeight = grower.weight;
  grower.splitFeature = -1;
  const mayBeSplit = present > 1 && depth < grower.maxDepth && grower.rowCount >= grower.minSplitRows;
  if (mayBeSplit && grower.rowCount >= 2 * grower.minLeafRows) constants = search<T>(grower, constants);
  if (grower.splitFeature < 0) writeLeaf<T>(grower, node, present);
  clearClasses<T>(grower, grower.totals);
  if (grower.splitFeature < 0) return;
  addDecrease(grower, grower.splitFeature, -score);
  split<T>(grower, node, depth, constants);
}

@inline function addDecrease(grower: Grower, feature: i32, more: f64): void {
  const place = grower.decreases + (<usize>feature << 3);
  store<f64>(place, load<f64>(place) + more);
}

/** Sums weights and rows of the node; returns its number of classes. */
function countClasses<T>(grower: Grower): i32 {
  return grower.classes == 2 ? countTwo<T>(grower) : countAll<T>(grower);
}

/** Counts two classes without a table, whose two cells would wait for each other. */
function countTwo<T>(grower: Grower): i32 {
  const end = rowAt<T>(grower, grower.end);
  let rows = 0, first: T = 0, second: T = 0;
  for (let row = rowAt<T>(grower, grower.begin); row < end; row += 1 << rowShift<T>()) {
    const isSecond = <i32>labelOf(row), more = weightOf<T>(row);
    rows += countOf(row);
    first += isFloat<T>() ? more * <T>(1 - isSecond) : more & (isSecond - 1);
    second += isFloat<T>() ? more * <T>isSecond : more & -isSecond;
  }
  store<T>(grower.totals, first);
  store<T>(grower.totals, second, sizeof<T>());
  grower.rowCount = rows;
  grower.weight = <f64>(first + second);
  grower.sum = sumOfTwo<T>(grower, <f64>first, <f64>second);
  return <i32>(first > 0) + <i32>(second > 0);
}

function countAll<T>(grower: Grower): i32 {
  const totals = grower.totals, end = rowAt<T>(grower, grower.end);
  let present = 0, rows = 0, weight: T = 0;
  for (let row = rowAt<T>(grower, grower.begin); row < end; row += 1 << rowShift<T>()) {
    const place = totals + labelOf(row) * sizeof<T>();
    const before = load<T>(place), more = weightOf<T>(row);
    present += <i32>(before == 0);
    rows += countOf(row);
    weight += more;
    store<T>(place, before + more);
  }
  grower.rowCount = rows;
  grower.weight = <f64>weight;
  grower.sum = grower.end - grower.begin > grower.classes ? sumOverClasses<T>(grower) : sumOverRows<T>(grower);
  return present;
}

/** Sums the criterion over the classes, by classes or by rows, whichever are fewer. */
function sumOverClasses<T>(grower: Grower): f64 {
  const end = grower.totals + <usize>grower.classes * sizeof<T>();
  let sum: f64 = 0;
  for (let place = grower.totals; place < end; place += sizeof<T>()) sum += sumOfOne<T>(grower, <f64>load<T>(place));
  return sum;
}

function sumOverRows<T>(grower: Grower): f64 {
  const end = rowAt<T>(grower, grower.end);
  let sum: f64 = 0;
  for (let row = rowAt<T>(grower, grower.begin); row < end; row += 1 << rowShift<T>()) {
    const total = <f64>load<T>(grower.totals + labelOf(row) * sizeof<T>());
    // Each row contributes its part of its class.
    sum += sumOfOne<T>(grower, total) / total * <f64>weightOf<T>(row);
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
function search<T>(grower: Grower, known: i32): i32 {
  let rest = grower.columns, visited = 0, found = 0, drawn = 0;
  grower.splitScore = NO_CUT;
  prepareNode<T>(grower);
  const enough = grower.random ? RANDOM_FEATURES : grower.featuresPerSplit, good = goodEnough(grower);
  const rows = grower.end - grower.begin;
  while (rest > known + found && (visited < enough || visited <= found + drawn)) {
    visited++;
    let place = drawn + below(grower, rest - found - drawn);
    if (place < known) {
      swapFeatures(grower, drawn++, place);
      continue;
    }
    place += found;
    const feature = load<i32>(grower.features + (<usize>place << 2));
    grower.looked += rows;
    if (searchFeature<T>(grower, feature)) {
      swapFeatures(grower, --rest, place);
      if (grower.splitFeature >= 0 && grower.splitScore >= good) break;
    } else {
      swapFeatures(grower, place, known + found++);
    }
  }
  // Restores the order of the known ones, which sibling nodes rely on, and appends the new ones.
  if (drawn > 0) memory.copy(grower.features, grower.constants, <usize>known << 2);
  const place = <usize>known << 2;
  if (found > 0) memory.copy(grower.constants + place, grower.features + place, <usize>found << 2);
  return known + found;
}

/**
 * Returns the score at which the search can stop: any if splits are random; that of sides with one class each, which no split
 * exceeds; but none if all features are tried, since then the first of equal ones wins.
 */
function goodEnough(grower: Grower): f64 {
  if (grower.random) return NO_CUT;
  return grower.featuresPerSplit < grower.columns ? perfectScore(grower) : Infinity;
}

@inline function swapFeatures(grower: Grower, i: i32, j: i32): void {
  const first = grower.features + (<usize>i << 2), second = grower.features + (<usize>j << 2);
  const feature = load<i32>(first);
  store<i32>(first, load<i32>(second));
  store<i32>(second, feature);
}

/** Searches for a split by a feature; returns false if the feature is constant in the node. */
function searchFeature<T>(grower: Grower, feature: i32): bool {
  const column = columnAt(grower.table, feature);
  if (column.count + column.missing < 2) return false;
  useColumn(grower, column);
  if (grower.random) return drawSplit<T>(grower, feature, column);
  grower.score = NO_CUT;
  grower.hasMissing = false;
  const isSet = column.categorical != 0;
  const varies = isSet ? searchCategories<T>(grower, column) : searchNumber<T>(grower, column);
  offerSplit(grower, feature, isSet);
  return varies;
}

/**
 * Keeps the best cut of a feature if it is the best of the node so far. Among equal splits the feature that was drawn first
 * wins; if all features are tried, the smaller one.
 */
function offerSplit(grower: Grower, feature: i32, categorical: bool): void {
  if (grower.score == NO_CUT) return;
  const isTie = grower.score == grower.splitScore && grower.featuresPerSplit == grower.columns && feature < grower.splitFeature;
  if (!(grower.score > grower.splitScore || isTie)) return;
  grower.splitFeature = feature;
  grower.splitScore = grower.score;
  grower.splitCut = grower.cut;
  grower.splitMissingLeft = grower.missingLeft;
  grower.splitHasMissing = grower.hasMissing;
  grower.splitCategorical = categorical;
  if (!categorical) return;
  copySet(grower.splitSet, grower.set);
  copySet(grower.splitPresent, grower.present);
}

// Nodes

function writeLeaf<T>(grower: Grower, node: i32, present: i32): void {
  const place = grower.nodes + (<usize>node << NODE_SHIFT);
  if (present == 1) {
    writePureLeaf(grower, node, <i32>labelOf(rowAt<T>(grower, grower.begin)));
    return;
  }
  store<i32>(place, grower.leafCount);
  store<i32>(place, -1 - present, 4);
  for (let label = 0; label < grower.classes; label++) {
    const weight = <f64>load<T>(grower.totals + <usize>label * sizeof<T>());
    if (weight == 0) continue;
    store<i32>(grower.leafClasses + (<usize>grower.leafCount << 2), label);
    store<f32>(grower.leafShares + (<usize>grower.leafCount << 2), <f32>(weight / grower.weight));
    grower.leafCount++;
  }
}

@inline function writePureLeaf(grower: Grower, node: i32, label: i32): void {
  const place = grower.nodes + (<usize>node << NODE_SHIFT);
  store<i32>(place, label);
  store<i32>(place, -1, 4);
}

function split<T>(grower: Grower, node: i32, depth: i32, constants: i32): void {
  const feature = grower.splitFeature, begin = grower.begin, end = grower.end;
  const left = grower.nodeCount, place = grower.nodes + (<usize>node << NODE_SHIFT);
  grower.nodeCount += 2;
  grower.looked += end - begin;
  useColumn(grower, columnAt(grower.table, feature));
  let middle: i32;
  if (grower.splitCategorical) {
    middle = partitionBySet<T>(grower, grower.splitSet);
    store<i32>(place, writeSet(grower, left, isLeftHeavier(grower)));
    store<i32>(place, (feature << FEATURE_SHIFT) | CATEGORICAL, 4);
  } else {
    middle = partitionByCut<T>(grower, grower.splitCut, grower.splitMissingLeft);
    // If no cell is missing here, missing cells go to the heavier side.
    const missingLeft = grower.splitHasMissing ? grower.splitMissingLeft : isLeftHeavier(grower);
    store<i32>(place, left);
    store<i32>(place, (feature << FEATURE_SHIFT) | ruleOf(grower, missingLeft), 4);
  }
  if (isJob(grower, middle - begin, end - middle)) {
    writePureLeaf(grower, left + 1, 0);
    addJob(grower, left + 1, middle, end, depth + 1, constants, feature);
    addChild<T>(grower, left, begin, middle, depth, constants);
    return;
  }
  // The smaller side is grown first, so that only the other one waits at this depth.
  const leftFirst = middle - begin <= end - middle;
  if (!leftFirst) addChild<T>(grower, left, begin, middle, depth, constants);
  addChild<T>(grower, left + 1, middle, end, depth, constants);
  if (leftFirst) addChild<T>(grower, left, begin, middle, depth, constants);
}

/** Adds a child of the current node: it waits, unless it is a leaf because it has a single row. */
@inline function addChild<T>(grower: Grower, node: i32, begin: i32, end: i32, depth: i32, constants: i32): void {
  const feature = grower.splitFeature;
  if (end - begin > 1) {
    wait(grower, node, begin, end, depth + 1, constants, feature);
    return;
  }
  const row = rowAt<T>(grower, begin), weight = <f64>weightOf<T>(row);
  addDecrease(grower, feature, nodeScore<T>(grower, sumOfOne<T>(grower, weight), weight));
  writePureLeaf(grower, node, <i32>labelOf(row));
}

@inline function ruleOf(grower: Grower, missingLeft: bool): i32 {
  const shift = <i32>missingLeft;
  return (shift << SHIFT_PLACE) | (grower.splitCut + shift);
}

@inline function isLeftHeavier(grower: Grower): bool {
  return 2 * grower.leftWeight >= grower.weight;
}

/** Writes the set of the split and returns its number; unseen categories go to the heavier side. */
function writeSet(grower: Grower, leftChild: i32, unseenLeft: bool): i32 {
  const place = grower.sets + <usize>grower.setCount * SET_BYTES;
  store<i32>(place, leftChild);
  for (let word: usize = 0; word < 32; word += 4) {
    const inside = load<u32>(grower.splitSet + word), unseen = ~load<u32>(grower.splitPresent + word);
    store<u32>(place + word, unseenLeft ? inside | unseen : inside, 4);
  }
  return grower.setCount++;
}
