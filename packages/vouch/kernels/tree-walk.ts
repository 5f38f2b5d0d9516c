import { columnAt } from "./tree-column";
import { CATEGORICAL, FEATURE_SHIFT, isRightOfCut, NODE_SHIFT, SET_BYTES } from "./tree-node";
import { isInSet } from "./tree-set";

/** Brings listed rows of all columns together, row after row, `stride` bytes apart. */
export function gatherRows(table: usize, columns: i32, list: usize, count: i32, to: usize, stride: i32): void {
  let column = 0;
  while (column < columns) {
    const first = columnAt(table, column), cells = first.cells;
    let end = column + 1;
    while (end < columns && columnAt(table, end).cells == cells + (end - column)) end++;
    for (let i = 0; i < count; i++) {
      const row = <usize>load<u32>(list + (<usize>i << 2));
      copyCells(to + <usize>i * stride + column, cells + row * first.stride, end - column);
    }
    column = end;
  }
}

@inline function copyCells(to: usize, from: usize, count: i32): void {
  const end = from + count;
  for (; from + 8 <= end; from += 8, to += 8) store<u64>(to, load<u64>(from));
  for (; from < end; from++, to++) store<u8>(to, load<u8>(from));
}

@inline function questionAt(nodes: usize, node: i32): i32 {
  return load<i32>(nodes + (<usize>node << NODE_SHIFT), 4);
}

/**
 * The leaves of rows that lie `stride` bytes apart. All rows that have not arrived take a step before any takes the next:
 * each waits for memory while others move, and nothing is left to be guessed. `walking` has room for their numbers.
 */
export function walkRows(
  nodes: usize, sets: usize, rows: usize, stride: i32, count: i32,
  walking: usize, leaves: usize,
): void {
  for (let i = 0; i < count; i++) {
    store<i32>(walking + (<usize>i << 2), i);
    store<i32>(leaves + (<usize>i << 2), 0);
  }
  if (questionAt(nodes, 0) < 0) return;
  while (count > 0) {
    count = sets ? stepThroughSets(nodes, sets, rows, stride, count, walking, leaves)
      : step(nodes, rows, stride, count, walking, leaves);
  }
}

/** One step of rows through a tree without sets; how many have not arrived. */
function step(nodes: usize, rows: usize, stride: usize, count: i32, walking: usize, leaves: usize): i32 {
  let left = 0;
  for (let k = 0; k < count; k++) {
    const i = <usize>load<u32>(walking + (<usize>k << 2)), leaf = leaves + (i << 2);
    const node = load<u64>(nodes + (<usize>load<i32>(leaf) << NODE_SHIFT)), question = <i32>(node >> 32);
    const next = <i32>node + isRightOfCut(question, load<u8>(rows + i * stride + (question >> FEATURE_SHIFT)));
    store<i32>(leaf, next);
    store<u32>(walking + (<usize>left << 2), <u32>i);
    left += <i32>(questionAt(nodes, next) >= 0);
  }
  return left;
}

/** The same where there are sets; a number is looked up in the first one, which costs less than to guess its kind. */
function stepThroughSets(
  nodes: usize, sets: usize, rows: usize, stride: usize, count: i32,
  walking: usize, leaves: usize,
): i32 {
  let left = 0;
  for (let k = 0; k < count; k++) {
    const i = <usize>load<u32>(walking + (<usize>k << 2)), leaf = leaves + (i << 2);
    const node = load<u64>(nodes + (<usize>load<i32>(leaf) << NODE_SHIFT)), question = <i32>(node >> 32);
    const bin = <i32>load<u8>(rows + i * stride + (question >> FEATURE_SHIFT)), isSet = question & CATEGORICAL;
    const set = sets + <usize>select<i32>(<i32>node, 0, isSet) * SET_BYTES;
    const bySet = load<i32>(set) + 1 - isInSet(set + 4, bin);
    const next = select<i32>(bySet, <i32>node + isRightOfCut(question, bin), isSet);
    store<i32>(leaf, next);
    store<u32>(walking + (<usize>left << 2), <u32>i);
    left += <i32>(questionAt(nodes, next) >= 0);
  }
  return left;
}

/** The leaves of listed rows, whose cells are read where they are. */
export function walkColumns(nodes: usize, sets: usize, table: usize, list: usize, count: i32, leaves: usize): void {
  for (let i = 0; i < count; i++) {
    const row = <usize>load<u32>(list + (<usize>i << 2));
    let node = 0, question = questionAt(nodes, 0);
    while (question >= 0) {
      const column = columnAt(table, question >> FEATURE_SHIFT);
      node = childOf(nodes, sets, node, question, load<u8>(column.cells + row * column.stride));
      question = questionAt(nodes, node);
    }
    store<i32>(leaves + (<usize>i << 2), node);
  }
}

/** The child that a bin leads to. */
@inline function childOf(nodes: usize, sets: usize, node: i32, question: i32, bin: i32): i32 {
  const word = load<i32>(nodes + (<usize>node << NODE_SHIFT));
  if (!(question & CATEGORICAL)) return word + isRightOfCut(question, bin);
  const set = sets + <usize>word * SET_BYTES;
  return load<i32>(set) + 1 - isInSet(set + 4, bin);
}

/** Adds the class shares of leaves to the scores at listed places. */
export function addShares(
  nodes: usize, leafClasses: usize, leafShares: usize,
  leaves: usize, places: usize, count: i32, scores: usize, classes: i32,
): void {
  for (let i = 0; i < count; i++) {
    const node = nodes + (<usize>load<i32>(leaves + (<usize>i << 2)) << NODE_SHIFT);
    const to = scores + ((<usize>load<i32>(places + (<usize>i << 2)) * classes) << 2);
    const word = load<i32>(node), shares = -1 - load<i32>(node, 4);
    if (shares == 0) {
      const score = to + (<usize>word << 2);
      store<f32>(score, load<f32>(score) + 1);
    }
    for (let k = word; k < word + shares; k++) {
      const score = to + (<usize>load<i32>(leafClasses + (<usize>k << 2)) << 2);
      store<f32>(score, load<f32>(score) + load<f32>(leafShares + (<usize>k << 2)));
    }
  }
}
