import { paddedLength } from "../kernel/index.js";
import type { Arena } from "../numeric/arena.js";
import { alignUp } from "../numeric/heap.js";
import type { Kernels } from "../numeric/kernels.js";
import type { Steps } from "../parallel/steps.js";

/** Where the kernel values of a problem are: in a matrix, or in a row cache. */
export interface KernelPlace {
  readonly size: number;
  readonly stride: number;
  /** The address of the matrix; 0 if there is none. */
  readonly matrix: number;
  /** The address of the row cache; 0 if there is none. */
  readonly cache: number;
}

/**
 * Keeps the kernel values of a problem, the whole one and the smaller ones it shrinks to. The generators yield after
 * every few milliseconds of work.
 */
export interface KernelStore {
  /** Brings the values of the whole problem together. */
  begin(): Steps<KernelPlace>;
  /** Brings the values of the listed rows together: rows of the whole problem, or of the smaller one there is. */
  shrink(list: number, count: number): Steps<KernelPlace>;
  /** Goes back to the whole problem. */
  restore(): KernelPlace;
  /** How much work it is to bring the values of so many rows together, in kernel values. */
  copyWork(rows: number): number;
  /** How much work a step is, in kernel values read or computed. */
  workPerStep(place: KernelPlace): number;
}

/** The state of the solver for a problem of up to `capacity` rows, in kernel memory (`kernels/smo.ts`). */
export class SmoProblem {
  readonly pointer: number;
  readonly #kernels: Kernels;
  #place: KernelPlace | undefined;

  constructor(arena: Arena, capacity: number) {
    this.#kernels = arena.memory.kernels;
    const padded = paddedLength(capacity);
    this.pointer = arena.u8(this.#kernels.smoBytes()).pointer;
    const vectors = arena.u8(padded * this.#kernels.smoVectorBytes());
    this.#kernels.smoLayOut(this.pointer, vectors.pointer, padded);
  }

  /** Bytes that a problem takes from an arena. */
  static bytes(kernels: Kernels, capacity: number): number {
    return alignUp(kernels.smoBytes()) + alignUp(paddedLength(capacity) * kernels.smoVectorBytes());
  }

  /** Sets the size and where the kernel values are. */
  set place(place: KernelPlace) {
    this.#place = place;
    const { size, matrix, stride, cache } = place;
    this.#kernels.smoShape(this.pointer, size, paddedLength(size), matrix, stride, cache);
  }

  get place(): KernelPlace {
    if (!this.#place) throw new Error("A problem is used before its kernel values are there.");
    return this.#place;
  }

  get iterations(): number {
    return this.#kernels.smoIterations(this.pointer);
  }
}
