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

/** So many rows walk through a tree at the same time: each waits for memory while others move. */
@inline const WALKERS: i32 = 16;

/** A row on its way. */
@unmanaged class Walker {
  /** The address of its cells. */
  row: usize;
  /** Its place among the listed rows. */
  place: i32;
  /** The words of the node it has come to. */
  words: u64;
}

/** Bytes of all walkers. */
export function walkerBytes(): i32 {
  return WALKERS * offsetof<Walker>();
}

/** The leaves of listed rows, which lie `stride` bytes apart. When a row has arrived, the next one starts. */
export function walkRows(
  nodes: usize, sets: usize, cells: usize, stride: i32,
  list: usize, count: i32, leaves: usize, walkers: usize,
): void {
  if (<i64>load<u64>(nodes) < 0) {
    memory.fill(leaves, 0, <usize>count << 2);
    return;
  }
  if (sets) walk(nodes, sets, cells, stride, list, count, leaves, walkers, true);
  else walk(nodes, sets, cells, stride, list, count, leaves, walkers, false);
}

@inline function walk(
  nodes: usize, sets: usize, cells: usize, stride: usize,
  list: usize, count: i32, leaves: usize, walkers: usize, withSets: bool,
): void {
  const root = load<u64>(nodes);
  let started = 0, walking = min(count, WALKERS);
  for (; started < walking; started++) send(walkerAt(walkers, started), root, cells, stride, list, started);
  while (walking > 0) {
    for (let k = 0; k < walking; k++) {
      const walker = walkerAt(walkers, k);
      const node = nextNode(walker.words, walker.row, sets, withSets), words = wordsOf(nodes, node);
      walker.words = words;
      if (<i64>words >= 0) continue;
      store<i32>(leaves + (<usize>walker.place << 2), node);
      if (started < count) {
        send(walker, root, cells, stride, list, started);
        started++;
      } else {
        // The last walker takes its place, and has yet to take this step.
        memory.copy(changetype<usize>(walker), changetype<usize>(walkerAt(walkers, --walking)), offsetof<Walker>());
        k--;
      }
    }
  }
}

@inline function walkerAt(walkers: usize, index: i32): Walker {
  return changetype<Walker>(walkers + <usize>index * offsetof<Walker>());
}

/** Sends a listed row to the root. */
@inline function send(walker: Walker, root: u64, cells: usize, stride: usize, list: usize, place: i32): void {
  walker.row = cells + load<u32>(list + (<usize>place << 2)) * stride;
  walker.place = place;
  walker.words = root;
}

@inline function wordsOf(nodes: usize, node: i32): u64 {
  return load<u64>(nodes + (<usize>node << NODE_SHIFT));
}

/** The child of a split that a row goes to. */
@inline function nextNode(words: u64, row: usize, sets: usize, withSets: bool): i32 {
  const question = <i32>(words >> 32), word = <i32>words;
  const bin = <i32>load<u8>(row + (question >> FEATURE_SHIFT));
  const child = word + isRightOfCut(question, bin);
  if (!withSets) return child;
  // A number is looked up in the first set, in vain: that costs less than to guess which kind a node is of.
  const isSet = question & CATEGORICAL, set = sets + <usize>select<i32>(word, 0, isSet) * SET_BYTES;
  return select<i32>(load<i32>(set) + 1 - isInSet(set + 4, bin), child, isSet);
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
