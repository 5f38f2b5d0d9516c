/// <reference lib="esnext.disposable" preserve="true" />
// Programs with an older library of types get the one that the declarations need.

import { ELEMENT_BYTES, type Precision } from "./kernels.js";
import { Matrix } from "./matrix.js";
import {
  attachKernelMemory,
  type Block,
  type KernelMemory,
  type KernelMemoryHandle,
  kernelMemory,
} from "./memory.js";

/** Addresses and sizes of a structure in kernel memory as they are sent to another thread; structured-cloneable. */
export type Descriptor<Parts extends object> = Parts & { readonly memory: KernelMemoryHandle };

/**
 * A data structure in kernel memory that threads share; its parts are addresses and counts. The thread that allocated its blocks
 * releases them; others attach it by its descriptor.
 */
export class Resident<Parts extends object> {
  readonly memory: KernelMemory;
  protected readonly parts: Parts;
  readonly #blocks: readonly Block[];

  protected constructor(memory: KernelMemory, parts: Parts, blocks: readonly Block[]) {
    this.memory = memory;
    this.parts = parts;
    this.#blocks = blocks;
  }

  /** Describes it to another thread. */
  descriptor(): Descriptor<Parts> {
    return { ...this.parts, memory: this.memory.handle };
  }

  /** Frees the memory, if this object allocated it. */
  release(): void {
    for (const block of this.#blocks) this.memory.release(block);
  }

  [Symbol.dispose](): void {
    this.release();
  }
}

interface MatrixParts {
  readonly pointer: number;
  readonly rows: number;
  readonly columns: number;
  readonly precision: Precision;
}

/** A resident matrix as it is sent to another thread; structured-cloneable. */
export type ResidentMatrixDescriptor = Descriptor<MatrixParts>;

/**
 * A matrix in kernel memory, where kernels and threads use it without a copy. Its owner releases it.
 */
export class ResidentMatrix extends Resident<MatrixParts> implements MatrixParts {
  readonly rows: number;
  readonly columns: number;
  readonly precision: Precision;
  /** Address for kernels; rows follow each other without gaps. */
  readonly pointer: number;

  private constructor(memory: KernelMemory, parts: MatrixParts, blocks: readonly Block[]) {
    super(memory, parts, blocks);
    this.rows = parts.rows;
    this.columns = parts.columns;
    this.precision = parts.precision;
    this.pointer = parts.pointer;
  }

  /** Allocates a matrix, not cleared. */
  static allocate(
    rows: number,
    columns: number,
    precision: Precision,
    memory = kernelMemory(),
  ): ResidentMatrix {
    const block = memory.allocate(rows * columns * ELEMENT_BYTES[precision]);
    return new ResidentMatrix(memory, { rows, columns, precision, pointer: block.pointer }, [block]);
  }

  /** Attaches a matrix that this or another thread allocated. */
  static attach({ memory, ...parts }: ResidentMatrixDescriptor): ResidentMatrix {
    return new ResidentMatrix(attachKernelMemory(memory), parts, []);
  }

  /**
   * A view of the matrix, not a copy: a new one at each access, valid until the matrix is released or, if the memory is not
   * shared, until the memory grows.
   */
  get matrix(): Matrix {
    const { memory, precision, pointer, rows, columns } = this;
    return new Matrix(rows, columns, memory[precision](pointer, rows * columns));
  }
}
