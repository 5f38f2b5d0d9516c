import { z } from "zod";
import { validationOption } from "../early-stopping.js";

/** More rounds than anybody has needed, few enough to be stored and counted. */
export const MOST_ADABOOST_ROUNDS = 100_000;

/** Deeper trees have a leaf for every row. */
export const MOST_ADABOOST_DEPTH = 30;

/** The options of `adaboost`. */
export const adaboostOptions = z.object({
  rounds: z
    .int()
    .min(1)
    .max(MOST_ADABOOST_ROUNDS)
    .default(100)
    .describe(
      "How many stumps or trees to add at most; boosting stops earlier when one is perfect or useless.",
    ),
  weakLearner: z
    .enum(["stump", "tree"])
    .default("stump")
    .describe("What votes: stumps, which ask one question about a number, or small trees."),
  depth: z
    .int()
    .min(1)
    .max(MOST_ADABOOST_DEPTH)
    .default(3)
    .describe("How many questions at most lead to a leaf of a tree; of no account for stumps."),
  patience: z
    .int()
    .min(0)
    .max(MOST_ADABOOST_ROUNDS)
    .default(0)
    .describe(
      "Stop when the error on rows kept apart has not fallen for so many rounds, and keep the rounds up to the best one; 0: never.",
    ),
  validation: validationOption(0.2),
});

/** Checked options of `adaboost`. */
export type AdaBoostOptions = z.output<typeof adaboostOptions>;
