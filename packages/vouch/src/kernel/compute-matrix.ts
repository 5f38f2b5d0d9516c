import type { Run } from "../learning/run.js";
import { PANEL_WIDTH, type Precision } from "../numeric/kernels.js";
import type { Matrix } from "../numeric/matrix.js";
import { type Block, kernelMemory } from "../numeric/memory.js";
import {
  PARTS_PER_THREAD,
  type PanelRange,
  splitByWork,
  WORK_PER_CALL,
  workUpTo,
} from "../numeric/triangle.js";
import type { Executor, TaskContext } from "../parallel/executor.js";
import { inlineExecutor } from "../parallel/inline.js";
import { defineTask } from "../parallel/task.js";
import type { Kernel } from "./kernel.js";
import { kernelForm } from "./kernel-form.js";
import { KernelMatrix, type KernelMatrixDescriptor } from "./kernel-matrix.js";
import { type PackedSample, packSample, releaseSample } from "./packed-sample.js";
import { precisionFor } from "./suitability.js";

/** Multiplications per millisecond, roughly; only for estimates of time. */
const SPEED = 1e7;

/** Sums in double precision are kept for so many panels of rows at a time. */
const WIDE_PANELS = 8;

/** The matrix of kernel values of all pairs of rows of X, on all threads of the run. Its caller releases it. */
export async function kernelMatrix(
  X: Matrix,
  kernel: Kernel,
  run: Pick<Run, "executor" | "signal">,
): Promise<KernelMatrix> {
  return computeMatrix(X, kernel, precisionFor(kernel, X), run);
}

/** The same with sums over features in this precision. */
export async function computeMatrix(
  X: Matrix,
  kernel: Kernel,
  precision: Precision,
  { executor, signal }: Pick<Run, "executor" | "signal">,
): Promise<KernelMatrix> {
  const memory = kernelMemory();
  const result = KernelMatrix.allocate(X.rows, kernel, memory);
  try {
    const sample = packSample(X, precision, memory);
    try {
      await fillMatrix(result, sample, memory.shared ? executor : inlineExecutor(), signal);
    } finally {
      releaseSample(sample, memory);
    }
    result.clearPadding();
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
  const work = workUpTo(panels.count, panels);
  const ranges = splitByWork(panels, [0, panels.count], work / (executor.threads * PARTS_PER_THREAD));
  const rooms = ranges.map((range) => roomForSums(result, panels.precision, range));
  try {
    const matrix = result.descriptor();
    const inputs = ranges.map((range, r): Part => ({ sample, matrix, range, sums: rooms[r]?.pointer }));
    await executor.map(kernelPanelsTask, inputs, { ...(signal && { signal }), milliseconds: work / SPEED });
  } finally {
    for (const room of rooms) if (room) result.memory.release(room);
  }
}

/** Sums in single precision turn into values in place; others need room. */
function roomForSums({ stride, memory }: KernelMatrix, precision: Precision, [begin, end]: PanelRange) {
  if (precision === "f32") return undefined;
  return memory.allocate(Math.min(end - begin, WIDE_PANELS) * PANEL_WIDTH.f64 * stride * 8);
}

interface Part {
  readonly sample: PackedSample;
  readonly matrix: KernelMatrixDescriptor;
  readonly range: PanelRange;
  readonly sums: Block["pointer"] | undefined;
}

/** Computes a range of the panels of a kernel matrix. */
export const kernelPanelsTask = defineTask(
  "kernel/panels",
  async ({ sample, matrix, range, sums }: Part, context: TaskContext): Promise<void> => {
    const { panels } = sample;
    const result = KernelMatrix.attach(matrix);
    for (const [first, last] of splitByWork(panels, range, WORK_PER_CALL)) {
      const step = sums === undefined ? last - first : WIDE_PANELS;
      for (let begin = first; begin < last; begin += step) {
        await context.checkpoint();
        computePanels(sample, result, [begin, Math.min(begin + step, last)], sums);
      }
    }
  },
);

function computePanels(
  { panels, norms }: PackedSample,
  { memory, kernel, pointer, stride, rows }: KernelMatrix,
  [begin, end]: PanelRange,
  sums: number | undefined,
): void {
  const { kind, degree, factor } = kernelForm(kernel);
  const { kernelPanels32, kernelPanels64 } = memory.kernels;
  const compute = panels.precision === "f32" ? kernelPanels32 : kernelPanels64;
  const room = sums ?? pointer + begin * PANEL_WIDTH.f32 * stride * 4;
  const { pointer: packed, depth } = panels;
  compute(kind, degree, factor, packed, depth, norms.pointer, pointer, stride, rows, begin, end, room);
}
