import { z } from "zod";
import { validationOption } from "../learning/rows-kept-apart.js";

/** More rounds than anybody has needed, few enough to be stored and counted. */
export const MOST_ROUNDS = 100_000;

/** Deeper trees have a leaf for every row. */
const DEEPEST = 30;

const share = z.number().gt(0).max(1).default(1);

/** The options of `boosted-trees`. */
export const boostedTreesOptions = z.object({
  rounds: z
    .int()
    .min(1)
    .max(MOST_ROUNDS)
    .default(300)
    .describe("How many trees are added at most; with more than two classes, one for each class and round."),
  learningRate: z
    .number()
    .gt(0)
    .max(1)
    .default(0.1)
    .describe("Which part of the step that a tree proposes is taken."),
  maxDepth: z
    .int()
    .min(1)
    .max(DEEPEST)
    .default(6)
    .describe("How many questions at most lead to a leaf of a tree."),
  minChildWeight: z
    .number()
    .min(0)
    .default(1)
    .describe("Each side of a question has at least this sum of second derivatives, weight · p · (1 − p)."),
  lambda: z.number().min(0).default(1).describe("How much large values of leaves are held back (L2)."),
  gamma: z.number().min(0).default(0).describe("A question must gain more than this to be asked."),
  rowsPerTree: share.describe("Share of the rows that each tree sees, drawn without replacement."),
  columnsPerTree: share.describe("Share of the features that each tree may ask for."),
  columnsPerSplit: share.describe("Share of these features that compete for each question."),
  classWeights: z
    .enum(["none", "balanced"])
    .default("none")
    .describe("With balanced, rows of rare classes count more, so that all classes count the same."),
  patience: z
    .int()
    .min(0)
    .max(MOST_ROUNDS)
    .default(0)
    .describe(
      "Stop when the loss on rows kept apart has not fallen for so many rounds, and keep the rounds up to the best one; 0: never.",
    ),
  validation: validationOption(0.2),
});

/** Checked options of `boosted-trees`. */
export type BoostedTreesOptions = z.output<typeof boostedTreesOptions>;
