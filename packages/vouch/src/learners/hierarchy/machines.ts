import type { Matrix } from "../../runtime/matrix.js";
import { VouchError } from "../../runtime/vouch-error.js";
import type { Kernel } from "../kernel/kernel.js";
import { crossKernel } from "../kernel/kernel-expansion.js";

/** Kernel values that are held at a time: 8 MB. */
const BLOCK_VALUES = 2 ** 20;

/** The machines of all nodes of a hierarchy. */
export interface HierarchyMachines {
  /** b of each node. */
  readonly biases: Float64Array;
  readonly kernel: Kernel;
  /** f(x) at a node of the given rows of the features. */
  values(node: number, features: Matrix, rows: Int32Array): Float64Array;
  /** Which support vectors a node has; none where machines keep w itself. */
  supportOf(node: number): Int32Array;
}

/** Machines that share their support vectors: f(x) = Σ yα·K(s, x) + b over those of the node. */
export class KernelMachines implements HierarchyMachines {
  readonly kernel: Kernel;
  readonly supportVectors: Matrix;
  /** Where the support vectors of each node begin, and the last ones end, in the two lists that follow. */
  readonly starts: Int32Array;
  readonly support: Int32Array;
  readonly coefficients: Float64Array;
  readonly biases: Float64Array;

  constructor(
    parts: Pick<
      KernelMachines,
      "kernel" | "supportVectors" | "starts" | "support" | "coefficients" | "biases"
    >,
  ) {
    this.kernel = parts.kernel;
    this.supportVectors = parts.supportVectors;
    this.starts = parts.starts;
    this.support = parts.support;
    this.coefficients = parts.coefficients;
    this.biases = parts.biases;
  }

  supportOf(node: number): Int32Array {
    return this.support.subarray(this.starts[node], this.starts[node + 1]);
  }

  values(node: number, features: Matrix, rows: Int32Array): Float64Array {
    const vectors = this.supportVectors.select(this.supportOf(node));
    const coefficients = this.coefficients.subarray(this.starts[node], this.starts[node + 1]);
    const values = new Float64Array(rows.length).fill(this.biases[node]);
    const atOnce = Math.max(1, Math.floor(BLOCK_VALUES / Math.max(1, vectors.rows)));
    for (let from = 0; from < rows.length; from += atOnce) {
      const some = features.select(rows.subarray(from, from + atOnce));
      const kernel = crossKernel(this.kernel, some, vectors);
      for (let i = 0; i < some.rows; i++) values[from + i] += dot(kernel.values, i, coefficients);
    }
    return checked(values, rows);
  }
}

/** Machines of the linear kernel: f(x) = w·x + b. */
export class LinearMachines implements HierarchyMachines {
  readonly kernel = { kind: "linear" } as const;
  /** w of each node. */
  readonly weights: Matrix;
  readonly biases: Float64Array;

  constructor({ weights, biases }: Pick<LinearMachines, "weights" | "biases">) {
    this.weights = weights;
    this.biases = biases;
  }

  supportOf(): Int32Array {
    return new Int32Array(0);
  }

  values(node: number, features: Matrix, rows: Int32Array): Float64Array {
    const weights = this.weights.row(node);
    const values = new Float64Array(rows.length);
    for (let i = 0; i < rows.length; i++) {
      values[i] = this.biases[node] + dot(features.values, rows[i], weights);
    }
    return checked(values, rows);
  }
}

/** Row i of a matrix as long as the vector, times the vector. */
function dot(values: ArrayLike<number>, i: number, vector: ArrayLike<number>): number {
  const start = i * vector.length;
  let sum = 0;
  for (let j = 0; j < vector.length; j++) sum += values[start + j] * vector[j];
  return sum;
}

function checked(values: Float64Array, rows: Int32Array): Float64Array {
  const at = values.findIndex((value) => !Number.isFinite(value));
  if (at < 0) return values;
  throw new VouchError(
    "data/not-finite",
    `Row ${rows[at] + 1} has numbers so large that its kernel values are not finite.`,
    { hint: "Look for a cell in another unit than the training rows have." },
  );
}
