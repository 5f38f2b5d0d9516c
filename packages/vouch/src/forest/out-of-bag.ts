import type { Run } from "../learning/run.js";
import { indexOfLargest } from "../learning/scores.js";
import { Matrix } from "../numeric/matrix.js";
import type { TreeColumns } from "../tree/index.js";
import { executorFor, type GrownForest } from "./grow-forest.js";
import { partsOf, type RowRange, walkForest } from "./walk-forest.js";

/** How a forest does on the rows that it was grown on, each row judged by the trees that have not seen it. */
export interface OutOfBag {
  /** Rows that some tree has not seen; the others are left out. */
  readonly rows: number;
  /** How many of these are misclassified. */
  readonly errors: number;
}

/**
 * The shares of the classes for the rows that a forest was grown on, each the mean over the trees that have not seen the
 * row (Breiman 2001, section 3.1); zeros for a row that all trees have seen. For each row, trees are added up in their
 * order, however the rows are divided among threads.
 */
export async function outOfBagScores(
  { trees, outOfBag }: Pick<GrownForest, "trees" | "outOfBag">,
  columns: TreeColumns,
  run: Run,
): Promise<Matrix> {
  const { classes } = trees;
  const parts = partsOf(columns.rows, executorFor(columns, run));
  const sums = await walkForest(trees, columns, columns.rows, "out-of-bag error", run, (scores) =>
    parts.map((part) =>
      outOfBag.map((unseen, t) => ({
        rows: rowsIn(unseen, part),
        begin: t,
        end: t + 1,
        scores,
        byRow: true,
      })),
    ),
  );
  const values = Float64Array.from(sums);
  const votes = new Int32Array(columns.rows);
  for (const unseen of outOfBag) for (let i = 0; i < unseen.length; i++) votes[unseen[i]]++;
  for (let i = 0; i < votes.length; i++) {
    if (votes[i] === 0) continue;
    for (let k = i * classes; k < (i + 1) * classes; k++) values[k] /= votes[i];
  }
  return new Matrix(columns.rows, classes, values);
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

/** Those of ascending row numbers that are in a range. */
function rowsIn(rows: Int32Array, { begin, end }: RowRange): Int32Array {
  return rows.subarray(howManyBelow(rows, begin), howManyBelow(rows, end));
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
