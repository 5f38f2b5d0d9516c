/**
 * Divides the rows of the nodes of a level among their children, both sides in their order, and adds the values of new leaves
 * to the margins of their rows. A node with few rows is one unit, which moves its rows at once. The units of a node with many
 * rows mark and count those that go right; when all are counted, each knows where its rows go.
 */
import { Boosted, Node, nodeAt, rowUnitAt, RowUnit } from "./boosted-state";
import { columnAt } from "./tree-column";
import { CATEGORICAL, FEATURE_SHIFT, NODE_SHIFT, SET_BYTES, SHIFT_PLACE } from "./tree-node";
import { isInSet } from "./tree-set";

/** A unit has no fewer rows, 10 to 20 microseconds. */
@inline const FEWEST_ROWS: i32 = 4096;

/** A unit has no more rows, some milliseconds. */
@inline const MOST_ROWS: i32 = 1 << 20;

/** The bit of a listed row that goes right. */
@inline const RIGHT_SHIFT: u32 = 31;

/** Divides the work of the level into about `target` units, or more if there are many nodes. Returns their number. */
export function planRows(tree: Boosted, target: i32): i32 {
  let rows = 0;
  for (let k = tree.levelBegin; k < tree.levelEnd; k++) if (hasWork(tree, nodeAt(tree, k))) rows += rowsOf(nodeAt(tree, k));
  const most = min(max(FEWEST_ROWS, (rows + target - 1) / target), MOST_ROWS);
  tree.rowCount = tree.moveCount = 0;
  for (let k = tree.levelBegin; k < tree.levelEnd; k++) {
    const node = nodeAt(tree, k);
    if (!hasWork(tree, node)) continue;
    const count = max(1, (rowsOf(node) + most - 1) / most);
    for (let part = 0; part < count; part++) {
      const unit = rowUnitAt(tree, tree.rowCount++);
      unit.node = k;
      unit.begin = node.begin + <i32>(<i64>rowsOf(node) * part / count);
      unit.end = node.begin + <i32>(<i64>rowsOf(node) * (part + 1) / count);
    }
  }
  return tree.rowCount;
}

@inline function rowsOf(node: Node): i32 {
  return node.end - node.begin;
}

@inline function hasWork(tree: Boosted, node: Node): bool {
  return node.isOpen && (tree.margins != 0 || isDivided(tree, node));
}

/** Returns whether a child of a node needs the list of its rows. */
@inline function isDivided(tree: Boosted, node: Node): bool {
  return node.left != 0 && (nodeAt(tree, node.left).isOpen || nodeAt(tree, node.left + 1).isOpen);
}

/** Divides the rows of a unit, or adds the value of their leaf to their margins. */
export function divide(tree: Boosted, index: i32): void {
  const unit = rowUnitAt(tree, index), node = nodeAt(tree, unit.node), place = tree.nodes + (<usize>unit.node << NODE_SHIFT);
  if (tree.isEveryRow) listRows(tree, unit);
  if (node.left == 0) {
    addValue(tree, unit.begin, unit.end, valueOf(tree, unit.node), tree.margins);
    return;
  }
  const rule = load<i32>(place, 4), bins = columnAt(tree.table, rule >> FEATURE_SHIFT).bins;
  const set = rule & CATEGORICAL ? tree.sets + <usize>load<i32>(place) * SET_BYTES + 4 : 0;
  const begin = tree.list + (<usize>unit.begin << 2), end = tree.list + (<usize>unit.end << 2);
  if (!isDivided(tree, node)) {
    const left = valueOf(tree, node.left), right = valueOf(tree, node.left + 1);
    addEither(begin, end, bins, rule, set, left, right, tree.margins);
  } else if (rowsOf(node) == unit.end - unit.begin) {
    moveAtOnce(tree, node, begin, end, bins, rule, set);
  } else {
    unit.rights = mark(begin, end, bins, rule, set);
  }
}

/** Writes the list of the root. */
function listRows(tree: Boosted, unit: RowUnit): void {
  for (let row = unit.begin; row < unit.end; row++) store<u32>(tree.list + (<usize>row << 2), row);
}

@inline function valueOf(tree: Boosted, k: i32): f64 {
  const number = <usize>load<i32>(tree.nodes + (<usize>k << NODE_SHIFT));
  return <f64>load<f32>(tree.values + (number << 2));
}

/** Returns 1 if a row goes right: by a set, or by the highest bin on the left after a shift. */
@inline function isRight(bins: usize, row: usize, bySet: bool, set: usize, highest: i32, shift: i32): i32 {
  const bin = <i32>load<u8>(bins + row);
  return bySet ? 1 - isInSet(set, bin) : <i32>(((bin + shift) & 255) > highest);
}

@inline function shiftOf(rule: i32): i32 {
  return (rule >> SHIFT_PLACE) & 1;
}

/** Marks the rows that go right and returns their number. */
function mark(begin: usize, end: usize, bins: usize, rule: i32, set: usize): i32 {
  return set ? markRows(begin, end, bins, true, set, 0, 0) : markRows(begin, end, bins, false, 0, rule & 255, shiftOf(rule));
}

@inline function markRows(begin: usize, end: usize, bins: usize, bySet: bool, set: usize, highest: i32, shift: i32): i32 {
  let rights = 0;
  for (let at = begin; at < end; at += 4) {
    const row = load<u32>(at), goesRight = isRight(bins, row, bySet, set, highest, shift);
    store<u32>(at, row | (<u32>goesRight << RIGHT_SHIFT));
    rights += goesRight;
  }
  return rights;
}

/** Moves all rows of a node to the other list. */
function moveAtOnce(tree: Boosted, node: Node, begin: usize, end: usize, bins: usize, rule: i32, set: usize): void {
  const to = tree.other + (<usize>node.begin << 2), middle = separate(begin, end, bins, rule, set, to);
  // Those that go right are at the front of the old list.
  memory.copy(middle, begin, end - begin - (middle - to));
  setRanges(tree, node, <i32>((middle - tree.other) >> 2));
  addLeaf(tree, node.left);
  addLeaf(tree, node.left + 1);
}

/** Moves the rows that go left to another place, and the others to the front; returns the end of those that go left. */
function separate(begin: usize, end: usize, bins: usize, rule: i32, set: usize, left: usize): usize {
  return set
    ? separateRows(begin, end, bins, left, true, set, 0, 0)
    : separateRows(begin, end, bins, left, false, 0, rule & 255, shiftOf(rule));
}

@inline function separateRows(
  begin: usize, end: usize, bins: usize, left: usize,
  bySet: bool, set: usize, highest: i32, shift: i32,
): usize {
  let right = begin;
  for (let at = begin; at < end; at += 4) {
    const row = load<u32>(at), goesRight = <usize>isRight(bins, row, bySet, set, highest, shift);
    store<u32>(left, row);
    store<u32>(right, row);
    left += 4 - (goesRight << 2);
    right += goesRight << 2;
  }
  return left;
}

function setRanges(tree: Boosted, node: Node, middle: i32): void {
  const left = nodeAt(tree, node.left), right = nodeAt(tree, node.left + 1);
  left.begin = node.begin;
  left.end = right.begin = middle;
  right.end = node.end;
}

/** Adds the value of a child to the margins of its rows, in the other list, if it is a leaf. */
function addLeaf(tree: Boosted, k: i32): void {
  const leaf = nodeAt(tree, k);
  if (leaf.isOpen || !tree.margins) return;
  addTo(tree.other + (<usize>leaf.begin << 2), tree.other + (<usize>leaf.end << 2), valueOf(tree, k), tree.margins);
}

/** Adds a value to the margins of rows begin … end − 1 of the list. */
function addValue(tree: Boosted, begin: i32, end: i32, value: f64, margins: usize): void {
  addTo(tree.list + (<usize>begin << 2), tree.list + (<usize>end << 2), value, margins);
}

function addTo(begin: usize, end: usize, value: f64, margins: usize): void {
  for (let at = begin; at < end; at += 4) {
    const margin = margins + (<usize>load<u32>(at) << 3);
    store<f64>(margin, load<f64>(margin) + value);
  }
}

/** Adds the value of the left or the right leaf to the margin of each row. */
function addEither(
  begin: usize, end: usize, bins: usize, rule: i32, set: usize,
  left: f64, right: f64, margins: usize,
): void {
  if (set) addOneOf(begin, end, bins, left, right, margins, true, set, 0, 0);
  else addOneOf(begin, end, bins, left, right, margins, false, 0, rule & 255, shiftOf(rule));
}

@inline function addOneOf(
  begin: usize, end: usize, bins: usize, left: f64, right: f64, margins: usize,
  bySet: bool, set: usize, highest: i32, shift: i32,
): void {
  for (let at = begin; at < end; at += 4) {
    const row = <usize>load<u32>(at), margin = margins + (row << 3);
    const value = select<f64>(right, left, isRight(bins, row, bySet, set, highest, shift));
    store<f64>(margin, load<f64>(margin) + value);
  }
}

/**
 * Computes where the units of large nodes move their rows; returns 0 if there is nothing to move, otherwise the number of
 * units.
 */
export function planMoves(tree: Boosted): i32 {
  tree.moveCount = 0;
  for (let index = 0; index < tree.rowCount; ) {
    const first = rowUnitAt(tree, index), node = nodeAt(tree, first.node);
    let end = index, rights = 0;
    while (end < tree.rowCount && rowUnitAt(tree, end).node == first.node) rights += rowUnitAt(tree, end++).rights;
    if (end - index > 1 && isDivided(tree, node)) {
      placeUnits(tree, node, index, end, node.end - rights);
      tree.moveCount = tree.rowCount;
    }
    index = end;
  }
  return tree.moveCount;
}

function placeUnits(tree: Boosted, node: Node, begin: i32, end: i32, middle: i32): void {
  let left = node.begin, right = middle;
  for (let index = begin; index < end; index++) {
    const unit = rowUnitAt(tree, index);
    unit.leftTo = left;
    unit.rightTo = right;
    left += unit.end - unit.begin - unit.rights;
    right += unit.rights;
  }
  setRanges(tree, node, middle);
}

/** Moves the marked rows of a unit to the other list. */
export function move(tree: Boosted, index: i32): void {
  const unit = rowUnitAt(tree, index), node = nodeAt(tree, unit.node);
  if (!isDivided(tree, node) || rowsOf(node) == unit.end - unit.begin) return;
  const left = tree.other + (<usize>unit.leftTo << 2), right = tree.other + (<usize>unit.rightTo << 2);
  moveMarked(tree.list + (<usize>unit.begin << 2), tree.list + (<usize>unit.end << 2), left, right);
  if (!tree.margins) return;
  const lefts = unit.end - unit.begin - unit.rights;
  if (!nodeAt(tree, node.left).isOpen) addTo(left, left + (<usize>lefts << 2), valueOf(tree, node.left), tree.margins);
  if (nodeAt(tree, node.left + 1).isOpen) return;
  addTo(right, right + (<usize>unit.rights << 2), valueOf(tree, node.left + 1), tree.margins);
}

function moveMarked(begin: usize, end: usize, left: usize, right: usize): void {
  for (let at = begin; at < end; at += 4) {
    const marked = load<u32>(at), goesRight = <usize>(marked >> RIGHT_SHIFT);
    // A single store, because the place after the last one may belong to another unit; without a branch.
    store<u32>(left ^ ((left ^ right) & (0 - goesRight)), marked & 0x7fffffff);
    left += 4 - (goesRight << 2);
    right += goesRight << 2;
  }
}
