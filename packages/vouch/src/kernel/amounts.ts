import { VouchError } from "../error.js";
import { checkFeatures } from "../learning/training-sample.js";
import type { Matrix } from "../numeric/matrix.js";
import type { Kernel } from "./kernel.js";

/** Whether a kernel compares amounts, which are never negative: then features are not standardised. */
export function takesAmounts(kind: Kernel["kind"]): boolean {
  return kind === "chi-square" || kind === "intersection";
}

/** Checks that no feature is negative where the kernel compares amounts. */
export function checkAmounts(kind: Kernel["kind"], features: Matrix, names: readonly string[]): void {
  if (!takesAmounts(kind)) return;
  const at = features.values.findIndex((value) => value < 0);
  if (at < 0) return;
  const row = Math.floor(at / features.columns) + 1;
  throw new VouchError(
    "data/malformed",
    `Row ${row} has ${features.values[at]} in feature ${names[at % features.columns]}, but the ${kind} kernel compares amounts, which are not negative.`,
    { hint: "Use another kernel, such as rbf, or leave the column out." },
  );
}

/** Checks features that a model with this kernel is to classify. */
export function checkKernelFeatures(kind: Kernel["kind"], features: Matrix, names: readonly string[]): void {
  checkFeatures(features, names);
  checkAmounts(kind, features, names);
}
