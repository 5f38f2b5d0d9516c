import type { ConvexFunction } from "../runtime/maths/projected-newton.js";
import { Arena, type Slice } from "../runtime/wasm/arena.js";
import { ALIGNMENT } from "../runtime/wasm/heap.js";
import { CALIBRATION_BYTES, type WasmExports } from "../runtime/wasm/wasm-exports.js";
import { wasmMemory } from "../runtime/wasm/wasm-memory.js";

/** Memory of a loss: an arena, and slices of it. */
abstract class WasmLoss {
  protected readonly arena: Arena;

  /** Allocates room for slices of these sizes. */
  constructor(bytes: readonly number[]) {
    this.arena = Arena.allocate(bytes.reduce((sum, own) => sum + own + ALIGNMENT, 0));
  }

  protected get exports(): WasmExports {
    return this.arena.memory.exports;
  }

  /** Frees the memory. */
  release(): void {
    this.arena.release();
  }

  /** Takes a slice with these values, padded with zeros. */
  protected stored(values: Float64Array, length = values.length): Slice<Float64Array> {
    const slice = this.arena.f64(length);
    slice.view.fill(0);
    slice.view.set(values);
    return slice;
  }
}

/** Rows for fitting factors of columns; rows of weight 0 do not count. */
interface TargetedColumns {
  readonly columns: readonly Float64Array[];
  /** Target probability of each row. */
  readonly targets: Float64Array;
  readonly weights: Float64Array;
}

/**
 * Mean log loss of p_i = σ(Σ_j x_j · column_j(i)), Σ_i w_i (ln(1 + e^{l_i}) − t_i l_i) / Σ_i w_i, for temperature,
 * Platt and beta scaling of two classes.
 */
export class BinaryLogLoss extends WasmLoss implements ConvexFunction {
  /** Rounded up to an even number. */
  readonly #rows: number;
  readonly #columns: Slice<Float64Array>;
  readonly #targets: Slice<Float64Array>;
  /** Weights that sum to one. */
  readonly #shares: Slice<Float64Array>;
  readonly #factors: Slice<Float64Array>;
  readonly #gradient: Slice<Float64Array>;
  readonly #hessian: Slice<Float64Array>;
  readonly #scratch: Slice<Float64Array>;

  constructor({ columns, targets, weights }: TargetedColumns) {
    const rows = targets.length + (targets.length % 2);
    const size = columns.length;
    super([8 * size * rows, 8 * rows, 8 * rows, 8 * size, 8 * size, 8 * size * size, 24 * rows]);
    const total = sumOf(weights);
    this.#rows = rows;
    this.#columns = this.arena.f64(size * rows);
    const cells = this.#columns.view.fill(0);
    for (const [j, column] of columns.entries()) cells.set(column, j * rows);
    this.#targets = this.stored(targets, rows);
    this.#shares = this.stored(
      weights.map((weight) => weight / total),
      rows,
    );
    this.#factors = this.arena.f64(size);
    this.#gradient = this.arena.f64(size);
    this.#hessian = this.arena.f64(size * size);
    this.#scratch = this.arena.f64(3 * rows);
  }

  value(at: Float64Array): number {
    return this.exports.eventLoss(...this.#input(at));
  }

  derivatives(at: Float64Array) {
    this.exports.eventDerivatives(
      ...this.#input(at),
      this.#gradient.pointer,
      this.#hessian.pointer,
      this.#scratch.pointer,
    );
    return {
      gradient: this.#gradient.view.slice(),
      hessian: mirrored(this.#hessian.view.slice(), at.length),
    };
  }

  #input(at: Float64Array): [number, number, number, number, number, number] {
    this.#factors.view.set(at);
    const { pointer } = this.#columns;
    const [targets, shares] = [this.#targets.pointer, this.#shares.pointer];
    return [pointer, at.length, this.#rows, targets, shares, this.#factors.pointer];
  }
}

/** Labelled rows of scores of several classes; rows of weight 0 do not count. */
export interface LabelledScores {
  readonly classes: number;
  /** Row by row. */
  readonly logScores: Float64Array;
  readonly labels: Int32Array;
  readonly weights: Float64Array;
  /** Target probability of each class other than the row's own, by the class of the row. */
  readonly others: Float64Array;
}

/** Log loss of softmax(a_k · s_k + b_k). Keeps the probabilities at the last point for the derivatives there. */
abstract class SoftmaxLogLoss extends WasmLoss {
  #at: Float64Array | undefined;
  #loss = 0;
  protected readonly classes: number;
  protected readonly total: number;
  protected readonly problem: number;
  protected readonly slopes: Slice<Float64Array>;
  protected readonly intercepts: Slice<Float64Array>;

  constructor({ classes, logScores, labels, weights, others }: LabelledScores, results: readonly number[]) {
    const inputs = [8 * logScores.length, 4 * labels.length, 8 * labels.length, 8 * classes];
    super([...inputs, 8 * logScores.length, 8 * classes, 8 * classes, ALIGNMENT, ...results]);
    const own = this.arena.i32(labels.length);
    own.view.set(labels);
    this.classes = classes;
    this.total = sumOf(weights);
    this.slopes = this.arena.f64(classes);
    this.intercepts = this.arena.f64(classes);
    this.problem = this.arena.u8(CALIBRATION_BYTES).pointer;
    this.exports.calibrationRows(
      this.problem,
      labels.length,
      classes,
      this.stored(logScores).pointer,
      own.pointer,
      this.stored(weights).pointer,
      this.stored(others).pointer,
      this.arena.f64(logScores.length).pointer,
    );
  }

  /** Sets slopes and intercepts. */
  protected abstract moveTo(at: Float64Array): void;

  /** Computes the sum of the weighted losses, unless it is cached for this point. */
  protected loss(at: Float64Array): number {
    if (this.#at === at) return this.#loss;
    this.moveTo(at);
    this.#at = at;
    this.#loss = this.exports.calibrationLoss(this.problem, this.slopes.pointer, this.intercepts.pointer);
    return this.#loss;
  }
}

/** Mean log loss of softmax(x · s) of several classes, for temperature scaling with x = 1/T. */
export class TemperatureLogLoss extends SoftmaxLogLoss implements ConvexFunction {
  readonly #derivatives: Slice<Float64Array>;

  constructor(rows: LabelledScores) {
    super(rows, [16]);
    this.intercepts.view.fill(0);
    this.#derivatives = this.arena.f64(2);
  }

  value(at: Float64Array): number {
    return this.loss(at) / this.total;
  }

  derivatives(at: Float64Array) {
    this.loss(at);
    this.exports.temperatureDerivatives(this.problem, this.#derivatives.pointer);
    const [slope, curvature] = this.#derivatives.view;
    return {
      gradient: Float64Array.of(slope / this.total),
      hessian: Float64Array.of(curvature / this.total),
    };
  }

  protected moveTo([x]: Float64Array): void {
    this.slopes.view.fill(x);
  }
}

/**
 * Mean log loss of softmax(a_k · s_k + b_k) with variables a, then b (vector scaling), plus a penalty of ½ Σ_k ((a_k −
 * 1)² + b_k²), which counts as much as one row.
 */
export class VectorLogLoss extends SoftmaxLogLoss implements ConvexFunction {
  /** Number of classes, rounded up to an even number. */
  readonly #even: number;
  readonly #gradient: Slice<Float64Array>;
  readonly #diagonals: Slice<Float64Array>;
  readonly #products: Slice<Float64Array>;
  readonly #scratch: Slice<Uint8Array>;

  constructor(rows: LabelledScores) {
    const even = rows.classes + (rows.classes % 2);
    const scratch = wasmMemory().exports.vectorScratchBytes(rows.classes);
    super(rows, [16 * even, 24 * even, 32 * even * even, scratch]);
    this.#even = even;
    this.#gradient = this.arena.f64(2 * even);
    this.#diagonals = this.arena.f64(3 * even);
    this.#products = this.arena.f64(4 * even * even);
    this.#scratch = this.arena.u8(scratch);
  }

  value(at: Float64Array): number {
    const { classes } = this;
    let penalty = 0;
    for (let k = 0; k < classes; k++) penalty += ((at[k] - 1) ** 2 + at[classes + k] ** 2) / 2;
    return (penalty + this.loss(at)) / this.total;
  }

  derivatives(at: Float64Array) {
    this.loss(at);
    for (const sums of [this.#gradient, this.#diagonals, this.#products]) sums.view.fill(0);
    this.exports.vectorDerivatives(
      this.problem,
      this.#gradient.pointer,
      this.#diagonals.pointer,
      this.#products.pointer,
      this.#scratch.pointer,
    );
    return { gradient: this.#gradientAt(at), hessian: this.#hessian() };
  }

  protected moveTo(at: Float64Array): void {
    this.slopes.view.set(at.subarray(0, this.classes));
    this.intercepts.view.set(at.subarray(this.classes));
  }

  #gradientAt(at: Float64Array): Float64Array {
    const { classes, total } = this;
    const sums = this.#gradient.view;
    return at.map((x, j) => {
      const [penalty, place] = j < classes ? [x - 1, j] : [x, j - classes + this.#even];
      return (penalty + sums[place]) / total;
    });
  }

  #hessian(): Float64Array {
    const { classes, total } = this;
    const even = this.#even;
    const size = 2 * classes;
    const hessian = new Float64Array(size * size);
    const products = this.#products.view;
    const diagonals = this.#diagonals.view;
    for (let j = 0; j < size; j++) {
      const row = 2 * even * (j < classes ? j : j - classes + even);
      for (let k = 0; k <= j; k++) {
        hessian[j * size + k] = -products[row + (k < classes ? k : k - classes + even)] / total;
      }
    }
    for (let k = 0; k < classes; k++) {
      const other = classes + k;
      hessian[k * size + k] += (1 + diagonals[k]) / total;
      hessian[other * size + k] += diagonals[even + k] / total;
      hessian[other * size + other] += (1 + diagonals[2 * even + k]) / total;
    }
    return mirrored(hessian, size);
  }
}

/** Copies the lower triangle to the upper one. */
function mirrored(matrix: Float64Array, size: number): Float64Array {
  for (let i = 0; i < size; i++) for (let j = 0; j < i; j++) matrix[j * size + i] = matrix[i * size + j];
  return matrix;
}

function sumOf(values: Float64Array): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}
