import { type Kernel, kernelValue } from "./kernel.js";
import { inDoublePrecision, type KernelFeatures } from "./kernel-features.js";
import { KernelSums } from "./kernel-sums.js";

/** A linear function of a kernel's feature space: f(x) = Σ coefficient_i · K(support_i, x) + bias = w·φ(x) + bias. */
export class KernelExpansion {
  readonly kernel: Kernel;
  readonly support: KernelFeatures;
  readonly coefficients: Float64Array;
  readonly bias: number;
  /** ‖w‖ */
  readonly norm: number;
  #sums: KernelSums | undefined;

  constructor(parts: Pick<KernelExpansion, "kernel" | "support" | "coefficients" | "bias" | "norm">) {
    this.kernel = parts.kernel;
    this.support = parts.support;
    this.coefficients = parts.coefficients;
    this.bias = parts.bias;
    this.norm = parts.norm;
  }

  /** Makes the expansion that was trained on some rows of a sample; keeps the rows whose coefficient is not 0. */
  static trainedOn(
    features: KernelFeatures,
    rows: Int32Array,
    kernel: Kernel,
    trained: Pick<KernelExpansion, "coefficients" | "bias" | "norm">,
  ): KernelExpansion {
    const { coefficients, bias, norm } = trained;
    const support = features.select(rows.filter((_, i) => coefficients[i] !== 0));
    return new KernelExpansion({
      kernel,
      support: inDoublePrecision(support),
      coefficients: coefficients.filter((coefficient) => coefficient !== 0),
      bias,
      norm,
    });
  }

  /** The machine, packed for kernels. */
  get sums(): KernelSums {
    if (this.#sums) return this.#sums;
    const { support, coefficients, bias } = this;
    const all = Int32Array.from(coefficients, (_, s) => s);
    this.#sums = KernelSums.of(this.kernel, support, [{ support: all, coefficients, bias }]);
    return this.#sums;
  }

  /** Computes f(x) of every row. A row whose kernel values overflow is an error. */
  values(features: KernelFeatures): Float64Array {
    const values = new Float64Array(features.rows);
    this.sums.forEachRow(features, (own, row) => {
      values[row] = own[0];
    });
    return values;
  }

  /**
   * Bounds |f(x)| by the Cauchy–Schwarz inequality: ‖w‖·√K(x, x) + |bias|. f(x) divided by it is in [−1, 1]; without a bias
   * it is the cosine of the angle between w and φ(x). Zeros of the row may be left out.
   */
  limit(row: ArrayLike<number>): number {
    return this.norm * Math.sqrt(Math.max(0, kernelValue(this.kernel, row, row))) + Math.abs(this.bias);
  }
}
