import { type Pausable, workRanges } from "../../runtime/parallel/pausable.js";
import type { Arena } from "../../runtime/wasm/arena.js";
import { alignUp } from "../../runtime/wasm/heap.js";
import { SMO_BYTES, SMO_VECTOR_BYTES, type WasmExports } from "../../runtime/wasm/wasm-exports.js";
import type { WasmMemory } from "../../runtime/wasm/wasm-memory.js";
import { type KernelMatrix, paddedLength } from "../kernel/kernel-matrix.js";

/** A problem shrinks when at most this fraction of its rows is active. */
export const SHRINKS_TO = 0.8;

/** Values copied at a time: a few milliseconds. */
export const VALUES_AT_ONCE = 2 ** 21;

/** Kernel values in matrices: the given one, or a copy of some of its rows, and a smaller one for the active rows. */
export class MatrixStore implements KernelStore {
  readonly #memory: WasmMemory;
  readonly #kernel: KernelMatrix;
  readonly #rows: Int32Array;
  readonly #smaller: number;
  /** Room for a copy of the rows, and for their numbers; 0 if the kernel is used in place. */
  readonly #copy: number = 0;
  readonly #list: number = 0;
  #whole: KernelSource | undefined;
  #current: KernelSource | undefined;

  constructor(kernel: KernelMatrix, rows: Int32Array, arena: Arena) {
    this.#memory = arena.memory;
    this.#kernel = kernel;
    this.#rows = rows;
    this.#smaller = arena.u8(matrixBytes(smallerSize(rows.length))).pointer;
    if (isWhole(kernel, rows, arena.memory)) return;
    this.#copy = arena.u8(matrixBytes(rows.length)).pointer;
    this.#list = arena.i32(rows.length).pointer;
  }

  /** Returns the bytes that the store takes from an arena; `copied` if the rows are not all rows of the kernel in order. */
  static bytes(rows: number, copied: boolean): number {
    const copy = copied ? alignUp(matrixBytes(rows)) + alignUp(4 * rows) : 0;
    return alignUp(matrixBytes(smallerSize(rows))) + copy;
  }

  *begin(): Pausable<KernelSource> {
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

  *shrink(list: number, count: number): Pausable<KernelSource> {
    const from = this.#current;
    if (!from) throw new Error("The problem has no kernel values yet.");
    const to = { size: count, stride: paddedLength(count), matrix: this.#smaller, cache: 0 };
    yield* this.#compact(from, list, to);
    this.#current = to;
    return to;
  }

  restore(): KernelSource {
    if (!this.#whole) throw new Error("The problem has no kernel values yet.");
    this.#current = this.#whole;
    return this.#whole;
  }

  copyWork(rows: number): number {
    return rows * rows;
  }

  workPerStep({ size }: KernelSource): number {
    return size;
  }

  /** Copies K[rows, rows]. */
  *#copyRows(to: KernelSource): Pausable<void> {
    this.#memory.i32(this.#list, to.size).set(this.#rows);
    const { pointer, stride } = this.#kernel;
    yield* this.#compact({ ...to, matrix: pointer, stride }, this.#list, to);
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

/** Tells whether the rows are all rows of the kernel, in order and in the memory that the solver works in. */
export function isWhole(kernel: { rows: number; memory: WasmMemory }, rows: Int32Array, memory: WasmMemory) {
  return kernel.memory === memory && kernel.rows === rows.length && rows.every((row, i) => row === i);
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
  workPerStep(place: KernelSource): number;
}

/** The state of the solver for a problem of up to `capacity` rows, in WebAssembly memory (`wasm/smo.ts`). */
export class SmoProblem {
  readonly pointer: number;
  readonly #exports: WasmExports;
  #place: KernelSource | undefined;

  constructor(arena: Arena, capacity: number) {
    this.#exports = arena.memory.exports;
    const padded = paddedLength(capacity);
    this.pointer = arena.u8(SMO_BYTES).pointer;
    const vectors = arena.u8(padded * SMO_VECTOR_BYTES);
    this.#exports.smoLayOut(this.pointer, vectors.pointer, padded);
  }

  /** Returns the bytes that a problem takes from an arena. */
  static bytes(capacity: number): number {
    return alignUp(SMO_BYTES) + alignUp(paddedLength(capacity) * SMO_VECTOR_BYTES);
  }

  /** Sets the size and where the kernel values are. */
  set place(place: KernelSource) {
    this.#place = place;
    const { size, matrix, stride, cache } = place;
    this.#exports.smoShape(this.pointer, size, paddedLength(size), matrix, stride, cache);
  }

  get place(): KernelSource {
    if (!this.#place) throw new Error("The problem has no kernel values yet.");
    return this.#place;
  }

  get iterations(): number {
    return this.#exports.smoIterations(this.pointer);
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
