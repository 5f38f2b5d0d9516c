import { PANEL_STEP, PANEL_WIDTH } from "../numeric/kernels.js";
import type { Matrix } from "../numeric/matrix.js";
import {
  attachKernelMemory,
  type KernelMemory,
  type KernelMemoryHandle,
  kernelMemory,
} from "../numeric/memory.js";
import { type Kernel, kernelValue } from "./kernel.js";
import { type PackedSample, packSample, releaseSample } from "./packed-sample.js";
import { precisionFor } from "./suitability.js";

/** A kernel on demand as it is sent to another thread: structured-cloneable. */
export interface KernelOnDemandDescriptor {
  readonly memory: KernelMemoryHandle;
  readonly rows: number;
  readonly kernel: Kernel;
  readonly cacheBytes: number;
  readonly sample: PackedSample;
}

/**
 * The kernel of a sample whose matrix does not fit into memory: holds the sample, and rows are computed when they are
 * needed. Who solves a problem with it keeps up to `cacheBytes` of rows.
 */
export class KernelOnDemand {
  readonly memory: KernelMemory;
  readonly kernel: Kernel;
  readonly rows: number;
  readonly cacheBytes: number;
  readonly sample: PackedSample;
  readonly #owned: boolean;
  #diagonal: Float64Array | undefined;

  private constructor(memory: KernelMemory, shape: Omit<KernelOnDemandDescriptor, "memory">, owned: boolean) {
    this.memory = memory;
    this.kernel = shape.kernel;
    this.rows = shape.rows;
    this.cacheBytes = Math.floor(shape.cacheBytes);
    this.sample = shape.sample;
    this.#owned = owned;
  }

  /** The kernel of the rows of X. Its caller releases it. */
  static of(X: Matrix, kernel: Kernel, cacheBytes: number, memory = kernelMemory()): KernelOnDemand {
    const sample = packSample(X, precisionFor(kernel, X), memory);
    return new KernelOnDemand(memory, { kernel, rows: X.rows, cacheBytes, sample }, true);
  }

  /** The kernel that another thread, or this one, has made. */
  static attach({ memory, ...shape }: KernelOnDemandDescriptor): KernelOnDemand {
    return new KernelOnDemand(attachKernelMemory(memory), shape, false);
  }

  /** What another thread needs to attach the kernel. */
  descriptor(): KernelOnDemandDescriptor {
    const { memory, rows, kernel, cacheBytes, sample } = this;
    return { memory: memory.handle, rows, kernel, cacheBytes, sample };
  }

  /** K(xᵢ, ·), computed anew; solvers have a faster way, in kernel memory. */
  row(i: number): Float32Array {
    const x = this.#vector(i);
    return Float32Array.from({ length: this.rows }, (_, j) => kernelValue(this.kernel, x, this.#vector(j)));
  }

  /** K(xᵢ, xᵢ) for all i. */
  get diagonal(): Float64Array {
    this.#diagonal ??= Float64Array.from({ length: this.rows }, (_, i) => {
      const x = this.#vector(i);
      return Math.fround(kernelValue(this.kernel, x, x));
    });
    return this.#diagonal;
  }

  /** Row i of the sample, from its panel. */
  #vector(i: number): Float64Array {
    const { precision, pointer, depth } = this.sample.panels;
    const width = PANEL_WIDTH[precision];
    const panel = this.memory[precision](pointer + Math.floor(i / width) * depth * PANEL_STEP, depth * width);
    return Float64Array.from({ length: depth }, (_, k) => panel[k * width + (i % width)]);
  }

  /** Gives the memory back, if this thread has allocated it. */
  release(): void {
    if (this.#owned) releaseSample(this.sample, this.memory);
  }

  [Symbol.dispose](): void {
    this.release();
  }
}
