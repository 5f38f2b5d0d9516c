import * as z from "zod";
import type { Standardisation } from "../../encode/encoder.js";
import { nonNegativeNumber, realNumber } from "../../runtime/codec/schema-numbers.js";
import { takesAmounts } from "./kernel.js";

/** With higher degrees, kernel values only overflow. */
export const HIGHEST_DEGREE = 20;

/** Makes the kernel options of a learner, with its defaults. */
export function kernelOptions(defaults: {
  readonly kernel: "polynomial" | "rbf";
  readonly degree: number;
  readonly scale: "1/d" | number;
}) {
  return {
    kernel: z
      .enum(["linear", "polynomial", "rbf", "chi-square", "intersection"])
      .default(defaults.kernel)
      .describe("Kernel function. chi-square and intersection need non-negative features."),
    degree: z
      .int()
      .min(1)
      .max(HIGHEST_DEGREE)
      .default(defaults.degree)
      .describe("Degree of the polynomial kernel (1 + scale·x·y)^degree.")
      .meta({ ignoredIf: { kernel: ["linear", "rbf", "chi-square", "intersection"] } }),
    scale: z
      .union([z.literal("1/d"), z.number().positive()])
      .default(defaults.scale)
      .describe(
        'Factor of the dot product in the polynomial kernel; "1/d" is one over the number of features.',
      )
      .meta({ ignoredIf: { kernel: ["linear", "rbf", "chi-square", "intersection"] } }),
    gamma: z
      .union([z.literal("scale"), z.number().positive()])
      .default("scale")
      .describe(
        'Coefficient γ of the rbf and chi-square kernels; "scale" adapts it to the spread of the features.',
      )
      .meta({ ignoredIf: { kernel: ["linear", "polynomial", "intersection"] } }),
    scaling: z
      .enum(["standard", "common"])
      .default("standard")
      .describe(
        "Scaling of the features: standard gives each the deviation 1, common divides all by one number, as pixels need. chi-square and intersection do not scale.",
      )
      .meta({ ignoredIf: { kernel: ["chi-square", "intersection"] } }),
  };
}

/** Makes the option that limits the memory for kernel values, with its default. */
export function cacheOption(megabytes: number) {
  return z
    .number()
    .min(1)
    .max(2000)
    .default(megabytes)
    .describe("Memory for kernel values, in megabytes. If they need more, rows are computed on demand.");
}

/** Options that choose a kernel, and how its features are scaled. */
type ScaledKernelOptions = z.output<z.ZodObject<ReturnType<typeof kernelOptions>>>;

/** Options that choose a kernel. */
export type KernelOptions = Omit<ScaledKernelOptions, "scaling">;

/** Returns the scaling that the options choose; amounts are not scaled. */
export function kernelScaling({
  kernel,
  scaling,
}: Pick<ScaledKernelOptions, "kernel" | "scaling">): Standardisation {
  if (takesAmounts(kernel)) return false;
  return scaling === "common" ? "common" : true;
}

/**
 * The highest degree in a file: a kernel value takes as many multiplications. The option goes to `HIGHEST_DEGREE`; other
 * programs have no limit, but with more than 100 even features of norm 2 overflow.
 */
export const MOST_DEGREE = 100;

/** The codec of a `Kernel` in a model file. */
export const kernelSchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("linear") }),
  z.strictObject({
    kind: z.literal("polynomial"),
    degree: z.int().min(0).max(MOST_DEGREE),
    scale: nonNegativeNumber,
    offset: realNumber.optional(),
  }),
  z.strictObject({ kind: z.literal("rbf"), gamma: nonNegativeNumber }),
  z.strictObject({ kind: z.literal("chi-square"), gamma: nonNegativeNumber }),
  z.strictObject({ kind: z.literal("intersection") }),
]);
