import { Matrix } from "../../runtime/matrix.js";
import { converted, object, optional, type Part } from "../../runtime/parts.js";
import { multiply } from "../../runtime/product.js";
import { float64, int32, matrix, records } from "../../runtime/tensor-parts.js";
import type { Kernel } from "../kernel/kernel.js";
import { crossKernel, kernelOverflow } from "../kernel/kernel-expansion.js";
import { kernelSchema } from "../kernel/kernel-options.js";
import { type Pair, pairsOf } from "./pairwise.js";
import type { Sigmoid } from "./platt.js";

/** Returns the column of a support vector's coefficient in the machine of its class and another one. */
export function coefficientColumn(own: number, opponent: number): number {
  return opponent < own ? opponent : opponent - 1;
}

/** The parts of the machines of all pairs of classes; they share their support vectors, as in LIBSVM. */
export interface OneVsOneParts {
  readonly kernel: Kernel;
  /** Those of the first class, then those of the second, … */
  readonly supportVectors: Matrix;
  /** Number of support vectors of each class. */
  readonly counts: Int32Array;
  /** yα of each support vector in the machines of its class with each other class, in the order of the others. */
  readonly coefficients: Matrix;
  /** Bias of each pair. */
  readonly biases: Float64Array;
  /** Sigmoid of each pair, which turns decision values into probabilities; absent in models without probabilities. */
  readonly sigmoids?: readonly Sigmoid[] | undefined;
}

/** Kernel values held at a time: 16 MB. */
const BLOCK_VALUES = 2 ** 21;

/** The support vectors of one class and their coefficients: views of the matrices of all classes. */
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

  /** Computes f(x) of every pair (columns) in the order (0, 1), (0, 2), … (1, 2), …; positive for the first class. */
  decisionValues(features: Matrix): Matrix {
    const values = new Matrix(features.rows, this.pairs.length);
    this.forEachRow(features, (row, i) => values.row(i).set(row));
    return values;
  }

  /** Visits f(x) of every pair for each row, in an array that the next row overwrites. A value that overflows is an error. */
  forEachRow(features: Matrix, visit: (values: Float64Array, row: number) => void): void {
    const values = new Float64Array(this.pairs.length);
    const rowsAtOnce = Math.max(1, Math.floor(BLOCK_VALUES / this.supportVectors.rows));
    for (let from = 0; from < features.rows; from += rowsAtOnce) {
      const block = rowsOf(features, from, Math.min(from + rowsAtOnce, features.rows));
      // The share of each class in its machines: K(x, its support vectors) · its coefficients.
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
        if (!areFinite(values)) throw kernelOverflow(from + i);
        visit(values, from + i);
      }
    }
  }

  /** Returns the support vectors of the machine of a pair, by index, and their non-zero coefficients. */
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

  /** Computes ‖w‖² = Σ coefficient · (f(support vector) − bias) of each pair. */
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

/** Returns some rows of a matrix as a view. */
function rowsOf({ columns, values }: Matrix, from: number, to: number): Matrix {
  return new Matrix(to - from, columns, values.subarray(from * columns, to * columns));
}

function areFinite(values: Float64Array): boolean {
  // 0 · x is NaN for NaN and ±∞ only.
  let probe = 0;
  for (let p = 0; p < values.length; p++) probe += 0 * values[p];
  return probe === 0;
}

/** Returns the number of pairs of the classes that a model was trained on. */
export const pairCount = ({ trained }: Readonly<Record<string, number>>): number =>
  (trained * (trained - 1)) / 2;

/** The codec of the machines of all pairs of the classes that a model was trained on. */
export const oneVsOneMachines: Part<OneVsOne> = converted(
  object({
    kernel: kernelSchema,
    supportVectors: matrix("supportVectors", "features"),
    counts: int32(["trained"], { min: 0 }),
    coefficients: matrix("supportVectors", ({ trained }) => trained - 1),
    biases: float64([pairCount]),
    sigmoids: optional(records(pairCount, { A: { type: "float64" }, B: { type: "float64" } })),
  }),
  (machines) => machines,
  (parts) => {
    const { rows } = parts.supportVectors;
    const counted = parts.counts.reduce((sum, count) => sum + count, 0);
    return rows > 0 && counted === rows
      ? new OneVsOne(parts)
      : `it has ${rows} support vectors, but its classes have ${counted}`;
  },
);
