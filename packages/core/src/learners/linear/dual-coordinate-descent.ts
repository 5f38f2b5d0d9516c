import { Random } from "../../runtime/maths/random.js";
import { type Pausable, runWithCheckpoints } from "../../runtime/parallel/pausable.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { Arena, bytes, bytesOf, f64, i32, type Taken } from "../../runtime/wasm/arena.js";
import { LINEAR_BYTES, LINEAR_ENTRY_BYTES } from "../../runtime/wasm/wasm-exports.js";
import type { WasmMemory } from "../../runtime/wasm/wasm-memory.js";
import type { LinearRowsFields } from "./linear-rows.js";

export const losses = ["squared-hinge", "hinge"] as const;

/** Cost of a row with y·f(x) < 1: C(1 − y·f(x))² (squared-hinge) or C(1 − y·f(x)) (hinge). */
export type LinearLoss = (typeof losses)[number];

/**
 * A linear machine f(x) = w·x + b between two classes, on some rows of a sample:
 *
 *     minimise ½‖w‖² + ½v² + Σ Cᵢ · loss(yᵢf(xᵢ))   with b = bias · v,
 *
 * so b comes from the weight of an appended feature of value `bias`, as with LIBLINEAR's −B, and is regularised too.
 */
export interface LinearProblem {
  readonly rows: LinearRowsFields;
  /** The rows to train on; a row may be taken more than once. */
  readonly taken: Int32Array;
  /** yᵢ = ±1 of each row taken. */
  readonly labels: Int8Array;
  /** Cᵢ ≥ 0 of each row taken; a row with Cᵢ = 0 has no effect. */
  readonly upperBounds: Float64Array;
  readonly loss: LinearLoss;
  /** ≥ 0; usually 1. With 0 there is no intercept. */
  readonly bias: number;
}

/** Stopping rules of the solver, and the seed of the order of its visits. */
interface LinearSolverOptions {
  /** The largest difference of projected gradients, as LIBLINEAR's −e; usually 0.1. */
  readonly tolerance: number;
  readonly maxPasses: number;
  readonly seed: number;
}

/** The solution: f(x) = weights·x + bias. */
export interface LinearSolution {
  readonly weights: Float64Array;
  readonly bias: number;
  /** yᵢαᵢ of each row taken: w = Σ yᵢαᵢxᵢ. */
  readonly coefficients: Float64Array;
  /** f(xᵢ) of each row taken. */
  readonly decisionValues: Float64Array;
  readonly objective: number;
  /** A lower bound of the primal objective, and equal to it at the solution. */
  readonly dualObjective: number;
  /** ‖w‖² + v², the squared norm that is minimised. */
  readonly squaredNorm: number;
  /** The remaining largest difference of projected gradients. */
  readonly violation: number;
  readonly passes: number;
  /** Whether the violation fell below the tolerance before the passes ran out. */
  readonly converged: boolean;
}

/** Where the solver works, and how it is interrupted. */
interface LinearSolverSetting {
  /**
   * Scratch of `linearSolverBytes` bytes in the memory of the rows; it is reset first. By default the solver allocates it,
   * which only the thread that owns the memory of the rows can.
   */
  readonly arena?: Arena;
  /** Called with the passes made, and awaited, at least every 50 ms. */
  readonly checkpoint?: (passes: number) => Promise<void> | undefined;
}

/** The solver pauses after about this many multiplications: a few milliseconds. */
const WORK_AT_ONCE = 2 ** 22;

/**
 * Solves the problem by dual coordinate descent with shrinking.
 *
 * On a worker thread: the sender copies the rows to WebAssembly memory (`loadLinearRows`), allocates scratch for every thread
 * (`ArenaPool.allocate(executor.threads, linearSolverBytes(rows, mostTaken), rows.memory)`) and puts both into the input of the
 * task, which solves on them without copying anything:
 *
 * ```ts
 * new ArenaPool(input.scratch).with((arena) =>
 *   solveLinearSvm(
 *     { rows: input.rows, taken, labels, upperBounds, loss: "hinge", bias: 1 },
 *     { tolerance: 0.1, maxPasses: 1000, seed },
 *     { arena, checkpoint: () => context.checkpoint() },
 *   ));
 * ```
 *
 * Where memory is not shared (`rows.memory.shared` is false) the tasks have to run on the inline executor.
 */
export async function solveLinearSvm(
  problem: LinearProblem,
  options: LinearSolverOptions,
  { arena, checkpoint = () => undefined }: LinearSolverSetting = {},
): Promise<LinearSolution> {
  checkProblem(problem, options);
  const scratch = arena ?? scratchFor(problem);
  try {
    return await runWithCheckpoints(minimise(problem, options, scratch), checkpoint);
  } finally {
    if (!arena) scratch.release();
  }
}

/** Lays out the solver for this many rows. */
function solverLayout({ columns }: Pick<LinearRowsFields, "columns">, taken: number) {
  return {
    state: bytes(LINEAR_BYTES),
    entries: bytes(LINEAR_ENTRY_BYTES * taken),
    order: i32(taken),
    /** The numbers of the rows; later, room for those that are set aside. */
    list: i32(taken),
    labels: bytes(taken),
    /** C of each row, later f(x). */
    numbers: f64(taken),
    alphas: f64(taken),
    weights: f64(columns),
  };
}

/** Returns the bytes of the arena that the solver needs for this many rows. */
export function linearSolverBytes(rows: Pick<LinearRowsFields, "columns">, taken: number): number {
  return bytesOf(solverLayout(rows, taken));
}

function scratchFor({ rows, taken }: LinearProblem): Arena {
  return Arena.allocate(linearSolverBytes(rows, taken.length), rows.memory);
}

function checkProblem(
  { rows, taken, labels, upperBounds, bias }: LinearProblem,
  { tolerance, maxPasses }: LinearSolverOptions,
): void {
  if (labels.length !== taken.length || upperBounds.length !== taken.length) {
    throw new RangeError(
      `${taken.length} rows have ${labels.length} labels and ${upperBounds.length} bounds.`,
    );
  }
  if (!(tolerance > 0)) {
    throw new VouchError("option/invalid", `The tolerance must be positive, not ${tolerance}.`);
  }
  if (!(Number.isInteger(maxPasses) && maxPasses >= 1 && maxPasses < 2 ** 31)) {
    throw new VouchError(
      "option/invalid",
      `The maximum number of passes must be a whole number ≥ 1, not ${maxPasses}.`,
    );
  }
  if (!(bias >= 0 && bias < 1e150)) {
    throw new VouchError("option/invalid", `The bias feature must be a number from 0, not ${bias}.`);
  }
  for (let i = 0; i < taken.length; i++) {
    if (!(taken[i] >= 0 && taken[i] < rows.rows)) throw new RangeError(`There is no row ${taken[i]}.`);
    if (labels[i] !== 1 && labels[i] !== -1) throw new RangeError(`A label is ${labels[i]}, not 1 or −1.`);
    if (!(upperBounds[i] >= 0 && upperBounds[i] < Number.POSITIVE_INFINITY)) {
      throw new VouchError("option/invalid", `C must be a number from 0, not ${upperBounds[i]}.`);
    }
  }
}

type Room = Taken<ReturnType<typeof solverLayout>>;

/** Yields the number of passes every few milliseconds. The hot loops are in `wasm/linear.ts`. */
function* minimise(
  problem: LinearProblem,
  options: LinearSolverOptions,
  arena: Arena,
): Pausable<LinearSolution, number> {
  const { rows, taken } = problem;
  const { exports } = arena.memory;
  arena.reset();
  const room = arena.take(solverLayout(rows, taken.length));
  const state = room.state.pointer;
  prepare(problem, room, arena.memory);
  const rowsAtOnce = Math.max(1, Math.floor((WORK_AT_ONCE * rows.rows) / Math.max(rows.rows, rows.entries)));
  for (let begin = 0; begin < taken.length; begin += rowsAtOnce) {
    const end = Math.min(taken.length, begin + rowsAtOnce);
    exports.linearTake(state, room.list.pointer, room.labels.pointer, room.numbers.pointer, begin, end);
    yield 0;
  }
  const status = yield* descend(options, state, arena.memory);
  for (let begin = 0; begin < taken.length; begin += rowsAtOnce) {
    const end = Math.min(taken.length, begin + rowsAtOnce);
    exports.linearOutcome(state, begin, end, room.alphas.pointer, room.numbers.pointer);
    yield exports.linearPasses(state);
  }
  return solutionOf(problem, room, arena.memory, { reached: status === 1, tolerance: options.tolerance });
}

function prepare(
  { rows, taken, labels, upperBounds, loss, bias }: LinearProblem,
  room: Room,
  { exports }: WasmMemory,
): void {
  room.list.view.set(taken);
  room.labels.view.set(labels);
  room.numbers.view.set(upperBounds);
  const state = room.state.pointer;
  exports.linearRows(state, rows.pointer, rows.starts, rows.columns, rows.wide);
  const { entries, order, list, weights } = room;
  exports.linearLayOut(
    state,
    loss === "squared-hinge",
    bias,
    entries.pointer,
    order.pointer,
    list.pointer,
    weights.pointer,
  );
}

/** Passes over the rows until the solution is good enough (returns 1) or the passes run out (2). */
function* descend(
  { tolerance, maxPasses, seed }: LinearSolverOptions,
  state: number,
  { exports }: WasmMemory,
): Pausable<number, number> {
  const random = new Random(seed);
  const generator = [random.bits(), random.bits(), random.bits(), random.bits()] as const;
  exports.linearStart(state, tolerance, maxPasses, ...generator);
  for (;;) {
    const status = exports.linearRun(state, WORK_AT_ONCE);
    if (status !== 0) return status;
    yield exports.linearPasses(state);
  }
}

function solutionOf(
  problem: LinearProblem,
  { state: { pointer: state }, numbers, alphas, weights }: Room,
  { exports }: WasmMemory,
  { reached, tolerance }: { readonly reached: boolean; readonly tolerance: number },
): LinearSolution {
  const { labels } = problem;
  const solved = weights.view.slice();
  const biasWeight = exports.linearBiasWeight(state);
  const alpha = alphas.view.slice();
  const decisionValues = numbers.view.slice();
  const squaredNorm = solved.reduce((sum, weight) => sum + weight * weight, biasWeight * biasWeight);
  // If the passes run out, the last one may not have visited all rows.
  const violation = reached ? exports.linearViolation(state) : violationOf(problem, alpha, decisionValues);
  return {
    weights: solved,
    bias: problem.bias * biasWeight,
    coefficients: alpha.map((value, i) => labels[i] * value),
    decisionValues,
    ...objectives(problem, alpha, decisionValues, squaredNorm),
    squaredNorm,
    violation,
    passes: exports.linearPasses(state),
    converged: violation <= tolerance,
  };
}

/** Computes the distance of the largest and the smallest projected gradient, 0 included. */
function violationOf(
  { labels, upperBounds, loss }: LinearProblem,
  alpha: Float64Array,
  decisionValues: Float64Array,
): number {
  const squared = loss === "squared-hinge";
  let highest = 0;
  let lowest = 0;
  for (let i = 0; i < labels.length; i++) {
    if (upperBounds[i] === 0) continue;
    const ridge = squared ? alpha[i] / (2 * upperBounds[i]) : 0;
    const gradient = labels[i] * decisionValues[i] - 1 + ridge;
    if (alpha[i] > 0 && gradient > highest) highest = gradient;
    if ((squared || alpha[i] < upperBounds[i]) && gradient < lowest) lowest = gradient;
  }
  return highest - lowest;
}

/** Computes ½‖w‖² + Σ C·loss, and its dual: Σα − ½‖w‖² for hinge, Σα − ½‖w‖² − Σα²/(4C) for squared hinge loss. */
function objectives(
  { labels, upperBounds, loss }: LinearProblem,
  alpha: Float64Array,
  decisionValues: Float64Array,
  squaredNorm: number,
): { objective: number; dualObjective: number } {
  const squared = loss === "squared-hinge";
  let costs = 0;
  let gains = 0;
  for (let i = 0; i < labels.length; i++) {
    const lack = Math.max(0, 1 - labels[i] * decisionValues[i]);
    costs += upperBounds[i] * (squared ? lack * lack : lack);
    if (alpha[i] > 0) gains += alpha[i] - (squared ? (alpha[i] * alpha[i]) / (4 * upperBounds[i]) : 0);
  }
  return { objective: squaredNorm / 2 + costs, dualObjective: gains - squaredNorm / 2 };
}
