import * as real from "../../runtime/maths/portable-math.js";
import { SparseRows } from "../../runtime/maths/sparse-rows.js";
import { VouchError } from "../../runtime/vouch-error.js";
import type { Precision } from "../../runtime/wasm/wasm-exports.js";
import { type Kernel, takesAmounts } from "./kernel.js";
import { columnAt, type KernelFeatures, rowStart, rowValues } from "./kernel-features.js";
import type { KernelOptions } from "./kernel-options.js";

/** Makes the kernel that the options choose; resolves "scale" and "1/d" for these features. */
export function chooseKernel(options: KernelOptions, features: KernelFeatures): Kernel {
  const { kernel: kind, degree, scale, gamma } = options;
  switch (kind) {
    case "linear":
    case "intersection":
      return { kind };
    case "polynomial":
      return { kind, degree, scale: polynomialScale(scale, features) };
    default:
      return { kind, gamma: gamma === "scale" ? defaultGamma(kind, features) : gamma };
  }
}

/** Resolves the scale of a polynomial kernel: "none" is 1, "1/d" one over the number of features. */
export function polynomialScale(
  scale: "none" | "1/d" | number,
  { columns }: Pick<KernelFeatures, "columns">,
): number {
  if (scale === "none") return 1;
  return scale === "1/d" ? 1 / Math.max(1, columns) : scale;
}

/**
 * Chooses γ so that the exponent is about 1 for two typical rows of d features: 1/(d·var) for rbf, as in scikit-learn.
 * The χ² distance (x − y)²/(x + y) is about var/mean per feature, so mean/(d·var) for chi-square. 1 if all values are equal.
 */
export function defaultGamma(
  kind: "rbf" | "chi-square",
  { values, rows, columns }: Pick<KernelFeatures, "values" | "rows" | "columns">,
): number {
  const cells = rows * columns;
  let sum = 0;
  for (let k = 0; k < values.length; k++) sum += values[k];
  const mean = sum / cells;
  let squares = 0;
  for (let k = 0; k < values.length; k++) squares += (values[k] - mean) ** 2;
  // Sparse rows do not list zeros.
  if (values.length < cells) squares += (cells - values.length) * mean ** 2;
  const gamma = ((kind === "rbf" ? 1 : mean) * cells) / (columns * squares);
  return gamma > 0 && gamma < Number.POSITIVE_INFINITY ? gamma : 1;
}

/** Kernel values stay below this, half of the largest single-precision number, so that two can be added. */
const LARGEST = 2 ** 127;

/** Unit roundoff of single precision. */
const ROUNDOFF = 2 ** -24;

/** Kernel values whose relative error may exceed this in single precision are computed in double precision. */
const LARGEST_ERROR = 2 ** -16;

/** The error of turning a sum into a value in single precision, exponentials included. */
const VALUE_ERROR = 8 * ROUNDOFF;

/** The largest ‖x‖² and the largest Σx of a row. */
interface Extremes {
  readonly squaredNorm: number;
  readonly sum: number;
}

/**
 * Throws if a kernel does not suit a sample: invalid parameters, features that are not finite, or negative where the kernel
 * does not allow it, and kernel values beyond single precision.
 */
export function checkSuitability(kernel: Kernel, X: KernelFeatures): Extremes {
  checkParameters(kernel);
  const extremes = extremesOf(X, kernel);
  checkMagnitude(kernel, extremes);
  return extremes;
}

/**
 * Chooses the precision that sums over features need for accurate kernel values; throws as `checkSuitability` does. Sums over
 * sparse rows are always in double precision.
 */
export function precisionFor(kernel: Kernel, X: KernelFeatures): Precision {
  const estimate = errorEstimate(kernel, checkSuitability(kernel, X), X.columns);
  return X instanceof SparseRows || estimate > LARGEST_ERROR ? "f64" : "f32";
}

/** Estimates the largest error of the kernel values of a sample in training, relative to √(K(x, x)K(y, y)). */
export function kernelError(kernel: Kernel, X: KernelFeatures): number {
  if (X instanceof SparseRows) return VALUE_ERROR;
  const estimate = errorEstimate(kernel, extremesOf(X, kernel), X.columns);
  return (estimate > LARGEST_ERROR ? 0 : estimate) + VALUE_ERROR;
}

function checkParameters(kernel: Kernel): void {
  if (kernel.kind === "polynomial") {
    if (!(Number.isInteger(kernel.degree) && kernel.degree >= 1))
      throw invalid("degree", kernel.degree, "a whole number from 1");
    if (!(kernel.scale > 0 && Number.isFinite(kernel.scale)))
      throw invalid("scale", kernel.scale, "a positive number");
  }
  if (kernel.kind === "rbf" || kernel.kind === "chi-square") {
    if (!(kernel.gamma > 0 && Number.isFinite(kernel.gamma)))
      throw invalid("gamma", kernel.gamma, "a positive number");
  }
}

function invalid(option: string, value: number, allowed: string): VouchError {
  return new VouchError("option/invalid", `The ${option} of a kernel must be ${allowed}, not ${value}.`);
}

/** Throws if a feature is not finite, or is negative and the kernel does not allow it. */
function extremesOf(X: KernelFeatures, { kind }: Kernel): Extremes {
  const { rows, values } = X;
  const amounts = takesAmounts(kind);
  const extremes = { squaredNorm: 0, sum: 0 };
  for (let i = 0; i < rows; i++) {
    const end = rowStart(X, i + 1);
    let squaredNorm = 0;
    let sum = 0;
    for (let k = rowStart(X, i); k < end; k++) {
      const value = values[k];
      if (amounts && value < 0) throw negative(kind, i, columnAt(X, i, k), value);
      squaredNorm += value * value;
      sum += value;
    }
    if (!Number.isFinite(sum)) throw notFinite(i, rowValues(X, i));
    extremes.squaredNorm = Math.max(extremes.squaredNorm, squaredNorm);
    extremes.sum = Math.max(extremes.sum, sum);
  }
  return extremes;
}

function negative(kind: string, row: number, column: number, value: number): VouchError {
  return new VouchError(
    "option/invalid",
    `The ${kind} kernel needs non-negative features, but feature ${column + 1} of row ${row + 1} is ${value}.`,
    { hint: "Use the kernel rbf, or scale the features to [0, 1]." },
  );
}

function notFinite(row: number, values: ArrayLike<number>): VouchError {
  const column = Array.from(values).findIndex((value) => !Number.isFinite(value));
  if (column < 0)
    return new VouchError("data/not-finite", `The sum of the features of row ${row + 1} overflows.`);
  return new VouchError("data/not-finite", `Feature ${column + 1} of row ${row + 1} is ${values[column]}.`);
}

/** Checks the diagonal only: |K(x, y)| ≤ max K(x, x), by Cauchy–Schwarz. */
function checkMagnitude(kernel: Kernel, { squaredNorm, sum }: Extremes): void {
  const largest = largestValue(kernel, { squaredNorm, sum });
  if (largest < LARGEST && squaredNorm < LARGEST) return;
  const { kind } = kernel;
  const form = kind === "polynomial" ? `of degree ${kernel.degree} and scale ${kernel.scale} ` : "";
  const norm = Math.sqrt(squaredNorm).toPrecision(3);
  const [what, value] = largest < LARGEST ? ["squared norms", squaredNorm] : ["values", largest];
  throw new VouchError(
    "option/invalid",
    `The ${kind} kernel ${form}has ${what} up to ${value.toPrecision(3)} for rows with norms up to ${norm}, which is beyond single precision.`,
    { hint: "Standardise the features, or set a smaller scale or degree." },
  );
}

function largestValue(kernel: Kernel, { squaredNorm, sum }: Extremes): number {
  switch (kernel.kind) {
    case "linear":
      return squaredNorm;
    case "polynomial":
      return real.wholePower(1 + kernel.scale * squaredNorm, kernel.degree);
    case "intersection":
      return sum;
    default:
      return 1;
  }
}

/**
 * Estimates the relative error of a kernel value from sums of n terms in single precision. The error of a scalar product is
 * about √n · u · ‖x‖‖y‖ (u the unit roundoff): this is the relative error of the polynomial's base 1 + scale · x·y if x·y is
 * small, and the power multiplies it by the degree; 2γ times it is the relative error of RBF. The χ² sum is at most Σx + Σy.
 * The error of a linear or intersection kernel is relative to its largest value.
 */
function errorEstimate(kernel: Kernel, { squaredNorm, sum }: Extremes, features: number): number {
  const error = Math.sqrt(features) * ROUNDOFF;
  switch (kernel.kind) {
    case "polynomial":
      return kernel.degree * kernel.scale * squaredNorm * error;
    case "rbf":
      return 2 * kernel.gamma * squaredNorm * error;
    case "chi-square":
      return 2 * kernel.gamma * sum * error;
    default:
      return error;
  }
}
