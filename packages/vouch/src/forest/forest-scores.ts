import { BinnedColumns } from "../data/binned-columns.js";
import { completeRun, type Run } from "../learning/run.js";
import { Arena } from "../numeric/arena.js";
import { alignUp } from "../numeric/heap.js";
import { HeldMemory } from "../numeric/held-memory.js";
import { Matrix } from "../numeric/matrix.js";
import { inOneGo } from "../parallel/steps.js";
import { ResidentTrees, TreeColumns, type TreeSet, TreeWalker } from "../tree/index.js";
import { executorFor, onSharedMemory } from "./grow-forest.js";
import { partsOf, walkForest } from "./walk-forest.js";

/** Nodes that are brought to kernel memory in the time that a row takes to walk through a tree outside of it. */
const NODES_PER_WALK = 16;

/**
 * Each class's share in the leaves that a row ends in, its mean over the trees, for the given rows of the columns or all of
 * them; on the threads of the run.
 */
export async function forestScores(
  trees: TreeSet,
  columns: TreeColumns | BinnedColumns,
  rows?: Int32Array,
  partialRun?: Partial<Run>,
): Promise<Matrix> {
  if (columns instanceof BinnedColumns) {
    if (columns.rows === 0) return new Matrix(0, trees.classes);
    const own = TreeColumns.of(columns);
    try {
      return await forestScores(trees, own, rows, partialRun);
    } finally {
      own.release();
    }
  }
  const run = completeRun(partialRun);
  const list = onSharedMemory(rows ?? allRows(columns.rows));
  const parts = partsOf(list.length, executorFor(columns, run));
  const sums = await walkForest(trees, columns, list.length, "scores", run, (scores) =>
    parts.map(({ begin, end }) => [
      { rows: list.subarray(begin, end), scores: scores + 4 * trees.classes * begin },
    ]),
  );
  return shares(trees, sums);
}

/** The same for all rows, in one go on this thread. */
export function forestScoresAtOnce(trees: TreeSet, features: BinnedColumns): Matrix {
  return shares(trees, sumsAtOnce(trees, features));
}

/** The sums of the class shares in the leaves that rows end in, row after row, in one go on this thread. */
export function sumsAtOnce(trees: TreeSet, features: BinnedColumns): Float32Array {
  const isSmall = features.rows * trees.trees * NODES_PER_WALK <= trees.nodes;
  return isSmall ? sumsRowByRow(trees, features) : sumsInKernelMemory(trees, features);
}

function sumsRowByRow(trees: TreeSet, features: BinnedColumns): Float32Array {
  const sums = new Float32Array(features.rows * trees.classes);
  for (let i = 0; i < features.rows; i++) trees.addRow(features, i, sums, i * trees.classes);
  return sums;
}

function sumsInKernelMemory(trees: TreeSet, features: BinnedColumns): Float32Array {
  const { rows } = features;
  const length = rows * trees.classes;
  const held = new HeldMemory();
  try {
    const columns = held.hold(TreeColumns.of(features));
    const resident = held.hold(ResidentTrees.of(trees, columns));
    const arena = held.hold(Arena.allocate(TreeWalker.bytes(columns) + alignUp(4 * length)));
    const walker = new TreeWalker(columns, resident, arena);
    const sums = arena.f32(length);
    sums.view.fill(0);
    inOneGo(walker.addScores({ rows: allRows(rows), scores: sums.pointer }));
    return sums.view.slice();
  } finally {
    held.release();
  }
}

function shares({ trees, classes }: TreeSet, sums: Float32Array): Matrix {
  const values = new Float64Array(sums.length);
  for (let k = 0; k < sums.length; k++) values[k] = sums[k] / trees;
  return new Matrix(sums.length / classes, classes, values);
}

function allRows(rows: number): Int32Array {
  return Int32Array.from({ length: rows }, (_, i) => i);
}
