import type { Executor, TaskContext } from "../parallel/executor.js";
import { inlineExecutor } from "../parallel/inline.js";
import { defineTask } from "../parallel/task.js";
import { PANEL_WIDTH, type Precision } from "../wasm/wasm-exports.js";
import { wasmMemory } from "../wasm/wasm-memory.js";
import type { Matrix } from "./matrix.js";
import { type Panels, packRows, precisionOf } from "./product.js";
import { WasmMatrix, type WasmMatrixDescriptor } from "./wasm-matrix.js";

/** A range of panels; `end` is exclusive. */
export type PanelRange = readonly [begin: number, end: number];

/** Multiplications per kernel call: a millisecond or two. */
const WORK_PER_CALL = 2 ** 24;

/** Parts of equal work per thread, so that no thread waits long for the last one. */
export const PARTS_PER_THREAD = 8;

/** Counts the multiplications in the lower triangle of the first `count` panels. */
export function workUpTo(count: number, { depth, precision }: Panels): number {
  return ((count * (count + 1)) / 2) * PANEL_WIDTH[precision] ** 2 * depth;
}

/** Splits a range into ranges of about `work` multiplications, but of at least one panel. */
export function splitByWork(panels: Panels, [begin, end]: PanelRange, work: number): PanelRange[] {
  const ranges: PanelRange[] = [];
  let first = begin;
  for (let next = begin + 1; next <= end; next++) {
    if (next < end && workUpTo(next + 1, panels) - workUpTo(first, panels) <= work) continue;
    ranges.push([first, next]);
    first = next;
  }
  return ranges;
}

/** How to compute a Gram matrix. */
export interface GramOptions {
  /** Precision of the computation and of the result; the default is that of the matrix. */
  readonly precision?: Precision;
}

/** Rough multiplications per millisecond, to estimate times. */
const SPEED = { f32: 2e7, f64: 1e7 } as const;

/**
 * Computes the Gram matrix X · Xᵀ, the scalar products of all rows of X, on this thread. The result is symmetric to the last bit.
 * It stays in WebAssembly memory: read it through `.matrix`, and `.release()` it when done.
 */
export function gram(matrix: Matrix, { precision = precisionOf(matrix) }: GramOptions = {}): WasmMatrix {
  const memory = wasmMemory();
  const result = WasmMatrix.allocate(matrix.rows, matrix.rows, precision, memory);
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

/**
 * Computes the same Gram matrix as `gram`, to the last bit, on all threads of the run; without shared memory on this thread
 * only.
 */
export async function gramOnThreads(
  matrix: Matrix,
  run: { readonly executor: Executor; readonly signal?: AbortSignal },
  { precision = precisionOf(matrix) }: GramOptions = {},
): Promise<WasmMatrix> {
  const memory = wasmMemory();
  const executor = memory.shared ? run.executor : inlineExecutor();
  const result = WasmMatrix.allocate(matrix.rows, matrix.rows, precision, memory);
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
  "runtime/maths/gram",
  async (
    part: { readonly panels: Panels; readonly result: WasmMatrixDescriptor; readonly range: PanelRange },
    context: TaskContext,
  ): Promise<void> => {
    const result = WasmMatrix.attach(part.result);
    for (const range of splitByWork(part.panels, part.range, WORK_PER_CALL)) {
      await context.checkpoint();
      computePanels(part.panels, result, range);
    }
  },
);

/** Computes the rows of these panels up to the diagonal, and their mirror image above it. */
function computePanels(panels: Panels, result: WasmMatrix, [begin, end]: PanelRange): void {
  const { exports } = result.memory;
  const compute = panels.precision === "f32" ? exports.gram32 : exports.gram64;
  compute(panels.pointer, panels.depth, result.pointer, result.columns, result.rows, begin, end);
}
