import { sharedBuffer } from "../data/shared-array.js";
import type { Run } from "../learning/run.js";
import { indexOfLargest } from "../learning/scores.js";
import { Matrix } from "../numeric/matrix.js";
import type { TreeColumns } from "../tree/index.js";
import { executorFor, type GrownForest, onSharedMemory } from "./grow-forest.js";
import { partsOf, type RowRange, walkForest } from "./walk-forest.js";

/** How a forest does on the rows that it was grown on, each row judged by the trees that have not seen it. */
export interface OutOfBag {
  /** Rows that some tree has not seen; the others are left out. */
  readonly rows: number;
  /** How many of these are misclassified. */
  readonly errors: number;
}

/** What the trees of a forest say of the rows that they have not seen. */
export interface OutOfBagVotes {
  /**
   * The shares of the classes for each row that the forest was grown on, the mean over the trees that have not seen the row
   * (Breiman 2001, section 3.1); zeros for a row that all trees have seen.
   */
  readonly scores: Matrix;
  /** For each tree and each of its out-of-bag rows, in their order, the share that it gives to wrong classes. */
  readonly losses: readonly Float32Array[];
}

/**
 * Lets each tree judge the rows that it has not seen. For each row, trees are added up in their order, however the rows are
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
  const unseen = outOfBag.map(onSharedMemory);
  const losses = unseen.map(({ byteLength }) => new Float32Array(sharedBuffer(byteLength)));
  const parts = partsOf(columns.rows, executorFor(columns, run));
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
          judge: { labels, losses: losses[t].subarray(...places) },
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

/** Counts the errors of out-of-bag scores; nothing if there is no row with any. */
export function outOfBagErrors({ rows, columns, values }: Matrix, labels: Int32Array): OutOfBag | undefined {
  let judged = 0;
  let errors = 0;
  for (let i = 0; i < rows; i++) {
    const largest = indexOfLargest(values, i * columns, columns);
    if (values[i * columns + largest] === 0) continue;
    judged++;
    if (largest !== labels[i]) errors++;
  }
  return judged === 0 ? undefined : { rows: judged, errors };
}

/** Where in ascending row numbers those of a range begin and end. */
function placesOf(rows: Int32Array, { begin, end }: RowRange): [number, number] {
  return [howManyBelow(rows, begin), howManyBelow(rows, end)];
}

function howManyBelow(rows: Int32Array, limit: number): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rows[middle] < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
