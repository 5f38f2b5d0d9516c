import { Matrix } from "../../runtime/maths/matrix.js";
import * as real from "../../runtime/maths/portable-math.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { polynomialVcDimension } from "../../theory/vc/vc-dimension.js";
import type { Fact } from "../description.js";
import { checkColumns, checkFinite } from "../training-sample.js";
import { findValue, type KernelFeatures } from "./kernel-features.js";

/** A kernel: the scalar product of two rows after a map φ to a feature space. */
export type Kernel =
  /** x·y */
  | { readonly kind: "linear" }
  /** (offset + scale · x·y)^degree; the offset is 1 except in imported models */
  | { readonly kind: "polynomial"; readonly degree: number; readonly scale: number; readonly offset?: number }
  /** exp(−γ‖x − y‖²) */
  | { readonly kind: "rbf"; readonly gamma: number }
  /** exp(−γ Σ (x − y)² / (x + y)), for non-negative features */
  | { readonly kind: "chi-square"; readonly gamma: number }
  /** Σ min(x, y), for non-negative features */
  | { readonly kind: "intersection" };

/** Computes K(x, y) in double precision, straight from the formula: the reference for all faster ways. */
export function kernelValue(kernel: Kernel, x: ArrayLike<number>, y: ArrayLike<number>): number {
  switch (kernel.kind) {
    case "linear":
      return dotProduct(x, y);
    case "polynomial":
      return real.wholePower((kernel.offset ?? 1) + kernel.scale * dotProduct(x, y), kernel.degree);
    case "rbf":
      return real.exp(-kernel.gamma * squaredDistance(x, y));
    case "chi-square":
      return real.exp(-kernel.gamma * chiSquareDistance(x, y));
    case "intersection":
      return intersection(x, y);
  }
}

function dotProduct(x: ArrayLike<number>, y: ArrayLike<number>): number {
  let sum = 0;
  for (let k = 0; k < x.length; k++) sum += x[k] * y[k];
  return sum;
}

function squaredDistance(x: ArrayLike<number>, y: ArrayLike<number>): number {
  let sum = 0;
  for (let k = 0; k < x.length; k++) sum += (x[k] - y[k]) ** 2;
  return sum;
}

/** Computes Σ (x − y)² / (x + y), where 0/0 counts as 0. */
function chiSquareDistance(x: ArrayLike<number>, y: ArrayLike<number>): number {
  let sum = 0;
  for (let k = 0; k < x.length; k++) {
    const total = x[k] + y[k];
    if (total > 0) sum += (x[k] - y[k]) ** 2 / total;
  }
  return sum;
}

function intersection(x: ArrayLike<number>, y: ArrayLike<number>): number {
  let sum = 0;
  for (let k = 0; k < x.length; k++) sum += Math.min(x[k], y[k]);
  return sum;
}

/** Computes K(x, y) of two rows from the sum of the terms that they share and the norms of both (`wasm/kernel-sparse.ts`). */
export function valueOfSum(kernel: Kernel, sum: number, norm: number, other: number): number {
  switch (kernel.kind) {
    case "polynomial":
      return real.wholePower((kernel.offset ?? 1) + kernel.scale * sum, kernel.degree);
    case "rbf":
    case "chi-square":
      return real.exp(-kernel.gamma * Math.max(0, norm - sum - (sum - other)));
    default:
      return sum;
  }
}

/**
 * Returns the VC dimension of the half-spaces w·φ(x) + b ≥ 0 of a kernel's feature space, with b = 0 if there is no bias: d
 * or d + 1 for the linear kernel; the number of monomials up to the degree for the polynomial kernel, whose constant acts as
 * a bias. Infinite for the others: their feature spaces have no finite dimension.
 */
export function kernelVcDimension(kernel: Kernel, features: number, { bias }: { bias: boolean }): number {
  if (kernel.kind === "linear") return features + (bias ? 1 : 0);
  return kernel.kind === "polynomial"
    ? polynomialVcDimension(features, kernel.degree)
    : Number.POSITIVE_INFINITY;
}

/** Tells whether a kernel needs non-negative features (amounts), which are not standardised. */
export function takesAmounts(kind: Kernel["kind"]): boolean {
  return kind === "chi-square" || kind === "intersection";
}

/** Checks that no feature is negative if the kernel compares amounts. */
export function checkAmounts(kind: Kernel["kind"], features: KernelFeatures, names: readonly string[]): void {
  if (!takesAmounts(kind)) return;
  const cell = findValue(features, (value) => value < 0);
  if (!cell) return;
  throw new VouchError(
    "data/malformed",
    `Row ${cell.row + 1} has ${cell.value} in feature ${names[cell.column]}, but the ${kind} kernel needs non-negative features.`,
    { hint: "Use another kernel, such as rbf, or leave the column out." },
  );
}

/** Checks rows that a model with this kernel is to classify. */
export function checkKernelFeatures(
  kind: Kernel["kind"],
  features: KernelFeatures,
  names: readonly string[],
): void {
  checkColumns(features, names);
  // The constructor of sparse rows checks that they are finite.
  if (features instanceof Matrix) checkFinite(features, names);
  checkAmounts(kind, features, names);
}

/** Describes a kernel and its parameters. */
export function kernelFacts({ kind, ...parameters }: Kernel): Fact[] {
  const values = Object.entries(parameters).map(([name, value]) => ({ name, value }));
  return [{ name: "kernel", value: kind }, ...values];
}

/** A kernel as functions in WebAssembly memory take it. */
interface KernelForm {
  readonly kind: number;
  readonly degree: number;
  /** The scale of a polynomial, or γ. */
  readonly factor: number;
  /** The constant of a polynomial. */
  readonly offset: number;
}

/** Numbers of the kinds in `wasm/kernel-values.ts`. */
const KINDS = { linear: 0, polynomial: 1, rbf: 2, "chi-square": 3, intersection: 4 } as const;

/** Tells whether the kernel is a function of x·y, ‖x‖² and ‖y‖². */
export function dependsOnProducts({ kind }: Kernel): boolean {
  return KINDS[kind] <= KINDS.rbf;
}

/** Encodes a kernel as numbers. */
export function kernelForm(kernel: Kernel): KernelForm {
  const kind = KINDS[kernel.kind];
  switch (kernel.kind) {
    case "polynomial":
      return { kind, degree: kernel.degree, factor: kernel.scale, offset: kernel.offset ?? 1 };
    case "rbf":
    case "chi-square":
      return { kind, degree: 1, factor: kernel.gamma, offset: 1 };
    default:
      return { kind, degree: 1, factor: 1, offset: 1 };
  }
}
