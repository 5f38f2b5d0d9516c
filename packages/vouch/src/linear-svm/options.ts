import { z } from "zod";
import { losses } from "./dual-coordinate-descent.js";

/** The options of `linear-svm`. */
export const linearSvmOptions = z.object({
  C: z
    .number()
    .positive()
    .default(1)
    .describe("What a training row inside the margin costs: the larger, the closer the fit."),
  loss: z
    .enum(losses)
    .default("squared-hinge")
    .describe("Whether rows inside the margin cost their distance to it (hinge) or its square."),
  bias: z
    .number()
    .min(0)
    .max(1e6)
    .default(1)
    .describe(
      "Value of a constant feature, whose weight shifts the hyperplane; with 0 it goes through the origin.",
    ),
  standardise: z
    .boolean()
    .default(true)
    .describe(
      "Scale features to deviation 1, and to mean 0 unless they are mostly zero; false for counts of words.",
    ),
  classWeights: z
    .enum(["none", "balanced"])
    .default("none")
    .describe("With balanced, C is larger for rows of rare classes, so that all classes count the same."),
  tolerance: z
    .number()
    .min(1e-12)
    .max(10)
    .default(0.01)
    .describe(
      "How far the solution may be from optimal: the spread of the projected gradients that is left.",
    ),
  maxPasses: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(1000)
    .describe("Passes over the rows for each class; when they are used up, a notice tells what is left."),
});
