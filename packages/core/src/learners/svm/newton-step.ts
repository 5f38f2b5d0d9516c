import { type Pausable, workRanges } from "../../runtime/parallel/pausable.js";
import { f64, i32, type Taken } from "../../runtime/wasm/arena.js";
import type { WasmMemory } from "../../runtime/wasm/wasm-memory.js";
import { paddedLength } from "../kernel/kernel-matrix.js";
import type { SmoProblem } from "./kernel-store.js";

/** The most free rows that a Newton step is tried with. */
const MOST_FREE_ROWS = 1024;

/** Added to the diagonal, relative to the largest kernel value: more than the rounding of single precision. */
const RIDGE = 1e-6;

/** Multiplications done at a time: a few milliseconds. */
const WORK_AT_ONCE = 2 ** 22;

/** Cost of a multiplication of the Cholesky factorisation, and fixed cost of a step of SMO, in kernel values read by SMO. */
const WORK_PER_PRODUCT = 0.4;
const WORK_PER_STEP = 60;

/** The first Newton step waits until SMO has done this many times its work: most problems are solved by then. */
const FIRST_WAIT = 3;

/** After steps that met a bound the next waits longer, up to this: then many follow each other, one bound at a time. */
const LONGEST_WAIT = 32;

/** Lays out the Newton steps of a problem of this many rows. */
export function newtonLayout(rows: number) {
  const most = mostFreeRows(rows);
  return {
    matrix: f64(most * strideOf(most)),
    list: i32(rows),
    direction: f64(most),
    ones: f64(most),
    image: f64(paddedLength(rows)),
  };
}

/**
 * Newton steps on the free rows, between the steps of SMO. SMO quickly finds the rows that end up between their bounds, but
 * with a large C may need millions of steps to settle them; a Newton step does it at once (`wasm/smo-newton.ts`). A step
 * stops at the first bound it meets, so the objective never rises. Steps are spaced to take no more time than SMO.
 */
export class NewtonSteps {
  readonly #memory: WasmMemory;
  readonly #most: number;
  readonly #stride: number;
  readonly #matrix: number;
  readonly #list: number;
  readonly #direction: number;
  readonly #ones: number;
  readonly #image: number;
  #lastIteration = 0;
  /** Work done by SMO for which no Newton step has been made yet. */
  #credit = 0;
  #wait = FIRST_WAIT;

  constructor(
    { matrix, list, direction, ones, image }: Taken<ReturnType<typeof newtonLayout>>,
    rows: number,
    memory: WasmMemory,
  ) {
    this.#memory = memory;
    this.#most = mostFreeRows(rows);
    this.#stride = strideOf(this.#most);
    this.#matrix = matrix.pointer;
    this.#list = list.pointer;
    this.#direction = direction.pointer;
    this.#ones = ones.pointer;
    this.#image = image.pointer;
  }

  /** Takes Newton steps until one is not cut at a bound, within the time that SMO has spent since the last one. */
  *stepIfDue(problem: SmoProblem): Pausable<void> {
    const { size } = problem.source;
    this.#credit += (problem.iterations - this.#lastIteration) * (size + WORK_PER_STEP);
    this.#lastIteration = problem.iterations;
    for (;;) {
      const free = this.#memory.exports.smoFreeRows(problem.pointer, this.#list);
      const work = (WORK_PER_PRODUCT * free ** 3) / 6 + 2 * free * size;
      if (free < 2 || free > this.#most || this.#credit < this.#wait * work) return;
      this.#credit -= work;
      const whole = yield* this.#step(problem, free);
      this.#wait = whole ? 1 : Math.min(2 * this.#wait, LONGEST_WAIT);
      if (whole) return;
    }
  }

  /** Makes a step; returns whether it was whole, and not cut at a bound. */
  *#step(problem: SmoProblem, free: number): Pausable<boolean> {
    yield* this.#factorise(problem, free);
    const { exports } = this.#memory;
    const { size } = problem.source;
    this.#solveDirection(problem, free);
    this.#memory.f64(this.#image, paddedLength(size)).fill(0);
    for (const [begin, end] of workRanges(free, size, WORK_AT_ONCE)) {
      exports.smoNewtonImage(problem.pointer, this.#list, this.#direction, begin, end, this.#image);
      yield;
    }
    return exports.smoNewtonMove(problem.pointer, this.#list, free, this.#direction, this.#image) === 1;
  }

  *#factorise(problem: SmoProblem, free: number): Pausable<void> {
    const { exports } = this.#memory;
    for (const [begin, end] of workRanges(free, free, WORK_AT_ONCE)) {
      exports.smoNewtonMatrix(problem.pointer, this.#list, this.#matrix, this.#stride, begin, end);
      yield;
    }
    const values = this.#memory.f64(this.#matrix, free * this.#stride);
    let largest = 0;
    for (let a = 0; a < free; a++) largest = Math.max(largest, values[a * (this.#stride + 1)]);
    for (const [begin, end] of workRanges(free, (free * free) / 4, WORK_AT_ONCE)) {
      exports.choleskyRows64(this.#matrix, this.#stride, begin, end, largest * RIDGE);
      yield;
    }
  }

  /** Solves p = A⁻¹G − μA⁻¹1 with μ such that Σp = 0. */
  #solveDirection({ gradient: gradientOf, source }: SmoProblem, free: number): void {
    const { exports } = this.#memory;
    const rows = this.#memory.i32(this.#list, free);
    const gradient = this.#memory.f64(gradientOf, source.size);
    const direction = this.#memory.f64(this.#direction, free);
    const ones = this.#memory.f64(this.#ones, free).fill(1);
    // Only differences of G matter; subtracting its mean keeps digits.
    let mean = 0;
    for (const row of rows) mean += gradient[row] / free;
    for (let a = 0; a < free; a++) direction[a] = gradient[rows[a]] - mean;
    exports.choleskySolve64(this.#matrix, this.#stride, free, this.#direction);
    exports.choleskySolve64(this.#matrix, this.#stride, free, this.#ones);
    const multiplier = sum(direction) / sum(ones);
    for (let a = 0; a < free; a++) direction[a] -= multiplier * ones[a];
    const rest = sum(direction) / free;
    for (let a = 0; a < free; a++) direction[a] -= rest;
  }
}

function sum(values: Float64Array): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

function mostFreeRows(rows: number): number {
  return Math.min(rows, Math.max(512, Math.floor(rows / 4)), MOST_FREE_ROWS);
}

/** Makes the stride even, so that rows begin at multiples of 16 bytes, and not a power of two. */
function strideOf(most: number): number {
  return Math.ceil(most / 2) * 2 + 2;
}
