import type { Matrix } from "../../runtime/maths/matrix.js";
import type { TaskContext } from "../../runtime/parallel/executor.js";
import type { Run } from "../../runtime/parallel/run.js";
import { onSharedMemory } from "../../runtime/parallel/shared-array.js";
import { defineTask } from "../../runtime/parallel/task.js";
import { Arena, Scope } from "../../runtime/wasm/arena.js";
import { VOTE_LOSS_UNITS } from "../../runtime/wasm/wasm-exports.js";
import { attachWasmMemory, type WasmMemory, type WasmMemoryHandle } from "../../runtime/wasm/wasm-memory.js";
import { executorFor, type TreeColumns } from "../tree/tree-columns.js";
import { ForestVotes } from "./forest-votes.js";
import type { MeasuredLoss, OutOfBag, OutOfBagLosses } from "./out-of-bag-losses.js";
import { type OutOfBagPlaces, paddedRows, type VoteBuffers } from "./tree-voter.js";

/** Facts about the rows that trees have not seen. */
interface OutOfBagFacts extends OutOfBag {
  /**
   * Class shares of each training row: the mean over the trees that have not seen the row (Breiman 2001, section 3.1);
   * zeros for a row that all trees have seen.
   */
  readonly scores: Matrix;
}

/** Pairs of more trees are not measured: there are too many of them. */
export const MOST_PAIRED_TREES = 1000;

/** Limit on rows times pairs of trees, half a second on one thread: 429,496 rows for 100 trees, 4,294 for 1,000. */
const MOST_PAIR_ROWS = 2 ** 32;

/** Limit on rows times trees, for the memory of their losses. */
const MOST_TREE_ROWS = 2 ** 26;

/** Returns how many rows the losses of pairs are measured on. Their choice does not depend on the data, so bounds hold. */
export function pairRows(rows: number, trees: number): number {
  if (trees > MOST_PAIRED_TREES) return 0;
  return Math.min(rows, Math.floor(MOST_PAIR_ROWS / trees ** 2), Math.floor(MOST_TREE_ROWS / trees));
}

/** Collects what the trees of one forest find out about the rows that they have not seen, while they are grown. */
export class OutOfBagVotes {
  /** For the plan of the forest. */
  readonly places: VoteBuffers & Required<Pick<VoteBuffers, "outOfBag">>;
  readonly #votes: ForestVotes;
  readonly #columns: TreeColumns;
  readonly #trees: number;

  /** Without `withPairs`, the losses of pairs are not measured. */
  constructor(columns: TreeColumns, classes: number, trees: number, withPairs: boolean) {
    this.#columns = columns;
    this.#trees = trees;
    const votes = new ForestVotes(columns, classes);
    this.#votes = votes;
    try {
      const measured = withPairs ? pairRows(columns.rows, trees) : 0;
      const padded = paddedRows(measured);
      // An even number of trees, of which the last may have no losses.
      const even = trees + (trees % 2);
      const losses = votes.bytes(2 * padded * even);
      columns.memory.u8(losses + 2 * padded * (even - 1), 2 * padded).fill(0);
      const outOfBag = {
        votes: votes.zeros(4 * columns.rows),
        lossSums: votes.zeros(8 * trees),
        lossCounts: votes.zeros(4 * trees),
        measured,
        losses,
        bits: votes.bytes((padded / 8) * even),
      };
      this.places = { ...votes.allocate(trees), outOfBag };
    } catch (error) {
      votes.release();
      throw error;
    }
  }

  /** Computes scores and errors; call it when all trees are grown. Undefined if every tree has seen every row. */
  async facts(labels: Int32Array, run: Run): Promise<OutOfBagFacts | undefined> {
    const facts = await this.#votes.scores(this.places, 0, onSharedMemory(labels), run);
    return facts.rows > 0 ? facts : undefined;
  }

  /** Computes the mean losses of single trees and of pairs; call it when all trees are grown. */
  async losses(run: Run): Promise<OutOfBagLosses> {
    const { memory } = this.#columns;
    const { outOfBag } = this.places;
    return meanLosses(
      memory.f64(outOfBag.lossSums, this.#trees),
      memory.i32(outOfBag.lossCounts, this.#trees),
      outOfBag.measured > 0 ? await pairSums(outOfBag, this.#trees, memory, run) : undefined,
    );
  }

  release(): void {
    this.#votes.release();
  }

  [Symbol.dispose](): void {
    this.release();
  }
}

/** Computes mean losses from the sums and the numbers of the losses of each tree, and those of pairs if they were measured. */
function meanLosses(
  sums: ArrayLike<number>,
  counts: ArrayLike<number>,
  ofPairs: PairSums | undefined,
): OutOfBagLosses {
  const single = new MeanLoss();
  for (let t = 0; t < sums.length; t++) single.add(sums[t], counts[t], 1);
  if (!ofPairs) return { single: single.measured() };
  const pairs = new MeanLoss();
  for (let a = 0, k = 0; a < sums.length; a++) {
    for (let b = 0; b <= a; b++, k++) pairs.add(ofPairs.products[k], ofPairs.rows[k], a === b ? 1 : 2);
  }
  return { single: single.measured(), pairs: pairs.measured() };
}

/** Averages losses that were measured on different numbers of rows. */
class MeanLoss {
  #loss = 0;
  #inverseRows = 0;
  #weight = 0;

  /** Adds the sum of a loss over rows; without rows the mean is 1, the largest possible. */
  add(sum: number, rows: number, weight: number): void {
    this.#loss += weight * (rows > 0 ? sum / rows : 1);
    this.#inverseRows += weight / rows;
    this.#weight += weight;
  }

  measured(): MeasuredLoss {
    // Rounding may take a mean of ones above one.
    return { loss: Math.min(1, this.#loss / this.#weight), rows: this.#weight / this.#inverseRows };
  }
}

/** Trees whose products with all trees before them are one task: an even number. */
const TREES_PER_TASK = 8;

/** Products of losses that are summed in a millisecond, very roughly; only for estimates of time. */
const PRODUCTS_PER_MILLISECOND = 5_000_000;

/** For each pair of trees b ≤ a, at place a(a + 1) / 2 + b. */
export interface PairSums {
  /** The sum of the products of their losses, over the measured rows that neither has seen. */
  readonly products: Float64Array;
  /** The number of these rows. */
  readonly rows: ArrayLike<number>;
}

interface PairInput extends Pick<OutOfBagPlaces, "measured" | "losses" | "bits"> {
  readonly memory: WasmMemoryHandle;
  readonly begin: number;
  readonly end: number;
  readonly products: number;
  readonly rows: number;
}

/** Sums the products of the losses of all pairs of trees on the threads of the run; losses are integers, so sums are exact. */
export async function pairSums(
  { measured, losses, bits }: OutOfBagPlaces,
  trees: number,
  memory: WasmMemory,
  run: Run,
): Promise<PairSums> {
  const pairs = (trees * (trees + 1)) / 2;
  const held = new Scope();
  try {
    const products = held.hold(Arena.allocate(8 * pairs, memory)).f64(pairs);
    const rows = held.hold(Arena.allocate(4 * pairs, memory)).i32(pairs);
    products.view.fill(0);
    const common = { memory: memory.handle, measured, losses, bits };
    const inputs = Array.from({ length: Math.ceil(trees / TREES_PER_TASK) }, (_, k): PairInput => {
      const begin = k * TREES_PER_TASK;
      const end = Math.min(trees, begin + TREES_PER_TASK);
      return { ...common, begin, end, products: products.pointer, rows: rows.pointer };
    });
    // The last trees have the most pairs.
    await executorFor({ memory }, run).map(pairTask, inputs.reverse(), {
      ...(run.signal && { signal: run.signal }),
      milliseconds: (pairs * paddedRows(measured)) / PRODUCTS_PER_MILLISECOND,
    });
    return {
      products: products.view.map((sum) => sum / (VOTE_LOSS_UNITS * VOTE_LOSS_UNITS)),
      rows: rows.view.slice(),
    };
  } finally {
    held.release();
  }
}

const pairTask = defineTask(
  "forest/pairs",
  async (
    { memory, losses, bits, measured, begin, end, products, rows }: PairInput,
    context: TaskContext,
  ): Promise<void> => {
    const { exports } = attachWasmMemory(memory);
    for (let from = begin; from < end; from += 2) {
      exports.treePairLosses(losses, bits, measured, from, Math.min(end, from + 2), products, rows);
      await context.checkpoint();
    }
  },
);
