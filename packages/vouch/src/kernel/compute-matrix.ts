import type { Run } from "../learning/run.js";
import { PANEL_WIDTH } from "../numeric/kernels.js";
import type { Matrix } from "../numeric/matrix.js";
import { kernelMemory } from "../numeric/memory.js";
import { PARTS_PER_THREAD, type PanelRange, splitByWork, workUpTo } from "../numeric/triangle.js";
import type { Executor, TaskContext } from "../parallel/executor.js";
import { inlineExecutor } from "../parallel/inline.js";
import { defineTask } from "../parallel/task.js";
import type { Kernel } from "./kernel.js";
import { kernelForm } from "./kernel-form.js";
import { KernelMatrix, type KernelMatrixDescriptor } from "./kernel-matrix.js";
import { type PackedSample, packSample, releaseSample } from "./packed-sample.js";
import { checkSuitability } from "./suitability.js";

/** Multiplications per millisecond, roughly; only for estimates of time. */
const SPEED = 8e6;

/** Sums are kept for at most so many panels of rows at a time. */
const PANELS_AT_ONCE = 8;

/** One call of the kernel does at most about so many multiplications, some milliseconds, but one panel at least. */
const WORK_PER_CALL = 2 ** 26;

/**
 * The matrix of kernel values of all pairs of rows of X, on all threads of the run: sums in double precision, each value
 * rounded once to single. Its caller releases it.
 */
export async function kernelMatrix(
  X: Matrix,
  kernel: Kernel,
  { executor, signal }: Pick<Run, "executor" | "signal">,
): Promise<KernelMatrix> {
  checkSuitability(kernel, X);
  const memory = kernelMemory();
  const result = KernelMatrix.allocate(X.rows, kernel, memory);
  try {
    const sample = packSample(X, "f64", memory);
    try {
      await fillMatrix(result, sample, memory.shared ? executor : inlineExecutor(), signal);
    } finally {
      releaseSample(sample, memory);
    }
    return result;
  } catch (error) {
    result.release();
    throw error;
  }
}

async function fillMatrix(
  result: KernelMatrix,
  sample: PackedSample,
  executor: Executor,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { panels } = sample;
  const { memory, stride } = result;
  const work = workUpTo(panels.count, panels);
  const ranges = splitByWork(panels, [0, panels.count], work / (executor.threads * PARTS_PER_THREAD));
  const roomBytes = PANELS_AT_ONCE * PANEL_WIDTH.f64 * stride * 8;
  const room = memory.allocate(ranges.length * roomBytes);
  try {
    const matrix = result.descriptor();
    const parts = ranges.map(
      (range, r): Part => ({ sample, matrix, range, sums: room.pointer + r * roomBytes }),
    );
    await executor.map(kernelPanelsTask, parts, { ...(signal && { signal }), milliseconds: work / SPEED });
  } finally {
    memory.release(room);
  }
}

interface Part {
  readonly sample: PackedSample;
  readonly matrix: KernelMatrixDescriptor;
  readonly range: PanelRange;
  /** Room for sums, of its own. */
  readonly sums: number;
}

/** Computes a range of the panels of a kernel matrix. */
export const kernelPanelsTask = defineTask(
  "kernel/panels",
  async ({ sample, matrix, range: [first, last], sums }: Part, context: TaskContext): Promise<void> => {
    const result = KernelMatrix.attach(matrix);
    const workPerPanel = PANEL_WIDTH.f64 * result.rows * sample.panels.depth;
    const step = Math.max(1, Math.min(PANELS_AT_ONCE, Math.floor(WORK_PER_CALL / workPerPanel)));
    for (let begin = first; begin < last; begin += step) {
      await context.checkpoint();
      computePanels(sample, result, [begin, Math.min(begin + step, last)], sums);
    }
  },
);

function computePanels(
  { panels: { pointer: packed, depth }, norms }: PackedSample,
  { memory, kernel, pointer, stride, rows }: KernelMatrix,
  [begin, end]: PanelRange,
  sums: number,
): void {
  const { kind, degree, factor } = kernelForm(kernel);
  const { kernelPanels } = memory.kernels;
  kernelPanels(kind, degree, factor, packed, depth, norms.pointer, pointer, stride, rows, begin, end, sums);
}
