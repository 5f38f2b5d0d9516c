import { z } from "zod";

/** More rounds than anybody has needed, few enough to be stored and counted. */
export const MOST_ROUNDS = 100_000;

/** The options of `adaboost`. */
export const adaboostOptions = z.object({
  rounds: z
    .int()
    .min(1)
    .max(MOST_ROUNDS)
    .default(100)
    .describe("How many stumps to add at most; boosting stops earlier when a stump is perfect or useless."),
});
