import { polynomialVcDimension } from "../bounds/vc-dimension-polynomial.js";
import type { Kernel } from "./kernel.js";

/**
 * The VC dimension of the half-spaces w·φ(x) + b ≥ 0 of a kernel's feature space on so many features, with b = 0 if they
 * have no bias: d or d + 1 for the linear kernel, the number of monomials up to the degree for the polynomial one, whose
 * constant does the work of a bias. Infinite for the others, whose spaces have no finite dimension.
 */
export function kernelVcDimension(kernel: Kernel, features: number, { bias }: { bias: boolean }): number {
  if (kernel.kind === "linear") return features + (bias ? 1 : 0);
  return kernel.kind === "polynomial"
    ? polynomialVcDimension(features, kernel.degree)
    : Number.POSITIVE_INFINITY;
}
