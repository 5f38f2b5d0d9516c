import { BinnedColumns, type BinnedFeature } from "../../encode/binned-columns.js";
import { rowRange } from "../../encode/sample.js";
import { Matrix } from "../../runtime/maths/matrix.js";
import * as real from "../../runtime/maths/portable-math.js";
import { definePausableRangeTask, forRanges } from "../../runtime/parallel/for-ranges.js";
import { type Pausable, runNow } from "../../runtime/parallel/pausable.js";
import { sharedBuffer } from "../../runtime/parallel/shared-array.js";
import { Arena, bytesOf, f32, Scope } from "../../runtime/wasm/arena.js";
import { allRows } from "../tree/sample-rows.js";
import { leafSums } from "../tree/score-trees.js";
import { TreeColumns } from "../tree/tree-columns.js";
import { type TreeArrays, TreeSet } from "../tree/tree-set.js";
import { TreeWalker, walkerLayout } from "../tree/tree-walker.js";
import { WasmTrees } from "../tree/wasm-trees.js";

/** Rough operations of a walk of a row through a tree. */
const WALK = 20;

/** Walks between two pauses: some milliseconds. */
const WALKS_PER_BLOCK = 1_000_000;

/** Fewer rows are not worth copying the trees to WebAssembly memory for them. */
const FEWEST_ROWS = 256;

/** Computes the probabilities of rows, as pausable work on ranges of rows. */
export function* boostedScores(
  trees: TreeSet,
  base: Float64Array,
  features: BinnedColumns,
): Pausable<Matrix> {
  const { rows } = features;
  // A served request of one row pays for nothing else.
  if (rows === 1) return boostedProbabilities(yield* leafSums(trees, features), base);
  const classes = Math.max(2, base.length);
  const probabilities = new Float64Array(sharedBuffer(8 * rows * classes, "the scores"));
  const kinds = features.features.map(({ kind }) => kind);
  const common = { trees: trees.arrays, base, rows, kinds, bins: features.bins, probabilities };
  const division = { count: rows, work: WALK * trees.trees, output: probabilities };
  yield* forRanges(scoreTask, division, (begin, end) => ({ ...common, begin, end }));
  return new Matrix(rows, classes, probabilities);
}

/** Rows `begin` … `end` − 1 of binned columns, and the place for the probabilities of all rows. */
interface ScoreInput {
  readonly trees: TreeArrays;
  readonly base: Float64Array;
  readonly rows: number;
  /** Walks need no more than that of the meaning of bins. */
  readonly kinds: readonly BinnedFeature["kind"][];
  readonly bins: Uint8Array;
  readonly probabilities: Float64Array;
  readonly begin: number;
  readonly end: number;
}

const scoreTask = definePausableRangeTask(
  "boosted-trees/score",
  function* ({ trees, base, rows, kinds, bins, probabilities, begin, end }: ScoreInput): Pausable<void> {
    const set = new TreeSet(trees);
    const all = new BinnedColumns(rows, kinds.map(featureOf), bins);
    const step = Math.max(FEWEST_ROWS, Math.floor(WALKS_PER_BLOCK / set.trees));
    for (let from = begin; from < end; from += step) {
      const block = rowRange(all, from, Math.min(end, from + step));
      const own = boostedProbabilities(yield* leafSums(set, block), base);
      probabilities.set(own.values, from * own.columns);
      yield;
    }
  },
);

function featureOf(kind: BinnedFeature["kind"], j: number): BinnedFeature {
  const name = `x${j + 1}`;
  return kind === "numeric" ? { kind, name, cuts: new Float64Array(0) } : { kind, name, levels: [] };
}

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
  using scope = new Scope();
  const columns = scope.hold(TreeColumns.of(features));
  const resident = scope.hold(WasmTrees.of(trees, columns));
  const scratch = scope.hold(Arena.allocate(bytesOf(walkerLayout(columns))));
  const walker = new TreeWalker(columns, resident, scratch);
  const { sums } = scope.take({ sums: f32(rows * outputs) });
  const every = allRows(rows);
  sums.view.fill(0);
  for (let round = 0; round < rounds; round++) {
    const range = { begin: round * outputs, end: (round + 1) * outputs };
    runNow(walker.addScores({ ...range, rows: every, scores: sums.pointer }));
    yield sums.view;
  }
}
