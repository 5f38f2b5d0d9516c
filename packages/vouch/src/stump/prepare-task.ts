import { IndexSorter } from "../numeric/index-sort.js";
import type { FloatArray } from "../numeric/matrix.js";
import type { TaskContext } from "../parallel/executor.js";
import { defineTask } from "../parallel/task.js";
import { prepareFeature } from "./prepare-feature.js";
import type { PreparedFeature } from "./prepared-feature.js";
import { SharedPool } from "./shared-pool.js";

/** Neighbouring columns of a matrix, and the classes of its rows. */
export interface ColumnBlock {
  /** The whole matrix, row after row. */
  readonly values: FloatArray;
  readonly columns: number;
  /** The columns first … end − 1 are to be prepared. */
  readonly first: number;
  readonly end: number;
  /** Class of each row. */
  readonly labels: Int32Array;
  readonly classes: number;
}

/** After so many cells, a few milliseconds, copying can be interrupted. */
const CELLS_BETWEEN_CHECKPOINTS = 1 << 20;

/** Columns are copied for so many rows at a time, which stay in the first-level cache. */
const ROWS_AT_ONCE = 64;

/** Small arrays share buffers of at most this size. */
const CHUNK_BYTES = 1 << 20;

/** Prepares the features of a block of columns for searches, constant ones left out. */
export const prepareTask = defineTask(
  "stump/prepare",
  async (block: ColumnBlock, context: TaskContext): Promise<PreparedFeature[]> => {
    const { first, end, labels, classes } = block;
    const rows = labels.length;
    const checkpoint = () => context.checkpoint();
    const columns = await copyColumns(block, checkpoint);
    const pool = new SharedPool(Math.min(CHUNK_BYTES, 8 * columns.length));
    const sorter = new IndexSorter(rows);
    try {
      const features: PreparedFeature[] = [];
      for (let j = first; j < end; j++) {
        await checkpoint();
        const column = columns.subarray((j - first) * rows, (j - first + 1) * rows);
        const prepared = await prepareFeature(j, column, { labels, classes, sorter, pool, checkpoint });
        if (prepared) features.push(prepared);
        context.progress((j + 1 - first) / (end - first));
      }
      return features;
    } finally {
      sorter.release();
    }
  },
);

/** The columns of a block, one after the other. */
async function copyColumns(block: ColumnBlock, checkpoint: TaskContext["checkpoint"]): Promise<Float64Array> {
  const rows = block.labels.length;
  const width = block.end - block.first;
  const copy = new Float64Array(rows * width);
  let cells = 0;
  for (let from = 0; from < rows; from += ROWS_AT_ONCE) {
    copyRows(block, from, Math.min(from + ROWS_AT_ONCE, rows), copy);
    cells += ROWS_AT_ONCE * width;
    if (cells < CELLS_BETWEEN_CHECKPOINTS) continue;
    cells = 0;
    await checkpoint();
  }
  return copy;
}

function copyRows(
  { values, columns, first, end, labels }: ColumnBlock,
  from: number,
  to: number,
  copy: Float64Array,
) {
  const rows = labels.length;
  for (let j = first; j < end; j++) {
    const start = (j - first) * rows;
    for (let i = from; i < to; i++) copy[start + i] = values[i * columns + j];
  }
}
