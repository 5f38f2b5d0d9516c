import * as z from "zod";
import { Matrix } from "../../runtime/matrix.js";
import { MOST_COUNTED, unitShare } from "../../runtime/number-ranges.js";
import { checkpoint, type Run } from "../../runtime/run.js";
import { onSharedMemory, sharedBuffer } from "../../runtime/shared-array.js";
import { indexOfLargest } from "../scores.js";
import type { TreeColumns } from "../tree/tree-columns.js";
import { type RowRange, walkForest, walkParts } from "./forest-scores.js";
import { executorFor, type GrownForest } from "./grow-forest.js";

/** Errors of a forest on the rows that it was grown on, each predicted by the trees that have not seen it. */
export interface OutOfBag {
  /** Rows that some tree has not seen; the others are left out. */
  readonly rows: number;
  readonly errors: number;
}

/** Predictions of the trees of a forest for the rows that they have not seen. */
interface OutOfBagVotes {
  /**
   * Class shares of each training row: the mean over the trees that have not seen the row (Breiman 2001, section 3.1);
   * zeros for a row that all trees have seen.
   */
  readonly scores: Matrix;
  /** The share that each tree gives to wrong classes on each of its out-of-bag rows, in their order. */
  readonly losses: readonly Float32Array[];
}

/**
 * Predicts the rows that each tree has not seen. For each row, trees are added up in their order, however the rows are
 * divided among threads.
 */
export async function outOfBagVotes(
  { trees, outOfBag }: Pick<GrownForest, "trees" | "outOfBag">,
  columns: TreeColumns,
  classOfRow: Int32Array,
  run: Run,
): Promise<OutOfBagVotes> {
  const { classes } = trees;
  const labels = onSharedMemory(classOfRow);
  const unseen = outOfBag.map((rows) => onSharedMemory(rows));
  const losses = unseen.map(({ byteLength }) => new Float32Array(sharedBuffer(byteLength)));
  const parts = walkParts(columns.rows, executorFor(columns, run));
  const sums = await walkForest(trees, columns, columns.rows, "out-of-bag error", run, (scores) =>
    parts.map((part) =>
      unseen.map((rows, t) => {
        const places = placesOf(rows, part);
        return {
          rows: rows.subarray(...places),
          begin: t,
          end: t + 1,
          scores,
          byRow: true,
          measure: { labels, losses: losses[t].subarray(...places) },
        };
      }),
    ),
  );
  const values = Float64Array.from(sums);
  const votes = new Int32Array(columns.rows);
  for (const rows of outOfBag) for (let i = 0; i < rows.length; i++) votes[rows[i]]++;
  for (let i = 0; i < votes.length; i++) {
    if (votes[i] === 0) continue;
    for (let k = i * classes; k < (i + 1) * classes; k++) values[k] /= votes[i];
  }
  return { scores: new Matrix(columns.rows, classes, values), losses };
}

/** Counts the errors of out-of-bag scores; undefined if every tree has seen every row. */
export function outOfBagErrors({ rows, columns, values }: Matrix, labels: Int32Array): OutOfBag | undefined {
  let unseen = 0;
  let errors = 0;
  for (let i = 0; i < rows; i++) {
    const largest = indexOfLargest(values, i * columns, columns);
    if (values[i * columns + largest] === 0) continue;
    unseen++;
    if (largest !== labels[i]) errors++;
  }
  return unseen === 0 ? undefined : { rows: unseen, errors };
}

/** Finds where the rows of a range begin and end among ascending row numbers. */
function placesOf(rows: Int32Array, { begin, end }: RowRange): [number, number] {
  return [countRowsBelow(rows, begin), countRowsBelow(rows, end)];
}

function countRowsBelow(rows: Int32Array, limit: number): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rows[middle] < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Losses of the trees of a forest on rows that they have not seen, for certificates. The loss of a tree on a row is the share
 * of its leaf that is of wrong classes, because the forest predicts by the mean over the trees. Each `rows` is the harmonic
 * mean of the numbers of rows that the losses were measured on; 0 if one was measured on none.
 */
export const outOfBagLossesSchema = z.strictObject({
  /** The mean loss of a tree. */
  single: z.strictObject({ loss: unitShare, rows: z.number().min(0).max(MOST_COUNTED) }),
  /**
   * The mean product of the losses of two trees on the rows that neither has seen, over all pairs, a tree with itself among
   * them; absent for more than `MOST_PAIRED_TREES` trees.
   */
  pairs: z.strictObject({ loss: unitShare, rows: z.number().min(0).max(MOST_COUNTED) }).optional(),
});

/** Out-of-bag losses of a forest, for PAC-Bayes bounds. */
export type OutOfBagLosses = z.output<typeof outOfBagLossesSchema>;

/** A mean loss, and the number of rows it was measured on. */
export type MeasuredLoss = OutOfBagLosses["single"];

/** Pairs of more trees are not measured: there are too many of them. */
export const MOST_PAIRED_TREES = 1000;

/** Limit on rows times pairs of trees, a second or two: 429,496 rows for 100 trees, 4,294 for 1,000. */
const MOST_PAIR_ROWS = 2 ** 32;

/** Rows between two checkpoints: at most 30 ms. */
const ROWS_AT_ONCE = 256;

/** The out-of-bag rows of each tree, ascending, and its losses on them. */
interface TreeLosses {
  readonly outOfBag: readonly Int32Array[];
  readonly losses: readonly Float32Array[];
  /** Number of rows that the forest was grown on. */
  readonly rows: number;
}

/**
 * Measures the losses of single trees and of pairs. If rows times pairs exceed the limit, pairs are measured on fewer rows,
 * spread evenly over all. Their choice does not depend on the data, so bounds hold for them as for all rows.
 */
export async function outOfBagLosses(trees: TreeLosses, run: Run): Promise<OutOfBagLosses> {
  const single = new MeanLoss();
  for (const losses of trees.losses) {
    let sum = 0;
    for (let i = 0; i < losses.length; i++) sum += losses[i];
    single.add(sum, losses.length, 1);
    await checkpoint(run);
  }
  return {
    single: single.measured(),
    ...(trees.losses.length <= MOST_PAIRED_TREES && { pairs: await pairLosses(trees, run) }),
  };
}

async function pairLosses(trees: TreeLosses, run: Run): Promise<MeasuredLoss> {
  const count = trees.outOfBag.length;
  const measured = Math.min(trees.rows, Math.floor(MOST_PAIR_ROWS / count ** 2));
  const places = evenPlaces(trees.rows, measured);
  const sums = await productSums(trees, places, run);
  const sets: Int32Array[] = [];
  const mean = new MeanLoss();
  for (let a = 0, k = 0; a < count; a++) {
    sets.push(bitSet(trees.outOfBag[a], places, measured));
    for (let b = 0; b <= a; b++, k++) mean.add(sums[k], commonBits(sets[a], sets[b]), a === b ? 1 : 2);
    await checkpoint(run);
  }
  return mean.measured();
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

/** Returns the place of each row among `chosen` rows that are spread evenly over all; −1 for the others. */
function evenPlaces(rows: number, chosen: number): Int32Array {
  const before = (row: number) => Math.floor((row * chosen) / rows);
  return Int32Array.from({ length: rows }, (_, row) => (before(row + 1) > before(row) ? before(row) : -1));
}

/**
 * Sums the products of the losses of each pair of trees b ≤ a, at place a(a + 1)/2 + b. Row by row, as most of the products
 * are zero: a row that few trees get wrong has few pairs.
 */
async function productSums(
  { outOfBag, losses, rows }: TreeLosses,
  places: Int32Array,
  run: Run,
): Promise<Float64Array> {
  const count = outOfBag.length;
  const sums = new Float64Array((count * (count + 1)) / 2);
  const next = new Int32Array(count);
  // For each row of a block the trees with a positive loss, ascending, and their losses.
  const wrong = new Int32Array(ROWS_AT_ONCE);
  const trees = new Int32Array(ROWS_AT_ONCE * count);
  const amounts = new Float64Array(ROWS_AT_ONCE * count);
  for (let begin = 0; begin < rows; begin += ROWS_AT_ONCE) {
    wrong.fill(0);
    for (let t = 0; t < count; t++) {
      for (; next[t] < outOfBag[t].length; next[t]++) {
        const row = outOfBag[t][next[t]];
        const loss = losses[t][next[t]];
        if (row >= begin + ROWS_AT_ONCE) break;
        if (loss === 0 || places[row] < 0) continue;
        const at = (row - begin) * count + wrong[row - begin]++;
        trees[at] = t;
        amounts[at] = loss;
      }
    }
    for (let i = 0; i < ROWS_AT_ONCE; i++) addProducts(sums, trees, amounts, i * count, wrong[i]);
    await checkpoint(run);
  }
  return sums;
}

/** Adds the products of the losses of one row, at places `from` … `from + length − 1`. */
function addProducts(
  sums: Float64Array,
  trees: Int32Array,
  amounts: Float64Array,
  from: number,
  length: number,
): void {
  for (let a = from; a < from + length; a++) {
    const first = (trees[a] * (trees[a] + 1)) / 2;
    for (let b = from; b <= a; b++) sums[first + trees[b]] += amounts[a] * amounts[b];
  }
}

/** Returns the places of rows, below `length`, as bits. */
function bitSet(rows: Int32Array, places: Int32Array, length: number): Int32Array {
  const bits = new Int32Array(Math.ceil(length / 32));
  for (let i = 0; i < rows.length; i++) {
    const place = places[rows[i]];
    if (place >= 0) bits[place >> 5] |= 1 << (place & 31);
  }
  return bits;
}

/** Counts the bits that two sets have in common. */
function commonBits(a: Int32Array, b: Int32Array): number {
  let count = 0;
  for (let w = 0; w < a.length; w++) {
    // Sums of 2, 4, 8 neighbouring bits at a time; the product adds up the four bytes (Warren, Hacker's Delight, 5-1).
    let bits = a[w] & b[w];
    bits -= (bits >>> 1) & 0x55555555;
    bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
    bits = (bits + (bits >>> 4)) & 0x0f0f0f0f;
    count += Math.imul(bits, 0x01010101) >>> 24;
  }
  return count;
}
