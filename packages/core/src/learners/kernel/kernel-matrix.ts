import {
  gramOnThreads,
  PARTS_PER_THREAD,
  type PanelRange,
  splitByWork,
  workUpTo,
} from "../../runtime/maths/gram.js";
import type { Matrix } from "../../runtime/maths/matrix.js";
import { type Panels, packRows } from "../../runtime/maths/product.js";
import type { WasmMatrix } from "../../runtime/maths/wasm-matrix.js";
import type { Executor, TaskContext } from "../../runtime/parallel/executor.js";
import { inlineExecutor } from "../../runtime/parallel/inline.js";
import { checkpoint, type Run } from "../../runtime/parallel/run.js";
import { defineTask } from "../../runtime/parallel/task.js";
import { PANEL_STEP, PANEL_WIDTH, type Precision } from "../../runtime/wasm/wasm-exports.js";
import { attachWasmMemory, type Block, type WasmMemory, wasmMemory } from "../../runtime/wasm/wasm-memory.js";
import { type Descriptor, WasmStructure } from "../../runtime/wasm/wasm-structure.js";
import { checkSuitability, precisionFor } from "./choose-kernel.js";
import { dependsOnProducts, type Kernel, kernelForm } from "./kernel.js";

interface Parts {
  readonly pointer: number;
  readonly rows: number;
  readonly stride: number;
  readonly kernel: Kernel;
}

/** A kernel matrix as sent to another thread: structured-cloneable. */
export type KernelMatrixDescriptor = Descriptor<Parts>;

/**
 * The values K(xᵢ, xⱼ) of a kernel for all pairs of rows of a sample, in single precision, in WebAssembly memory that threads
 * share. Its owner releases it.
 */
export class KernelMatrix extends WasmStructure<Parts> implements Parts {
  readonly kernel: Kernel;
  readonly rows: number;
  /** Elements from one row to the next; the elements after the last column are zero. */
  readonly stride: number;
  readonly pointer: number;
  #diagonal: Float64Array | undefined;

  private constructor(memory: WasmMemory, parts: Parts, blocks: readonly Block[]) {
    super(memory, parts, blocks);
    this.kernel = parts.kernel;
    this.rows = parts.rows;
    this.stride = parts.stride;
    this.pointer = parts.pointer;
  }

  /** Allocates a matrix whose values are not set yet. */
  static allocate(rows: number, kernel: Kernel, memory = wasmMemory()): KernelMatrix {
    const block = memory.allocate(KernelMatrix.bytes(rows));
    return new KernelMatrix(memory, { kernel, rows, stride: paddedLength(rows), pointer: block.pointer }, [
      block,
    ]);
  }

  /** Attaches a matrix that this or another thread has computed. */
  static attach({ memory, ...parts }: KernelMatrixDescriptor): KernelMatrix {
    return new KernelMatrix(attachWasmMemory(memory), parts, []);
  }

  /** Returns the size of the matrix of a sample, in bytes. */
  static bytes(rows: number): number {
    return rows * paddedLength(rows) * 4;
  }

  /** Returns K(xᵢ, ·) as a view, valid until the matrix is released or, if the memory is not shared, until it grows. */
  row(i: number): Float32Array {
    return this.memory.f32(this.pointer + i * this.stride * 4, this.rows);
  }

  /** K(xᵢ, xᵢ) for all i. */
  get diagonal(): Float64Array {
    if (this.#diagonal) return this.#diagonal;
    const values = this.memory.f32(this.pointer, this.rows * this.stride);
    this.#diagonal = new Float64Array(this.rows);
    for (let i = 0; i < this.rows; i++) this.#diagonal[i] = values[i * (this.stride + 1)];
    return this.#diagonal;
  }
}

/**
 * Pads the length of a row to a multiple of 32 values, the block in which the solver searches, but not of 512: rows that lie
 * a power of two apart compete for the same cache lines.
 */
export function paddedLength(length: number): number {
  const padded = Math.ceil(length / 32) * 32;
  return padded % 512 === 0 ? padded + 32 : padded;
}

/** The rows of a sample packed for kernels, and the squared norm of each. */
export interface PackedSample {
  readonly panels: Panels;
  readonly norms: Block;
}

/** Packs a sample in WebAssembly memory, which its caller releases. */
export function packSample(X: Matrix, precision: Precision, memory: WasmMemory): PackedSample {
  const panels = packRows(X, precision, memory);
  try {
    const norms = memory.allocate(panels.count * PANEL_STEP);
    const { squaredNorms32, squaredNorms64 } = memory.exports;
    const compute = precision === "f32" ? squaredNorms32 : squaredNorms64;
    compute(panels.pointer, panels.count, panels.depth, norms.pointer);
    return { panels, norms };
  } catch (error) {
    memory.release(panels.block);
    throw error;
  }
}

function releaseSample({ panels, norms }: PackedSample, memory: WasmMemory): void {
  memory.release(panels.block);
  memory.release(norms);
}

/** Rough multiplications per millisecond, to estimate time. */
const SPEED = 8e6;

/** Rows of the matrix computed at a time, whole panels: their double-precision sums take scratch. */
const ROWS_AT_ONCE = 32;

/** One call of the kernel does at most about this many multiplications (some milliseconds), but at least one panel. */
const WORK_PER_CALL = 2 ** 26;

/**
 * Computes the kernel values of all pairs of rows of X, on all threads of the run: sums in single precision
 * where they are accurate enough, otherwise in double precision. Its caller releases it.
 */
export async function kernelMatrix(
  X: Matrix,
  kernel: Kernel,
  { executor, signal }: Pick<Run, "executor" | "signal">,
): Promise<KernelMatrix> {
  const precision = precisionFor(kernel, X);
  const memory = wasmMemory();
  const result = KernelMatrix.allocate(X.rows, kernel, memory);
  try {
    const sample = packSample(X, precision, memory);
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
  const roomBytes = panels.precision === "f64" ? ROWS_AT_ONCE * stride * 8 : 0;
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
  /** Room for double-precision sums of this range. */
  readonly sums: number;
}

/** Computes a range of the panels of a kernel matrix. */
const kernelPanelsTask = defineTask(
  "kernel/panels",
  async ({ sample, matrix, range: [first, last], sums }: Part, context: TaskContext): Promise<void> => {
    const result = KernelMatrix.attach(matrix);
    const width = PANEL_WIDTH[sample.panels.precision];
    const workPerPanel = width * result.rows * sample.panels.depth;
    const step = Math.max(1, Math.min(ROWS_AT_ONCE / width, Math.floor(WORK_PER_CALL / workPerPanel)));
    for (let begin = first; begin < last; begin += step) {
      await context.checkpoint();
      computePanels(sample, result, [begin, Math.min(begin + step, last)], sums);
    }
  },
);

function computePanels(
  { panels: { pointer: packed, depth, precision }, norms }: PackedSample,
  { memory, kernel, pointer, stride, rows }: KernelMatrix,
  [begin, end]: PanelRange,
  sums: number,
): void {
  const { kind, degree, factor } = kernelForm(kernel);
  const { kernelPanels32, kernelPanels64 } = memory.exports;
  const compute = precision === "f32" ? kernelPanels32 : kernelPanels64;
  compute(kind, degree, factor, packed, depth, norms.pointer, pointer, stride, rows, begin, end, sums);
}

/** This many values are computed between two checkpoints: some milliseconds. */
const VALUES_AT_ONCE = 2 ** 21;

/**
 * The scalar products of all pairs of rows of a sample, in double precision, computed once: the matrices of linear,
 * polynomial and RBF kernels follow from them element by element. They take twice the memory of a kernel matrix.
 */
export class DotProducts {
  readonly #X: Matrix;
  readonly #products: WasmMatrix;

  private constructor(X: Matrix, products: WasmMatrix) {
    this.#X = X;
    this.#products = products;
  }

  /** Computes the products of the rows of X, on all threads of the run. Their caller releases them. */
  static async of(X: Matrix, run: Pick<Run, "executor" | "signal">): Promise<DotProducts> {
    checkSuitability({ kind: "linear" }, X);
    return new DotProducts(X, await gramOnThreads(X, run, { precision: "f64" }));
  }

  /** Computes the matrix of a kernel; a kernel that is not a function of the products starts from the sample. */
  async kernelMatrix(kernel: Kernel, run: Pick<Run, "executor" | "signal">): Promise<KernelMatrix> {
    if (!dependsOnProducts(kernel)) return kernelMatrix(this.#X, kernel, run);
    checkSuitability(kernel, this.#X);
    const { rows, memory } = this.#products;
    const result = KernelMatrix.allocate(rows, kernel, memory);
    try {
      const rowsAtOnce = Math.max(1, Math.floor(VALUES_AT_ONCE / Math.max(1, rows)));
      for (let begin = 0; begin < rows; begin += rowsAtOnce) {
        await checkpoint(run);
        this.#transform(result, begin, Math.min(begin + rowsAtOnce, rows));
      }
      return result;
    } catch (error) {
      result.release();
      throw error;
    }
  }

  /** Turns the products of some rows into kernel values. */
  #transform(result: KernelMatrix, begin: number, end: number): void {
    const { kind, degree, factor } = kernelForm(result.kernel);
    const { pointer, rows, memory } = this.#products;
    const room = memory.allocate(2 * result.stride * 8);
    try {
      const norms = memory.f64(room.pointer, rows);
      const sums = room.pointer + result.stride * 8;
      const products = memory.f64(pointer, rows * rows);
      for (let i = 0; i < rows; i++) norms[i] = products[i * (rows + 1)];
      for (let i = begin; i < end; i++) {
        // Kernels read whole registers, so the row needs room after its end.
        memory.f64(sums, rows).set(products.subarray(i * rows, (i + 1) * rows));
        const to = result.pointer + i * result.stride * 4;
        memory.exports.kernelValues64(kind, degree, factor, sums, result.stride, norms[i], room.pointer, to);
        memory.f32(to + rows * 4, result.stride - rows).fill(0);
      }
    } finally {
      memory.release(room);
    }
  }

  /** Releases the products; kernel matrices made from them stay. */
  release(): void {
    this.#products.release();
  }

  [Symbol.dispose](): void {
    this.release();
  }
}
