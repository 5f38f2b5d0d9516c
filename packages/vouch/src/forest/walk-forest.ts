import type { Run } from "../learning/run.js";
import { Arena } from "../numeric/arena.js";
import type { Executor, TaskContext } from "../parallel/executor.js";
import { defineTask } from "../parallel/task.js";
import {
  ResidentTrees,
  type ResidentTreesDescriptor,
  ScratchPool,
  type ScratchPoolDescriptor,
  TreeColumns,
  type TreeColumnsDescriptor,
  type TreeSet,
  TreeWalker,
  type Walk,
} from "../tree/index.js";
import { executorFor } from "./grow-forest.js";
import { HeldMemory } from "./held-memory.js";

/** Walks of a row through a tree in a millisecond, very roughly; only for estimates of time. */
const WALKS_PER_MILLISECOND = 10_000;

/** So many tasks per thread: then no thread waits long for the last one. */
const TASKS_PER_THREAD = 8;

/** Fewer rows are not worth a task of their own. */
const FEWEST_ROWS = 256;

/** Rows `begin` … `end` − 1. */
export interface RowRange {
  readonly begin: number;
  readonly end: number;
}

/** Divides rows among the threads of an executor. */
export function partsOf(rows: number, { threads }: Executor): RowRange[] {
  const parts = Math.min(threads * TASKS_PER_THREAD, Math.ceil(rows / FEWEST_ROWS));
  const start = (part: number) => Math.floor((part * rows) / parts);
  return Array.from({ length: parts }, (_, part) => ({ begin: start(part), end: start(part + 1) }));
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
  walksOf: (scores: number) => readonly (readonly Walk[])[],
): Promise<Float32Array> {
  const { memory } = columns;
  const executor = executorFor(columns, run);
  const length = count * trees.classes;
  const held = new HeldMemory();
  try {
    const resident = held.hold(ResidentTrees.of(trees, memory));
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
  readonly walks: readonly Walk[];
}

/** Lets some rows walk through trees. */
export const walkTask = defineTask(
  "forest/walk",
  async ({ columns, trees, scratch, walks }: WalkInput, context: TaskContext): Promise<void> => {
    await ScratchPool.attach(scratch).with(async (arena) => {
      const walker = new TreeWalker(TreeColumns.attach(columns), ResidentTrees.attach(trees), arena);
      for (const walk of walks) {
        for (const _ of walker.addScores(walk)) await context.checkpoint();
      }
    });
  },
);
