import { z } from "zod";

/** More trees than anybody has needed, few enough to be stored and counted. */
export const MOST_TREES = 100_000;

/** What both kinds of forests can be told. */
const ofAllForests = {
  trees: z.int().min(1).max(MOST_TREES).default(100).describe("How many trees are grown."),
  maxDepth: z
    .union([z.int().min(1), z.literal("unlimited")])
    .default("unlimited")
    .describe("How many questions at most lead to a leaf."),
  minLeafRows: z
    .int()
    .min(1)
    .default(1)
    .describe("A leaf has at least so many rows; rows that were drawn twice count twice."),
  minSplitRows: z.int().min(2).default(2).describe("A node with fewer rows becomes a leaf."),
  classWeights: z
    .enum(["none", "balanced"])
    .default("none")
    .describe("With balanced, rows of rare classes count more, so that all classes count the same."),
};

/** Whether trees see rows drawn with replacement; the default differs. */
const bootstrap = (usual: boolean) =>
  z
    .boolean()
    .default(usual)
    .describe("Whether each tree sees as many rows as there are, drawn with replacement, or all of them.");

/** The rows that a tree has not seen tell the error; there are none without bootstrap. */
const outOfBag = z
  .boolean()
  .default(true)
  .describe("Whether to estimate the error from the trees that have not seen a row; needs bootstrap.");

/** The options of `forest`. */
export const forestOptions = z.object({
  ...ofAllForests,
  criterion: z
    .enum(["gini", "entropy"])
    .default("gini")
    .describe("How mixed the classes of a node are; the best question lowers it most."),
  featuresPerSplit: z
    .union([z.int().min(1), z.number().gt(0).lt(1), z.enum(["sqrt", "log2", "all"])])
    .default("sqrt")
    .describe("How many random features compete for each question: a number, a share of all, or a rule."),
  bootstrap: bootstrap(true),
  outOfBag,
});

/** The options of `random-trees`. */
export const randomTreesOptions = z.object({ ...ofAllForests, bootstrap: bootstrap(false), outOfBag });

/** Checked options of `forest`. */
export type ForestOptions = z.output<typeof forestOptions>;

/** Checked options of `random-trees`. */
export type RandomTreesOptions = z.output<typeof randomTreesOptions>;
