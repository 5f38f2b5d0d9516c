import { z } from "zod";

/** The options of `perceptron`. */
export const perceptronOptions = z.object({
  kernel: z
    .enum(["linear", "polynomial", "rbf", "chi-square", "intersection"])
    .default("polynomial")
    .describe(
      "How two rows are compared; chi-square and intersection take features that are never negative.",
    ),
  degree: z.int().min(1).max(20).default(2).describe("Of the polynomial kernel (1 + scale·x·y)^degree."),
  scale: z
    .union([z.literal("1/d"), z.number().positive()])
    .default(1)
    .describe('Of the polynomial kernel; "1/d" is one over the number of features.'),
  gamma: z
    .union([z.literal("scale"), z.number().positive()])
    .default("scale")
    .describe(
      'Of the kernels rbf and chi-square: how fast rows grow unlike with distance; "scale" suits the spread of the features.',
    ),
  cacheMegabytes: z
    .number()
    .min(1)
    .max(2000)
    .default(1000)
    .describe("Memory for kernel values; where the matrix is larger, its rows are computed as needed."),
  passes: z
    .int()
    .min(1)
    .max(100_000)
    .default(4)
    .describe("How often all rows are visited at most; a pass without a mistake is the last."),
  averaged: z
    .boolean()
    .default(false)
    .describe(
      "Keep the mean of the weights after each visit instead of the last ones: steadier on noisy data.",
    ),
});
