import { ELEMENT_BYTES, type Precision } from "./kernels.js";
import { Matrix } from "./matrix.js";
import {
  attachKernelMemory,
  type Block,
  type KernelMemory,
  type KernelMemoryHandle,
  kernelMemory,
} from "./memory.js";

/** A resident matrix as it is sent to another thread: structured-cloneable. */
export interface ResidentMatrixDescriptor {
  readonly memory: KernelMemoryHandle;
  readonly pointer: number;
  readonly rows: number;
  readonly columns: number;
  readonly precision: Precision;
}

/**
 * A matrix in kernel memory, where it can be large without being held twice and where threads can share it.
 * Its owner releases it.
 */
export class ResidentMatrix {
  readonly memory: KernelMemory;
  readonly rows: number;
  readonly columns: number;
  readonly precision: Precision;
  /** The address that kernels take; rows follow each other without gaps. */
  readonly pointer: number;
  readonly #block: Block | undefined;

  private constructor(memory: KernelMemory, shape: Omit<ResidentMatrixDescriptor, "memory">, block?: Block) {
    this.memory = memory;
    this.rows = shape.rows;
    this.columns = shape.columns;
    this.precision = shape.precision;
    this.pointer = shape.pointer;
    this.#block = block;
  }

  /** A matrix whose elements are not set. */
  static allocate(
    rows: number,
    columns: number,
    precision: Precision,
    memory = kernelMemory(),
  ): ResidentMatrix {
    const block = memory.allocate(rows * columns * ELEMENT_BYTES[precision]);
    return new ResidentMatrix(memory, { rows, columns, precision, pointer: block.pointer }, block);
  }

  /** The matrix that another thread, or this one, has allocated. */
  static attach({ memory, ...shape }: ResidentMatrixDescriptor): ResidentMatrix {
    return new ResidentMatrix(attachKernelMemory(memory), shape);
  }

  /** What another thread needs to attach the matrix. */
  descriptor(): ResidentMatrixDescriptor {
    const { memory, pointer, rows, columns, precision } = this;
    return { memory: memory.handle, pointer, rows, columns, precision };
  }

  /**
   * The matrix as a view, not a copy: a new one at each access, valid until the matrix is released or, if the memory
   * is not shared, until the memory grows next.
   */
  get matrix(): Matrix {
    const { memory, precision, pointer, rows, columns } = this;
    return new Matrix(rows, columns, memory[precision](pointer, rows * columns));
  }

  /** Gives the memory back, if this thread has allocated it. */
  release(): void {
    if (this.#block) this.memory.release(this.#block);
  }

  [Symbol.dispose](): void {
    this.release();
  }
}
