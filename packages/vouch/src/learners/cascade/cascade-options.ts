import { z } from "zod";
import { cacheOption, HIGHEST_DEGREE } from "../kernel/kernel-options.js";

/** Ten tenths: the paper's fractions. */
const TENTHS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1];

const number = z.number();

/** What all cascades have in common. */
const cascadeOptions = {
  minDepth: z.int().min(1).max(8).default(1).describe("How many levels a cascade has at least."),
  maxDepth: z.int().min(1).max(8).default(4).describe("How many levels a cascade has at most."),
  fractions: z
    .array(number.positive().max(1))
    .min(1)
    .default(TENTHS)
    .describe("Shares of a level's points that its gate may send on to the next level."),
  gammas: z
    .array(number.positive())
    .min(1)
    .default([1e-4, 1e-3, 1e-2, 1e-1, 1])
    .describe("Scales of the complexity term in the bound; validation rows choose among several."),
  validation: number
    .gt(0)
    .lt(1)
    .default(0.25)
    .describe("Share of the training rows that chooses gamma; all of them train the final cascade."),
  folds: z
    .union([z.literal(0), z.int().min(2)])
    .default(0)
    .describe(
      "Choose gamma in so many folds of the training rows instead of on one share of them; 0 for the share.",
    ),
  standardise: z
    .boolean()
    .default(true)
    .describe("Shift and scale every feature to mean 0 and standard deviation 1 on the training rows."),
};

const kernelGammas = z
  .array(number.positive())
  .min(1)
  .default([0.0625, 0.25, 1, 4])
  .describe(
    "Of the kernels rbf and chi-square: the gammas that a level may have, as multiples of the one that suits the spread of the features.",
  );

const complexities = ["vc", "vc-local", "rademacher"] as const;

/** What the cascades of kernel classifiers have in common, beside. */
const kernelCascadeOptions = {
  ...cascadeOptions,
  kernel: z
    .enum(["polynomial", "rbf", "chi-square", "intersection"])
    .default("polynomial")
    .describe(
      "How the levels compare two rows; chi-square and intersection take features as they are, which must never be negative.",
    ),
  degrees: z
    .array(z.int().min(1).max(HIGHEST_DEGREE))
    .min(1)
    .default([1, 2, 3, 4])
    .describe("Degrees of the polynomial kernels (1 + scale·x·y)^degree that a level may have."),
  kernelGammas,
  nonDecreasing: z
    .boolean()
    .default(false)
    .describe("Only cascades whose degrees, or kernel gammas, never fall from one level to the next."),
  cacheMegabytes: cacheOption(1000),
  gate: z
    .enum(["closed", "strict"])
    .default("closed")
    .describe("Whether a point exactly at the threshold of a gate goes on (closed) or stays (strict)."),
  complexity: z
    .enum(["auto", ...complexities])
    .default("auto")
    .describe(
      "The complexity term: from the VC dimension on all points, on the points of the level, or from the norm of the trained classifier; auto is vc for polynomial kernels, and rademacher for others, which have no finite VC dimension.",
    ),
};

/** The kernel's scale: what the scalar product of two rows is multiplied by. */
function scaleOption(usual: "none" | "1/d") {
  return z
    .union([z.enum(["none", "1/d"]), z.number().positive()])
    .default(usual)
    .describe('Of the polynomial kernels: "none" is 1, "1/d" is one over the number of features.');
}

/** How support vector machines are trained. */
const svmOptions = {
  scale: scaleOption("1/d"),
  cGrid: z
    .array(z.number().positive())
    .min(1)
    .default([1e-3, 1e-2, 1e-1, 1, 10, 100])
    .describe("Values of C, of which cross-validation chooses one for each kernel."),
  cFolds: z.int().min(2).default(5).describe("Folds of that cross-validation."),
  tolerance: z
    .number()
    .min(1e-12)
    .max(0.5)
    .default(0.001)
    .describe("How far the solutions may be from optimal: the largest violation of the KKT conditions."),
  maxIterations: z
    .int()
    .min(1)
    .default(1_000_000)
    .describe("Steps of the solver per machine; when they are used up, a notice tells the gap."),
};

/** The options of `deep-cascade-svm`. */
export const deepCascadeSvmOptions = z.object({ ...kernelCascadeOptions, ...svmOptions });

/** The options of `deep-cascade-perceptron`. */
export const deepCascadePerceptronOptions = z.object({
  ...kernelCascadeOptions,
  scale: scaleOption("none"),
  passes: z
    .int()
    .min(1)
    .max(100_000)
    .default(4)
    .describe("How often a perceptron visits all its rows at most; a pass without a mistake is its last."),
});

/** The options of `deep-cascade`. */
export const deepCascadeOptions = z.object({
  ...cascadeOptions,
  leaves: z
    .array(
      z.enum([
        "constant",
        "threshold-1",
        "threshold-2",
        "threshold-3",
        "kernel-1",
        "kernel-2",
        "kernel-3",
        "kernel-4",
        "rbf",
      ]),
    )
    .min(1)
    .default(["constant", "threshold-1", "threshold-2", "kernel-1", "kernel-2"])
    .describe(
      "Families that the classifier of a leaf may come from: constants, thresholds on monomials up to a degree, classifiers with a polynomial kernel of a degree or with Gaussian kernels.",
    ),
  questions: z
    .array(z.enum(["threshold-1", "threshold-2", "threshold-3"]))
    .min(1)
    .default(["threshold-1"])
    .describe("Families that the question of a gate may come from: thresholds on monomials up to a degree."),
  complexity: z
    .enum(complexities)
    .default("rademacher")
    .describe(
      "The complexity term: from the VC dimension on all points, on the points of the level, or the Rademacher complexity of the family.",
    ),
  kernelGammas,
  cacheMegabytes: cacheOption(1000),
  ...svmOptions,
});
