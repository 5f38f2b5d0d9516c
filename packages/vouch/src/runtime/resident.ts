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

/** Parts of something in kernel memory as they are sent to another thread: structured-cloneable. */
export type Descriptor<Parts extends object> = Parts & { readonly memory: KernelMemoryHandle };

/**
 * Something that lies in kernel memory for the threads that work on it: its parts are addresses and counts. The thread that
 * laid it out has its blocks and releases them; others attach it by its descriptor.
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

  /** What another thread needs to attach it. */
  descriptor(): Descriptor<Parts> {
    return { ...this.parts, memory: this.memory.handle };
  }

  /** Gives the memory back, if this object has allocated it. */
  release(): void {
    for (const block of this.#blocks) this.memory.release(block);
  }

  [Symbol.dispose](): void {
    this.release();
  }
}

interface Parts {
  readonly pointer: number;
  readonly rows: number;
  readonly columns: number;
  readonly precision: Precision;
}

/** A resident matrix as it is sent to another thread: structured-cloneable. */
export type ResidentMatrixDescriptor = Descriptor<Parts>;

/**
 * A matrix in kernel memory, where it can be large without being held twice and where threads can share it.
 * Its owner releases it.
 */
export class ResidentMatrix extends Resident<Parts> implements Parts {
  readonly rows: number;
  readonly columns: number;
  readonly precision: Precision;
  /** The address that kernels take; rows follow each other without gaps. */
  readonly pointer: number;

  private constructor(memory: KernelMemory, parts: Parts, blocks: readonly Block[]) {
    super(memory, parts, blocks);
    this.rows = parts.rows;
    this.columns = parts.columns;
    this.precision = parts.precision;
    this.pointer = parts.pointer;
  }

  /** A matrix whose elements are not set. */
  static allocate(
    rows: number,
    columns: number,
    precision: Precision,
    memory = kernelMemory(),
  ): ResidentMatrix {
    const block = memory.allocate(rows * columns * ELEMENT_BYTES[precision]);
    return new ResidentMatrix(memory, { rows, columns, precision, pointer: block.pointer }, [block]);
  }

  /** The matrix that another thread, or this one, has allocated. */
  static attach({ memory, ...parts }: ResidentMatrixDescriptor): ResidentMatrix {
    return new ResidentMatrix(attachKernelMemory(memory), parts, []);
  }

  /**
   * The matrix as a view, not a copy: a new one at each access, valid until the matrix is released or, if the memory
   * is not shared, until the memory grows next.
   */
  get matrix(): Matrix {
    const { memory, precision, pointer, rows, columns } = this;
    return new Matrix(rows, columns, memory[precision](pointer, rows * columns));
  }
}
