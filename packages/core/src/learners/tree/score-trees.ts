import { BinnedColumns } from "../../encode/binned-columns.js";
import { Matrix } from "../../runtime/maths/matrix.js";
import { definePausableRangeTask, forRanges } from "../../runtime/parallel/for-ranges.js";
import type { Pausable } from "../../runtime/parallel/pausable.js";
import { f32, Scope } from "../../runtime/wasm/arena.js";
import { allRows } from "./sample-rows.js";
import { TreeColumns, type TreeColumnsFields } from "./tree-columns.js";
import type { TreeSet } from "./tree-set.js";
import { TreeWalker, type Walk, walkerLayout } from "./tree-walker.js";
import { WasmTrees, type WasmTreesFields } from "./wasm-trees.js";

/** Nodes that are copied to WebAssembly memory in the time that a row takes to walk through a tree outside of it. */
const NODES_PER_WALK = 16;

/** Rows walk row by row where they are, if copying them and the trees to WebAssembly memory would take longer. */
export function walksRowByRow(trees: TreeSet, rows: number): boolean {
  return rows * trees.trees * NODES_PER_WALK <= trees.nodes;
}

/**
 * Computes the mean over the trees of the class shares in the leaf of a row, for the given rows of the columns or all of
 * them.
 */
export function* forestScores(
  trees: TreeSet,
  columns: TreeColumnsFields | BinnedColumns,
  rows?: Int32Array,
): Pausable<Matrix> {
  const sums = yield* leafSums(trees, columns, rows);
  const values = new Float64Array(sums.length);
  for (let k = 0; k < sums.length; k++) values[k] = sums[k] / trees.trees;
  return new Matrix(sums.length / trees.classes, trees.classes, values);
}

/** Sums the class shares in the leaves of rows, row after row. */
export function* leafSums(
  trees: TreeSet,
  columns: TreeColumnsFields | BinnedColumns,
  rows = allRows(columns.rows),
): Pausable<Float32Array> {
  if (columns instanceof BinnedColumns) {
    if (walksRowByRow(trees, rows.length)) return yield* sumsRowByRow(trees, columns, rows);
    using copy = yield* TreeColumns.copy(columns);
    return yield* leafSums(trees, copy, rows);
  }
  const { classes } = trees;
  using scope = new Scope();
  const loaded = scope.hold(yield* WasmTrees.copy(trees, columns));
  const { sums } = scope.take({ sums: f32(rows.length * classes) }, columns.memory);
  sums.view.fill(0);
  const work = WORK_PER_WALK * trees.trees;
  const scratch = walkerLayout(columns);
  const division = { count: rows.length, work, scratch, memory: columns.memory, stage: "scores" };
  yield* forRanges(walkTask, division, (begin, end): WalkInput => {
    const walk = { rows: rows.subarray(begin, end), scores: sums.pointer + 4 * classes * begin };
    return { columns, trees: loaded, walk };
  });
  return sums.view.slice();
}

/** Operations for a row to walk through a tree. */
const WORK_PER_WALK = 100;

interface WalkInput {
  readonly columns: TreeColumnsFields;
  readonly trees: WasmTreesFields;
  readonly walk: Walk;
}

const walkTask = definePausableRangeTask(
  "forest/walk",
  ({ columns, trees, walk }: WalkInput, { scratch }): Pausable<void> =>
    new TreeWalker(columns, trees, scratch).addScores(walk),
);

/** Walks between two pauses: a few milliseconds. */
const WALKS_PER_PAUSE = 1 << 14;

function* sumsRowByRow(trees: TreeSet, features: BinnedColumns, rows: Int32Array): Pausable<Float32Array> {
  const sums = new Float32Array(rows.length * trees.classes);
  const rowsPerPause = Math.ceil(WALKS_PER_PAUSE / trees.trees);
  for (let i = 0; i < rows.length; i++) {
    trees.addRow(features, rows[i], sums, i * trees.classes);
    if (i % rowsPerPause === rowsPerPause - 1) yield;
  }
  return sums;
}
