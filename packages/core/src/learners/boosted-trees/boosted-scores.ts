import type { BinnedColumns } from "../../encode/binned-columns.js";
import { Matrix } from "../../runtime/maths/matrix.js";
import * as real from "../../runtime/maths/portable-math.js";
import { runNow } from "../../runtime/parallel/pausable.js";
import { Arena, Scope } from "../../runtime/wasm/arena.js";
import { alignUp } from "../../runtime/wasm/heap.js";
import { TreeColumns } from "../tree/tree-columns.js";
import type { TreeSet } from "../tree/tree-set.js";
import { TreeWalker } from "../tree/tree-walker.js";
import { WasmTrees } from "../tree/wasm-trees.js";

/**
 * Computes probabilities from the sums that the trees add to the initial margins, row after row. Two classes have one margin
 * F, and p = 1 / (1 + exp(−F)) is the probability of the second; for more, it is exp(F_k) / Σ exp(F_j).
 */
export function boostedProbabilities(sums: Float32Array, base: Float64Array): Matrix {
  return base.length === 1 ? logistic(sums, base[0]) : softmax(sums, base);
}

function logistic(sums: Float32Array, base: number): Matrix {
  const values = new Float64Array(2 * sums.length);
  for (let i = 0; i < sums.length; i++) {
    const margin = base + sums[i];
    // From the smaller of the two: neither overflows nor loses digits.
    const smaller = real.exp(-Math.abs(margin));
    const share = smaller / (1 + smaller);
    values[2 * i] = margin > 0 ? share : 1 - share;
    values[2 * i + 1] = margin > 0 ? 1 - share : share;
  }
  return new Matrix(sums.length, 2, values);
}

function softmax(sums: Float32Array, base: Float64Array): Matrix {
  const classes = base.length;
  const values = Float64Array.from(sums, (sum, k) => base[k % classes] + sum);
  for (let from = 0; from < values.length; from += classes) {
    const margins = values.subarray(from, from + classes);
    const most = margins.reduce((high, margin) => Math.max(high, margin), -Infinity);
    let total = 0;
    for (let k = 0; k < classes; k++) total += margins[k] = real.exp(margins[k] - most);
    for (let k = 0; k < classes; k++) margins[k] /= total;
  }
  return new Matrix(sums.length / classes, classes, values);
}

/**
 * Yields the sums that the trees add to the margins of rows, row after row, after each round of `outputs` trees. Each array
 * is overwritten by the next.
 */
export function* stagedSums(
  trees: TreeSet,
  outputs: number,
  features: BinnedColumns,
): Generator<Float32Array, void> {
  const { rows } = features;
  const rounds = trees.trees / outputs;
  if (rows === 0) {
    for (let round = 0; round < rounds; round++) yield new Float32Array(0);
    return;
  }
  const held = new Scope();
  try {
    const columns = held.hold(TreeColumns.of(features));
    const resident = held.hold(WasmTrees.of(trees, columns));
    const bytes = TreeWalker.bytes(columns) + alignUp(4 * rows * outputs);
    const arena = held.hold(Arena.allocate(bytes));
    const walker = new TreeWalker(columns, resident, arena);
    const sums = arena.f32(rows * outputs);
    const every = Int32Array.from({ length: rows }, (_, i) => i);
    sums.view.fill(0);
    for (let round = 0; round < rounds; round++) {
      const range = { begin: round * outputs, end: (round + 1) * outputs };
      runNow(walker.addScores({ ...range, rows: every, scores: sums.pointer }));
      yield sums.view;
    }
  } finally {
    held.release();
  }
}
