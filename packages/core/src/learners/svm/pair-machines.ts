import { Matrix } from "../../runtime/maths/matrix.js";
import type { Kernel } from "../kernel/kernel.js";
import type { KernelFeatures } from "../kernel/kernel-features.js";
import { KernelSums } from "../kernel/kernel-sums.js";
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
  readonly supportVectors: KernelFeatures;
  /** Number of support vectors of each class. */
  readonly counts: Int32Array;
  /** yα of each support vector in the machines of its class with each other class, in the order of the others. */
  readonly coefficients: Matrix;
  /** Bias of each pair. */
  readonly biases: Float64Array;
  /** Sigmoid of each pair, which turns decision values into probabilities; absent in models without probabilities. */
  readonly sigmoids?: readonly Sigmoid[] | undefined;
}

/** One machine per pair of classes: f(x) = Σ coefficient · K(support vector, x) + bias. */
export class OneVsOne implements OneVsOneParts {
  readonly kernel: Kernel;
  readonly supportVectors: KernelFeatures;
  readonly counts: Int32Array;
  readonly coefficients: Matrix;
  readonly biases: Float64Array;
  readonly sigmoids: readonly Sigmoid[] | undefined;
  readonly pairs: readonly Pair[];
  /** The first support vector of each class. */
  readonly #starts: readonly number[];
  #sums: KernelSums | undefined;

  constructor(parts: OneVsOneParts) {
    this.kernel = parts.kernel;
    this.supportVectors = parts.supportVectors;
    this.counts = parts.counts;
    this.coefficients = parts.coefficients;
    this.biases = parts.biases;
    this.sigmoids = parts.sigmoids;
    this.pairs = pairsOf(parts.counts.length);
    let end = 0;
    this.#starts = Array.from(parts.counts, (count) => {
      end += count;
      return end - count;
    });
  }

  /** All machines, packed for kernels. */
  get sums(): KernelSums {
    const { kernel, supportVectors, biases } = this;
    this.#sums ??= KernelSums.of(
      kernel,
      supportVectors,
      this.pairs.map((pair, p) => {
        const { supportVectors: support, coefficients } = this.partsOf(pair);
        return { support, coefficients, bias: biases[p] };
      }),
    );
    return this.#sums;
  }

  /** Computes f(x) of every pair (columns) in the order (0, 1), (0, 2), … (1, 2), …; positive for the first class. */
  decisionValues(features: KernelFeatures): Matrix {
    const values = new Matrix(features.rows, this.pairs.length);
    this.sums.forEachRow(features, (row, i) => values.row(i).set(row));
    return values;
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
      const { columns, values } = this.coefficients;
      const start = this.#starts[own];
      for (let s = start; s < start + this.counts[own]; s++) visit(values[s * columns + column], s);
    }
  }
}
