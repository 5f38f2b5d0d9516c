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

/** So many rows walk through a tree together: each waits for memory while others move. */
@inline const ROWS_TOGETHER: i32 = 8;

/** The leaves of listed rows, which lie `stride` bytes apart. */
export function walkRows(
  nodes: usize, sets: usize, cells: usize, stride: i32,
  list: usize, count: i32, leaves: usize,
): void {
  let i = 0;
  for (; i + ROWS_TOGETHER <= count; i += ROWS_TOGETHER) {
    const place = <usize>i << 2;
    if (sets) walkThroughSets(nodes, sets, cells, stride, list + place, leaves + place);
    else walkThroughCuts(nodes, cells, stride, list + place, leaves + place);
  }
  for (; i < count; i++) {
    const place = <usize>i << 2, row = cells + load<u32>(list + place) * <usize>stride;
    let node = 0, words = load<u64>(nodes);
    while (<i64>words >= 0) {
      node = nextNode(words, node, row, sets, sets != 0);
      words = wordsOf(nodes, node);
    }
    store<i32>(leaves + place, node);
  }
}

function walkThroughCuts(nodes: usize, cells: usize, stride: usize, list: usize, leaves: usize): void {
  walkEight(nodes, 0, cells, stride, list, leaves, false);
}

function walkThroughSets(nodes: usize, sets: usize, cells: usize, stride: usize, list: usize, leaves: usize): void {
  walkEight(nodes, sets, cells, stride, list, leaves, true);
}

/** Eight rows, without branches that would have to be guessed: who has arrived stays where he is. */
@inline function walkEight(
  nodes: usize, sets: usize, cells: usize, stride: usize,
  list: usize, leaves: usize, withSets: bool,
): void {
  const r0 = cells + load<u32>(list, 0) * stride;
  const r1 = cells + load<u32>(list, 4) * stride;
  const r2 = cells + load<u32>(list, 8) * stride;
  const r3 = cells + load<u32>(list, 12) * stride;
  const r4 = cells + load<u32>(list, 16) * stride;
  const r5 = cells + load<u32>(list, 20) * stride;
  const r6 = cells + load<u32>(list, 24) * stride;
  const r7 = cells + load<u32>(list, 28) * stride;
  let n0 = 0, n1 = 0, n2 = 0, n3 = 0, n4 = 0, n5 = 0, n6 = 0, n7 = 0;
  let w0 = load<u64>(nodes), w1 = w0, w2 = w0, w3 = w0, w4 = w0, w5 = w0, w6 = w0, w7 = w0;
  while (<i64>(w0 & w1 & w2 & w3 & w4 & w5 & w6 & w7) >= 0) {
    n0 = nextNode(w0, n0, r0, sets, withSets);
    n1 = nextNode(w1, n1, r1, sets, withSets);
    n2 = nextNode(w2, n2, r2, sets, withSets);
    n3 = nextNode(w3, n3, r3, sets, withSets);
    n4 = nextNode(w4, n4, r4, sets, withSets);
    n5 = nextNode(w5, n5, r5, sets, withSets);
    n6 = nextNode(w6, n6, r6, sets, withSets);
    n7 = nextNode(w7, n7, r7, sets, withSets);
    w0 = wordsOf(nodes, n0);
    w1 = wordsOf(nodes, n1);
    w2 = wordsOf(nodes, n2);
    w3 = wordsOf(nodes, n3);
    w4 = wordsOf(nodes, n4);
    w5 = wordsOf(nodes, n5);
    w6 = wordsOf(nodes, n6);
    w7 = wordsOf(nodes, n7);
  }
  store<i32>(leaves, n0, 0);
  store<i32>(leaves, n1, 4);
  store<i32>(leaves, n2, 8);
  store<i32>(leaves, n3, 12);
  store<i32>(leaves, n4, 16);
  store<i32>(leaves, n5, 20);
  store<i32>(leaves, n6, 24);
  store<i32>(leaves, n7, 28);
}

@inline function wordsOf(nodes: usize, node: i32): u64 {
  return load<u64>(nodes + (<usize>node << NODE_SHIFT));
}

/** The child of a node that a row goes to; a leaf itself. `words` are those of the node. */
@inline function nextNode(words: u64, node: i32, row: usize, sets: usize, withSets: bool): i32 {
  const question = <i32>(words >> 32), word = <i32>words, isLeaf = question >> 31;
  const bin = <i32>load<u8>(row + ((question & ~isLeaf) >> FEATURE_SHIFT));
  let child = word + isRightOfCut(question, bin);
  if (withSets) {
    // A number is looked up in the first set, in vain: that costs less than to guess which kind a node is of.
    const isSet = question & ~isLeaf & CATEGORICAL, set = sets + <usize>select<i32>(word, 0, isSet) * SET_BYTES;
    child = select<i32>(load<i32>(set) + 1 - isInSet(set + 4, bin), child, isSet);
  }
  return select<i32>(node, child, isLeaf);
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
