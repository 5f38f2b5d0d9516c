import { calibrationMethods } from "@vouch/core/internal/metrics/calibrator";
import * as z from "zod";

const trialSchema = z.strictObject({
  method: z.enum(calibrationMethods),
  scoring: z.enum(["probability", "decision"]),
  trained: z.int().min(1),
  tested: z.int().min(1),
  before: z.number(),
  after: z.number(),
  /** Standard error of the difference of the two log losses. */
  standardError: z.number(),
  errorBefore: z.number(),
  errorAfter: z.number(),
  /** Calibration error of calibrated probabilities by chance. */
  chance: z.number(),
});

/** Log loss and calibration error of a learner on the held-out rows of one split. */
export type CalibratedTrial = z.infer<typeof trialSchema>;

/** The shape of the results of a learner on a data set. */
export const cellSchema = z.strictObject({
  dataset: z.string(),
  learner: z.string(),
  trials: z.array(trialSchema),
  /** Why there is no trial; absent if there is one. */
  reason: z.string().optional(),
});

/** A learner on a data set. */
export type CalibratedCell = z.infer<typeof cellSchema>;

/** The shape of the result. */
export const calibrationResultSchema = z.strictObject({
  cells: z.array(cellSchema),
  /** Combinations that take too long, as learner and sets. */
  skipped: z.array(z.strictObject({ learner: z.string(), sets: z.array(z.string()) })),
  absent: z.array(z.string()),
});

/** All cells of the experiment, and those that it has to do without. */
export type CalibrationResult = z.infer<typeof calibrationResultSchema>;
