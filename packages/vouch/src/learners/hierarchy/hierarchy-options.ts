import { z } from "zod";
import { cacheOption, kernelOptions } from "../kernel/kernel-options.js";

const { kernel, gamma, degree, scale } = kernelOptions({ kernel: "rbf", degree: 3, scale: "1/d" });

/** The options of `relaxed-hierarchy`. */
export const hierarchyOptions = z.object({
  rho: z
    .number()
    .positive()
    .default(0.2)
    .describe(
      "ρ, the mean loss per row up to which a class takes part at a node. Near 0 two classes take part, as in DAGSVM; from about 1 on all of them, as in a balanced tree. At 0 or below, every class would be ignored.",
    ),
  slack: z
    .enum(["held-out", "training"])
    .default("held-out")
    .describe(
      "Which rows tell the loss of a class at a node: rows that the machine has not seen, or those that it was trained on, as in the paper.",
    ),
  balance: z
    .union([z.literal("auto"), z.int().min(0)])
    .default("auto")
    .describe(
      'B, by how many classes the sides of a node may differ; "auto" is a fifth of the classes there, at least 1.',
    ),
  kernel,
  C: z
    .number()
    .positive()
    .default(10)
    .describe("What a training row inside the margin costs: the larger, the closer the fit."),
  gamma,
  degree,
  scale,
  starts: z
    .int()
    .min(1)
    .max(1000)
    .default(4)
    .describe(
      "Colourings that the search begins from at each node: class means in two halves, the two classes farthest apart, then random ones.",
    ),
  maxAlternations: z
    .int()
    .min(1)
    .default(10)
    .describe("How often machine and colouring are found in turn, from each start, at most."),
  searchRows: z
    .int()
    .min(1)
    .default(2000)
    .describe(
      "Rows that colourings are sought on, at least eight of each class; the machines are then trained on all rows.",
    ),
  maxNodes: z
    .int()
    .min(1)
    .default(5000)
    .describe(
      "When there would be more nodes than this, all classes take part at those still to be trained; DAGSVM has 4950 for 100 classes.",
    ),
  tolerance: z
    .number()
    .min(1e-12)
    .max(0.5)
    .default(0.001)
    .describe(
      "How far a machine may be from optimal: the largest violation of the KKT conditions; a hundred times as much with the linear kernel.",
    ),
  cacheMegabytes: cacheOption(500),
  maxIterations: z
    .int()
    .min(1)
    .default(10_000_000)
    .describe("Steps of the solver per node; when they are used up, a notice tells the gap."),
});

/** Options with defaults filled in. */
export type HierarchyOptions = z.output<typeof hierarchyOptions>;
