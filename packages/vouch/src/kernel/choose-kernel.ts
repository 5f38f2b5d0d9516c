import type { z } from "zod";
import type { Matrix } from "../numeric/matrix.js";
import type { Kernel } from "./kernel.js";
import type { kernelOptions } from "./kernel-options.js";

/** What the options of a learner say of its kernel. */
export type KernelOptions = z.output<z.ZodObject<ReturnType<typeof kernelOptions>>>;

/** The kernel that the options ask for, with what "scale" and "1/d" mean for these features filled in. */
export function chooseKernel(options: KernelOptions, features: Matrix): Kernel {
  const { kernel: kind, degree, scale, gamma } = options;
  switch (kind) {
    case "linear":
    case "intersection":
      return { kind };
    case "polynomial":
      return { kind, degree, scale: polynomialScale(scale, features) };
    default:
      return { kind, gamma: gamma === "scale" ? usualGamma(kind, features) : gamma };
  }
}

/** The scale of a polynomial kernel that an option stands for: "none" is 1, "1/d" one over the number of features. */
export function polynomialScale(scale: "none" | "1/d" | number, { columns }: Matrix): number {
  if (scale === "none") return 1;
  return scale === "1/d" ? 1 / Math.max(1, columns) : scale;
}

/**
 * The γ that makes the exponent about 1 for two ordinary rows of d features: 1/(d·var) for rbf, as in scikit-learn.
 * The χ² distance (x − y)²/(x + y) is about var/mean per feature, so mean/(d·var) there. 1 where all values are equal.
 */
export function usualGamma(kind: "rbf" | "chi-square", { values, columns }: Matrix): number {
  let sum = 0;
  for (const value of values) sum += value;
  const mean = sum / values.length;
  let squares = 0;
  for (const value of values) squares += (value - mean) ** 2;
  const gamma = ((kind === "rbf" ? 1 : mean) * values.length) / (columns * squares);
  return gamma > 0 && gamma < Number.POSITIVE_INFINITY ? gamma : 1;
}
