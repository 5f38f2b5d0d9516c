import type { Run } from "../learning/run.js";
import type { Matrix } from "../numeric/matrix.js";
import { inlineExecutor } from "../parallel/inline.js";
import { type ColumnBlock, prepareTask } from "./prepare-task.js";
import type { PreparedFeature } from "./prepared-feature.js";
import { isShared, onSharedMemory, sharingExecutor } from "./sharing.js";

/** Milliseconds to prepare a cell, roughly; only for estimates of time. */
const MILLISECONDS_PER_CELL = 8e-6;

/** Work of fewer milliseconds is not worth a copy of a matrix that threads do not share. */
const WORTH_SHARING = 100;

/** Columns are taken out of the rows in blocks of about this many cells, so that a cache line serves many. */
const BLOCK_CELLS = 1 << 21;

/**
 * Prepares all features of a matrix of finite numbers for searches, on the threads of the run. The result is
 * ascending by feature; features that are constant are left out.
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
