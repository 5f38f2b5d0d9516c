import { HeldMemory } from "../../runtime/arena.js";
import type { TaskContext } from "../../runtime/executor.js";
import type { Block, KernelMemory } from "../../runtime/memory.js";
import type { Run } from "../../runtime/run.js";
import { defineTask } from "../../runtime/task.js";
import { executorFor } from "../forest/grow-forest.js";
import type { TreeSet } from "../tree/tree-set.js";
import { joinTrees } from "./boosted-model.js";
import { BoostedRows, type LabelledBins } from "./boosted-rows.js";
import type { BoostedTreesOptions } from "./boosted-trees.js";
import { GrowingTree } from "./growing-tree.js";
import { Booster, type BoostInput, type Course, treesOf, type WorkerTrees } from "./rounds.js";

/** Bytes of the words that a crew shares. */
const CREW_BYTES = 256;

// Places of the words, those that change often in lines of the cache of their own.
/** The next piece to be taken, the end of those that are there, and how many were done, counted from the first job on. */
const TICKET = 0;
const LIMIT = 16;
const DONE = 32;
/** Which work the pieces are, the number of the first one, and what else the work is told. */
const KIND = 48;
const FIRST = 49;
const ARGUMENT = 50;
const FINISHED = 51;

/** So often a worker looks for more before it sleeps: some microseconds. */
const LOOKS = 2000;

/** Sleepers wake up after so many milliseconds to see whether the run was aborted. */
const NAP = 10;

/** Does piece `item` of a job. What the work needs is in memory that the crew shares. */
export type Work = (kind: number, item: number, argument: number) => Promise<void> | undefined;

/**
 * Workers, one on each thread, that do jobs of a few microseconds together: too short for messages, which take longer.
 * The leader announces a job, and who is free takes the next piece. Whoever comes late or not at all is not missed: the
 * leader goes on until the job is done, alone if need be. So workers may run one after the other, the leader first.
 */
export class Crew {
  readonly #memory: KernelMemory;
  readonly #pointer: number;
  readonly #work: Work;
  readonly #context: TaskContext;

  /** `pointer` has room for `CREW_BYTES`, which the thread that starts the crew has cleared. */
  constructor(memory: KernelMemory, pointer: number, work: Work, context: TaskContext) {
    this.#memory = memory;
    this.#pointer = pointer;
    this.#work = work;
    this.#context = context;
  }

  /** The leader has `count` pieces done; all are when it returns. */
  async share(kind: number, count: number, argument = 0): Promise<void> {
    const words = this.#words;
    const first = Atomics.load(words, LIMIT);
    const limit = (first + count) | 0;
    words[KIND] = kind;
    words[FIRST] = first;
    words[ARGUMENT] = argument;
    Atomics.store(words, LIMIT, limit);
    Atomics.notify(words, LIMIT);
    await this.#takeAll();
    for (;;) {
      const done = Atomics.load(this.#words, DONE);
      if (done === limit) return;
      this.#sleepWhile(DONE, done);
      await this.#context.checkpoint();
    }
  }

  /** The leader sends the others home. */
  finish(): void {
    const words = this.#words;
    Atomics.store(words, FINISHED, 1);
    Atomics.notify(words, LIMIT);
  }

  /** What the others do until they are sent home. */
  async serve(): Promise<void> {
    for (;;) {
      const limit = Atomics.load(this.#words, LIMIT);
      await this.#takeAll();
      if (Atomics.load(this.#words, FINISHED) === 1) return;
      this.#sleepWhile(LIMIT, limit);
      await this.#context.checkpoint();
    }
  }

  /** Takes pieces as long as there are some. */
  async #takeAll(): Promise<void> {
    for (;;) {
      const words = this.#words;
      const ticket = Atomics.load(words, TICKET);
      const limit = Atomics.load(words, LIMIT);
      if (((limit - ticket) | 0) <= 0) return;
      // Whoever gets the ticket knows that the job goes on until this piece is done: its words do not change.
      if (Atomics.compareExchange(words, TICKET, ticket, (ticket + 1) | 0) !== ticket) continue;
      const pause = this.#work(words[KIND], (ticket - words[FIRST]) | 0, words[ARGUMENT]);
      if (pause) await pause;
      if (((Atomics.add(this.#words, DONE, 1) + 1) | 0) === limit) Atomics.notify(this.#words, DONE);
      const breath = this.#context.checkpoint();
      if (breath) await breath;
    }
  }

  /** Waits until a word changes, but not for long. */
  #sleepWhile(place: number, value: number): void {
    const words = this.#words;
    for (let look = 0; look < LOOKS; look++) if (Atomics.load(words, place) !== value) return;
    Atomics.wait(words, place, value, NAP);
  }

  /** A new view each time: where memory is not shared, others that work between two pieces may make it grow. */
  get #words(): Int32Array {
    return this.#memory.i32(this.#pointer, CREW_BYTES / 4);
  }
}

/** Cells that are added to histograms in a millisecond, very roughly; only for estimates of time. */
const CELLS_PER_MILLISECOND = 500_000;

/** A gradient of the heaviest row is so many bits long, unless there are so many rows that their sum would not be exact. */
const GRADIENT_BITS = 30;
const EXACT_BITS = 52;

/** Trees in the order in which they were added, and how they were found. */
interface BoostedTrees extends Course {
  readonly trees: TreeSet;
  /** What each split has gained, tree after tree. */
  readonly gains: Float32Array;
}

/** What to boost on. */
interface BoostRequest {
  readonly training: LabelledBins;
  /** Rows that are kept apart to see when to stop. */
  readonly held: LabelledBins | undefined;
  /** The margins to begin with: one for two classes, otherwise one for each class. */
  readonly base: Float64Array;
  readonly options: BoostedTreesOptions;
}

/** Boosts on the threads of the run: the same trees for any number of them. */
export async function boostTrees(request: BoostRequest, run: Run): Promise<BoostedTrees> {
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
