import type { Matrix } from "../../runtime/matrix.js";
import type { KernelExpansion } from "../kernel/kernel-expansion.js";
import type { TrainedGate } from "./node-training.js";

/** Whether points at the threshold itself go on (`closed`, the equations) or stay (`strict`, the report's program). */
export type GateKind = "closed" | "strict";

/** How many points make a fraction of n: ⌈μ·n⌉, where μ·n is not a whole number only by rounding that whole number. */
export function pointsOfFraction(fraction: number, n: number): number {
  return Math.max(1, Math.ceil(fraction * n - 1e-9));
}

/** Whether a point goes on: dist ≤ c_k, or dist < c_k for a strict gate. */
function goesOn(distance: number, threshold: number, kind: GateKind): boolean {
  return kind === "closed" ? distance <= threshold : distance < threshold;
}

/**
 * The gates of a node, one per fraction μ: the threshold c is the ⌈μ·n⌉-th smallest distance |h(x_i)|, so that tied
 * points go on together. A gate that sends on all or nothing makes no new cascade and is left out.
 */
export function gatesOf(
  values: ArrayLike<number>,
  rows: Int32Array,
  labels: Int8Array,
  fractions: readonly number[],
  kind: GateKind,
): TrainedGate[] {
  const distances = Float64Array.from(values, Math.abs);
  const ascending = distances.slice().sort();
  const gates = fractions.map((fraction, index) => {
    const threshold = ascending[pointsOfFraction(fraction, rows.length) - 1];
    return gateAt({ index, threshold, kind, values, distances, rows, labels });
  });
  return gates.filter((gate) => gate.rows.length > 0 && gate.rows.length < rows.length);
}

function gateAt(parts: {
  index: number;
  threshold: number;
  kind: GateKind;
  values: ArrayLike<number>;
  distances: Float64Array;
  rows: Int32Array;
  labels: Int8Array;
}): TrainedGate {
  const { index, threshold, kind, values, distances, rows, labels } = parts;
  const on = new Int32Array(rows.length);
  let count = 0;
  let correct = 0;
  for (let i = 0; i < rows.length; i++) {
    if (goesOn(distances[i], threshold, kind)) on[count++] = rows[i];
    else if (values[i] * labels[rows[i]] > 0) correct++;
  }
  return { fraction: index, rows: on.slice(0, count), correct, wrong: rows.length - count - correct };
}

/** How many rows a classifier gets right, y·h(x) > 0: zero counts as wrong. */
export function correctOf(values: ArrayLike<number>, rows: Int32Array, labels: Int8Array): number {
  let correct = 0;
  for (let i = 0; i < rows.length; i++) if (values[i] * labels[rows[i]] > 0) correct++;
  return correct;
}

/** What a leaf classifies with: a function whose sign is the class, + for the first one. */
export type LeafClassifier =
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
export type GateRule =
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
export class LeafEvaluation {
  readonly #features: Matrix;
  readonly #known = new Map<KernelExpansion, Float64Array>();

  constructor(features: Matrix) {
    this.#features = features;
  }

  /** f(x) of each row. */
  values(classifier: LeafClassifier, rows: Int32Array): Float64Array {
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
  answers(question: GateRule, rows: Int32Array): Uint8Array {
    if (question.kind === "threshold") {
      const { monomial, cut, above } = question;
      return Uint8Array.from(rows, (row) => (this.#monomial(monomial, row) > cut === above ? 1 : 0));
    }
    const { machine, threshold, gate } = question;
    const values = this.#machineValues(machine, rows);
    return Uint8Array.from(values, (value) => (goesOn(Math.abs(value), threshold, gate) ? 1 : 0));
  }

  /** What |f(x)| is at most for a row: the scale of its confidence. */
  limit(classifier: LeafClassifier, row: number): number {
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
