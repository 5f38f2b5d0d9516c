import type { Sample } from "../../encode/sample.js";
import type { Run } from "../../runtime/parallel/run.js";
import { f64, Scope } from "../../runtime/wasm/arena.js";
import { PANEL_STEP, PANEL_WIDTH } from "../../runtime/wasm/wasm-exports.js";
import { type WasmMemory, wasmMemory } from "../../runtime/wasm/wasm-memory.js";
import { WasmStructure } from "../../runtime/wasm/wasm-structure.js";
import { chooseKernel, precisionFor } from "./choose-kernel.js";
import { checkAmounts, type Kernel, kernelForm, kernelValue, valueOfSum } from "./kernel.js";
import type { KernelFeatures } from "./kernel-features.js";
import { KernelMatrix, type KernelMatrixFields, kernelMatrix } from "./kernel-matrix.js";
import type { KernelOptions } from "./kernel-options.js";
import { type PackedMatrix, type PackedSample, type PackedSparse, packSample } from "./packed-sample.js";

interface Parts {
  readonly kernel: Kernel;
  readonly rows: number;
  readonly cacheBytes: number;
  readonly sample: PackedSample;
}

/** What a task gets of a kernel on demand. */
interface KernelOnDemandFields extends Parts {
  readonly memory: WasmMemory;
}

/**
 * The kernel of a sample whose kernel matrix is too large: holds the sample, and rows are computed on demand. Solvers cache up
 * to `cacheBytes` of rows.
 */
export class KernelOnDemand extends WasmStructure implements KernelOnDemandFields {
  readonly kernel: Kernel;
  readonly rows: number;
  readonly cacheBytes: number;
  readonly sample: PackedSample;
  #diagonal: Float64Array | undefined;

  /** A view of the memory of another object; or the owner of what a scope holds. */
  constructor({ memory, kernel, rows, cacheBytes, sample }: KernelOnDemandFields, scope?: Scope) {
    super(memory, scope);
    this.kernel = kernel;
    this.rows = rows;
    this.cacheBytes = cacheBytes;
    this.sample = sample;
  }

  /** Packs the rows of X. Its caller releases it. */
  static of(X: KernelFeatures, kernel: Kernel, cacheBytes: number, memory = wasmMemory()): KernelOnDemand {
    const precision = precisionFor(kernel, X);
    const scope = new Scope();
    try {
      const sample = packSample(X, kernel, precision, memory, scope);
      const bytes = Math.floor(cacheBytes);
      return new KernelOnDemand({ memory, kernel, rows: X.rows, cacheBytes: bytes, sample }, scope);
    } catch (error) {
      scope.release();
      throw error;
    }
  }

  /** Computes K(xᵢ, ·); solvers have a faster way, in WebAssembly memory. */
  row(i: number): Float32Array {
    const { sample, kernel } = this;
    if (!("panels" in sample)) return this.#sparseRow(i, sample);
    const x = this.#vector(i, sample);
    return Float32Array.from({ length: this.rows }, (_, j) =>
      kernelValue(kernel, x, this.#vector(j, sample)),
    );
  }

  /** K(xᵢ, xᵢ) for all i. */
  get diagonal(): Float64Array {
    if (this.#diagonal) return this.#diagonal;
    const { sample, kernel, rows } = this;
    // K(x, x) = e⁰ for Gaussian and χ² kernels.
    this.#diagonal = new Float64Array(rows).fill(1);
    if (kernel.kind === "rbf" || kernel.kind === "chi-square") return this.#diagonal;
    for (let i = 0; i < rows; i++) {
      // Columns that a sparse row leaves out change no K(x, x).
      const x = "panels" in sample ? this.#vector(i, sample) : this.#entries(i, sample).values;
      this.#diagonal[i] = Math.fround(kernelValue(kernel, x, x));
    }
    return this.#diagonal;
  }

  /** Returns row i of the sample, from its panel. */
  #vector(i: number, { panels: { precision, pointer, depth } }: PackedMatrix): Float64Array {
    const width = PANEL_WIDTH[precision];
    const panel = this.memory[precision](pointer + Math.floor(i / width) * depth * PANEL_STEP, depth * width);
    return Float64Array.from({ length: depth }, (_, k) => panel[k * width + (i % width)]);
  }

  #entries(i: number, { rows, starts, indices, values, entries }: PackedSparse) {
    const [begin, end] = this.memory.i32(starts, rows + 1).subarray(i, i + 2);
    return {
      indices: this.memory.i32(indices, entries).subarray(begin, end),
      values: this.memory.f64(values, entries).subarray(begin, end),
    };
  }

  #sparseRow(i: number, sample: PackedSparse): Float32Array {
    const { columns, norms, rows } = sample;
    using scope = new Scope();
    const { vector, sums } = scope.take({ vector: f64(columns), sums: f64(rows) }, this.memory);
    const { indices, values } = this.#entries(i, sample);
    const spread = vector.view.fill(0);
    for (let e = 0; e < indices.length; e++) spread[indices[e]] = values[e];
    const { kind } = kernelForm(this.kernel);
    this.memory.exports.sparseSums(kind, sample.sample, 0, 0, rows, vector.pointer, sums.pointer, 8);
    const normOf = this.memory.f64(norms, rows);
    return Float32Array.from(sums.view, (sum, j) => valueOfSum(this.kernel, sum, normOf[i], normOf[j]));
  }
}

/** The kernel values of a sample: a matrix, or rows computed on demand. */
export type KernelRows = KernelMatrix | KernelOnDemand;

/** What a task gets of either. */
export type KernelRowsFields = KernelMatrixFields | KernelOnDemandFields;

/** Makes a view of kernel values that this or another thread has made. */
export function kernelRowsFrom(fields: KernelRowsFields): KernelRows {
  return "sample" in fields ? new KernelOnDemand(fields) : new KernelMatrix(fields);
}

/** Divides the memory for rows on demand among threads. */
export function withCacheShare(kernel: KernelRows, threads: number): KernelRows {
  if (!(kernel instanceof KernelOnDemand)) return kernel;
  const { memory, rows, sample } = kernel;
  const cacheBytes = Math.floor(kernel.cacheBytes / threads);
  return new KernelOnDemand({ memory, kernel: kernel.kernel, rows, sample, cacheBytes });
}

/** Computes the kernel matrix if it takes at most this many megabytes (2²⁰ bytes); otherwise rows come on demand. */
export async function kernelRows(
  X: KernelFeatures,
  kernel: Kernel,
  megabytes: number,
  run: Pick<Run, "executor" | "signal">,
): Promise<KernelRows> {
  const bytes = megabytes * 2 ** 20;
  return KernelMatrix.bytes(X.rows) <= bytes
    ? kernelMatrix(X, kernel, run)
    : KernelOnDemand.of(X, kernel, bytes);
}

/**
 * Trains with the values of the kernel that the options choose. They are computed first, after the features have been
 * checked, and released in the end.
 */
export async function withKernelRows<Result>(
  { features, featureNames }: Pick<Sample<KernelFeatures>, "features" | "featureNames">,
  options: KernelOptions & { readonly cacheMegabytes: number },
  run: Pick<Run, "executor" | "signal">,
  train: (values: KernelRows) => Promise<Result>,
): Promise<Result> {
  checkAmounts(options.kernel, features, featureNames);
  using values = await kernelRows(features, chooseKernel(options, features), options.cacheMegabytes, run);
  return await train(values);
}
