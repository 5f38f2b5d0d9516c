import { VouchError } from "../error.js";
import { Matrix } from "../numeric/matrix.js";
import { crossKernel } from "./cross-kernel.js";
import { type Kernel, kernelValue } from "./kernel.js";

/** Kernel values that are held at a time: 8 MB. */
const BLOCK_VALUES = 2 ** 20;

/** A function of a kernel's space, f(x) = Σ coefficient_i · K(support_i, x) + bias = w·φ(x) + bias. */
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

  /** What was trained on some rows of a sample, from a coefficient for each of them: keeps those that are not 0. */
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

  /** f(x) of every row; a row of numbers so large that a kernel value overflows is an error. */
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
    checkFinite(values);
    return values;
  }

  /**
   * What |f(x)| is at most, by the Cauchy–Schwarz inequality: ‖w‖·√K(x, x) + |bias|. Dividing by it gives values in
   * [−1, 1]: without a bias, the cosine of the angle between w and φ(x).
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

function checkFinite(values: Float64Array): void {
  const row = values.findIndex((value) => !Number.isFinite(value));
  if (row < 0) return;
  throw new VouchError(
    "data/not-finite",
    `Row ${row + 1} has numbers so large that its kernel values are not finite.`,
    { hint: "Look for a cell in another unit than the training rows have." },
  );
}
