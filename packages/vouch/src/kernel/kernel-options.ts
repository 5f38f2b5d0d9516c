import { z } from "zod";

/** High enough for every use; with higher degrees kernel values only overflow. */
export const HIGHEST_DEGREE = 20;

/** The options of a learner with one kernel, with the defaults that it has. */
export function kernelOptions(usual: {
  readonly kernel: "polynomial" | "rbf";
  readonly degree: number;
  readonly scale: "1/d" | number;
}) {
  return {
    kernel: z
      .enum(["linear", "polynomial", "rbf", "chi-square", "intersection"])
      .default(usual.kernel)
      .describe(
        "How two rows are compared; chi-square and intersection take features that are never negative.",
      ),
    degree: z
      .int()
      .min(1)
      .max(HIGHEST_DEGREE)
      .default(usual.degree)
      .describe("Of the polynomial kernel (1 + scale·x·y)^degree."),
    scale: z
      .union([z.literal("1/d"), z.number().positive()])
      .default(usual.scale)
      .describe('Of the polynomial kernel; "1/d" is one over the number of features.'),
    gamma: z
      .union([z.literal("scale"), z.number().positive()])
      .default("scale")
      .describe(
        'Of the kernels rbf and chi-square: how fast rows grow unlike with distance; "scale" suits the spread of the features.',
      ),
  };
}

/** Memory for kernel values, in megabytes. */
export function cacheOption(usual: number) {
  return z
    .number()
    .min(1)
    .max(2000)
    .default(usual)
    .describe("Memory for kernel values; where they need more, rows of them are computed as needed.");
}
