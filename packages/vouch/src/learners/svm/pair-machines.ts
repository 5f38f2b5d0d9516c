import { Matrix } from "../../runtime/matrix.js";
import { multiply } from "../../runtime/product.js";
import { VouchError } from "../../runtime/vouch-error.js";
import type { Kernel } from "../kernel/kernel.js";
import { crossKernel } from "../kernel/kernel-expansion.js";
import { type Pair, pairsOf } from "./pairwise.js";
import type { Sigmoid } from "./platt.js";

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
  readonly sigmoids?: readonly Sigmoid[] | undefined;
}

/** Kernel values that are held at a time: 16 MB. */
const BLOCK_VALUES = 2 ** 21;

/** The support vectors of one class and their coefficients: parts of the matrices of all classes. */
interface ClassVectors {
  readonly start: number;
  readonly supportVectors: Matrix;
  readonly coefficients: Matrix;
}

/** One machine per pair of classes: f(x) = Σ coefficient · K(support vector, x) + bias. */
export class OneVsOne implements OneVsOneParts {
  readonly kernel: Kernel;
  readonly supportVectors: Matrix;
  readonly counts: Int32Array;
  readonly coefficients: Matrix;
  readonly biases: Float64Array;
  readonly sigmoids: readonly Sigmoid[] | undefined;
  readonly pairs: readonly Pair[];
  readonly #classes: readonly ClassVectors[];

  constructor(parts: OneVsOneParts) {
    this.kernel = parts.kernel;
    this.supportVectors = parts.supportVectors;
    this.counts = parts.counts;
    this.coefficients = parts.coefficients;
    this.biases = parts.biases;
    this.sigmoids = parts.sigmoids;
    this.pairs = pairsOf(parts.counts.length);
    let end = 0;
    this.#classes = Array.from(parts.counts, (count) => {
      const start = end;
      end += count;
      return {
        start,
        supportVectors: rowsOf(parts.supportVectors, start, end),
        coefficients: rowsOf(parts.coefficients, start, end),
      };
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
    const values = new Float64Array(this.pairs.length);
    const rowsAtOnce = Math.max(1, Math.floor(BLOCK_VALUES / this.supportVectors.rows));
    for (let from = 0; from < features.rows; from += rowsAtOnce) {
      const block = rowsOf(features, from, Math.min(from + rowsAtOnce, features.rows));
      // What each class contributes to its duels: K(x, its support vectors) · its coefficients.
      const sums = this.#classes.map(({ supportVectors, coefficients }) =>
        multiply(crossKernel(this.kernel, block, supportVectors), coefficients),
      );
      for (let i = 0; i < block.rows; i++) {
        const start = i * this.coefficients.columns;
        this.pairs.forEach(({ first, second }, p) => {
          const ofFirst = sums[first].values[start + coefficientColumn(first, second)];
          const ofSecond = sums[second].values[start + coefficientColumn(second, first)];
          values[p] = ofFirst + ofSecond + this.biases[p];
        });
        checkFinite(values, from + i);
        visit(values, from + i);
      }
    }
  }

  /** The support vectors of the machine of a pair, by index, and their coefficients, which are not 0. */
  partsOf(pair: Pair): { supportVectors: Int32Array; coefficients: Float64Array } {
    const used: number[] = [];
    const coefficients: number[] = [];
    this.#forEachCoefficient(pair, (value, s) => {
      if (value === 0) return;
      used.push(s);
      coefficients.push(value);
    });
    return { supportVectors: Int32Array.from(used), coefficients: Float64Array.from(coefficients) };
  }

  /** ‖w‖² = Σ coefficient · (f(support vector) − bias) of each pair. */
  squaredNorms(): Float64Array {
    const values = this.decisionValues(this.supportVectors);
    return Float64Array.from(this.pairs, (pair, p) => {
      let sum = 0;
      this.#forEachCoefficient(pair, (value, s) => {
        sum += value * (values.row(s)[p] - this.biases[p]);
      });
      return Math.max(0, sum);
    });
  }

  /** Visits the coefficients of the machine of a pair, with the index of the support vector. */
  #forEachCoefficient({ first, second }: Pair, visit: (value: number, s: number) => void): void {
    for (const [own, column] of [
      [first, coefficientColumn(first, second)],
      [second, coefficientColumn(second, first)],
    ]) {
      const { start, coefficients } = this.#classes[own];
      const { rows, columns, values } = coefficients;
      for (let s = 0; s < rows; s++) visit(values[s * columns + column], start + s);
    }
  }
}

/** Some of a matrix's rows as a view. */
function rowsOf({ columns, values }: Matrix, from: number, to: number): Matrix {
  return new Matrix(to - from, columns, values.subarray(from * columns, to * columns));
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
