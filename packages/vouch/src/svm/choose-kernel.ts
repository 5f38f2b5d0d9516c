import type { z } from "zod";
import { VouchError } from "../error.js";
import type { Kernel } from "../kernel/index.js";
import type { Matrix } from "../numeric/matrix.js";
import type { svmOptions } from "./options.js";

/** Those of the learner's options that say what the kernel is. */
type KernelOptions = Pick<z.output<typeof svmOptions>, "kernel" | "gamma" | "degree" | "scale">;

/** Whether a kernel compares amounts, which are never negative: then features are not standardised. */
export function takesAmounts(kind: Kernel["kind"]): boolean {
  return kind === "chi-square" || kind === "intersection";
}

/** The kernel that the options ask for, with what "scale" and "1/d" mean for these features filled in. */
export function chooseKernel(options: KernelOptions, features: Matrix): Kernel {
  const { kernel: kind, degree } = options;
  switch (kind) {
    case "linear":
    case "intersection":
      return { kind };
    case "polynomial": {
      const scale = options.scale === "1/d" ? 1 / Math.max(1, features.columns) : options.scale;
      return { kind, degree, scale };
    }
    default:
      return { kind, gamma: options.gamma === "scale" ? gammaFor(kind, features) : options.gamma };
  }
}

/**
 * The γ that makes the exponent about 1 for two ordinary rows of d features: 1/(d·var) for rbf, as in scikit-learn.
 * The χ² distance (x − y)²/(x + y) is about var/mean per feature, so mean/(d·var) there. 1 where all values are equal.
 */
function gammaFor(kind: "rbf" | "chi-square", { values, columns }: Matrix): number {
  let sum = 0;
  for (const value of values) sum += value;
  const mean = sum / values.length;
  let squares = 0;
  for (const value of values) squares += (value - mean) ** 2;
  const gamma = ((kind === "rbf" ? 1 : mean) * values.length) / (columns * squares);
  return gamma > 0 && gamma < Number.POSITIVE_INFINITY ? gamma : 1;
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
