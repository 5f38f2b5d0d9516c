import { type Pausable, workRanges } from "../../runtime/parallel/pausable.js";
import { bytes, i32, type Taken } from "../../runtime/wasm/arena.js";
import {
  SMO_BETA_WORD,
  SMO_BYTES,
  SMO_GRADIENT_WORD,
  SMO_ITERATIONS_WORD,
  SMO_VECTOR_BYTES,
} from "../../runtime/wasm/wasm-exports.js";
import type { WasmMemory } from "../../runtime/wasm/wasm-memory.js";
import { type KernelMatrix, paddedLength } from "../kernel/kernel-matrix.js";

/** A problem shrinks when at most this fraction of its rows is active. */
export const SHRINKS_TO = 0.8;

/** Values copied at a time: a few milliseconds. */
export const VALUES_AT_ONCE = 2 ** 21;

/** Where a solver finds the rows of its problem. */
export interface RowsSetting {
  /** Whether the problem has other rows than all rows of the kernel in order. */
  readonly copied: boolean;
  /** Whether the kernel is in the memory of another thread. */
  readonly foreign: boolean;
}

/** Lays out a `MatrixStore` for this many rows: a smaller matrix, and a copy of the values unless the kernel is used in place. */
export function matrixStoreLayout(rows: number, { copied, foreign }: RowsSetting) {
  const own = copied || foreign ? rows : 0;
  return { smaller: bytes(matrixBytes(smallerSize(rows))), copy: bytes(matrixBytes(own)), list: i32(own) };
}

/** Kernel values in matrices: the given one, or a copy of some of its rows, and a smaller one for the active rows. */
export class MatrixStore implements KernelStore {
  readonly #memory: WasmMemory;
  readonly #kernel: KernelMatrix;
  readonly #rows: Int32Array;
  readonly #room: Taken<ReturnType<typeof matrixStoreLayout>>;
  #full: KernelSource | undefined;
  #current: KernelSource | undefined;

  constructor(
    kernel: KernelMatrix,
    rows: Int32Array,
    room: Taken<ReturnType<typeof matrixStoreLayout>>,
    memory: WasmMemory,
  ) {
    this.#memory = memory;
    this.#kernel = kernel;
    this.#rows = rows;
    this.#room = room;
  }

  *begin(): Pausable<KernelSource> {
    const size = this.#rows.length;
    const { pointer, stride } = this.#kernel;
    this.#full = { size, stride, matrix: pointer, cache: 0 };
    const { copy } = this.#room;
    if (copy.length > 0) {
      this.#full = { size, stride: paddedLength(size), matrix: copy.pointer, cache: 0 };
      if (this.#kernel.memory === this.#memory) yield* this.#copyRows(this.#full);
      else yield* this.#copyRowsOfOther(this.#full);
    }
    this.#current = this.#full;
    return this.#full;
  }

  *shrink(list: number, count: number): Pausable<KernelSource> {
    const from = this.#current;
    if (!from) throw new Error("The problem has no kernel values yet.");
    const to = { size: count, stride: paddedLength(count), matrix: this.#room.smaller.pointer, cache: 0 };
    yield* this.#compact(from, list, to);
    this.#current = to;
    return to;
  }

  restore(): KernelSource {
    if (!this.#full) throw new Error("The problem has no kernel values yet.");
    this.#current = this.#full;
    return this.#full;
  }

  copyWork(rows: number): number {
    return rows * rows;
  }

  workPerStep({ size }: KernelSource): number {
    return size;
  }

  /** Copies K[rows, rows]. */
  *#copyRows(to: KernelSource): Pausable<void> {
    const { list } = this.#room;
    list.view.set(this.#rows);
    const { pointer, stride } = this.#kernel;
    yield* this.#compact({ ...to, matrix: pointer, stride }, list.pointer, to);
  }

  /** Copies K[rows, rows] from the memory of another thread. */
  *#copyRowsOfOther({ size, stride, matrix }: KernelSource): Pausable<void> {
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

  /** Copies from[list, list]. */
  *#compact(from: KernelSource, list: number, to: KernelSource): Pausable<void> {
    const { compactMatrix32 } = this.#memory.exports;
    for (const [begin, end] of workRanges(to.size, to.size, VALUES_AT_ONCE)) {
      compactMatrix32(from.matrix, from.stride, list, to.size, to.matrix, to.stride, begin, end);
      yield;
    }
  }
}

/** Finds out where a solver that works in a memory finds these rows of a kernel. */
export function rowsSetting(
  kernel: { readonly rows: number; readonly memory: WasmMemory },
  rows: Int32Array,
  memory: WasmMemory,
): RowsSetting {
  const isWhole = kernel.rows === rows.length && rows.every((row, i) => row === i);
  return { copied: !isWhole, foreign: kernel.memory !== memory };
}

/** Returns the largest size of a problem that has shrunk. */
export function smallerSize(rows: number): number {
  return Math.floor(rows * SHRINKS_TO);
}

function matrixBytes(rows: number): number {
  return rows * paddedLength(rows) * 4;
}

/** Where the kernel values of a problem are: in a matrix, or in a row cache. */
export interface KernelSource {
  readonly size: number;
  readonly stride: number;
  /** The address of the matrix; 0 if there is none. */
  readonly matrix: number;
  /** The address of the row cache; 0 if there is none. */
  readonly cache: number;
}

/** Keeps the kernel values of a problem, the whole one and the smaller ones it shrinks to. */
export interface KernelStore {
  /** Collects the values of the whole problem. */
  begin(): Pausable<KernelSource>;
  /** Collects the values of the listed rows: rows of the whole problem, or of the current smaller one. */
  shrink(list: number, count: number): Pausable<KernelSource>;
  /** Returns to the whole problem. */
  restore(): KernelSource;
  /** Returns the work of collecting the values of this many rows, in kernel values. */
  copyWork(rows: number): number;
  /** Returns the work of a step, in kernel values read or computed. */
  workPerStep(source: KernelSource): number;
}

/** Lays out a problem of up to `capacity` rows. */
export function smoLayout(capacity: number) {
  return { state: bytes(SMO_BYTES), vectors: bytes(paddedLength(capacity) * SMO_VECTOR_BYTES) };
}

/** The state of the solver for a problem of up to `capacity` rows, in WebAssembly memory (`wasm/smo.ts`). */
export class SmoProblem {
  readonly pointer: number;
  readonly #memory: WasmMemory;
  #source: KernelSource | undefined;

  constructor({ state, vectors }: Taken<ReturnType<typeof smoLayout>>, capacity: number, memory: WasmMemory) {
    this.#memory = memory;
    this.pointer = state.pointer;
    memory.exports.smoLayOut(this.pointer, vectors.pointer, paddedLength(capacity));
  }

  /** Sets the size and where the kernel values are. */
  set source(source: KernelSource) {
    this.#source = source;
    const { size, matrix, stride, cache } = source;
    this.#memory.exports.smoShape(this.pointer, size, paddedLength(size), matrix, stride, cache);
  }

  get source(): KernelSource {
    if (!this.#source) throw new Error("The problem has no kernel values yet.");
    return this.#source;
  }

  get iterations(): number {
    return this.#words[SMO_ITERATIONS_WORD];
  }

  /** The address of the gradient G. */
  get gradient(): number {
    return this.#words[SMO_GRADIENT_WORD];
  }

  /** The address of β. */
  get beta(): number {
    return this.#words[SMO_BETA_WORD];
  }

  get #words(): Int32Array {
    return this.#memory.i32(this.pointer, SMO_BYTES / 4);
  }
}

/**
 * Derives the solution from β and the gradient G. Its compression set (`kept`) are the support vectors and, if none of them is
 * free, the rows that set the ends of the bias. Training on any rows T that include this set gives the same w and the same b.
 *
 * Proof. Let α be optimal for all rows. The rows outside T have α = 0, so α on T is feasible and gives the same w. With any b of
 * the interval [max G over rows that can rise, min G over rows that can fall] the Karush–Kuhn–Tucker conditions hold for all
 * rows, hence for those of T: α and (w, b) are optimal on T as well. The primal objective is strictly convex in w, so w is the
 * only optimum. The optimal b for it are the same interval taken over T, whichever optimal α it is computed from, because every
 * primal and every dual optimum satisfy the conditions together. T has the rows that attain the ends, so the interval is the
 * same; with a free row it is the point G of that row. In either case b is its middle. ∎
 *
 * This is exact at the optimum. A solution up to the tolerance has w and b up to the tolerance.
 */
export function solutionOf(
  labels: Int8Array,
  upperBounds: Float64Array,
  beta: Float64Array,
  gradient: Float64Array,
  iterations: number,
  tolerance: number,
) {
  const { bias, gap, ends } = biasAndGap(labels, upperBounds, beta, gradient);
  const decisionValues = new Float64Array(gradient.length);
  for (let i = 0; i < gradient.length; i++) decisionValues[i] = labels[i] - gradient[i] + bias;
  let alphas = 0;
  let squaredNorm = 0;
  let losses = 0;
  const kept = new Uint8Array(labels.length);
  for (const row of ends) kept[row] = 1;
  for (let i = 0; i < labels.length; i++) {
    if (beta[i] !== 0) kept[i] = 1;
    alphas += beta[i] * labels[i];
    squaredNorm += beta[i] * (labels[i] - gradient[i]);
    losses += upperBounds[i] * Math.max(0, 1 - labels[i] * decisionValues[i]);
  }
  return {
    coefficients: beta,
    bias,
    kept,
    decisionValues,
    objective: squaredNorm / 2 - alphas,
    gap,
    dualityGap: squaredNorm - alphas + losses,
    squaredNorm: Math.max(0, squaredNorm),
    iterations,
    converged: gap < tolerance,
  };
}

/**
 * A row whose α is this close to 0 or C, in units of C, is not free. Rounding leaves such rows where sums of α should have met
 * the bound. As free rows they would draw the bias from the middle to an end of its interval.
 */
const AT_BOUND = 1e-9;

/**
 * Sets the bias to the mean of G over the rows strictly between their bounds, for which f(xᵢ) = yᵢ; without such rows, to the
 * middle of the interval that the others leave (LIBSVM, calculate_rho), whose `ends` are then rows. Rows with C = 0 have no
 * effect.
 */
function biasAndGap(labels: Int8Array, bounds: Float64Array, beta: Float64Array, gradient: Float64Array) {
  let highest = Number.NEGATIVE_INFINITY;
  let lowest = Number.POSITIVE_INFINITY;
  let highestRow = -1;
  let lowestRow = -1;
  let free = 0;
  let sum = 0;
  for (let i = 0; i < labels.length; i++) {
    const rounding = AT_BOUND * bounds[i];
    const canRise = beta[i] < (labels[i] > 0 ? bounds[i] : 0) - rounding;
    const canFall = beta[i] > (labels[i] > 0 ? 0 : -bounds[i]) + rounding;
    // Support vectors are kept anyway: in a tie one of them is the end.
    const wins = beta[i] !== 0;
    if (canRise && (gradient[i] > highest || (wins && gradient[i] === highest))) {
      highest = gradient[i];
      highestRow = i;
    }
    if (canFall && (gradient[i] < lowest || (wins && gradient[i] === lowest))) {
      lowest = gradient[i];
      lowestRow = i;
    }
    if (canRise && canFall) {
      free++;
      sum += gradient[i];
    }
  }
  return {
    bias: free > 0 ? sum / free : middle(highest, lowest),
    gap: Math.max(0, highest - lowest),
    ends: free > 0 ? [] : [highestRow, lowestRow].filter((row) => row >= 0),
  };
}

/** Returns the middle of the numbers that are finite; 0 without any. */
function middle(highest: number, lowest: number): number {
  const present = [highest, lowest].filter(Number.isFinite);
  return present.length === 0 ? 0 : present.reduce((sum, value) => sum + value, 0) / present.length;
}
