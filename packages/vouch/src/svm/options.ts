import { z } from "zod";

/** High enough for every use; with higher degrees kernel values only overflow. */
export const HIGHEST_DEGREE = 20;

/** The options of `svm`. */
export const svmOptions = z.object({
  kernel: z
    .enum(["linear", "polynomial", "rbf", "chi-square", "intersection"])
    .default("rbf")
    .describe(
      "How two rows are compared; chi-square and intersection take features that are never negative.",
    ),
  C: z
    .number()
    .positive()
    .default(1)
    .describe("What a training row inside the margin costs: the larger, the closer the fit."),
  gamma: z
    .union([z.literal("scale"), z.number().positive()])
    .default("scale")
    .describe(
      'Of the kernels rbf and chi-square: how fast rows grow unlike with distance; "scale" suits the spread of the features.',
    ),
  degree: z
    .int()
    .min(1)
    .max(HIGHEST_DEGREE)
    .default(3)
    .describe("Of the polynomial kernel (1 + scale·x·y)^degree."),
  scale: z
    .union([z.literal("1/d"), z.number().positive()])
    .default("1/d")
    .describe('Of the polynomial kernel; "1/d" is one over the number of features.'),
  classWeights: z
    .enum(["none", "balanced"])
    .default("none")
    .describe("With balanced, C is larger for rows of rare classes, so that all classes count the same."),
  probability: z
    .boolean()
    .default(false)
    .describe("Give probabilities, calibrated on five internal folds, instead of decision values."),
  tolerance: z
    .number()
    .min(1e-12)
    .max(0.5)
    .default(0.001)
    .describe("How far the solution may be from optimal: the largest violation of the KKT conditions."),
  cacheMegabytes: z
    .number()
    .min(1)
    .max(2000)
    .default(200)
    .describe("Memory for kernel values; of a larger kernel matrix, rows are computed when they are needed."),
  maxIterations: z
    .int()
    .min(1)
    .default(10_000_000)
    .describe("Steps of the solver per pair of classes; when they are used up, a notice tells the gap."),
});
