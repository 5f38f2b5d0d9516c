import { Matrix } from "../../runtime/maths/matrix.js";
import * as real from "../../runtime/maths/portable-math.js";
import type { Executor } from "../../runtime/parallel/executor.js";
import type { Run } from "../../runtime/parallel/run.js";
import { sharedBuffer } from "../../runtime/parallel/shared-array.js";
import { defineTask } from "../../runtime/parallel/task.js";
import { Arena, Scope } from "../../runtime/wasm/arena.js";
import { attachWasmMemory, type WasmMemory, type WasmMemoryHandle } from "../../runtime/wasm/wasm-memory.js";
import { indexOfLargest } from "../scores.js";
import type { TreeColumns } from "../tree/tree-columns.js";
import { executorFor } from "../tree/tree-columns.js";
import type { VoteBuffers } from "./tree-voter.js";

/** The largest number of units of a share: more than a float has bits. */
const MOST_UNITS = 2 ** 24;

/** Returns the units of a share: a power of two such that the sums of all trees fit in 31 bits. */
export function voteUnits(trees: number): number {
  return Math.min(MOST_UNITS, 2 ** Math.floor(real.log2((2 ** 31 - 1) / trees)));
}

/** Scores of rows, and how often the largest one is wrong. */
export interface VotedScores {
  readonly scores: Matrix;
  /** Rows that some tree has voted on. */
  readonly rows: number;
  readonly errors: number;
}

/** Sums of the votes of forests on rows of columns, in WebAssembly memory. The owner releases them. */
export class ForestVotes {
  readonly #memory: WasmMemory;
  readonly #held = new Scope();
  readonly #columns: TreeColumns;
  readonly #classes: number;

  constructor(columns: TreeColumns, classes: number) {
    this.#columns = columns;
    this.#classes = classes;
    this.#memory = columns.memory;
  }

  /** Allocates sums for a forest whose rows get votes of at most `trees` trees each. */
  allocate(trees: number): Pick<VoteBuffers, "sums" | "units"> {
    return { sums: this.zeros(4 * this.#columns.rows * this.#classes), units: voteUnits(trees) };
  }

  /** Copies row numbers to WebAssembly memory. */
  list(rows: Int32Array): NonNullable<VoteBuffers["rows"]> {
    const { pointer, view } = this.#held.hold(Arena.allocate(4 * rows.length, this.#memory)).i32(rows.length);
    view.set(rows);
    return { pointer, length: rows.length };
  }

  /** Allocates memory, not cleared. */
  bytes(count: number): number {
    return this.#held.hold(Arena.allocate(count, this.#memory)).u8(count).pointer;
  }

  /** Allocates cleared memory. */
  zeros(bytes: number): number {
    const pointer = this.bytes(bytes);
    this.#memory.u8(pointer, bytes).fill(0);
    return pointer;
  }

  /** Divides sums by the number of votes: that of each row, or the same for all. */
  async scores(
    { sums, units, outOfBag }: VoteBuffers,
    votes: number,
    labels: Int32Array,
    run: Run,
  ): Promise<VotedScores> {
    const { rows } = this.#columns;
    const executor = executorFor(this.#columns, run);
    const scores = new Float64Array(sharedBuffer(8 * rows * this.#classes, "the scores"));
    const common = {
      memory: this.#memory.handle,
      sums,
      units,
      rows,
      classes: this.#classes,
      votes,
      ...(outOfBag && { votesOfRows: outOfBag.votes }),
      labels,
      scores,
    };
    const inputs = rowParts(rows, executor).map((part) => ({ ...common, ...part }));
    const counts = await executor.map(scoreTask, inputs, {
      ...(run.signal && { signal: run.signal }),
      milliseconds: scores.length / SCORES_PER_MILLISECOND,
    });
    return {
      scores: new Matrix(rows, this.#classes, scores),
      rows: counts.reduce((sum, count) => sum + count.rows, 0),
      errors: counts.reduce((sum, count) => sum + count.errors, 0),
    };
  }

  release(): void {
    this.#held.release();
  }

  [Symbol.dispose](): void {
    this.release();
  }
}

/** Scores that are computed in a millisecond, very roughly. */
const SCORES_PER_MILLISECOND = 200_000;

/** Fewer rows are not worth a separate task. */
const FEWEST_ROWS = 4096;

function rowParts(rows: number, { threads }: Executor): { begin: number; end: number }[] {
  const parts = Math.min(threads, Math.ceil(rows / FEWEST_ROWS));
  const start = (part: number) => Math.floor((part * rows) / parts);
  return Array.from({ length: parts }, (_, part) => ({ begin: start(part), end: start(part + 1) }));
}

interface ScoreInput {
  readonly memory: WasmMemoryHandle;
  readonly sums: number;
  readonly units: number;
  readonly rows: number;
  readonly classes: number;
  /** Number of votes on each row, if it is the same for all. */
  readonly votes: number;
  /** The address of the number of votes on each row. */
  readonly votesOfRows?: number;
  readonly labels: Int32Array;
  readonly scores: Float64Array;
  readonly begin: number;
  readonly end: number;
}

interface ScoreCounts {
  readonly rows: number;
  readonly errors: number;
}

const scoreTask = defineTask("forest/scores", (input: ScoreInput): ScoreCounts => {
  const { classes, units, labels, begin, end } = input;
  const memory = attachWasmMemory(input.memory);
  const sums = memory.i32(input.sums, input.rows * classes);
  const votes = input.votesOfRows === undefined ? undefined : memory.i32(input.votesOfRows, input.rows);
  let rows = 0;
  let errors = 0;
  for (let i = begin; i < end; i++) {
    const count = votes ? votes[i] : input.votes;
    if (count === 0) continue;
    const first = i * classes;
    for (let k = first; k < first + classes; k++) input.scores[k] = sums[k] / (units * count);
    rows++;
    if (indexOfLargest(input.scores, first, classes) !== labels[i]) errors++;
  }
  return { rows, errors };
});
