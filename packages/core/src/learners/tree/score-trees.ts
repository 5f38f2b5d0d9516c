import { BinnedColumns } from "../../encode/binned-columns.js";
import { Matrix } from "../../runtime/maths/matrix.js";
import type { Executor, TaskContext } from "../../runtime/parallel/executor.js";
import { runNow } from "../../runtime/parallel/pausable.js";
import { completeRun, type Run } from "../../runtime/parallel/run.js";
import { onSharedMemory } from "../../runtime/parallel/shared-array.js";
import { defineTask } from "../../runtime/parallel/task.js";
import { Arena, ArenaPool, type ArenaPoolDescriptor, Scope } from "../../runtime/wasm/arena.js";
import { alignUp } from "../../runtime/wasm/heap.js";
import { executorFor, TreeColumns, type TreeColumnsDescriptor } from "../tree/tree-columns.js";
import type { TreeSet } from "../tree/tree-set.js";
import { TreeWalker, type Walk } from "../tree/tree-walker.js";
import { WasmTrees, type WasmTreesDescriptor } from "../tree/wasm-trees.js";
import { allRows } from "./sample-rows.js";

/** Walks of a row through a tree in a millisecond, very roughly; only for estimates of time. */
const WALKS_PER_MILLISECOND = 10_000;

/** At most this many tasks per thread, enough that no thread waits long for the last one. */
const MOST_TASKS_PER_THREAD = 8;

/** Fewer rows are not worth a separate task. */
const FEWEST_ROWS = 256;

/** Nor are fewer rows once every thread has a task: each task loads all trees into its cache. */
const ROWS_PER_TASK = 4096;

/** Rows `begin` … `end` − 1. */
export interface RowRange {
  readonly begin: number;
  readonly end: number;
}

/** Divides rows among the threads of an executor. */
export function walkParts(rows: number, { threads }: Executor): RowRange[] {
  const perThread = Math.min(
    MOST_TASKS_PER_THREAD,
    Math.max(1, Math.floor(rows / (threads * ROWS_PER_TASK))),
  );
  const parts = Math.min(threads * perThread, Math.ceil(rows / FEWEST_ROWS));
  const start = (part: number) => Math.floor((part * rows) / parts);
  return Array.from({ length: parts }, (_, part) => ({ begin: start(part), end: start(part + 1) }));
}

/**
 * Walks rows through trees on the threads of the run, and returns the sums of the class shares of their leaves, for `count`
 * rows. `walksOf` gets the address of the sums and returns the walks of each task; no two tasks may add to the same sums.
 */
export async function walkForest(
  trees: TreeSet,
  columns: TreeColumns,
  count: number,
  stage: string,
  run: Run,
  walksOf: (scores: number) => readonly (readonly Walk[])[],
): Promise<Float32Array> {
  const { memory } = columns;
  const executor = executorFor(columns, run);
  const length = count * trees.classes;
  const held = new Scope();
  try {
    const resident = held.hold(await WasmTrees.onThreads(trees, columns, run));
    const scratch = held.hold(ArenaPool.allocate(executor.threads, TreeWalker.bytes(columns), memory));
    const sums = held.hold(Arena.allocate(4 * length, memory)).f32(length);
    sums.view.fill(0);
    const common = {
      columns: columns.descriptor(),
      trees: resident.descriptor(),
      scratch: scratch.descriptor(),
    };
    await executor.map(
      walkTask,
      walksOf(sums.pointer).map((walks) => ({ ...common, walks })),
      {
        ...(run.signal && { signal: run.signal }),
        milliseconds: (count * trees.trees) / WALKS_PER_MILLISECOND,
        onProgress: (done, total) => run.progress({ stage, done, total }),
      },
    );
    return sums.view.slice();
  } finally {
    held.release();
  }
}

/** The walks of one task: structured-cloneable. */
interface WalkInput {
  readonly columns: TreeColumnsDescriptor;
  readonly trees: WasmTreesDescriptor;
  readonly scratch: ArenaPoolDescriptor;
  readonly walks: readonly Walk[];
}

const walkTask = defineTask(
  "forest/walk",
  async ({ columns, trees, scratch, walks }: WalkInput, context: TaskContext): Promise<void> => {
    await ArenaPool.attach(scratch).with(async (arena) => {
      const walker = new TreeWalker(TreeColumns.attach(columns), WasmTrees.attach(trees), arena);
      for (const walk of walks) for (const _ of walker.addScores(walk)) await context.checkpoint();
    });
  },
);

/** Nodes that are copied to WebAssembly memory in the time that a row takes to walk through a tree outside of it. */
const NODES_PER_WALK = 16;

/**
 * Computes the mean over the trees of the class shares in the leaf of a row, for the given rows of the columns or all of
 * them, on the threads of the run.
 */
export async function forestScores(
  trees: TreeSet,
  columns: TreeColumns | BinnedColumns,
  rows?: Int32Array,
  partialRun?: Partial<Run>,
): Promise<Matrix> {
  if (columns instanceof BinnedColumns) {
    if (columns.rows === 0) return new Matrix(0, trees.classes);
    const own = await TreeColumns.onThreads(columns, completeRun(partialRun));
    try {
      return await forestScores(trees, own, rows, partialRun);
    } finally {
      own.release();
    }
  }
  const run = completeRun(partialRun);
  const list = onSharedMemory(rows ?? allRows(columns.rows));
  const parts = walkParts(list.length, executorFor(columns, run));
  const sums = await walkForest(trees, columns, list.length, "scores", run, (scores) =>
    parts.map(({ begin, end }) => [
      { rows: list.subarray(begin, end), scores: scores + 4 * trees.classes * begin },
    ]),
  );
  return shares(trees, sums);
}

/** Computes the same for all rows, synchronously on this thread. */
export function forestScoresAtOnce(trees: TreeSet, features: BinnedColumns): Matrix {
  return shares(trees, sumsAtOnce(trees, features));
}

/** Sums the class shares in the leaves of rows, row after row, synchronously on this thread. */
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
  const held = new Scope();
  try {
    const columns = held.hold(TreeColumns.of(features));
    const resident = held.hold(WasmTrees.of(trees, columns));
    const arena = held.hold(Arena.allocate(TreeWalker.bytes(columns) + alignUp(4 * length)));
    const walker = new TreeWalker(columns, resident, arena);
    const sums = arena.f32(length);
    sums.view.fill(0);
    runNow(walker.addScores({ rows: allRows(rows), scores: sums.pointer }));
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
