import type { WasmMatrix } from "../../runtime/maths/wasm-matrix.js";
import { checkpoint, type Run } from "../../runtime/parallel/run.js";
import { Arena } from "../../runtime/wasm/arena.js";
import { alignUp } from "../../runtime/wasm/heap.js";
import { dot } from "./inverse-hessian.js";
import type { LogisticLoss } from "./logistic-loss.js";

/** An approximation of the inverse of the Hessian of loss and penalty, on the weights that are free to move. */
export interface Preconditioner {
  /** Adapts it to the weights that are free, and from time to time to the last evaluated weights. */
  prepare(free: Uint8Array): Promise<void>;
  /** Writes the approximate solution x of Hx = r; both are 0 where weights are not free. */
  apply(r: Float64Array, x: Float64Array): void;
  release(): void;
}

/** The use of the preconditioner. */
interface PreconditionerUse {
  /** Strength of the L2 penalty of all weights but the intercepts. */
  readonly l2: number;
  /** Whether weights may be fixed at 0, other ones for each output. */
  readonly selects: boolean;
}

/** Most features of a Gram matrix, whose factorisation takes time cubic in them. */
const MOST_FEATURES = 2048;

/** Most memory for its factors. */
const MOST_BYTES = 2 ** 28;

/** With so few features a Gram matrix is cheap in any case. */
const FEW_FEATURES = 64;

/** Largest work for a Gram matrix, in gradients: beyond that, rows are subsampled. */
const MOST_GRADIENTS = 16;

/** A multiplication of a Gram matrix takes as long as this many of a gradient. */
const SCATTER = 3;

/** A Gram matrix that takes no longer than this many gradients is cheap. */
const CHEAP = 4;

/** Fraction of the largest diagonal element that is added to the diagonal: dependent features make the matrix singular. */
const RIDGE = 1e-12;

/**
 * Fraction of the diagonal that is added if weights may stop at 0: along dependent features only that limits a step, and a long
 * step would end at the first of them.
 */
const DAMPING = 1e-2;

/** Multiplications of a factorisation between two checkpoints. */
const WORK_AT_ONCE = 2 ** 23;

/** Chooses the Gram preconditioner where it costs less than the steps that it saves. */
export function preconditionerFor(loss: LogisticLoss, use: PreconditionerUse, run: Run): Preconditioner {
  const size = loss.features + 1;
  const bytes = 8 * size * size * (use.selects ? loss.outputs : 1);
  if (bytes > MOST_BYTES) return new IdentityPreconditioner();
  if (size <= FEW_FEATURES) return new GramPreconditioner(loss, use, run);
  // A gradient reads every entry for each output; the preconditioner reads its factor for each output.
  const isWorth = size <= MOST_FEATURES && size * size <= loss.entries;
  const factorises = size ** 3 / 3 <= MOST_GRADIENTS * loss.work;
  return isWorth && factorises ? new GramPreconditioner(loss, use, run) : new IdentityPreconditioner();
}

/** Leaves directions as they are, but for their length: that of the first one is 1. */
class IdentityPreconditioner implements Preconditioner {
  #length = 0;

  async prepare(): Promise<void> {}

  apply(r: Float64Array, x: Float64Array): void {
    if (this.#length === 0) this.#length = Math.sqrt(dot(r, r));
    const scale = this.#length > 0 ? 1 / this.#length : 1;
    for (let j = 0; j < x.length; j++) x[j] = scale * r[j];
  }

  release(): void {}
}

/** The Cholesky factor of the rows and columns of a Gram matrix that belong to some features. */
interface Factor {
  readonly pointer: number;
  features: Int32Array;
}

/**
 * Solves with the Cholesky factor of G + l2·I for every output, where G = Σ hᵢ xᵢxᵢᵀ. For two classes this is the Hessian
 * itself; for more it captures how features are correlated. G is computed again once as much work has gone into
 * steps, then twice as much, and so on.
 */
class GramPreconditioner implements Preconditioner {
  readonly #loss: LogisticLoss;
  readonly #use: PreconditionerUse;
  readonly #run: Run;
  readonly #step: number;
  readonly #stride: number;
  readonly #arena: Arena;
  readonly #vector: number;
  /** A factor for all outputs, or one for each if weights are selected. */
  readonly #factors: readonly Factor[];
  #gram: WasmMatrix | undefined;
  /** Steps since G was computed, and how many have to pass before it is computed again. */
  #age = 0;
  #worth: number;

  constructor(loss: LogisticLoss, use: PreconditionerUse, run: Run) {
    const size = loss.features + 1;
    const own = Math.min(loss.outputs, loss.classes);
    const count = use.selects ? own : 1;
    this.#loss = loss;
    this.#use = use;
    this.#run = run;
    const work = SCATTER * loss.gramWork;
    this.#step = Math.max(1, Math.floor(work / (MOST_GRADIENTS * loss.work)));
    this.#worth = (work / this.#step + (count * size ** 3) / 3) / loss.work;
    this.#stride = 4 * Math.ceil(size / 4);
    const bytes = alignUp(8 * size * this.#stride);
    this.#arena = Arena.allocate(alignUp(8 * size) + count * bytes, loss.memory);
    this.#vector = this.#arena.f64(size).pointer;
    this.#factors = Array.from({ length: count }, () => ({
      pointer: this.#arena.f64(size * this.#stride).pointer,
      features: new Int32Array(0),
    }));
  }

  async prepare(free: Uint8Array): Promise<void> {
    const isOld = !this.#gram || this.#age >= this.#worth;
    // It changes less and less; a cheap one is kept up to date.
    if (isOld && this.#gram && this.#worth > CHEAP) this.#worth *= 2;
    this.#age = isOld ? 1 : this.#age + 1;
    if (isOld) {
      const fresh = await this.#loss.gram(this.#step);
      this.#gram?.release();
      this.#gram = fresh;
    }
    for (const [k, factor] of this.#factors.entries()) {
      const features = this.#featuresOf(k, free);
      if (!isOld && sameList(features, factor.features)) continue;
      factor.features = features;
      await this.#factorise(factor);
    }
  }

  #featuresOf(k: number, free: Uint8Array): Int32Array {
    const { outputs, features } = this.#loss;
    const chosen: number[] = [];
    for (let j = 0; j <= features; j++) {
      if (!this.#use.selects || free[j * outputs + k] === 1) chosen.push(j);
    }
    return Int32Array.from(chosen);
  }

  async #factorise({ pointer, features }: Factor): Promise<void> {
    const size = features.length;
    const ridge = RIDGE * this.#copy(pointer, features);
    const rowsAtOnce = 4 * Math.max(1, Math.floor(WORK_AT_ONCE / (2 * size * size + 1)));
    for (let begin = 0; begin < size; begin += rowsAtOnce) {
      await checkpoint(this.#run);
      const { exports } = this.#loss.memory;
      exports.choleskyRows64(pointer, this.#stride, begin, Math.min(size, begin + rowsAtOnce), ridge);
    }
  }

  /** Copies rows and columns of G, with the penalty; returns the largest diagonal element. */
  #copy(pointer: number, features: Int32Array): number {
    if (!this.#gram) return 0;
    const { values, columns } = this.#gram.matrix;
    const to = this.#loss.memory.f64(pointer, (this.#loss.features + 1) * this.#stride);
    let largest = 0;
    for (let a = 0; a < features.length; a++) {
      const [from, row] = [features[a] * columns, a * this.#stride];
      for (let b = 0; b <= a; b++) to[row + b] = values[from + features[b]];
      if (this.#use.selects) to[row + a] *= 1 + DAMPING;
      if (features[a] < this.#loss.features) to[row + a] += this.#use.l2;
      largest = Math.max(largest, to[row + a]);
    }
    return largest;
  }

  apply(r: Float64Array, x: Float64Array): void {
    const { memory, outputs, classes, features } = this.#loss;
    const vector = memory.f64(this.#vector, features + 1);
    x.fill(0);
    for (let k = 0; k < Math.min(outputs, classes); k++) {
      const { pointer, features: own } = this.#factors[Math.min(k, this.#factors.length - 1)];
      for (let a = 0; a < own.length; a++) vector[a] = r[own[a] * outputs + k];
      memory.exports.choleskySolve64(pointer, this.#stride, own.length, this.#vector);
      for (let a = 0; a < own.length; a++) x[own[a] * outputs + k] = vector[a];
    }
  }

  release(): void {
    this.#gram?.release();
    this.#arena.release();
  }
}

function sameList(a: Int32Array, b: Int32Array): boolean {
  return a.length === b.length && a.every((value, i) => value === b[i]);
}
