import type { Matrix } from "../../runtime/matrix.js";
import type { Kernel } from "../kernel/kernel.js";
import { polynomialScale, usualGamma } from "../kernel/kernel-options.js";
import { ascending } from "./cascade-learner.js";

/** The kinds of kernels that the levels of a cascade may have. */
export type NodeKernelKind = Exclude<Kernel["kind"], "linear">;

/** What the options of a cascade say of the kernels of its levels. */
interface NodeKernelOptions {
  readonly kernel: NodeKernelKind;
  readonly degrees: readonly number[];
  readonly scale: "none" | "1/d" | number;
  readonly kernelGammas: readonly number[];
}

/**
 * The kernels among which a level chooses, the simplest first: what a choice of the search stands for. Polynomial kernels
 * differ by degree, rbf and chi-square by γ, and there is only one intersection kernel.
 */
export function nodeKernels(options: NodeKernelOptions, features: Matrix): Kernel[] {
  switch (options.kernel) {
    case "polynomial":
      return polynomialKernels(options.degrees, options.scale, features);
    case "intersection":
      return [{ kind: options.kernel }];
    default:
      return radialKernels(options.kernel, options.kernelGammas, features);
  }
}

/** A kernel for each degree, the lowest first. */
export function polynomialKernels(
  degrees: readonly number[],
  scale: NodeKernelOptions["scale"],
  features: Matrix,
): Kernel[] {
  const factor = polynomialScale(scale, features);
  return ascending(degrees).map((degree) => ({ kind: "polynomial", degree, scale: factor }));
}

/** A kernel for each multiple of the γ that suits the features, the widest, which has the smallest γ, first. */
export function radialKernels(
  kind: "rbf" | "chi-square",
  multiples: readonly number[],
  features: Matrix,
): Kernel[] {
  const usual = usualGamma(kind, features);
  return ascending(multiples).map((multiple) => ({ kind, gamma: multiple * usual }));
}

/** Degree of the polynomials of a kernel's space; 0 for kernels that are not polynomial. */
export function degreeOf(kernel: Kernel): number {
  return kernel.kind === "polynomial" ? kernel.degree : 0;
}
