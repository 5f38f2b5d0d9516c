import type { KernelExpansion } from "../kernel/index.js";
import type { Matrix } from "../numeric/matrix.js";
import { type GateKind, goesOn } from "./gate.js";

/** What a leaf classifies with: a function whose sign is the class, + for the first one. */
export type Classifier =
  | {
      readonly kind: "kernel";
      readonly machine: KernelExpansion;
      /** C of a support vector machine. */
      readonly cost?: number;
    }
  | { readonly kind: "constant"; readonly sign: number }
  /** `sign` where the monomial is above the cut, −`sign` elsewhere. */
  | { readonly kind: "threshold"; readonly monomial: Monomial; readonly cut: number; readonly sign: number };

/** The features, by index, whose product it is; a feature may occur several times. */
export type Monomial = readonly number[];

/** What a gate asks; rows for which the answer is yes go on. */
export type Question =
  /** Is |f(x)| at most, or below, the threshold? */
  | {
      readonly kind: "near";
      readonly machine: KernelExpansion;
      readonly threshold: number;
      readonly gate: GateKind;
    }
  /** Is the monomial above the cut, or else not above it? */
  | {
      readonly kind: "threshold";
      readonly monomial: Monomial;
      readonly cut: number;
      readonly above: boolean;
    };

/** The value of a monomial of the features of a row. */
export function monomialValue(monomial: Monomial, row: ArrayLike<number>): number {
  return monomial.reduce((product, feature) => product * row[feature], 1);
}

/**
 * Evaluates classifiers and questions on rows of one matrix. The machine of a kernel classifier that is also its gate's
 * is evaluated once.
 */
export class Evaluation {
  readonly #features: Matrix;
  readonly #known = new Map<KernelExpansion, Float64Array>();

  constructor(features: Matrix) {
    this.#features = features;
  }

  /** f(x) of each row. */
  values(classifier: Classifier, rows: Int32Array): Float64Array {
    switch (classifier.kind) {
      case "kernel":
        return this.#machineValues(classifier.machine, rows);
      case "constant":
        return new Float64Array(rows.length).fill(classifier.sign);
      case "threshold": {
        const { monomial, cut, sign } = classifier;
        return Float64Array.from(rows, (row) => (this.#monomial(monomial, row) > cut ? sign : -sign));
      }
    }
  }

  /** Whether each row goes on: 1 or 0. */
  answers(question: Question, rows: Int32Array): Uint8Array {
    if (question.kind === "threshold") {
      const { monomial, cut, above } = question;
      return Uint8Array.from(rows, (row) => (this.#monomial(monomial, row) > cut === above ? 1 : 0));
    }
    const { machine, threshold, gate } = question;
    const values = this.#machineValues(machine, rows);
    return Uint8Array.from(values, (value) => (goesOn(Math.abs(value), threshold, gate) ? 1 : 0));
  }

  /** What |f(x)| is at most for a row: the scale of its confidence. */
  limit(classifier: Classifier, row: number): number {
    return classifier.kind === "kernel" ? classifier.machine.limit(this.#features.row(row)) : 1;
  }

  #monomial(monomial: Monomial, row: number): number {
    return monomialValue(monomial, this.#features.row(row));
  }

  /** A leaf's rows are some of those that its gate was asked about: their values are known. */
  #machineValues(machine: KernelExpansion, rows: Int32Array): Float64Array {
    const known = this.#known.get(machine) ?? new Float64Array(this.#features.rows).fill(Number.NaN);
    this.#known.set(machine, known);
    const missing = rows.filter((row) => Number.isNaN(known[row]));
    if (missing.length > 0) {
      const values = machine.values(this.#features.select(missing));
      missing.forEach((row, i) => {
        known[row] = values[i];
      });
    }
    return Float64Array.from(rows, (row) => known[row]);
  }
}
