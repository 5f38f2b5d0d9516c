import { attachKernelMemory, type Block, type KernelMemory, kernelMemory } from "../numeric/memory.js";
import { type Descriptor, Resident } from "../numeric/resident.js";
import type { Kernel } from "./kernel.js";

interface Parts {
  readonly pointer: number;
  readonly rows: number;
  readonly stride: number;
  readonly kernel: Kernel;
}

/** A kernel matrix as it is sent to another thread: structured-cloneable. */
export type KernelMatrixDescriptor = Descriptor<Parts>;

/**
 * The values K(xᵢ, xⱼ) of a kernel for all pairs of rows of a sample, in single precision, in kernel memory: where
 * threads can share it. Its owner releases it.
 */
export class KernelMatrix extends Resident<Parts> implements Parts {
  readonly kernel: Kernel;
  readonly rows: number;
  /** Elements from one row to the next; the elements after the last column are zero. */
  readonly stride: number;
  /** The address that kernels take. */
  readonly pointer: number;
  #diagonal: Float64Array | undefined;

  private constructor(memory: KernelMemory, parts: Parts, blocks: readonly Block[]) {
    super(memory, parts, blocks);
    this.kernel = parts.kernel;
    this.rows = parts.rows;
    this.stride = parts.stride;
    this.pointer = parts.pointer;
  }

  /** A matrix whose values are not set; for the functions of this folder, which set them. */
  static allocate(rows: number, kernel: Kernel, memory = kernelMemory()): KernelMatrix {
    const block = memory.allocate(KernelMatrix.bytes(rows));
    return new KernelMatrix(memory, { kernel, rows, stride: paddedLength(rows), pointer: block.pointer }, [
      block,
    ]);
  }

  /** The matrix that another thread, or this one, has computed. */
  static attach({ memory, ...parts }: KernelMatrixDescriptor): KernelMatrix {
    return new KernelMatrix(attachKernelMemory(memory), parts, []);
  }

  /** Bytes of a matrix for so many rows. */
  static bytes(rows: number): number {
    return rows * paddedLength(rows) * 4;
  }

  /** K(xᵢ, ·) as a view, valid until the matrix is released or, if the memory is not shared, until it grows next. */
  row(i: number): Float32Array {
    return this.memory.f32(this.pointer + i * this.stride * 4, this.rows);
  }

  /** K(xᵢ, xᵢ) for all i. */
  get diagonal(): Float64Array {
    if (this.#diagonal) return this.#diagonal;
    const values = this.memory.f32(this.pointer, this.rows * this.stride);
    this.#diagonal = Float64Array.from({ length: this.rows }, (_, i) => values[i * (this.stride + 1)]);
    return this.#diagonal;
  }
}

/**
 * The length that rows of so many values are padded to: a multiple of 32 values, the block in which the solver
 * searches, and not of 512, since rows that lie a power of two apart compete for the same lines of the cache.
 */
export function paddedLength(length: number): number {
  const padded = Math.ceil(length / 32) * 32;
  return padded % 512 === 0 ? padded + 32 : padded;
}
