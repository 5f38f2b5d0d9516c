import type { Sample } from "../../encode/sample.js";
import type { Matrix } from "../../runtime/maths/matrix.js";
import type { Run } from "../../runtime/parallel/run.js";
import { PANEL_STEP, PANEL_WIDTH } from "../../runtime/wasm/wasm-exports.js";
import { attachWasmMemory, type Block, type WasmMemory, wasmMemory } from "../../runtime/wasm/wasm-memory.js";
import { type Descriptor, WasmStructure } from "../../runtime/wasm/wasm-structure.js";
import { chooseKernel, precisionFor } from "./choose-kernel.js";
import { checkAmounts, type Kernel, kernelValue } from "./kernel.js";
import {
  KernelMatrix,
  type KernelMatrixDescriptor,
  kernelMatrix,
  type PackedSample,
  packSample,
} from "./kernel-matrix.js";
import type { KernelOptions } from "./kernel-options.js";

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
  static of(X: Matrix, kernel: Kernel, cacheBytes: number, memory = wasmMemory()): KernelOnDemand {
    const sample = packSample(X, precisionFor(kernel, X), memory);
    const parts = { kernel, rows: X.rows, cacheBytes: Math.floor(cacheBytes), sample };
    return new KernelOnDemand(memory, parts, [sample.panels.block, sample.norms]);
  }

  /** Attaches a kernel that this or another thread has made. */
  static attach({ memory, ...parts }: KernelOnDemandDescriptor): KernelOnDemand {
    return new KernelOnDemand(attachWasmMemory(memory), parts, []);
  }

  /** Computes K(xᵢ, ·); solvers have a faster way, in WebAssembly memory. */
  row(i: number): Float32Array {
    const x = this.#vector(i);
    return Float32Array.from({ length: this.rows }, (_, j) => kernelValue(this.kernel, x, this.#vector(j)));
  }

  /** K(xᵢ, xᵢ) for all i. */
  get diagonal(): Float64Array {
    if (this.#diagonal) return this.#diagonal;
    // K(x, x) = e⁰ for Gaussian and χ² kernels.
    this.#diagonal = new Float64Array(this.rows).fill(1);
    if (this.kernel.kind === "rbf" || this.kernel.kind === "chi-square") return this.#diagonal;
    for (let i = 0; i < this.rows; i++) {
      const x = this.#vector(i);
      this.#diagonal[i] = Math.fround(kernelValue(this.kernel, x, x));
    }
    return this.#diagonal;
  }

  /** Returns row i of the sample, from its panel. */
  #vector(i: number): Float64Array {
    const { precision, pointer, depth } = this.sample.panels;
    const width = PANEL_WIDTH[precision];
    const panel = this.memory[precision](pointer + Math.floor(i / width) * depth * PANEL_STEP, depth * width);
    return Float64Array.from({ length: depth }, (_, k) => panel[k * width + (i % width)]);
  }
}

/** The kernel values of a sample: a matrix, or rows computed on demand. */
export type KernelRows = KernelMatrix | KernelOnDemand;

/** Either as sent to another thread. */
export type KernelRowsDescriptor = KernelMatrixDescriptor | KernelOnDemandDescriptor;

/** Computes the kernel matrix if it takes at most this many megabytes (2²⁰ bytes); otherwise rows come on demand. */
export async function kernelRows(
  X: Matrix,
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
  { features, featureNames }: Sample<Matrix>,
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
