import { type Pausable, runNow, runWithCheckpoints } from "../../runtime/parallel/pausable.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { Arena, bytes, bytesOf, f64, i32 } from "../../runtime/wasm/arena.js";
import { type WasmMemory, wasmMemory } from "../../runtime/wasm/wasm-memory.js";
import { KernelOnDemand, type KernelRows } from "../kernel/kernel-rows.js";
import {
  type KernelStore,
  MatrixStore,
  matrixStoreLayout,
  type RowsSetting,
  rowsSetting,
  SHRINKS_TO,
  SmoProblem,
  smoLayout,
  solutionOf,
} from "./kernel-store.js";
import { NewtonSteps, newtonLayout } from "./newton-step.js";
import { RowCacheStore, rowCacheLayout } from "./smo-row-cache.js";

/**
 * The dual of a support vector machine on some rows of a sample:
 * minimise ½αᵀQα − Σα with 0 ≤ αᵢ ≤ Cᵢ and Σ yᵢαᵢ = 0, where Qᵢⱼ = yᵢyⱼK(xᵢ, xⱼ).
 */
export interface SvmProblem {
  readonly kernel: KernelRows;
  /** The rows of the kernel to train on, each at most once. */
  readonly rows: Int32Array;
  /** yᵢ = ±1 of each row. */
  readonly labels: Int8Array;
  /** Cᵢ ≥ 0 of each row; a row with Cᵢ = 0 has no effect. */
  readonly upperBounds: Float64Array;
}

/** Stopping rules of the solver. */
export interface SvmSolverOptions {
  /** The largest violation of the Karush–Kuhn–Tucker conditions, as LIBSVM's −e; usually 0.001. */
  readonly tolerance: number;
  readonly maxIterations: number;
}

/** The solution: f(x) = Σ coefficientᵢ · K(xᵢ, x) + bias. */
export interface SvmSolution {
  /** yᵢαᵢ of each row. */
  readonly coefficients: Float64Array;
  readonly bias: number;
  /** 1 for each row of the compression set (`solutionOf`): training on these rows alone gives the same w and bias. */
  readonly kept: Uint8Array;
  /** f(xᵢ) of each row. */
  readonly decisionValues: Float64Array;
  /** ½αᵀQα − Σα */
  readonly objective: number;
  /** The largest remaining violation of the conditions, m(α) − M(α); 0 at the exact solution. */
  readonly gap: number;
  /** Primal minus dual objective: an upper bound on the distance of the primal objective from its minimum. */
  readonly dualityGap: number;
  /** ‖w‖² = αᵀQα */
  readonly squaredNorm: number;
  readonly iterations: number;
  /** Whether the gap fell below the tolerance before the iterations ran out. */
  readonly converged: boolean;
}

/** The solver yields after reading about this many kernel values: a few milliseconds. */
const WORK_AT_ONCE = 2 ** 22;

/** Shrinking is tried after as many steps as a fifth of the rows, but at least and at most so many: it reads all rows. */
const FEWEST_STEPS_TO_SHRINKING = 200;
const MOST_STEPS_TO_SHRINKING = 1000;

/** Rows taken over from a smaller problem at a time. */
const ROWS_AT_ONCE = 64;

/** Keeps the true gap below the tolerance although the extremes of the gradient are found in single precision. */
const ROUNDING = 1 - 1e-6;

/** Where the solver works, and how it is interrupted. */
interface SvmSolverSetting {
  /** Scratch of `solverBytes` bytes, best in the memory of the kernel; it is reset first. By default the solver allocates it. */
  readonly arena?: Arena;
  /** Called, and awaited, at least every 50 ms. Without it, the solver does not pause. */
  readonly checkpoint?: () => Promise<void> | undefined;
}

/** Solves the problem by SMO with shrinking. */
export async function solveSvm(
  problem: SvmProblem,
  options: SvmSolverOptions,
  { arena, checkpoint }: SvmSolverSetting = {},
): Promise<SvmSolution> {
  checkProblem(problem, options);
  const ordered = inKernelOrder(problem);
  const scratch = arena ?? scratchFor(ordered.problem);
  try {
    await checkpoint?.();
    scratch.reset();
    const work = minimise(ordered, options, scratch);
    return checkpoint ? await runWithCheckpoints(work, checkpoint) : runNow(work);
  } finally {
    if (!arena) scratch.release();
  }
}

/** A thread cannot allocate in the memory of another one: it solves in its own, on a copy of the rows. */
function scratchFor({ kernel, rows }: SvmProblem): Arena {
  const memory = wasmMemory();
  return Arena.allocate(bytesFor(kernel, rows.length, rowsSetting(kernel, rows, memory)), memory);
}

/** Returns the bytes of the arena that solvers need for this many rows of a kernel matrix, or of the given kernel. */
export function solverBytes(rows: number, kernel?: KernelRows): number {
  return bytesFor(kernel, rows, { copied: true, foreign: false });
}

/** Returns the bytes of the arena that any of several problems needs in the memory of the kernel. */
export function largestSolverBytes(
  kernel: KernelRows,
  problems: readonly Pick<SvmProblem, "rows">[],
): number {
  return problems.reduce((most, { rows }) => {
    const setting = rowsSetting(kernel, rows, kernel.memory);
    return Math.max(most, bytesFor(kernel, rows.length, setting));
  }, 0);
}

function checkProblem(
  { kernel, rows, labels, upperBounds }: SvmProblem,
  { tolerance }: SvmSolverOptions,
): void {
  if (labels.length !== rows.length || upperBounds.length !== rows.length) {
    throw new RangeError(
      `${rows.length} rows have ${labels.length} labels and ${upperBounds.length} bounds.`,
    );
  }
  if (!(tolerance > 0))
    throw new VouchError("option/invalid", `The tolerance must be positive, not ${tolerance}.`);
  for (let i = 0; i < rows.length; i++) {
    if (!(rows[i] >= 0 && rows[i] < kernel.rows)) throw new RangeError(`The kernel has no row ${rows[i]}.`);
    if (labels[i] !== 1 && labels[i] !== -1) throw new RangeError(`A label is ${labels[i]}, not 1 or −1.`);
    if (!(upperBounds[i] >= 0 && upperBounds[i] < Infinity)) {
      throw new VouchError("option/invalid", `C must be a number from 0, not ${upperBounds[i]}.`);
    }
  }
}

/** A problem with its rows in the order of the kernel, and the index there of each given row; absent if the same. */
interface OrderedProblem {
  readonly problem: SvmProblem;
  readonly indices?: Int32Array;
}

/** Sorts the rows, so that the kernel is read in order and in source, and the solution does not depend on their order. */
function inKernelOrder(problem: SvmProblem): OrderedProblem {
  const { kernel, rows, labels, upperBounds } = problem;
  if (isAscending(rows)) return { problem };
  const order = ascendingOrder(rows);
  const ordered = {
    kernel,
    rows: new Int32Array(rows.length),
    labels: new Int8Array(rows.length),
    upperBounds: new Float64Array(rows.length),
  };
  const indices = new Int32Array(rows.length);
  for (let index = 0; index < order.length; index++) {
    const i = order[index];
    indices[i] = index;
    ordered.rows[index] = rows[i];
    ordered.labels[index] = labels[i];
    ordered.upperBounds[index] = upperBounds[i];
  }
  if (!isAscending(ordered.rows)) throw new RangeError("A row is taken more than once.");
  return { problem: ordered, indices };
}

function isAscending(rows: Int32Array): boolean {
  return runEnd(rows, 0) === rows.length;
}

/** Returns the end of the ascending run of rows that begins at `begin`. */
function runEnd(rows: Int32Array, begin: number): number {
  let end = begin + 1;
  while (end < rows.length && rows[end - 1] < rows[end]) end++;
  return Math.min(end, rows.length);
}

/** Sorts the indices of rows by row. Two ascending runs, as of two classes, are merged. */
function ascendingOrder(rows: Int32Array): Int32Array {
  const middle = runEnd(rows, 0);
  if (runEnd(rows, middle) < rows.length) {
    return Int32Array.from(rows.keys()).sort((a, b) => rows[a] - rows[b]);
  }
  const order = new Int32Array(rows.length);
  for (let index = 0, a = 0, b = middle; index < order.length; index++) {
    order[index] = b === rows.length || (a < middle && rows[a] < rows[b]) ? a++ : b++;
  }
  return order;
}

/** Lays out a solver for this many rows, without their kernel values. */
function solverLayout(rows: number) {
  return {
    full: smoLayout(rows),
    active: smoLayout(rows),
    newton: newtonLayout(rows),
    savedBeta: f64(rows),
    bounds: f64(rows),
    list: i32(rows),
    labels: bytes(rows),
  };
}

/** Returns the bytes of a solver with its kernel values; without a kernel, they are in a matrix. */
function bytesFor(kernel: KernelRows | undefined, rows: number, setting: RowsSetting): number {
  const isOnDemand = kernel instanceof KernelOnDemand;
  const values = isOnDemand ? rowCacheLayout(kernel, rows, setting) : matrixStoreLayout(rows, setting);
  return bytesOf([values, solverLayout(rows)]);
}

function* minimise(
  { problem, indices }: OrderedProblem,
  options: SvmSolverOptions,
  arena: Arena,
): Pausable<SvmSolution> {
  const solver = new Solver(problem, options, arena);
  yield* solver.run();
  const solution = solver.solution();
  if (!indices) return solution;
  const coefficients = new Float64Array(indices.length);
  const kept = new Uint8Array(indices.length);
  const decisionValues = new Float64Array(indices.length);
  for (let i = 0; i < indices.length; i++) {
    coefficients[i] = solution.coefficients[indices[i]];
    kept[i] = solution.kept[indices[i]];
    decisionValues[i] = solution.decisionValues[indices[i]];
  }
  return { ...solution, coefficients, kept, decisionValues };
}

/** SMO with shrinking. The hot loops are in `wasm/smo.ts`. */
class Solver {
  readonly #problem: SvmProblem;
  readonly #options: SvmSolverOptions;
  readonly #memory: WasmMemory;
  readonly #store: KernelStore;
  /** The problem on all rows, and on those that are still active. */
  readonly #full: SmoProblem;
  readonly #active: SmoProblem;
  readonly #newton: NewtonSteps;
  /** β of all rows, as smaller problems leave them. */
  readonly #savedBeta: number;
  readonly #list: number;
  readonly #bounds: number;
  readonly #labels: number;

  constructor(problem: SvmProblem, options: SvmSolverOptions, arena: Arena) {
    this.#problem = problem;
    this.#options = options;
    const { memory } = arena;
    this.#memory = memory;
    const { kernel, rows } = problem;
    const size = rows.length;
    const setting = rowsSetting(kernel, rows, memory);
    this.#store =
      kernel instanceof KernelOnDemand
        ? new RowCacheStore(kernel, rows, arena.take(rowCacheLayout(kernel, size, setting)), memory)
        : new MatrixStore(kernel, rows, arena.take(matrixStoreLayout(size, setting)), memory);
    const { full, active, newton, savedBeta, bounds, list, labels } = arena.take(solverLayout(size));
    this.#full = new SmoProblem(full, size, memory);
    this.#active = new SmoProblem(active, size, memory);
    this.#newton = new NewtonSteps(newton, size, memory);
    this.#savedBeta = savedBeta.pointer;
    this.#bounds = bounds.pointer;
    this.#list = list.pointer;
    this.#labels = labels.pointer;
  }

  *run(): Pausable<void> {
    const { exports } = this.#memory;
    const { maxIterations } = this.#options;
    yield* this.#begin();
    let current = this.#full;
    for (;;) {
      const unfinished = yield* this.#iterate(current);
      const exhausted = current.iterations >= maxIterations;
      if (exhausted || !unfinished) {
        if (current === this.#full) return;
        yield* this.#restore();
        current = this.#full;
        if (exhausted) return;
        continue;
      }
      yield* this.#newton.stepIfDue(current);
      const active = exports.smoActiveRows(current.pointer, this.#list);
      if (!this.#paysToShrink(current, active)) continue;
      yield* this.#shrink(current, active);
      current = this.#active;
    }
  }

  /**
   * Tells whether copying the active rows costs no more than shorter steps save, if as many steps follow as have been made.
   */
  #paysToShrink({ source, iterations }: SmoProblem, active: number): boolean {
    const { size } = source;
    if (active === 0 || active > SHRINKS_TO * this.#full.source.size) return false;
    return active < size && this.#store.copyWork(active) <= (size - active) * iterations;
  }

  solution(): SvmSolution {
    const { labels, upperBounds } = this.#problem;
    const { beta: betaOf, gradient: gradientOf, iterations } = this.#full;
    const beta = this.#memory.f64(betaOf, labels.length).slice();
    const gradient = this.#memory.f64(gradientOf, labels.length).slice();
    return solutionOf(labels, upperBounds, beta, gradient, iterations, this.#options.tolerance);
  }

  *#begin(): Pausable<void> {
    const { labels, upperBounds } = this.#problem;
    this.#memory.u8(this.#labels, labels.length).set(labels);
    this.#memory.f64(this.#bounds, labels.length).set(upperBounds);
    this.#full.source = yield* this.#store.begin();
    const tolerance = this.#options.tolerance * ROUNDING;
    this.#memory.exports.smoStart(this.#full.pointer, this.#labels, this.#bounds, tolerance);
  }

  /** Iterates until shrinking is due; returns false if the problem is solved. */
  *#iterate(current: SmoProblem): Pausable<boolean> {
    const { source, pointer } = current;
    const left = this.#options.maxIterations - current.iterations;
    const end = current.iterations + Math.min(left, stepsToShrinking(source.size));
    const atOnce = Math.max(1, Math.floor(WORK_AT_ONCE / (this.#store.workPerStep(source) + 1)));
    while (current.iterations < end) {
      const status = this.#memory.exports.smoIterate(pointer, Math.min(atOnce, end - current.iterations));
      if (status !== 0) return false;
      yield;
    }
    return true;
  }

  /** Moves the listed rows to the smaller problem. */
  *#shrink(current: SmoProblem, active: number): Pausable<void> {
    const { exports } = this.#memory;
    exports.smoSaveBeta(current.pointer, this.#savedBeta);
    const source = yield* this.#store.shrink(this.#list, active);
    this.#active.source = source;
    exports.smoCompactVectors(current.pointer, this.#list, this.#active.pointer);
  }

  /** Updates the whole problem with the solution of the smaller one. */
  *#restore(): Pausable<void> {
    const { exports } = this.#memory;
    exports.smoSaveBeta(this.#active.pointer, this.#savedBeta);
    const { iterations } = this.#active;
    const full = this.#full.pointer;
    this.#full.source = this.#store.restore();
    const changed = exports.smoChangedRows(full, this.#savedBeta, this.#list);
    for (let begin = 0; begin < changed; begin += ROWS_AT_ONCE) {
      exports.smoApplyChanges(
        full,
        this.#savedBeta,
        this.#list,
        begin,
        Math.min(begin + ROWS_AT_ONCE, changed),
      );
      yield;
    }
    exports.smoResume(full, iterations);
  }
}

/** Returns the number of steps after which shrinking is tried; no more than there are rows. */
function stepsToShrinking(rows: number): number {
  const fifth = Math.max(FEWEST_STEPS_TO_SHRINKING, Math.floor(rows / 5));
  return Math.max(1, Math.min(rows, fifth, MOST_STEPS_TO_SHRINKING));
}
