import { columnAt } from "./tree-column";
import { CATEGORICAL, FEATURE_SHIFT, isRightOfCut, NODE_SHIFT, SET_BYTES } from "./tree-node";
import { isInSet } from "./tree-set";

/** Brings listed rows together, row after row; eight columns at a time, so that writes are wide. */
export function gatherRows(table: usize, columns: i32, list: usize, count: i32, to: usize, stride: i32): void {
  let column = 0;
  for (; column + 8 <= columns; column += 8) {
    const a = columnAt(table, column).bins, b = columnAt(table, column + 1).bins;
    const c = columnAt(table, column + 2).bins, d = columnAt(table, column + 3).bins;
    const e = columnAt(table, column + 4).bins, f = columnAt(table, column + 5).bins;
    const g = columnAt(table, column + 6).bins, h = columnAt(table, column + 7).bins;
    for (let i = 0, target = to + column; i < count; i++, target += stride) {
      const row = <usize>load<u32>(list + (<usize>i << 2));
      const low = <u32>load<u8>(a + row) | (<u32>load<u8>(b + row) << 8)
        | (<u32>load<u8>(c + row) << 16) | (<u32>load<u8>(d + row) << 24);
      const high = <u32>load<u8>(e + row) | (<u32>load<u8>(f + row) << 8)
        | (<u32>load<u8>(g + row) << 16) | (<u32>load<u8>(h + row) << 24);
      store<u32>(target, low);
      store<u32>(target, high, 4);
    }
  }
  for (; column < columns; column++) {
    const bins = columnAt(table, column).bins;
    for (let i = 0, target = to + column; i < count; i++, target += stride) {
      store<u8>(target, load<u8>(bins + load<u32>(list + (<usize>i << 2))));
    }
  }
}

/** The child that a bin leads to. */
@inline function childOf(nodes: usize, sets: usize, node: i32, question: i32, bin: i32): i32 {
  const word = load<i32>(nodes + (<usize>node << NODE_SHIFT));
  if (question & CATEGORICAL) {
    const set = sets + <usize>word * SET_BYTES;
    return load<i32>(set) + 1 - isInSet(set + 4, bin);
  }
  return word + isRightOfCut(question, bin);
}

@inline function questionAt(nodes: usize, node: i32): i32 {
  return load<i32>(nodes + (<usize>node << NODE_SHIFT), 4);
}

/** The leaves of rows that lie `stride` bytes apart. Four rows walk together: each waits for memory while others move. */
export function walkRows(nodes: usize, sets: usize, rows: usize, stride: i32, count: i32, leaves: usize): void {
  let i = 0;
  const first = questionAt(nodes, 0);
  for (; i + 4 <= count; i += 4) {
    const r0 = rows + <usize>i * stride, r1 = r0 + stride, r2 = r1 + stride, r3 = r2 + stride;
    let n0 = 0, n1 = 0, n2 = 0, n3 = 0, q0 = first, q1 = first, q2 = first, q3 = first;
    while ((q0 & q1 & q2 & q3) >= 0) {
      if (q0 >= 0) q0 = questionAt(nodes, n0 = childOf(nodes, sets, n0, q0, load<u8>(r0 + (q0 >> FEATURE_SHIFT))));
      if (q1 >= 0) q1 = questionAt(nodes, n1 = childOf(nodes, sets, n1, q1, load<u8>(r1 + (q1 >> FEATURE_SHIFT))));
      if (q2 >= 0) q2 = questionAt(nodes, n2 = childOf(nodes, sets, n2, q2, load<u8>(r2 + (q2 >> FEATURE_SHIFT))));
      if (q3 >= 0) q3 = questionAt(nodes, n3 = childOf(nodes, sets, n3, q3, load<u8>(r3 + (q3 >> FEATURE_SHIFT))));
    }
    const to = leaves + (<usize>i << 2);
    store<i32>(to, n0);
    store<i32>(to, n1, 4);
    store<i32>(to, n2, 8);
    store<i32>(to, n3, 12);
  }
  for (; i < count; i++) {
    const row = rows + <usize>i * stride;
    let node = 0, question = first;
    while (question >= 0) {
      node = childOf(nodes, sets, node, question, load<u8>(row + (question >> FEATURE_SHIFT)));
      question = questionAt(nodes, node);
    }
    store<i32>(leaves + (<usize>i << 2), node);
  }
}

/** The leaves of listed rows, whose cells are read from the columns. */
export function walkColumns(nodes: usize, sets: usize, table: usize, list: usize, count: i32, leaves: usize): void {
  for (let i = 0; i < count; i++) {
    const row = load<u32>(list + (<usize>i << 2));
    let node = 0, question = questionAt(nodes, 0);
    while (question >= 0) {
      const bin = load<u8>(columnAt(table, question >> FEATURE_SHIFT).bins + row);
      node = childOf(nodes, sets, node, question, bin);
      question = questionAt(nodes, node);
    }
    store<i32>(leaves + (<usize>i << 2), node);
  }
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
