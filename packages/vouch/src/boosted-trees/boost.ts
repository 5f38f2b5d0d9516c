import { executorFor } from "../forest/index.js";
import type { Run } from "../learning/run.js";
import { HeldMemory } from "../numeric/held-memory.js";
import type { Block, KernelMemory } from "../numeric/memory.js";
import type { TaskContext } from "../parallel/executor.js";
import { defineTask } from "../parallel/task.js";
import type { TreeSet } from "../tree/index.js";
import { BoostedRows, type LabelledBins } from "./boosted-rows.js";
import { CREW_BYTES } from "./crew.js";
import { GrowingTree } from "./growing-tree.js";
import { joinTrees } from "./join-trees.js";
import type { BoostedTreesOptions } from "./options.js";
import { Booster, type BoostInput, type Course, treesOf, type WorkerTrees } from "./rounds.js";

/** Cells that are added to histograms in a millisecond, very roughly; only for estimates of time. */
const CELLS_PER_MILLISECOND = 500_000;

/** A gradient of the heaviest row is so many bits long, unless there are so many rows that their sum would not be exact. */
const GRADIENT_BITS = 30;
const EXACT_BITS = 52;

/** Trees in the order in which they were added, and how they were found. */
export interface BoostedTrees extends Course {
  readonly trees: TreeSet;
  /** What each split has gained, tree after tree. */
  readonly gains: Float32Array;
}

/** What to boost on. */
export interface BoostRequest {
  readonly training: LabelledBins;
  /** Rows that are kept apart to see when to stop. */
  readonly held: LabelledBins | undefined;
  /** The margins to begin with: one for two classes, otherwise one for each class. */
  readonly base: Float64Array;
  readonly options: BoostedTreesOptions;
}

/** Boosts on the threads of the run: the same trees for any number of them. */
export async function boost(request: BoostRequest, run: Run): Promise<BoostedTrees> {
  const { training, held, base, options } = request;
  const memory = new HeldMemory();
  try {
    const rows = memory.hold(BoostedRows.of(training, base));
    const heldRows = held && memory.hold(BoostedRows.of(held, base));
    const executor = executorFor(rows.columns, run);
    const inputs = inputsFor(rows, heldRows, request, { threads: executor.threads, seed: run.seed }, memory);
    const { rounds } = options;
    const outputs = await executor.map(boostTask, inputs, {
      ...(run.signal && { signal: run.signal }),
      milliseconds: cellsOf(rows, options) / CELLS_PER_MILLISECOND,
      // The leader alone tells how far the work is; others end with it.
      onProgress: (done, _, note) =>
        run.progress({
          stage: "boosting",
          done: Math.round(Math.min(1, done) * rounds),
          total: rounds,
          ...(note !== undefined && { note }),
        }),
    });
    const [{ course }] = outputs;
    if (!course) throw new TypeError("Nobody has led the boosting.");
    return { ...course, ...joinTrees(outputs, course.best * rows.outputs) };
  } finally {
    memory.release();
  }
}

/** What each worker is told. */
function inputsFor(
  rows: BoostedRows,
  held: BoostedRows | undefined,
  { training, options }: BoostRequest,
  { threads, seed }: { readonly threads: number; readonly seed: number },
  memory: HeldMemory,
): BoostInput[] {
  const { rounds, patience, rowsPerTree, columnsPerTree, columnsPerSplit, maxDepth } = options;
  const together = rows.outputs === 1;
  // More than one for each block of features, or for each class, would have nothing to do.
  const workers = Math.min(threads, together ? Math.ceil(rows.columns.columns / 4) : rows.outputs);
  const growing = together ? 1 : workers;
  const unit = unitFor(training.weights);
  const shape = { maxDepth, workers: workers / growing, trees: growing, masksPerNode: columnsPerSplit < 1 };
  const trees = Array.from({ length: growing }, () =>
    memory.hold(GrowingTree.allocate(rows, options, unit, shape)).descriptor(),
  );
  const common = {
    rows: rows.descriptor(),
    held: held?.descriptor(),
    trees,
    crew: memory.hold(new CrewWords(rows.memory)).pointer,
    ...{ workers, unit, seed, rounds, patience, rowsPerTree, columnsPerTree, columnsPerSplit },
  };
  return Array.from({ length: workers }, (_, worker) => ({ ...common, worker }));
}

/** How many units a gradient of 1 has: a power of two, so that weights of 2 are as good as two rows. */
function unitFor(weights: Float64Array): number {
  const heaviest = weights.reduce((most, weight) => Math.max(most, weight), 0);
  const bits = Math.min(GRADIENT_BITS, EXACT_BITS - Math.ceil(Math.log2(weights.length)));
  return 2 ** (bits - Math.ceil(Math.log2(heaviest)));
}

function cellsOf(rows: BoostedRows, { rounds, maxDepth }: BoostedTreesOptions): number {
  return rounds * rows.outputs * rows.rows * rows.columns.columns * Math.min(maxDepth, 8);
}

/** The words that a crew shares. */
class CrewWords {
  readonly pointer: number;
  readonly #memory: KernelMemory;
  readonly #block: Block;

  constructor(memory: KernelMemory) {
    this.#memory = memory;
    this.#block = memory.allocate(CREW_BYTES);
    this.pointer = this.#block.pointer;
    memory.u8(this.pointer, CREW_BYTES).fill(0);
  }

  release(): void {
    this.#memory.release(this.#block);
  }
}

/** What a worker gives back; the leader also how the losses went. */
interface BoostOutput extends WorkerTrees {
  readonly course: Course | undefined;
}

/** One worker of those that boost together. */
export const boostTask = defineTask(
  "boosted-trees/boost",
  async (input: BoostInput, context: TaskContext): Promise<BoostOutput> => {
    const booster = new Booster(input, context);
    const course = input.worker === 0 ? await booster.lead() : undefined;
    if (!course) await booster.serve();
    return { ...treesOf(booster), course };
  },
);
