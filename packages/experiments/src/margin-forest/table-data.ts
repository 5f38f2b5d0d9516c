import { z } from "zod";
import { divisionFacts } from "../divisions.js";

const share = z.number().min(0).max(1);

/** One training: accuracy on the test rows, and how many layers the model has; 0 where it has none. */
export const trialSchema = z.strictObject({ accuracy: share, layers: z.int().min(0) });

/** Lists have one entry for each seed, the mean over its splits. */
const learnerSchema = z.strictObject({
  name: z.string(),
  accuracies: z.array(share).min(1),
  layers: z.array(z.number().min(0)).min(1),
});

/** The accuracies of one learner. */
export type LearnerAccuracies = z.infer<typeof learnerSchema>;

const setSchema = z.strictObject({
  dataset: z.string(),
  ...divisionFacts,
  /** How many divisions a seed has: one where the division is the official one. */
  splits: z.int().min(1),
  learners: z.array(learnerSchema),
});

/** The numbers of one data set. */
export type SetAccuracies = z.infer<typeof setSchema>;

/** How large the models are. */
export const sizesSchema = z.strictObject({
  /** Trees of a forest that stands alone. */
  singleTrees: z.int().min(1),
  /** Trees of each of the four forests of a layer. */
  trees: z.int().min(1),
  folds: z.int().min(2),
});

/** How large the models are. */
export type ForestSizes = z.infer<typeof sizesSchema>;

/** The whole result. */
export const tableSchema = z.strictObject({
  seeds: z.int().min(1),
  sizes: sizesSchema,
  sets: z.array(setSchema),
  /** Data sets that were not on the machine. */
  absent: z.array(z.string()),
});
