import type { Matrix } from "../../runtime/maths/matrix.js";
import { definePausableRangeTask, forRanges } from "../../runtime/parallel/for-ranges.js";
import type { Pausable } from "../../runtime/parallel/pausable.js";
import { f64, i32, Scope } from "../../runtime/wasm/arena.js";
import { VOTE_LOSS_UNITS } from "../../runtime/wasm/wasm-exports.js";
import type { WasmMemory } from "../../runtime/wasm/wasm-memory.js";
import type { TreeColumns } from "../tree/tree-columns.js";
import { ForestVotes } from "./forest-votes.js";
import type { MeasuredLoss, OutOfBag, OutOfBagLosses } from "./out-of-bag-losses.js";
import { lossTableRows, type OutOfBagBuffers, type VoteBuffers } from "./tree-voter.js";

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
  readonly buffers: VoteBuffers & Required<Pick<VoteBuffers, "outOfBag">>;
  readonly #votes: ForestVotes;
  readonly #memory: WasmMemory;
  readonly #trees: number;

  /** Without `withPairs`, the losses of pairs are not measured. */
  constructor(columns: TreeColumns, classes: number, trees: number, withPairs: boolean) {
    this.#memory = columns.memory;
    this.#trees = trees;
    using unfinished = new Scope();
    const votes = unfinished.hold(new ForestVotes(columns, classes));
    const outOfBag = votes.allocateOutOfBag(trees, withPairs ? pairRows(columns.rows, trees) : 0);
    this.buffers = { ...votes.allocate(trees), outOfBag };
    this.#votes = unfinished.leave(votes);
  }

  /** Computes scores and errors; call it when all trees are grown. Undefined if every tree has seen every row. */
  *facts(labels: Int32Array): Pausable<OutOfBagFacts | undefined> {
    const facts = yield* this.#votes.scores(this.buffers, 0, labels);
    return facts.rows > 0 ? facts : undefined;
  }

  /** Computes the mean losses of single trees and of pairs; call it when all trees are grown. */
  *losses(): Pausable<OutOfBagLosses> {
    const memory = this.#memory;
    const { outOfBag } = this.buffers;
    const pairs = outOfBag.measured > 0 ? yield* pairSums(outOfBag, this.#trees, memory) : undefined;
    return meanLosses(
      memory.f64(outOfBag.lossSums, this.#trees),
      memory.i32(outOfBag.lossCounts, this.#trees),
      pairs,
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

/** Operations to add a product of losses. */
const WORK_PER_PRODUCT = 0.2;

/** For each pair of trees b ≤ a, at place a(a + 1) / 2 + b. */
export interface PairSums {
  /** The sum of the products of their losses, over the measured rows that neither has seen. */
  readonly products: Float64Array;
  /** The number of these rows. */
  readonly rows: ArrayLike<number>;
}

interface PairInput extends Pick<OutOfBagBuffers, "measured" | "losses" | "bits"> {
  readonly memory: WasmMemory;
  readonly begin: number;
  readonly end: number;
  readonly products: number;
  readonly rows: number;
}

/** Sums the products of the losses of all pairs of trees; losses are integers, so sums are exact. */
export function* pairSums(
  { measured, losses, bits }: OutOfBagBuffers,
  trees: number,
  memory: WasmMemory,
): Pausable<PairSums> {
  const pairs = (trees * (trees + 1)) / 2;
  using scope = new Scope();
  const { products, rows } = scope.take({ products: f64(pairs), rows: i32(pairs) }, memory);
  products.view.fill(0);
  const workPerPair = WORK_PER_PRODUCT * lossTableRows(measured);
  const division = {
    count: trees,
    align: TREES_AT_ONCE,
    work: (end: number) => workPerPair * ((end * (end + 1)) / 2),
  };
  const common = { memory, measured, losses, bits, products: products.pointer, rows: rows.pointer };
  yield* forRanges(pairTask, division, (begin, end): PairInput => ({ ...common, begin, end }));
  return {
    products: products.view.map((sum) => sum / (VOTE_LOSS_UNITS * VOTE_LOSS_UNITS)),
    rows: rows.view.slice(),
  };
}

/** Trees whose products with all trees before them are computed together; the kernel begins at even numbers. */
const TREES_AT_ONCE = 2;

const pairTask = definePausableRangeTask(
  "forest/pairs",
  function* ({ memory, losses, bits, measured, begin, end, products, rows }: PairInput) {
    for (let from = begin; from < end; from += TREES_AT_ONCE) {
      const to = Math.min(end, from + TREES_AT_ONCE);
      memory.exports.treePairLosses(losses, bits, measured, from, to, products, rows);
      yield;
    }
  },
);
