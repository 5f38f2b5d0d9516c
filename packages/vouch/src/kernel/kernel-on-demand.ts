import { PANEL_STEP, PANEL_WIDTH } from "../numeric/kernels.js";
import type { Matrix } from "../numeric/matrix.js";
import { attachKernelMemory, type Block, type KernelMemory, kernelMemory } from "../numeric/memory.js";
import { type Descriptor, Resident } from "../numeric/resident.js";
import { type Kernel, kernelValue } from "./kernel.js";
import { type PackedSample, packSample } from "./packed-sample.js";
import { precisionFor } from "./suitability.js";

interface Parts {
  readonly kernel: Kernel;
  readonly rows: number;
  readonly cacheBytes: number;
  readonly sample: PackedSample;
}

/** A kernel on demand as it is sent to another thread: structured-cloneable. */
export type KernelOnDemandDescriptor = Descriptor<Parts>;

/**
 * The kernel of a sample whose matrix does not fit into memory: holds the sample, and rows are computed when they are
 * needed. Who solves a problem with it keeps up to `cacheBytes` of rows.
 */
export class KernelOnDemand extends Resident<Parts> implements Parts {
  readonly kernel: Kernel;
  readonly rows: number;
  readonly cacheBytes: number;
  readonly sample: PackedSample;
  #diagonal: Float64Array | undefined;

  private constructor(memory: KernelMemory, parts: Parts, blocks: readonly Block[]) {
    super(memory, parts, blocks);
    this.kernel = parts.kernel;
    this.rows = parts.rows;
    this.cacheBytes = parts.cacheBytes;
    this.sample = parts.sample;
  }

  /** The kernel of the rows of X. Its caller releases it. */
  static of(X: Matrix, kernel: Kernel, cacheBytes: number, memory = kernelMemory()): KernelOnDemand {
    const sample = packSample(X, precisionFor(kernel, X), memory);
    const parts = { kernel, rows: X.rows, cacheBytes: Math.floor(cacheBytes), sample };
    return new KernelOnDemand(memory, parts, [sample.panels.block, sample.norms]);
  }

  /** The kernel that another thread, or this one, has made. */
  static attach({ memory, ...parts }: KernelOnDemandDescriptor): KernelOnDemand {
    return new KernelOnDemand(attachKernelMemory(memory), parts, []);
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
}
