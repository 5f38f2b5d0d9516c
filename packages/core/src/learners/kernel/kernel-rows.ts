import type { Sample } from "../../encode/sample.js";
import type { Run } from "../../runtime/parallel/run.js";
import { PANEL_STEP, PANEL_WIDTH } from "../../runtime/wasm/wasm-exports.js";
import { attachWasmMemory, type Block, type WasmMemory, wasmMemory } from "../../runtime/wasm/wasm-memory.js";
import { type Descriptor, WasmStructure } from "../../runtime/wasm/wasm-structure.js";
import { chooseKernel, precisionFor } from "./choose-kernel.js";
import { checkAmounts, type Kernel, kernelForm, kernelValue, valueOfSum } from "./kernel.js";
import type { KernelFeatures } from "./kernel-features.js";
import { KernelMatrix, type KernelMatrixDescriptor, kernelMatrix } from "./kernel-matrix.js";
import type { KernelOptions } from "./kernel-options.js";
import {
  blocksOf,
  type PackedMatrix,
  type PackedSample,
  type PackedSparse,
  packSample,
} from "./packed-sample.js";

interface Parts {
  readonly kernel: Kernel;
  readonly rows: number;
  readonly cacheBytes: number;
  readonly sample: PackedSample;
}

/** A kernel on demand as sent to another thread: structured-cloneable. */
type KernelOnDemandDescriptor = Descriptor<Parts>;

/**
 * The kernel of a sample whose kernel matrix is too large: holds the sample, and rows are computed on demand. Solvers cache up
 * to `cacheBytes` of rows.
 */
export class KernelOnDemand extends WasmStructure<Parts> implements Parts {
  readonly kernel: Kernel;
  readonly rows: number;
  readonly cacheBytes: number;
  readonly sample: PackedSample;
  #diagonal: Float64Array | undefined;

  private constructor(memory: WasmMemory, parts: Parts, blocks: readonly Block[]) {
    super(memory, parts, blocks);
    this.kernel = parts.kernel;
    this.rows = parts.rows;
    this.cacheBytes = parts.cacheBytes;
    this.sample = parts.sample;
  }

  /** Packs the rows of X. Its caller releases it. */
  static of(X: KernelFeatures, kernel: Kernel, cacheBytes: number, memory = wasmMemory()): KernelOnDemand {
    const sample = packSample(X, kernel, precisionFor(kernel, X), memory);
    const parts = { kernel, rows: X.rows, cacheBytes: Math.floor(cacheBytes), sample };
    return new KernelOnDemand(memory, parts, blocksOf(sample));
  }

  /** Attaches a kernel that this or another thread has made. */
  static attach({ memory, ...parts }: KernelOnDemandDescriptor): KernelOnDemand {
    return new KernelOnDemand(attachWasmMemory(memory), parts, []);
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
    const vector = this.memory.allocate(8 * columns);
    const sums = this.memory.allocate(8 * rows);
    try {
      const spread = this.memory.f64(vector.pointer, columns).fill(0);
      const { indices, values } = this.#entries(i, sample);
      for (let e = 0; e < indices.length; e++) spread[indices[e]] = values[e];
      const { kind } = kernelForm(this.kernel);
      this.memory.exports.sparseSums(kind, sample.sample, 0, 0, rows, vector.pointer, sums.pointer, 8);
      const normOf = this.memory.f64(norms, rows);
      return Float32Array.from(this.memory.f64(sums.pointer, rows), (sum, j) =>
        valueOfSum(this.kernel, sum, normOf[i], normOf[j]),
      );
    } finally {
      this.memory.release(sums);
      this.memory.release(vector);
    }
  }
}

/** The kernel values of a sample: a matrix, or rows computed on demand. */
export type KernelRows = KernelMatrix | KernelOnDemand;

/** Either as sent to another thread. */
export type KernelRowsDescriptor = KernelMatrixDescriptor | KernelOnDemandDescriptor;

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
  const values = await kernelRows(features, chooseKernel(options, features), options.cacheMegabytes, run);
  try {
    return await train(values);
  } finally {
    values.release();
  }
}

/** Attaches kernel values that this or another thread has made. */
export function attachKernelRows(descriptor: KernelRowsDescriptor): KernelRows {
  return "sample" in descriptor ? KernelOnDemand.attach(descriptor) : KernelMatrix.attach(descriptor);
}
