import { Arena } from "../../runtime/arena.js";
import { alignUp } from "../../runtime/heap.js";
import { checkpoint } from "../../runtime/run.js";
import type { LogisticLoss } from "./logistic-loss.js";

/** An approximation of the inverse of the Hessian plus the penalty, on the weights that are free to move. */
export interface Preconditioner {
  /** Adapts it to the last evaluated weights; `free` marks the weights that may move. */
  refresh(free: Uint8Array): Promise<void>;
  /** Writes the approximate solution of H x = r; 0 where weights are not free. */
  apply(r: Float64Array, x: Float64Array): void;
  release(): void;
}

/** How the preconditioner is used. */
interface PreconditionerUse {
  /** Strength of the L2 penalty of all weights but the intercepts. */
  readonly l2: number;
  /** Whether weights may be fixed at 0, other ones for each output. */
  readonly selects: boolean;
  readonly signal?: AbortSignal;
}

/** Most features of a Gram matrix, whose factorisation takes time cubic in them. */
const MOST_FEATURES = 2048;

/** With so few features a Gram matrix is cheap in any case. */
const FEW_FEATURES = 64;

/** Largest work for a Gram matrix, in products with the Hessian: beyond that, rows are subsampled. */
const MOST_PRODUCTS = 48;

/** Fraction of the largest diagonal element that is added to the diagonal: dependent features make the matrix singular. */
const RIDGE = 1e-12;

/** Multiplications of a factorisation between two checkpoints. */
const WORK_AT_ONCE = 2 ** 23;

/** Chooses the Gram preconditioner where it costs less than the products that it saves. */
export function preconditionerFor(loss: LogisticLoss, use: PreconditionerUse): Preconditioner {
  const size = loss.features + 1;
  // A product reads every entry for each output; the preconditioner reads the factor for each output.
  const applies = size <= FEW_FEATURES || (size <= MOST_FEATURES && size * size <= loss.entries);
  const factors = use.selects ? Math.max(1, Math.min(loss.classes, loss.outputs)) : 1;
  const factorises = (factors * size ** 3) / 3 <= MOST_PRODUCTS * loss.work || size <= FEW_FEATURES;
  return applies && factorises
    ? new GramPreconditioner(loss, use, factors)
    : new DiagonalPreconditioner(loss, use);
}

/** Divides by the diagonal of the Hessian. */
class DiagonalPreconditioner implements Preconditioner {
  readonly #loss: LogisticLoss;
  readonly #l2: number;
  readonly #inverse: Float64Array;

  constructor(loss: LogisticLoss, { l2 }: PreconditionerUse) {
    this.#loss = loss;
    this.#l2 = l2;
    this.#inverse = new Float64Array(loss.size);
  }

  async refresh(free: Uint8Array): Promise<void> {
    const { size, outputs } = this.#loss;
    const diagonal = this.#inverse;
    await this.#loss.diagonal(diagonal);
    let largest = 0;
    for (let j = 0; j < size; j++) largest = Math.max(largest, diagonal[j]);
    for (let j = 0; j < size; j++) {
      const value = diagonal[j] + (j < size - outputs ? this.#l2 : 0);
      diagonal[j] = free[j] === 0 || value === 0 ? 0 : 1 / (value + RIDGE * largest);
    }
  }

  apply(r: Float64Array, x: Float64Array): void {
    const inverse = this.#inverse;
    for (let j = 0; j < x.length; j++) x[j] = inverse[j] * r[j];
  }

  release(): void {}
}

/**
 * Solves with the Cholesky factor of G + λI for every output, where G = Σ hᵢ xᵢxᵢᵀ. For two classes this is the Hessian
 * itself, so that one step of conjugate gradients makes a Newton step; for more it captures how features are correlated.
 */
class GramPreconditioner implements Preconditioner {
  readonly #loss: LogisticLoss;
  readonly #use: PreconditionerUse;
  readonly #step: number;
  readonly #stride: number;
  readonly #arena: Arena;
  readonly #vector: number;
  /** A factor for all outputs, or one for each if weights are selected. */
  readonly #factors: { readonly pointer: number; features: Int32Array }[];

  constructor(loss: LogisticLoss, use: PreconditionerUse, factors: number) {
    const size = loss.features + 1;
    this.#loss = loss;
    this.#use = use;
    this.#step = Math.max(1, Math.floor(loss.gramWork / (MOST_PRODUCTS * loss.work)));
    this.#stride = 4 * Math.ceil(size / 4);
    const bytes = alignUp(8 * size * this.#stride);
    this.#arena = Arena.allocate(alignUp(8 * size) + factors * bytes, loss.memory);
    this.#vector = this.#arena.f64(size).pointer;
    this.#factors = Array.from({ length: factors }, () => ({
      pointer: this.#arena.f64(size * this.#stride).pointer,
      features: new Int32Array(0),
    }));
  }

  async refresh(free: Uint8Array): Promise<void> {
    const { outputs, features } = this.#loss;
    const gram = await this.#loss.gram(this.#step);
    try {
      for (const [k, factor] of this.#factors.entries()) {
        const chosen: number[] = [];
        for (let j = 0; j <= features; j++)
          if (!this.#use.selects || free[j * outputs + k] === 1) chosen.push(j);
        factor.features = Int32Array.from(chosen);
        const largest = this.#copy(gram.matrix.values, gram.columns, factor);
        await this.#factorise(factor, RIDGE * largest);
      }
    } finally {
      gram.release();
    }
  }

  /** Copies the rows and columns of the features of a factor, with the penalty; returns the largest diagonal element. */
  #copy(
    gram: ArrayLike<number>,
    stride: number,
    { pointer, features }: { readonly pointer: number; readonly features: Int32Array },
  ): number {
    const to = this.#loss.memory.f64(pointer, (this.#loss.features + 1) * this.#stride);
    let largest = 0;
    for (let a = 0; a < features.length; a++) {
      const [from, row] = [features[a] * stride, a * this.#stride];
      for (let b = 0; b <= a; b++) to[row + b] = gram[from + features[b]];
      if (features[a] < this.#loss.features) to[row + a] += this.#use.l2;
      largest = Math.max(largest, to[row + a]);
    }
    return largest;
  }

  async #factorise(
    { pointer, features }: { pointer: number; features: Int32Array },
    ridge: number,
  ): Promise<void> {
    const { kernels } = this.#loss.memory;
    const size = features.length;
    const rowsAtOnce = 4 * Math.max(1, Math.floor(WORK_AT_ONCE / (2 * size * size + 1)));
    for (let begin = 0; begin < size; begin += rowsAtOnce) {
      await checkpoint(this.#use);
      kernels.choleskyRows64(pointer, this.#stride, begin, Math.min(size, begin + rowsAtOnce), ridge);
    }
  }

  apply(r: Float64Array, x: Float64Array): void {
    const { memory, outputs, classes, features } = this.#loss;
    x.fill(0);
    for (let k = 0; k < Math.min(outputs, classes); k++) {
      const { pointer, features: own } = this.#factors[Math.min(k, this.#factors.length - 1)];
      const vector = memory.f64(this.#vector, features + 1);
      for (let a = 0; a < own.length; a++) vector[a] = r[own[a] * outputs + k];
      memory.kernels.choleskySolve64(pointer, this.#stride, own.length, this.#vector);
      for (let a = 0; a < own.length; a++) x[own[a] * outputs + k] = vector[a];
    }
  }

  release(): void {
    this.#arena.release();
  }
}
