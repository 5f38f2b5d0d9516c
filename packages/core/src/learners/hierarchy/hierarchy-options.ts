import * as z from "zod";
import { cacheOption, kernelOptions } from "../kernel/kernel-options.js";
import { kktTolerance } from "../svm/convergence.js";

const { kernel, gamma, degree, scale, scaling } = kernelOptions({ kernel: "rbf", degree: 3, scale: "1/d" });

/** The options of `relaxed-hierarchy`. */
export const hierarchyOptions = z.object({
  rho: z
    .number()
    .positive()
    .default(0.2)
    .describe(
      "Mean loss ρ below which a class takes part at a node: near 0 gives DAGSVM, 1 or more a balanced tree.",
    ),
  slack: z
    .enum(["held-out", "training"])
    .default("held-out")
    .describe(
      "Measure the loss of a class at a node on held-out rows, or on the training rows as in the paper.",
    ),
  balance: z
    .union([z.literal("auto"), z.int().min(0)])
    .default("auto")
    .describe(
      "Maximum difference B in classes between the sides of a node; auto is a fifth of its classes, at least 1.",
    ),
  kernel,
  C: z
    .number()
    .positive()
    .default(10)
    .describe("Cost of margin violations. Larger values fit the training rows more closely."),
  gamma,
  degree,
  scale,
  scaling,
  starts: z.int().min(1).max(1000).default(4).describe("Number of initial colourings tried at each node."),
  maxAlternations: z
    .int()
    .min(1)
    .default(10)
    .describe("Maximum alternations between machine and colouring, from each start."),
  searchRows: z
    .int()
    .min(1)
    .default(2000)
    .describe(
      "Rows used to search for colourings, at least eight per class. All rows train the final machines.",
    ),
  maxNodes: z
    .int()
    .min(1)
    .default(5000)
    .describe(
      "Maximum number of nodes. Near the limit, all classes take part, which needs the fewest nodes.",
    ),
  tolerance: kktTolerance
    .default(0.001)
    .describe("Stopping tolerance of the KKT conditions; 100 times larger for the linear kernel."),
  cacheMegabytes: cacheOption(500),
  maxIterations: z
    .int()
    .min(1)
    .default(10_000_000)
    .describe("Maximum solver iterations per node. If they run out, a notice reports the remaining gap."),
});

/** Options with defaults filled in. */
export type HierarchyOptions = z.output<typeof hierarchyOptions>;
