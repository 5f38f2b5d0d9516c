import type { FloatArray, Matrix } from "../../runtime/maths/matrix.js";
import { IndexSorter } from "../../runtime/maths/sort.js";
import type { Executor, TaskContext } from "../../runtime/parallel/executor.js";
import { inlineExecutor } from "../../runtime/parallel/inline.js";
import type { Run } from "../../runtime/parallel/run.js";
import { isShared, onSharedMemory, SharedHeap } from "../../runtime/parallel/shared-array.js";
import { defineTask } from "../../runtime/parallel/task.js";
import { prepareFeature } from "./prepare-column.js";
import type { PreparedFeature } from "./prepared-feature.js";

/** Neighbouring columns of a matrix, and the classes of its rows. */
interface ColumnBlock {
  /** The whole matrix, row after row. */
  readonly values: FloatArray;
  readonly columns: number;
  /** The columns first … end − 1 of the matrix. */
  readonly first: number;
  readonly end: number;
  readonly labels: Int32Array;
  readonly classes: number;
}

/** Cells copied between checkpoints: a few milliseconds. */
const CELLS_BETWEEN_CHECKPOINTS = 1 << 20;

/** Rows copied at a time, which stay in the first-level cache. */
const ROWS_AT_ONCE = 64;

/** Small arrays share buffers of at most this size. */
const CHUNK_BYTES = 1 << 20;

/** Prepares the features of a block of columns for searches, without constant ones. */
export const prepareTask = defineTask(
  "stump/prepare",
  async (block: ColumnBlock, context: TaskContext): Promise<PreparedFeature[]> => {
    const { first, end, labels, classes } = block;
    const rows = labels.length;
    const checkpoint = () => context.checkpoint();
    const columns = await copyColumns(block, checkpoint);
    const pool = new SharedHeap(Math.min(CHUNK_BYTES, 8 * columns.length));
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

/** Copies the columns of a block, one after the other. */
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

/** Returns the run's executor if its threads can share memory, otherwise this thread: copies would cost too much. */
export function sharingExecutor({ executor }: Run): Executor {
  return typeof SharedArrayBuffer === "undefined" || executor.threads === 1 ? inlineExecutor() : executor;
}

/** Milliseconds to prepare a cell, roughly; only for estimates of time. */
const MILLISECONDS_PER_CELL = 8e-6;

/** Work of fewer milliseconds is not worth copying a matrix that threads do not share. */
const WORTH_SHARING = 100;

/** Columns are copied in blocks of about this many cells, so that a cache line serves many. */
const BLOCK_CELLS = 1 << 21;

/**
 * Prepares all features of a matrix of finite numbers for searches, on the threads of the run. The result is
 * ascending by feature, without constant features.
 */
export async function prepareFeatures(
  { rows, columns, values }: Matrix,
  labels: Int32Array,
  classes: number,
  run: Run,
): Promise<PreparedFeature[]> {
  const milliseconds = rows * columns * MILLISECONDS_PER_CELL;
  const isWorthThreads = isShared(values) || milliseconds >= WORTH_SHARING;
  const executor = isWorthThreads ? sharingExecutor(run) : inlineExecutor();
  const matrix = executor.threads > 1 ? onSharedMemory(values) : values;
  const width = Math.max(1, Math.floor(BLOCK_CELLS / rows));
  const blocks: ColumnBlock[] = [];
  for (let first = 0; first < columns; first += width) {
    blocks.push({ values: matrix, columns, first, end: Math.min(first + width, columns), labels, classes });
  }
  const features = await executor.map(prepareTask, blocks, {
    signal: run.signal,
    milliseconds,
    onProgress: (done, total) => {
      run.progress({ stage: "sorting features", done: Math.round((done / total) * columns), total: columns });
    },
  });
  return features.flat();
}
