import { z } from "zod";
import { cacheOption, kernelOptions } from "../kernel/index.js";

const { kernel, gamma, degree, scale } = kernelOptions({ kernel: "rbf", degree: 3, scale: "1/d" });

/** The options of `svm`. */
export const svmOptions = z.object({
  kernel,
  C: z
    .number()
    .positive()
    .default(1)
    .describe("What a training row inside the margin costs: the larger, the closer the fit."),
  gamma,
  degree,
  scale,
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
  cacheMegabytes: cacheOption(200),
  maxIterations: z
    .int()
    .min(1)
    .default(10_000_000)
    .describe("Steps of the solver per pair of classes; when they are used up, a notice tells the gap."),
});
