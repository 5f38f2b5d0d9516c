import { z } from "zod";

/** More layers than any deep forest has. */
export const MOST_LAYERS = 100;

const count = (most: number) => z.int().min(0).max(most);

/** What all deep forests can be told. */
const ofAllDeepForests = {
  layers: z
    .int()
    .min(1)
    .max(MOST_LAYERS)
    .default(20)
    .describe("How many layers are grown at most; those after the best are dropped."),
  patience: z
    .int()
    .min(1)
    .default(2)
    .describe("Growing ends when so many layers in a row have not improved the out-of-fold score."),
  improvement: z
    .number()
    .min(0)
    .lt(1)
    .default(0.0005)
    .describe("By more than this the out-of-fold accuracy must rise for a layer to count as better."),
  folds: z
    .int()
    .min(2)
    .max(100)
    .default(5)
    .describe(
      "Folds of the training rows: what a layer says of a row comes from forests that did not see it.",
    ),
  randomForests: count(100).default(2).describe("Random forests in each layer."),
  completelyRandomForests: count(100).default(2).describe("Completely random forests in each layer."),
  trees: z.int().min(1).max(100_000).default(50).describe("Trees of each forest, for each fold."),
  minLeafRows: z
    .union([z.int().min(1), z.literal("auto")])
    .default("auto")
    .describe("A leaf has at least so many rows; auto tries 1, 3, 5 and 10 in small forests, out of fold."),
  maxDepth: z
    .union([z.int().min(1), z.literal("unlimited")])
    .default("unlimited")
    .describe("How many questions at most lead to a leaf."),
  featuresPerSplit: z
    .union([z.int().min(1), z.number().gt(0).lt(1), z.enum(["sqrt", "log2", "all"])])
    .default("sqrt")
    .describe("How many random features compete for each question of a random forest."),
  bootstrap: z
    .boolean()
    .default(false)
    .describe("Whether each tree of a random forest sees rows drawn with replacement, or all of them."),
  estimators: z
    .array(z.string())
    .default([])
    .describe(
      "Learners that the layers are made of instead of the forests above, with their settings, such as forest, random-trees:trees=100, svm:probability=true:C=10.",
    ),
};

/** The options of `cascade-forest`. */
export const cascadeForestOptions = z.object(ofAllDeepForests);

/** How images and sequences are scanned. */
const scanning = {
  shape: z
    .array(z.int().min(1))
    .max(3)
    .default([])
    .describe(
      "How the features of a row lie: length of a sequence, or width and height of an image, or these and channels. Without it nothing is scanned.",
    ),
  windows: z
    .array(z.int().min(1))
    .default([])
    .describe(
      "Sides of the windows that scan the features; by default a sixteenth, an eighth and a quarter of them.",
    ),
  stride: z
    .union([z.int().min(1), z.literal("half")])
    .default("half")
    .describe("How far a window moves on: so many pixels, or half of its side."),
  scanTrees: z
    .int()
    .min(1)
    .max(100_000)
    .default(30)
    .describe("Trees of each of the two forests of a window."),
  scanLeafRows: z.int().min(1).default(10).describe("A leaf of these has at least so many windows."),
  scanWindows: z
    .int()
    .min(100)
    .default(100_000)
    .describe("So many windows at most, drawn at random, train the forests of a window for each fold."),
};

/** The options of `gcforest`. */
export const gcForestOptions = z.object({ ...ofAllDeepForests, ...scanning });

/** The options of `mddf`. */
export const mddfOptions = z.object({
  ...ofAllDeepForests,
  variant: z
    .enum(["full", "SF", "ST", "NP"])
    .default("full")
    .describe(
      "full, or as in the paper's comparison: SF has random forests only, ST hands on predictions without the features, NP hands on those of the last layer alone.",
    ),
  r: z
    .array(z.number().gt(0).lt(1))
    .min(1)
    .default([0.7, 0.75, 0.8, 0.85, 0.9, 0.95])
    .describe(
      "Margin means that the loss may want; for each layer the training rows choose one, out of fold.",
    ),
  mu: z
    .array(z.number().gt(0).max(1))
    .min(1)
    .default([0.1, 0.05, 0.01])
    .describe("What margins above it may cost; chosen with r."),
  reweight: z
    .enum(["auto", "always", "never"])
    .default("auto")
    .describe(
      "Whether a layer is grown for the rows on which those before have a large loss; auto asks small forests, out of fold.",
    ),
  ...scanning,
});

/** Options of `cascade-forest` as they are given. */
export type CascadeForestOptions = z.input<typeof cascadeForestOptions>;

/** Options of `gcforest` as they are given. */
export type GcForestOptions = z.input<typeof gcForestOptions>;

/** Options of `mddf` as they are given. */
export type MddfOptions = z.input<typeof mddfOptions>;

/** Checked options that all deep forests have. */
export type DeepForestOptions = z.output<typeof cascadeForestOptions>;

/** The same when it is settled how many rows a leaf has. */
export type LayerOptions = Omit<DeepForestOptions, "minLeafRows"> & { readonly minLeafRows: number };

/** Checked options of those that scan. */
export type ScanOptions = z.output<z.ZodObject<typeof scanning>>;
