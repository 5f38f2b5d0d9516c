import * as z from "zod";
import { raceSchema, singlesSchema } from "./choice-trial.js";
import { expertTrialSchema } from "./expert-results.js";

const setSchema = z.strictObject({
  dataset: z.string(),
  trials: z.array(raceSchema).min(1),
  /** Single learners on each division; absent if they were not measured. */
  singles: z.array(singlesSchema).optional(),
});

/** The numbers of `automatic/choice`. */
export const choiceDataSchema = z.strictObject({
  sets: z.array(setSchema),
  absent: z.array(z.string()),
  /** Recorded results of the scikit-learn expert on the same divisions. */
  expert: z.array(expertTrialSchema),
});

/** Results on a data set. */
export type ChoiceOnSet = z.output<typeof setSchema>;

/** Results on all data sets, and the expert's results. */
export type ChoiceData = z.output<typeof choiceDataSchema>;
