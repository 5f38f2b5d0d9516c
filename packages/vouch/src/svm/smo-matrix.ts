import { type KernelMatrix, paddedLength } from "../kernel/index.js";
import type { Arena } from "../numeric/arena.js";
import { alignUp } from "../numeric/heap.js";
import type { KernelMemory } from "../numeric/memory.js";
import type { Steps } from "../parallel/steps.js";
import type { KernelPlace, KernelStore } from "./smo-problem.js";
import { workRanges } from "./work-ranges.js";

/** A problem shrinks when at most this part of its rows is active: there is no room for more. */
export const MATRIX_SHRINKS_TO = 0.8;

/** So many values are copied at a time: a few milliseconds. */
export const VALUES_AT_ONCE = 2 ** 21;

/** Kernel values in matrices: the given one, or a copy of the rows taken, and a smaller one for the active rows. */
export class MatrixStore implements KernelStore {
  readonly #memory: KernelMemory;
  readonly #kernel: KernelMatrix;
  readonly #rows: Int32Array;
  readonly #smaller: number;
  /** Room for a copy of the rows taken, and for their numbers; 0 if the kernel is used as it is. */
  readonly #copy: number = 0;
  readonly #list: number = 0;
  #whole: KernelPlace | undefined;
  #current: KernelPlace | undefined;

  constructor(kernel: KernelMatrix, rows: Int32Array, arena: Arena) {
    this.#memory = arena.memory;
    this.#kernel = kernel;
    this.#rows = rows;
    this.#smaller = arena.u8(matrixBytes(smallerSize(rows.length))).pointer;
    if (isWhole(kernel, rows, arena.memory)) return;
    this.#copy = arena.u8(matrixBytes(rows.length)).pointer;
    this.#list = arena.i32(rows.length).pointer;
  }

  /** Bytes that the store takes from an arena; `copied` if the rows are not all rows of the kernel in order. */
  static bytes(rows: number, copied: boolean): number {
    const copy = copied ? alignUp(matrixBytes(rows)) + alignUp(4 * rows) : 0;
    return alignUp(matrixBytes(smallerSize(rows))) + copy;
  }

  *begin(): Steps<KernelPlace> {
    const size = this.#rows.length;
    const { pointer, stride } = this.#kernel;
    this.#whole = { size, stride, matrix: pointer, cache: 0 };
    if (this.#copy !== 0) {
      this.#whole = { size, stride: paddedLength(size), matrix: this.#copy, cache: 0 };
      if (this.#kernel.memory === this.#memory) yield* this.#copyRows(this.#whole);
      else yield* this.#copyRowsOfOther(this.#whole);
    }
    this.#current = this.#whole;
    return this.#whole;
  }

  *shrink(list: number, count: number): Steps<KernelPlace> {
    const from = this.#current;
    if (!from) throw new Error("A problem shrinks before it has begun.");
    const to = { size: count, stride: paddedLength(count), matrix: this.#smaller, cache: 0 };
    yield* this.#compact(from, list, to);
    this.#current = to;
    return to;
  }

  restore(): KernelPlace {
    if (!this.#whole) throw new Error("A problem is restored before it has begun.");
    this.#current = this.#whole;
    return this.#whole;
  }

  copyWork(rows: number): number {
    return rows * rows;
  }

  workPerStep({ size }: KernelPlace): number {
    return size;
  }

  /** Copies K[rows, rows]. */
  *#copyRows(to: KernelPlace): Steps<void> {
    this.#memory.i32(this.#list, to.size).set(this.#rows);
    const { pointer, stride } = this.#kernel;
    yield* this.#compact({ ...to, matrix: pointer, stride }, this.#list, to);
  }

  /** Copies K[rows, rows] from the memory of another thread. */
  *#copyRowsOfOther({ size, stride, matrix }: KernelPlace): Steps<void> {
    const rows = this.#rows;
    for (const [begin, end] of workRanges(size, size, VALUES_AT_ONCE)) {
      const to = this.#memory.f32(matrix, size * stride);
      for (let i = begin; i < end; i++) {
        const row = this.#kernel.row(rows[i]);
        const start = i * stride;
        for (let j = 0; j < size; j++) to[start + j] = row[rows[j]];
        to.fill(0, start + size, start + stride);
      }
      yield;
    }
  }

  /** to = from[list, list] */
  *#compact(from: KernelPlace, list: number, to: KernelPlace): Steps<void> {
    const { compactMatrix32 } = this.#memory.kernels;
    for (const [begin, end] of workRanges(to.size, to.size, VALUES_AT_ONCE)) {
      compactMatrix32(from.matrix, from.stride, list, to.size, to.matrix, to.stride, begin, end);
      yield;
    }
  }
}

/** Whether the rows are all rows of the kernel in order, in the memory that the solver works in. */
export function isWhole(
  kernel: { rows: number; memory: KernelMemory },
  rows: Int32Array,
  memory: KernelMemory,
) {
  return kernel.memory === memory && kernel.rows === rows.length && rows.every((row, i) => row === i);
}

function smallerSize(rows: number): number {
  return Math.floor(rows * MATRIX_SHRINKS_TO);
}

function matrixBytes(rows: number): number {
  return rows * paddedLength(rows) * 4;
}
