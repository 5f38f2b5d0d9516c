import * as z from "zod";
import { VouchError } from "../../runtime/vouch-error.js";
import type { Kernel } from "../kernel/kernel.js";
import { cacheOption, HIGHEST_DEGREE } from "../kernel/kernel-options.js";
import { kktTolerance } from "../svm/convergence.js";

/** The deepest cascades that can be searched for. */
const MOST_LEVELS = 8;

/** The most leaves of a tree. */
export const MOST_LEAVES = 64;

/** Ten tenths: the paper's fractions. */
const TENTHS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1];

/**
 * Complexity terms of bound (9):
 * `vc` is √(d ln(em/d)/m), as printed; `vc-local` is √(2d ln(e m_k/d)/m_k) on the m_k points that reach the node, as Vani
 * and Venkatesh (2015) computed it; `rademacher` is ‖w‖·√(Σ K(x_i, x_i))/m, the closed form for the ball
 * of the kernel's space that the trained node lies in.
 */
export const complexityTerms = ["vc", "vc-local", "rademacher"] as const;

export type ComplexityTerm = (typeof complexityTerms)[number];

/** Range of the number of levels. */
const cascadeDepth = z.int().min(1).max(MOST_LEVELS);

/** Range of the number of leaves. */
export const leafLimit = z.int().min(1).max(MOST_LEAVES);

/** Options of all cascades. */
export const cascadeOptions = {
  topology: z
    .enum(["chain", "tree", "search"])
    .default("chain")
    .describe(
      "Shape: the best chain of gates; a binary tree of gates, grown while the bound falls; or a tree grown from the best chain.",
    ),
  maxLeaves: leafLimit
    .default(8)
    .describe("Maximum number of leaves of a tree. Ignored for chains.")
    .meta({ ignoredIf: { topology: ["chain"] } }),
  minDepth: cascadeDepth.default(1).describe("Minimum number of levels."),
  maxDepth: cascadeDepth.default(4).describe("Maximum number of levels."),
  fractions: z
    .array(z.number().positive().max(1))
    .min(1)
    .default(TENTHS)
    .describe("Fractions of a level's points that its gate may pass on to the next level."),
  gammas: z
    .array(z.number().positive())
    .min(1)
    .default([1e-4, 1e-3, 1e-2, 1e-1, 1])
    .describe("Scales γ of the complexity term in the bound. If there are several, validation chooses one."),
  validation: z
    .number()
    .gt(0)
    .lt(1)
    .default(0.25)
    .describe("Stratified fraction of the training rows used to choose γ. All rows train the final cascade."),
  folds: z
    .union([z.literal(0), z.int().min(2)])
    .default(0)
    .describe(
      "Choose γ by cross-validation with this many folds instead of one validation split; 0 turns it off.",
    ),
  standardise: z
    .boolean()
    .default(true)
    .describe("Standardise features to mean 0 and standard deviation 1 on the training rows."),
};

export const kernelGammasOption = z
  .array(z.number().positive())
  .min(1)
  .default([0.0625, 0.25, 1, 4])
  .describe(
    "Kernel coefficients that a level may use, as multiples of the default, which adapts to the spread of the features.",
  );

/** Options of cascades whose levels are kernel classifiers. */
export const kernelCascadeOptions = {
  ...cascadeOptions,
  kernel: z
    .enum(["polynomial", "rbf", "chi-square", "intersection"])
    .default("polynomial")
    .describe("Kernel of the levels. chi-square and intersection need non-negative features."),
  degrees: z
    .array(z.int().min(1).max(HIGHEST_DEGREE))
    .min(1)
    .default([1, 2, 3, 4])
    .describe("Degrees a level may use in the polynomial kernel (1 + scale·x·y)^degree."),
  kernelGammas: kernelGammasOption,
  nonDecreasing: z
    .boolean()
    .default(false)
    .describe(
      "Search only cascades whose degrees or kernel coefficients never decrease from level to level.",
    ),
  cacheMegabytes: cacheOption(1000),
  gate: z
    .enum(["closed", "strict"])
    .default("closed")
    .describe(
      "Whether a point exactly at a gate's threshold goes on to the next level (closed) or stays (strict).",
    ),
  complexity: z
    .enum(["auto", ...complexityTerms])
    .default("auto")
    .describe("Complexity term of the bound; auto is vc for polynomial kernels, otherwise rademacher."),
};

/** Defines the option `scale` of the polynomial kernels. */
export function scaleOption(usual: "none" | "1/d") {
  return z
    .union([z.enum(["none", "1/d"]), z.number().positive()])
    .default(usual)
    .describe(
      'Factor of the dot product in the polynomial kernel: "none" is 1, "1/d" is one over the number of features.',
    );
}

/** Options of cascades with support vector machines. */
export const svmOptions = {
  scale: scaleOption("1/d"),
  cGrid: z
    .array(z.number().positive())
    .min(1)
    .default([1e-3, 1e-2, 1e-1, 1, 10, 100])
    .describe("Values of C to try. Cross-validation chooses one per kernel."),
  cFolds: z.int().min(2).default(5).describe("Folds of the cross-validation that chooses C."),
  tolerance: kktTolerance
    .default(0.001)
    .describe("Stopping tolerance: the largest violation of the KKT conditions."),
  maxIterations: z
    .int()
    .min(1)
    .default(1_000_000)
    .describe("Maximum solver iterations per machine. If they run out, a notice reports the remaining gap."),
};

/** Sorts the distinct values in ascending order. */
export function ascending(values: readonly number[]): number[] {
  return [...new Set(values)].sort((a, b) => a - b);
}

/**
 * Returns the complexity term to use; `auto` is `vc`, as printed, where the VC dimension is finite. It is infinite for all
 * kernels but the polynomial ones. There a complexity by VC dimension would be the same for all levels and all kernels, the
 * bound would leave the choice of the kernel to the training error, and as a rule the narrowest kernel would win: it is
 * refused.
 */
export function complexityFor(
  learner: string,
  kernel: Kernel["kind"],
  asked: ComplexityTerm | "auto",
): ComplexityTerm {
  if (kernel === "polynomial") return asked === "auto" ? "vc" : asked;
  if (asked !== "auto") needRademacher(learner, `the ${kernel} kernel`, asked);
  return "rademacher";
}

/** Throws on complexities by VC dimension for families whose dimension is infinite. */
export function needRademacher(learner: string, family: string, asked: ComplexityTerm): void {
  if (asked === "rademacher") return;
  throw new VouchError(
    "option/invalid",
    `Option complexity of ${learner} is ${asked}, but the VC dimension of ${family} is infinite.`,
    { hint: "Set complexity to rademacher." },
  );
}

/** Checks that there are depths between the minimum and the maximum, and that they suit the topology. */
export function checkDepths(
  learner: string,
  {
    minDepth,
    maxDepth,
    topology,
  }: Pick<z.output<z.ZodObject<typeof cascadeOptions>>, "minDepth" | "maxDepth" | "topology">,
): void {
  if (topology === "tree" && minDepth > 1) {
    throw new VouchError(
      "option/invalid",
      `Option minDepth of ${learner} is ${minDepth}, but a tree is grown from a single leaf.`,
      { hint: "Leave minDepth out, or set topology to search, which starts from a chain." },
    );
  }
  if (minDepth <= maxDepth) return;
  throw new VouchError(
    "option/invalid",
    `Option minDepth of ${learner} is ${minDepth}, above maxDepth ${maxDepth}.`,
    { hint: "A cascade has at least minDepth and at most maxDepth levels." },
  );
}
