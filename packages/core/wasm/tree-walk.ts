import { CATEGORICAL, FEATURE_SHIFT, isRightOfCut, NODE_SHIFT, SET_BYTES } from "./tree-node";
import { isInSet } from "./tree-set";

/** Rows that walk through a tree at the same time: each waits for memory while others move. */
@inline export const WALKERS: i32 = 6;

/** The splits of a tree: numbers only; also few categories; or any categories. */
@inline const NUMBERS: i32 = 0;
@inline const FEW: i32 = 1;
@inline const MANY: i32 = 2;

/** Rows that walk through a tree. Their nodes are in local variables of `walk`. */
@unmanaged export class WalkingRows {
  /** Address of the cells, and bytes from one row to the next. */
  cells: usize;
  stride: usize;
  list: usize;
  count: i32;
  leaves: usize;
  /** The first listed row that has not started. */
  next: i32;
  /** Number of listed rows that have not arrived. */
  awaited: i32;
}

/** Finds the leaves of listed rows, which lie `stride` bytes apart. When a row has arrived, the next one starts. */
export function walkRows(
  nodes: usize, sets: usize, fewCategories: bool, cells: usize, stride: i32,
  list: usize, count: i32, leaves: usize, walkers: usize,
): void {
  if (isLeaf(load<u64>(nodes))) {
    memory.fill(leaves, 0, <usize>count << 2);
    return;
  }
  const walking = changetype<WalkingRows>(walkers);
  walking.cells = cells;
  walking.stride = stride;
  walking.list = list;
  walking.count = count;
  walking.leaves = leaves;
  walking.next = 0;
  walking.awaited = count;
  if (!sets) walk(walking, nodes, sets, NUMBERS);
  else if (fewCategories) walk(walking, nodes, sets, FEW);
  else walk(walking, nodes, sets, MANY);
}

/** Walks; written out for each walker, so that nodes and addresses of rows stay in registers. */
@inline function walk(walking: WalkingRows, nodes: usize, sets: usize, kind: i32): void {
  const root = load<u64>(nodes);
  let words0 = root, words1 = root, words2 = root, words3 = root, words4 = root, words5 = root;
  let row0 = send(walking, 0), row1 = send(walking, 1), row2 = send(walking, 2);
  let row3 = send(walking, 3), row4 = send(walking, 4), row5 = send(walking, 5);
  while (walking.awaited > 0) {
    const node0 = nextNode(words0, row0, sets, kind);
    words0 = wordsOf(nodes, node0);
    if (isLeaf(words0)) {
      row0 = arrive(walking, 0, node0);
      words0 = root;
    }
    const node1 = nextNode(words1, row1, sets, kind);
    words1 = wordsOf(nodes, node1);
    if (isLeaf(words1)) {
      row1 = arrive(walking, 1, node1);
      words1 = root;
    }
    const node2 = nextNode(words2, row2, sets, kind);
    words2 = wordsOf(nodes, node2);
    if (isLeaf(words2)) {
      row2 = arrive(walking, 2, node2);
      words2 = root;
    }
    const node3 = nextNode(words3, row3, sets, kind);
    words3 = wordsOf(nodes, node3);
    if (isLeaf(words3)) {
      row3 = arrive(walking, 3, node3);
      words3 = root;
    }
    const node4 = nextNode(words4, row4, sets, kind);
    words4 = wordsOf(nodes, node4);
    if (isLeaf(words4)) {
      row4 = arrive(walking, 4, node4);
      words4 = root;
    }
    const node5 = nextNode(words5, row5, sets, kind);
    words5 = wordsOf(nodes, node5);
    if (isLeaf(words5)) {
      row5 = arrive(walking, 5, node5);
      words5 = root;
    }
  }
}

/** Writes the leaf of a walker's row and starts the next row; returns the address of its cells. */
function arrive(walking: WalkingRows, walker: i32, leaf: i32): usize {
  const place = load<i32>(placeOf(walking, walker));
  if (place < walking.count) {
    store<i32>(walking.leaves + (<usize>place << 2), leaf);
    walking.awaited--;
  }
  return send(walking, walker);
}

/** Starts a walker with the next listed row or, if there is none, with the last one in vain. */
function send(walking: WalkingRows, walker: i32): usize {
  const place = walking.next, last = walking.count - 1;
  store<i32>(placeOf(walking, walker), place);
  if (place <= last) walking.next = place + 1;
  return walking.cells + <usize>load<u32>(walking.list + (<usize>min(place, last) << 2)) * walking.stride;
}

@inline function placeOf(walking: WalkingRows, walker: i32): usize {
  return changetype<usize>(walking) + offsetof<WalkingRows>() + (<usize>walker << 2);
}

@inline function wordsOf(nodes: usize, node: i32): u64 {
  return load<u64>(nodes + (<usize>node << NODE_SHIFT));
}

@inline function isLeaf(words: u64): bool {
  return <i64>words < 0;
}

/** Returns the child of a split that a row goes to. */
@inline function nextNode(words: u64, row: usize, sets: usize, kind: i32): i32 {
  const rule = <i32>(words >> 32), word = <i32>words, isSet = rule & CATEGORICAL;
  const bin = <i32>load<u8>(row + (rule >> FEATURE_SHIFT)), isRight = isRightOfCut(rule, bin);
  // Numbers are looked up among the sets in vain, which takes less time than a branch on the kind of node.
  if (kind == FEW) return word + select<i32>(isRightOfFew(sets, word, bin), isRight, isSet);
  if (kind == NUMBERS) return word + isRight;
  const set = sets + <usize>select<i32>(word, 0, isSet) * SET_BYTES;
  return select<i32>(load<i32>(set) + 1 - isInSet(set + 4, bin), word + isRight, isSet);
}

/** Returns 1 if a bin goes right at a split of few categories, whose bits are found by its left child. */
@inline function isRightOfFew(sets: usize, left: i32, bin: i32): i32 {
  // The shift is by the bin modulo 64: the bin of missing cells, 255, has the last bit.
  return <i32>(load<u64>(sets + (<usize>left << 2)) >> bin) & 1;
}

/** Adds the class shares of leaves to the scores of their rows, which follow each other. */
export function addShares(
  nodes: usize, leafClasses: usize, leafShares: usize,
  leaves: usize, count: i32, scores: usize, classes: i32,
): void {
  for (let i = 0; i < count; i++) {
    const node = nodes + (<usize>load<i32>(leaves + (<usize>i << 2)) << NODE_SHIFT);
    const to = scores + ((<usize>i * classes) << 2);
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
