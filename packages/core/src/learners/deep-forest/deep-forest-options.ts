import * as z from "zod";
import type { Learner } from "../learner.js";

/** More layers than any deep forest has. */
export const MOST_LAYERS = 100;

const MOST_FORESTS = 100;
const MOST_TREES = 100_000;

/** A member of a layer in a program: a learner, or its name and options. */
export type Estimator = Learner | Pick<Learner, "name" | "options">;

const cascading = {
  layers: z
    .int()
    .min(1)
    .max(MOST_LAYERS)
    .default(20)
    .describe("Maximum number of layers. Layers after the best one are dropped."),
  patience: z
    .int()
    .min(1)
    .default(2)
    .describe("Stop after this many layers in a row without a better out-of-fold score."),
  improvement: z
    .number()
    .min(0)
    .lt(1)
    .default(0.0005)
    .describe("A layer counts as better if out-of-fold accuracy rises by more than this."),
  folds: z
    .int()
    .min(2)
    .max(100)
    .default(5)
    .describe("Number of folds. Each layer passes out-of-fold predictions on to the next."),
  randomForests: z.int().min(0).max(MOST_FORESTS).default(2).describe("Random forests per layer."),
  completelyRandomForests: z
    .int()
    .min(0)
    .max(MOST_FORESTS)
    .default(2)
    .describe("Completely random forests per layer."),
  trees: z.int().min(1).max(MOST_TREES).default(50).describe("Trees per forest and fold."),
  minLeafRows: z
    .union([z.int().min(1), z.literal("auto")])
    .default("auto")
    .describe("Minimum number of rows in a leaf; auto tries 1, 3, 5 and 10 out of fold, with small forests."),
  maxDepth: z
    .union([z.int().min(1), z.literal("unlimited")])
    .default("unlimited")
    .describe("Maximum tree depth."),
  featuresPerSplit: z
    .union([z.int().min(1), z.number().gt(0).lt(1), z.enum(["sqrt", "log2", "all"])])
    .default("sqrt")
    .describe(
      "Random features considered at each split of a random forest: a number, a fraction, or a rule (sqrt, log2, all).",
    ),
  bootstrap: z
    .boolean()
    .default(false)
    .describe("Train each tree of a random forest on a bootstrap sample instead of all rows."),
  estimators: z
    .array(z.union([z.string(), z.custom<Estimator>((value) => typeof value === "object" && value !== null)]))
    .default([])
    .describe("Learners that replace the forests of each layer, such as forest,svm:probability=true:C=10."),
};

const scanning = {
  shape: z
    .array(z.int().min(1))
    .max(3)
    .default([])
    .describe(
      "Layout of the features: length, or width,height, or width,height,channels. Without it, nothing is scanned.",
    ),
  windows: z
    .array(z.int().min(1))
    .default([])
    .describe(
      "Side lengths of the scanning windows. Without it, they cover 1/16, 1/8 and 1/4 of the features.",
    )
    .meta({ ignoredIf: { shape: [""] } }),
  stride: z
    .union([z.int().min(1), z.literal("half")])
    .default("half")
    .describe("Step between windows, in pixels; half is half the window's side.")
    .meta({ ignoredIf: { shape: [""] } }),
  scanTrees: z
    .int()
    .min(1)
    .max(MOST_TREES)
    .default(30)
    .describe("Trees in each of the two scanning forests per window size.")
    .meta({ ignoredIf: { shape: [""] } }),
  scanLeafRows: z
    .int()
    .min(1)
    .default(10)
    .describe("Minimum number of windows in a leaf of a scanning forest.")
    .meta({ ignoredIf: { shape: [""] } }),
  scanWindows: z
    .int()
    .min(100)
    .default(100_000)
    .describe("Maximum number of windows per window size and fold; more are subsampled.")
    .meta({ ignoredIf: { shape: [""] } }),
};

export const cascadeForestOptions = z.object(cascading);

export const gcForestOptions = z.object({ ...cascading, ...scanning });

export const mddfOptions = z.object({
  ...cascading,
  variant: z
    .enum(["full", "SF", "ST", "NP"])
    .default("full")
    .describe(
      "Ablations of the paper: SF (random forests only), ST (no original features), NP (only the last layer predicts).",
    ),
  r: z
    .array(z.number().gt(0).lt(1))
    .min(1)
    .default([0.7, 0.75, 0.8, 0.85, 0.9, 0.95])
    .describe("Target margins of the loss. Each layer chooses one by out-of-fold accuracy."),
  mu: z
    .array(z.number().gt(0).max(1))
    .min(1)
    .default([0.1, 0.05, 0.01])
    .describe("Costs of margins above the target, relative to those below. Chosen together with r."),
  reweight: z
    .enum(["auto", "always", "never"])
    .default("auto")
    .describe(
      "Weight the rows of each layer by the loss of the layers before it; auto decides with small forests, out of fold.",
    ),
  ...scanning,
});

/** The options that all deep forests have. */
export type DeepForestOptions = z.output<typeof cascadeForestOptions>;

/** The options of all deep forests, with the leaf size chosen. */
export type LayerOptions = Omit<DeepForestOptions, "minLeafRows"> & { readonly minLeafRows: number };

/** The options of scanning. */
export type ScanOptions = z.output<z.ZodObject<typeof scanning>>;
