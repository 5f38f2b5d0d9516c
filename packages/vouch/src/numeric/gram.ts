import type { Executor, TaskContext } from "../parallel/executor.js";
import { inlineExecutor } from "../parallel/inline.js";
import { defineTask } from "../parallel/task.js";
import type { Precision } from "./kernels.js";
import type { Matrix } from "./matrix.js";
import { kernelMemory } from "./memory.js";
import { type Panels, packRows, precisionOf } from "./panels.js";
import { ResidentMatrix, type ResidentMatrixDescriptor } from "./resident-matrix.js";
import { PARTS_PER_THREAD, type PanelRange, splitByWork, WORK_PER_CALL, workUpTo } from "./triangle.js";

/** Options of a Gram matrix. */
export interface GramOptions {
  /** The precision to compute in, and that of the result; by default that of the matrix. */
  readonly precision?: Precision;
}

/** Multiplications per millisecond, roughly; only for estimates of time. */
const SPEED = { f32: 2e7, f64: 1e7 } as const;

/**
 * The Gram matrix X · Xᵀ of the scalar products of all rows of X, on this thread. The result is symmetric
 * to the last bit. It stays in kernel memory: read it through `.matrix`, and `.release()` it when done.
 */
export function gram(matrix: Matrix, { precision = precisionOf(matrix) }: GramOptions = {}): ResidentMatrix {
  const memory = kernelMemory();
  const result = ResidentMatrix.allocate(matrix.rows, matrix.rows, precision, memory);
  try {
    const panels = packRows(matrix, precision, memory);
    try {
      for (const range of splitByWork(panels, [0, panels.count], WORK_PER_CALL)) {
        computePanels(panels, result, range);
      }
    } finally {
      memory.release(panels.block);
    }
    return result;
  } catch (error) {
    result.release();
    throw error;
  }
}

/** The same, to the last bit, on all threads of the run; without shared memory on this thread only. */
export async function gramOnThreads(
  matrix: Matrix,
  run: { readonly executor: Executor; readonly signal?: AbortSignal },
  { precision = precisionOf(matrix) }: GramOptions = {},
): Promise<ResidentMatrix> {
  const memory = kernelMemory();
  const executor = memory.shared ? run.executor : inlineExecutor();
  const result = ResidentMatrix.allocate(matrix.rows, matrix.rows, precision, memory);
  try {
    const panels = packRows(matrix, precision, memory);
    try {
      const work = workUpTo(panels.count, panels);
      const ranges = splitByWork(panels, [0, panels.count], work / (executor.threads * PARTS_PER_THREAD));
      const parts = ranges.map((range) => ({ panels, result: result.descriptor(), range }));
      await executor.map(gramTask, parts, { signal: run.signal, milliseconds: work / SPEED[precision] });
    } finally {
      memory.release(panels.block);
    }
    return result;
  } catch (error) {
    result.release();
    throw error;
  }
}

/** Computes a range of the panels of a Gram matrix. */
export const gramTask = defineTask(
  "numeric/gram",
  async (
    part: { readonly panels: Panels; readonly result: ResidentMatrixDescriptor; readonly range: PanelRange },
    context: TaskContext,
  ): Promise<void> => {
    const result = ResidentMatrix.attach(part.result);
    for (const range of splitByWork(part.panels, part.range, WORK_PER_CALL)) {
      await context.checkpoint();
      computePanels(part.panels, result, range);
    }
  },
);

/** Calls the kernel: the rows of these panels up to the diagonal, and their mirror image above it. */
function computePanels(panels: Panels, result: ResidentMatrix, [begin, end]: PanelRange): void {
  const { kernels } = result.memory;
  const compute = panels.precision === "f32" ? kernels.gram32 : kernels.gram64;
  compute(panels.pointer, panels.depth, result.pointer, result.columns, result.rows, begin, end);
}
