import { Matrix } from "../../runtime/matrix.js";
import { finiteAmount, finiteReal } from "../../runtime/number-ranges.js";
import { converted, object, type Part } from "../../runtime/parts.js";
import { multiplyTransposed } from "../../runtime/product.js";
import { float64, matrix } from "../../runtime/tensor-parts.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { type Kernel, kernelValue } from "./kernel.js";
import { kernelSchema } from "./kernel-options.js";

/**
 * Computes the kernel values of every row of X with every row of `support`, in double precision. The result has a column
 * per row of `support`: call it with blocks of rows.
 */
export function crossKernel(kernel: Kernel, X: Matrix, support: Matrix): Matrix {
  switch (kernel.kind) {
    case "linear":
      return products(X, support);
    case "polynomial":
      return polynomials(products(X, support), kernel.scale, kernel.offset ?? 1, kernel.degree);
    case "rbf":
      return gaussians(products(X, support), squaredNorms(X), squaredNorms(support), kernel.gamma);
    default:
      return onePairAtATime(kernel, X, support);
  }
}

/** Computes x·y of all pairs, in double precision. */
function products(X: Matrix, support: Matrix): Matrix {
  return multiplyTransposed(X, inDoublePrecision(support));
}

function inDoublePrecision(matrix: Matrix): Matrix {
  if (matrix.values instanceof Float64Array) return matrix;
  return new Matrix(matrix.rows, matrix.columns, Float64Array.from(matrix.values));
}

function polynomials(sums: Matrix, scale: number, offset: number, degree: number): Matrix {
  const { values } = sums;
  for (let k = 0; k < values.length; k++) {
    const base = offset + scale * values[k];
    let power = 1;
    for (let factors = 0; factors < degree; factors++) power *= base;
    values[k] = power;
  }
  return sums;
}

/** Computes exp(−γ(‖x‖² + ‖y‖² − 2x·y)). */
function gaussians(sums: Matrix, norms: Float64Array, supportNorms: Float64Array, gamma: number): Matrix {
  const { rows, columns, values } = sums;
  for (let i = 0; i < rows; i++) {
    for (let j = 0, k = i * columns; j < columns; j++, k++) {
      values[k] = Math.exp(-gamma * Math.max(0, norms[i] - values[k] - (values[k] - supportNorms[j])));
    }
  }
  return sums;
}

function squaredNorms({ rows, columns, values }: Matrix): Float64Array {
  const norms = new Float64Array(rows);
  for (let i = 0; i < rows; i++) {
    for (let k = i * columns; k < (i + 1) * columns; k++) norms[i] += values[k] * values[k];
  }
  return norms;
}

function onePairAtATime(kernel: Kernel, X: Matrix, support: Matrix): Matrix {
  const values = new Float64Array(X.rows * support.rows);
  for (let i = 0; i < X.rows; i++) {
    const x = X.row(i);
    for (let j = 0; j < support.rows; j++) {
      values[i * support.rows + j] = kernelValue(kernel, x, support.row(j));
    }
  }
  return new Matrix(X.rows, support.rows, values);
}

/** Kernel values held at a time: 8 MB. */
const BLOCK_VALUES = 2 ** 20;

/** A linear function of a kernel's feature space: f(x) = Σ coefficient_i · K(support_i, x) + bias = w·φ(x) + bias. */
export class KernelExpansion {
  readonly kernel: Kernel;
  readonly support: Matrix;
  readonly coefficients: Float64Array;
  readonly bias: number;
  /** ‖w‖ */
  readonly norm: number;

  constructor(parts: Pick<KernelExpansion, "kernel" | "support" | "coefficients" | "bias" | "norm">) {
    this.kernel = parts.kernel;
    this.support = parts.support;
    this.coefficients = parts.coefficients;
    this.bias = parts.bias;
    this.norm = parts.norm;
  }

  /** Makes the expansion that was trained on some rows of a sample; keeps the rows whose coefficient is not 0. */
  static trainedOn(
    features: Matrix,
    rows: Int32Array,
    kernel: Kernel,
    trained: Pick<KernelExpansion, "coefficients" | "bias" | "norm">,
  ): KernelExpansion {
    const { coefficients, bias, norm } = trained;
    const support = features.select(rows.filter((_, i) => coefficients[i] !== 0));
    return new KernelExpansion({
      kernel,
      support: new Matrix(support.rows, support.columns, Float64Array.from(support.values)),
      coefficients: coefficients.filter((coefficient) => coefficient !== 0),
      bias,
      norm,
    });
  }

  /** Computes f(x) of every row. A row whose kernel values overflow is an error. */
  values(features: Matrix): Float64Array {
    const { rows, columns } = features;
    const values = new Float64Array(rows).fill(this.bias);
    const rowsAtOnce = Math.max(1, Math.floor(BLOCK_VALUES / Math.max(1, this.support.rows)));
    for (let from = 0; from < rows; from += rowsAtOnce) {
      const to = Math.min(rows, from + rowsAtOnce);
      const cells = features.values.subarray(from * columns, to * columns);
      const kernel = crossKernel(this.kernel, new Matrix(to - from, columns, cells), this.support);
      for (let i = from; i < to; i++) values[i] += this.#sum(kernel.row(i - from));
    }
    const overflow = values.findIndex((value) => !Number.isFinite(value));
    if (overflow >= 0) throw kernelOverflow(overflow);
    return values;
  }

  /**
   * Bounds |f(x)| by the Cauchy–Schwarz inequality: ‖w‖·√K(x, x) + |bias|. f(x) divided by it is in [−1, 1]; without a bias
   * it is the cosine of the angle between w and φ(x).
   */
  limit(row: ArrayLike<number>): number {
    return this.norm * Math.sqrt(Math.max(0, kernelValue(this.kernel, row, row))) + Math.abs(this.bias);
  }

  #sum(kernel: ArrayLike<number>): number {
    const { coefficients } = this;
    let sum = 0;
    for (let s = 0; s < coefficients.length; s++) sum += coefficients[s] * kernel[s];
    return sum;
  }
}

/** Makes the error of a row, counted from 0, whose kernel values are not finite. */
export function kernelOverflow(row: number): VouchError {
  return new VouchError(
    "data/not-finite",
    `Row ${row + 1} has numbers so large that its kernel values are not finite.`,
    { hint: "Check the row for a value in a different unit than in the training rows." },
  );
}

/** A kernel expansion as a part of a model, on the model's features; the size `support` counts its support vectors. */
export const kernelExpansion: Part<KernelExpansion> = converted(
  object({
    kernel: kernelSchema,
    support: matrix("support", "features"),
    coefficients: float64(["support"]),
    bias: finiteReal,
    norm: finiteAmount,
  }),
  (expansion) => expansion,
  (parts) => new KernelExpansion(parts),
);
