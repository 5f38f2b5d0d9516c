import { VouchError } from "../error.js";
import { crossKernel, type Kernel } from "../kernel/index.js";
import { Matrix } from "../numeric/matrix.js";
import type { Sigmoid } from "./platt.js";

/** Two classes, by index, and the machine that decides between them: f(x) > 0 means the first one. */
export interface Pair {
  readonly first: number;
  readonly second: number;
}

/** All pairs of classes in LIBSVM's order: (0, 1), (0, 2), … (1, 2), … */
export function pairsOf(classes: number): Pair[] {
  const pairs: Pair[] = [];
  for (let first = 0; first < classes; first++) {
    for (let second = first + 1; second < classes; second++) pairs.push({ first, second });
  }
  return pairs;
}

/** Where a support vector of a class keeps its coefficient for the duel with another class. */
export function coefficientColumn(own: number, opponent: number): number {
  return opponent < own ? opponent : opponent - 1;
}

/** What the machines of all pairs of classes consist of; they share their support vectors, as in LIBSVM. */
export interface OneVsOneParts {
  readonly kernel: Kernel;
  /** Those of the first class, then those of the second, … */
  readonly supportVectors: Matrix;
  /** How many support vectors each class has. */
  readonly counts: Int32Array;
  /** yα of each support vector in the duels of its class with the others, in the order of the others. */
  readonly coefficients: Matrix;
  /** Of each pair. */
  readonly biases: Float64Array;
  /** Turn decision values into probabilities; of each pair, absent in models without probabilities. */
  readonly sigmoids?: readonly Sigmoid[];
}

/** Kernel values that are held at a time: 16 MB. */
const BLOCK_VALUES = 2 ** 21;

/** One machine per pair of classes: f(x) = Σ coefficient · K(support vector, x) + bias. */
export class OneVsOne implements OneVsOneParts {
  readonly kernel: Kernel;
  readonly supportVectors: Matrix;
  readonly counts: Int32Array;
  readonly coefficients: Matrix;
  readonly biases: Float64Array;
  readonly sigmoids: readonly Sigmoid[] | undefined;
  readonly pairs: readonly Pair[];
  /** The coefficients column by column. */
  readonly #columns: readonly Float64Array[];
  /** Where the support vectors of each class begin, and after the last class where they end. */
  readonly #starts: Int32Array;

  constructor(parts: OneVsOneParts) {
    this.kernel = parts.kernel;
    this.supportVectors = parts.supportVectors;
    this.counts = parts.counts;
    this.coefficients = parts.coefficients;
    this.biases = parts.biases;
    this.sigmoids = parts.sigmoids;
    this.pairs = pairsOf(parts.counts.length);
    const { columns, rows, values } = parts.coefficients;
    this.#columns = Array.from({ length: columns }, (_, c) =>
      Float64Array.from({ length: rows }, (_, s) => values[s * columns + c]),
    );
    this.#starts = new Int32Array(parts.counts.length + 1);
    parts.counts.forEach((count, k) => {
      this.#starts[k + 1] = this.#starts[k] + count;
    });
  }

  /** f(x) of every pair (columns) for every row. */
  decisionValues(features: Matrix): Matrix {
    const values = new Matrix(features.rows, this.pairs.length);
    this.forEachRow(features, (row, i) => values.row(i).set(row));
    return values;
  }

  /**
   * Visits f(x) of every pair for each row; the array is used again for the next row. A row of numbers so large that a
   * value overflows is an error.
   */
  forEachRow(features: Matrix, visit: (values: Float64Array, row: number) => void): void {
    const { rows, columns } = features;
    const values = new Float64Array(this.pairs.length);
    const rowsAtOnce = Math.max(1, Math.floor(BLOCK_VALUES / this.supportVectors.rows));
    for (let from = 0; from < rows; from += rowsAtOnce) {
      const count = Math.min(rowsAtOnce, rows - from);
      const cells = features.values.subarray(from * columns, (from + count) * columns);
      const kernel = crossKernel(this.kernel, new Matrix(count, columns, cells), this.supportVectors);
      for (let i = 0; i < count; i++) {
        this.#decide(kernel.row(i), values);
        checkFinite(values, from + i);
        visit(values, from + i);
      }
    }
  }

  /** How many support vectors the machine of a pair has: those with a coefficient other than 0. */
  supportVectorsOf({ first, second }: Pair): number {
    return this.#used(first, second) + this.#used(second, first);
  }

  /** ‖w‖² = Σ coefficient · (f(support vector) − bias) of each pair. */
  squaredNorms(): Float64Array {
    const values = this.decisionValues(this.supportVectors);
    return Float64Array.from(this.pairs, ({ first, second }, p) => {
      let sum = 0;
      for (const [own, opponent] of [
        [first, second],
        [second, first],
      ]) {
        const coefficients = this.#columns[coefficientColumn(own, opponent)];
        for (let s = this.#starts[own]; s < this.#starts[own + 1]; s++) {
          sum += coefficients[s] * (values.values[s * this.pairs.length + p] - this.biases[p]);
        }
      }
      return Math.max(0, sum);
    });
  }

  #used(own: number, opponent: number): number {
    const coefficients = this.#columns[coefficientColumn(own, opponent)];
    let used = 0;
    for (let s = this.#starts[own]; s < this.#starts[own + 1]; s++) if (coefficients[s] !== 0) used++;
    return used;
  }

  /** Sums in the order of LIBSVM: first class, second class, bias. */
  #decide(kernel: ArrayLike<number>, values: Float64Array): void {
    for (let p = 0; p < this.pairs.length; p++) {
      const { first, second } = this.pairs[p];
      const sum = this.#sum(kernel, first, second, 0);
      values[p] = this.#sum(kernel, second, first, sum) + this.biases[p];
    }
  }

  /** Adds what the support vectors of a class contribute to its duel with another one. */
  #sum(kernel: ArrayLike<number>, own: number, opponent: number, start: number): number {
    const coefficients = this.#columns[coefficientColumn(own, opponent)];
    const end = this.#starts[own + 1];
    let sum = start;
    for (let s = this.#starts[own]; s < end; s++) sum += coefficients[s] * kernel[s];
    return sum;
  }
}

function checkFinite(values: Float64Array, row: number): void {
  // 0 · x is NaN for NaN and ±∞ only.
  let probe = 0;
  for (let p = 0; p < values.length; p++) probe += 0 * values[p];
  if (probe === 0) return;
  throw new VouchError(
    "data/not-finite",
    `Row ${row + 1} has numbers so large that its kernel values are not finite.`,
    { hint: "Look for a cell in another unit than the training rows have." },
  );
}
