import { Matrix } from "../../runtime/maths/matrix.js";
import * as real from "../../runtime/maths/portable-math.js";
import { defineRangeTask, forRanges } from "../../runtime/parallel/for-ranges.js";
import type { Pausable } from "../../runtime/parallel/pausable.js";
import { sharedBuffer } from "../../runtime/parallel/shared-array.js";
import { i32, Scope } from "../../runtime/wasm/arena.js";
import type { WasmMemory } from "../../runtime/wasm/wasm-memory.js";
import { indexOfLargest } from "../scores.js";
import type { TreeColumnsFields } from "../tree/tree-columns.js";
import { lossTableRows, type OutOfBagBuffers, outOfBagLayout, type VoteBuffers } from "./tree-voter.js";

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
  readonly #scope = new Scope();
  readonly #columns: TreeColumnsFields;
  readonly #classes: number;

  constructor(columns: TreeColumnsFields, classes: number) {
    this.#columns = columns;
    this.#classes = classes;
  }

  /** Allocates sums for a forest whose rows get votes of at most `trees` trees each. */
  allocate(trees: number): Pick<VoteBuffers, "sums" | "units"> {
    const { rows, memory } = this.#columns;
    const { sums } = this.#scope.take({ sums: i32(rows * this.#classes) }, memory);
    sums.view.fill(0);
    return { sums: sums.pointer, units: voteUnits(trees) };
  }

  /** Allocates room for facts about rows that trees have not drawn, with losses of pairs on `measured` rows. */
  allocateOutOfBag(trees: number, measured: number): OutOfBagBuffers {
    const { rows, memory } = this.#columns;
    const slices = this.#scope.take(outOfBagLayout(rows, trees, measured), memory);
    for (const slice of [slices.votes, slices.lossSums, slices.lossCounts]) slice.view.fill(0);
    // An even number of trees has losses, but nobody writes the losses of the last one if `trees` is odd.
    if (trees % 2 === 1) slices.losses.view.fill(0, 2 * lossTableRows(measured) * trees);
    return {
      votes: slices.votes.pointer,
      lossSums: slices.lossSums.pointer,
      lossCounts: slices.lossCounts.pointer,
      measured,
      losses: slices.losses.pointer,
      bits: slices.bits.pointer,
    };
  }

  /** Copies row numbers to WebAssembly memory. */
  list(rows: Int32Array): NonNullable<VoteBuffers["rows"]> {
    const { list } = this.#scope.take({ list: i32(rows.length) }, this.#columns.memory);
    list.view.set(rows);
    return { pointer: list.pointer, length: rows.length };
  }

  /** Divides sums by the number of votes, which is given by row in `outOfBag`, or the same for all rows. */
  *scores({ sums, units, outOfBag }: VoteBuffers, votes: number, labels: Int32Array): Pausable<VotedScores> {
    const { rows, memory } = this.#columns;
    const classes = this.#classes;
    const scores = new Float64Array(sharedBuffer(8 * rows * classes, "the scores"));
    const division = { count: rows, work: WORK_PER_SCORE * classes, output: scores };
    const counts = yield* forRanges(scoreTask, division, (begin, end): ScoreInput => {
      const votesOfRows = outOfBag?.votes;
      return { memory, sums, units, rows, classes, votes, votesOfRows, labels, scores, begin, end };
    });
    return {
      scores: new Matrix(rows, classes, scores),
      rows: counts.reduce((sum, count) => sum + count.rows, 0),
      errors: counts.reduce((sum, count) => sum + count.errors, 0),
    };
  }

  release(): void {
    this.#scope.release();
  }

  [Symbol.dispose](): void {
    this.release();
  }
}

/** Operations to compute a score. */
const WORK_PER_SCORE = 5;

interface ScoreInput {
  readonly memory: WasmMemory;
  readonly sums: number;
  readonly units: number;
  readonly rows: number;
  readonly classes: number;
  /** Number of votes on each row, if it is the same for all. */
  readonly votes: number;
  /** The address of the number of votes on each row. */
  readonly votesOfRows: number | undefined;
  readonly labels: Int32Array;
  readonly scores: Float64Array;
  readonly begin: number;
  readonly end: number;
}

interface ScoreCounts {
  readonly rows: number;
  readonly errors: number;
}

const scoreTask = defineRangeTask("forest/scores", (input: ScoreInput): ScoreCounts => {
  const { memory, classes, units, labels, begin, end } = input;
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
