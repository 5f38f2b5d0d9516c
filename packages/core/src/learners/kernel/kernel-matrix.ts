import {
  gramOnThreads,
  PARTS_PER_THREAD,
  type PanelRange,
  splitByWork,
  workUpTo,
} from "../../runtime/maths/gram.js";
import type { Matrix } from "../../runtime/maths/matrix.js";
import type { WasmMatrix } from "../../runtime/maths/wasm-matrix.js";
import type { Executor, TaskContext } from "../../runtime/parallel/executor.js";
import { inlineExecutor } from "../../runtime/parallel/inline.js";
import { checkpoint, type Run } from "../../runtime/parallel/run.js";
import { defineTask } from "../../runtime/parallel/task.js";
import {
  Arena,
  ArenaPool,
  type ArenaPoolFields,
  bytes,
  bytesOf,
  f64,
  Scope,
} from "../../runtime/wasm/arena.js";
import { KERNEL_ROW_SCRATCH, PANEL_WIDTH } from "../../runtime/wasm/wasm-exports.js";
import { type WasmMemory, wasmMemory } from "../../runtime/wasm/wasm-memory.js";
import { type Releasable, WasmStructure } from "../../runtime/wasm/wasm-structure.js";
import { checkSuitability, precisionFor } from "./choose-kernel.js";
import { dependsOnProducts, type Kernel, kernelForm } from "./kernel.js";
import type { KernelFeatures } from "./kernel-features.js";
import { type PackedMatrix, type PackedSparse, packSample } from "./packed-sample.js";

interface Parts {
  readonly kernel: Kernel;
  readonly rows: number;
  /** Elements from one row to the next; the elements after the last column are zero. */
  readonly stride: number;
  readonly pointer: number;
}

/** What a task gets of a kernel matrix. */
export interface KernelMatrixFields extends Parts {
  readonly memory: WasmMemory;
}

/**
 * The values K(xᵢ, xⱼ) of a kernel for all pairs of rows of a sample, in single precision, in WebAssembly memory that threads
 * share. Its owner releases it.
 */
export class KernelMatrix extends WasmStructure implements KernelMatrixFields {
  readonly kernel: Kernel;
  readonly rows: number;
  readonly stride: number;
  readonly pointer: number;
  #diagonal: Float64Array | undefined;

  /** A view of a matrix that another object owns. */
  constructor({ memory, kernel, rows, stride, pointer }: KernelMatrixFields, owned?: Releasable) {
    super(memory, owned);
    this.kernel = kernel;
    this.rows = rows;
    this.stride = stride;
    this.pointer = pointer;
  }

  /** Allocates a matrix whose values are not set yet. */
  static allocate(rows: number, kernel: Kernel, memory = wasmMemory()): KernelMatrix {
    const arena = Arena.allocate(KernelMatrix.bytes(rows), memory);
    return new KernelMatrix(
      { memory, kernel, rows, stride: paddedLength(rows), pointer: arena.pointer },
      arena,
    );
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
  X: KernelFeatures,
  kernel: Kernel,
  { executor, signal }: Pick<Run, "executor" | "signal">,
): Promise<KernelMatrix> {
  const precision = precisionFor(kernel, X);
  const memory = wasmMemory();
  const threads = memory.shared ? executor : inlineExecutor();
  using scope = new Scope();
  const result = scope.hold(KernelMatrix.allocate(X.rows, kernel, memory));
  const sample = packSample(X, kernel, precision, memory, scope);
  if ("panels" in sample) await fillMatrix(result, sample, threads, signal);
  else await fillFromSparse(result, sample, threads, signal);
  return scope.leave(result);
}

async function fillMatrix(
  result: KernelMatrix,
  sample: PackedMatrix,
  executor: Executor,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { panels } = sample;
  const { memory, stride } = result;
  const work = workUpTo(panels.count, panels);
  const ranges = splitByWork(panels, [0, panels.count], work / (executor.threads * PARTS_PER_THREAD));
  const roomBytes = panels.precision === "f64" ? ROWS_AT_ONCE * stride * 8 : 0;
  using scope = new Scope();
  const room = scope.allocate(ranges.length * roomBytes, memory);
  const parts = ranges.map(
    (range, r): Part => ({ sample, matrix: result, range, sums: room.pointer + r * roomBytes }),
  );
  await executor.map(kernelPanelsTask, parts, { signal, milliseconds: work / SPEED });
}

interface Part {
  readonly sample: PackedMatrix;
  readonly matrix: KernelMatrixFields;
  readonly range: PanelRange;
  /** Room for double-precision sums of this range. */
  readonly sums: number;
}

/** Computes a range of the panels of a kernel matrix. */
const kernelPanelsTask = defineTask(
  "kernel/panels",
  async ({ sample, matrix, range: [first, last], sums }: Part, context: TaskContext): Promise<void> => {
    const width = PANEL_WIDTH[sample.panels.precision];
    const workPerPanel = width * matrix.rows * sample.panels.depth;
    const step = Math.max(1, Math.min(ROWS_AT_ONCE / width, Math.floor(WORK_PER_CALL / workPerPanel)));
    for (let begin = first; begin < last; begin += step) {
      await context.checkpoint();
      computePanels(sample, matrix, [begin, Math.min(begin + step, last)], sums);
    }
  },
);

function computePanels(
  { panels: { pointer: packed, depth, precision }, norms }: PackedMatrix,
  { memory, kernel, pointer, stride, rows }: KernelMatrixFields,
  [begin, end]: PanelRange,
  sums: number,
): void {
  const { kind, degree, factor } = kernelForm(kernel);
  const { kernelPanels32, kernelPanels64 } = memory.exports;
  const compute = precision === "f32" ? kernelPanels32 : kernelPanels64;
  compute(kind, degree, factor, packed, depth, norms.pointer, pointer, stride, rows, begin, end, sums);
}

/** Entries of sparse rows visited by one call: a few milliseconds. */
const ENTRIES_AT_ONCE = 2 ** 22;

/** Entries of sparse rows visited per millisecond, roughly. */
const SPARSE_SPEED = 5e5;

/** Rows of a range of sparse rows are a multiple of this. */
const ROW_STEP = 4;

async function fillFromSparse(
  result: KernelMatrix,
  sample: PackedSparse,
  executor: Executor,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { rows, entries } = sample;
  using pool = ArenaPool.allocate(executor.threads, bytesOf(sparseScratch(sample)), result.memory);
  // The work up to row r grows with r².
  const parts = executor.threads * PARTS_PER_THREAD;
  const bounds = Array.from(
    { length: parts },
    (_, part) => ROW_STEP * Math.floor((rows / ROW_STEP) * Math.sqrt(part / parts)),
  );
  const common = { sample, matrix: result, pool };
  const inputs = [...bounds, rows].slice(1).flatMap((end, part): SparsePart[] => {
    return end > bounds[part] ? [{ ...common, range: [bounds[part], end] }] : [];
  });
  const milliseconds = (rows * entries) / 2 / SPARSE_SPEED;
  await executor.map(sparseRowsTask, inputs, { signal, milliseconds });
}

function sparseScratch({ columns }: PackedSparse) {
  return { vector: f64(columns), sums: bytes(KERNEL_ROW_SCRATCH) };
}

interface SparsePart {
  readonly sample: PackedSparse;
  readonly matrix: KernelMatrixFields;
  readonly pool: ArenaPoolFields;
  readonly range: PanelRange;
}

/** Computes a range of the rows of a kernel matrix of sparse rows. */
const sparseRowsTask = defineTask(
  "kernel/sparse-rows",
  async ({ sample, matrix, pool, range: [first, last] }: SparsePart, context: TaskContext): Promise<void> => {
    const { rows, entries } = sample;
    const { memory, kernel, pointer, stride } = matrix;
    const { kind, degree, factor } = kernelForm(kernel);
    const { sparseKernelRows } = memory.exports;
    const step = ROW_STEP * Math.ceil(Math.min(ROWS_AT_ONCE, ENTRIES_AT_ONCE / (entries + 1)) / ROW_STEP);
    await new ArenaPool(pool).with(async (arena) => {
      const { vector, sums } = arena.take(sparseScratch(sample));
      vector.view.fill(0);
      for (let begin = first; begin < last; begin += step) {
        await context.checkpoint();
        const end = Math.min(begin + step, last);
        sparseKernelRows(
          kind,
          degree,
          factor,
          sample.sample,
          pointer,
          stride,
          rows,
          begin,
          end,
          vector.pointer,
          sums.pointer,
        );
      }
    });
  },
);

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
    using scope = new Scope();
    const result = scope.hold(KernelMatrix.allocate(rows, kernel, memory));
    const rowsAtOnce = Math.max(1, Math.floor(VALUES_AT_ONCE / Math.max(1, rows)));
    for (let begin = 0; begin < rows; begin += rowsAtOnce) {
      await checkpoint(run);
      this.#transform(result, begin, Math.min(begin + rowsAtOnce, rows));
    }
    return scope.leave(result);
  }

  /** Turns the products of some rows into kernel values. */
  #transform(result: KernelMatrix, begin: number, end: number): void {
    const { kind, degree, factor } = kernelForm(result.kernel);
    const { pointer, rows, memory } = this.#products;
    using scope = new Scope();
    const { norms, sums } = scope.take({ norms: f64(result.stride), sums: f64(result.stride) }, memory);
    const products = memory.f64(pointer, rows * rows);
    for (let i = 0; i < rows; i++) norms.view[i] = products[i * (rows + 1)];
    for (let i = begin; i < end; i++) {
      // Kernels read whole registers, so the row needs room after its end.
      sums.view.set(products.subarray(i * rows, (i + 1) * rows));
      const to = result.pointer + i * result.stride * 4;
      const norm = products[i * (rows + 1)];
      memory.exports.kernelValues64(
        kind,
        degree,
        factor,
        sums.pointer,
        result.stride,
        norm,
        norms.pointer,
        to,
      );
      memory.f32(to + rows * 4, result.stride - rows).fill(0);
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
