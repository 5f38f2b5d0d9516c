import type { Run } from "../learning/run.js";
import { Arena } from "../numeric/arena.js";
import { HeldMemory } from "../numeric/held-memory.js";
import { ScratchPool, type ScratchPoolDescriptor } from "../numeric/scratch-pool.js";
import type { Executor, TaskContext } from "../parallel/executor.js";
import { defineTask } from "../parallel/task.js";
import {
  ResidentTrees,
  type ResidentTreesDescriptor,
  TreeColumns,
  type TreeColumnsDescriptor,
  type TreeSet,
  TreeWalker,
  type Walk,
} from "../tree/index.js";
import { executorFor } from "./grow-forest.js";

/** Walks of a row through a tree in a millisecond, very roughly; only for estimates of time. */
const WALKS_PER_MILLISECOND = 10_000;

/** At most so many tasks per thread: then no thread waits long for the last one. */
const TASKS_PER_THREAD = 8;

/** Fewer rows are not worth a task of their own. */
const FEWEST_ROWS = 256;

/** Nor are fewer rows, if all threads have a task: each task has all trees come to its cache. */
const ROWS_PER_TASK = 4096;

/** Rows `begin` … `end` − 1. */
export interface RowRange {
  readonly begin: number;
  readonly end: number;
}

/** Divides rows among the threads of an executor. */
export function partsOf(rows: number, { threads }: Executor): RowRange[] {
  const perThread = Math.min(TASKS_PER_THREAD, Math.max(1, Math.floor(rows / (threads * ROWS_PER_TASK))));
  const parts = Math.min(threads * perThread, Math.ceil(rows / FEWEST_ROWS));
  const start = (part: number) => Math.floor((part * rows) / parts);
  return Array.from({ length: parts }, (_, part) => ({ begin: start(part), end: start(part + 1) }));
}

/** Walks whose rows are judged by class: scores are by row. */
export interface JudgedWalk extends Walk {
  readonly judge?: {
    /** The class of each row of the columns. */
    readonly labels: Int32Array;
    /** Shared; for each row of the walk, the share that its leaf gives to wrong classes is put here. One tree only. */
    readonly losses: Float32Array;
  };
}

/**
 * Lets rows walk through trees, on the threads of the run, and gives the sums of the class shares of the leaves that they
 * end in, for `count` rows. `walksOf` is told where the sums are and says for each task which rows walk where; no two
 * tasks may add to the same sums.
 */
export async function walkForest(
  trees: TreeSet,
  columns: TreeColumns,
  count: number,
  stage: string,
  run: Run,
  walksOf: (scores: number) => readonly (readonly JudgedWalk[])[],
): Promise<Float32Array> {
  const { memory } = columns;
  const executor = executorFor(columns, run);
  const length = count * trees.classes;
  const held = new HeldMemory();
  try {
    const resident = held.hold(ResidentTrees.of(trees, columns));
    const scratch = held.hold(ScratchPool.allocate(executor.threads, TreeWalker.bytes(columns), memory));
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

/** Walks of one task: structured-cloneable. */
interface WalkInput {
  readonly columns: TreeColumnsDescriptor;
  readonly trees: ResidentTreesDescriptor;
  readonly scratch: ScratchPoolDescriptor;
  readonly walks: readonly JudgedWalk[];
}

/** Lets some rows walk through trees. */
export const walkTask = defineTask(
  "forest/walk",
  async ({ columns, trees, scratch, walks }: WalkInput, context: TaskContext): Promise<void> => {
    await ScratchPool.attach(scratch).with(async (arena) => {
      const resident = ResidentTrees.attach(trees);
      const walker = new TreeWalker(TreeColumns.attach(columns), resident, arena);
      for (const walk of walks) {
        const before = walk.judge && ownScores(walk, walk.judge.labels, resident);
        for (const _ of walker.addScores(walk)) await context.checkpoint();
        if (walk.judge && before) {
          const after = ownScores(walk, walk.judge.labels, resident);
          putLosses(walk.judge.losses, before, after);
        }
      }
    });
  },
);

/** The scores that the rows of a walk have so far for their own classes. */
function ownScores(
  { rows, scores }: Walk,
  labels: Int32Array,
  { memory, classes }: ResidentTrees,
): Float32Array {
  const all = memory.f32(scores, labels.length * classes);
  const own = new Float32Array(rows.length);
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i];
    own[i] = all[row * classes + labels[row]];
  }
  return own;
}

/** What a tree has not added to the scores of the own classes. Exact for pure leaves, which add ones. */
function putLosses(losses: Float32Array, before: Float32Array, after: Float32Array): void {
  for (let i = 0; i < losses.length; i++) losses[i] = Math.max(0, 1 - (after[i] - before[i]));
}
