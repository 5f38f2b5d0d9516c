import { z } from "zod";
import { divisionFacts } from "../divisions.js";

/** What one scheme does on one data set. */
export const pointSchema = z.strictObject({
  /** Share of the test rows that it gets right. */
  accuracy: z.number().min(0).max(1),
  /** Support vectors that a test row is compared with, on average; absent with the linear kernel. */
  kernel: z.number().min(0).optional(),
  /** Machines that a test row is shown to, on average. */
  nodes: z.number().min(0),
  /** Machines that there are. */
  machines: z.int().min(1),
  /** To predict a test row on one thread, to two digits: differs from run to run. */
  microseconds: z.number().min(0),
});

/** The settings that all machines of a data set have. */
export const settingsSchema = z.strictObject({
  kernel: z.enum(["rbf", "chi-square", "linear"]),
  C: z.number().positive(),
  gamma: z.number().positive().optional(),
});

const schemeSchema = pointSchema.extend({ name: z.string(), rho: z.number().positive().optional() });

/** A scheme's point in the plane of cost and accuracy. */
export type SchemePoint = z.infer<typeof schemeSchema>;

const setSchema = z.strictObject({
  dataset: z.string(),
  ...divisionFacts,
  settings: settingsSchema,
  schemes: z.array(schemeSchema),
});

/** The numbers of one data set. */
export type SetPoints = z.infer<typeof setSchema>;

/** The whole result. */
export const tradeoffSchema = z.strictObject({ sets: z.array(setSchema), absent: z.array(z.string()) });
