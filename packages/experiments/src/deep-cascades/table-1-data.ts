import { z } from "zod";
import { complexities } from "./rotation-fold.js";

/**
 * What validation rows choose among: the paper's cascades, those of each complexity term, those of all terms, these
 * together with the best ones of a given depth, and these together with the machine, which is a cascade of depth 1.
 * The last is the machine unless a cascade of any kind is significantly better on the validation rows.
 */
export const variantNames = [
  "as printed",
  ...complexities,
  "any term",
  "any depth",
  "or the machine",
  "surely better",
] as const;

/** One of `variantNames`. */
export type VariantName = (typeof variantNames)[number];

const share = z.number().min(0).max(1);
const depth = z.int().min(1);

/** Lists have one entry for each fold of each rotation. */
export const setSchema = z.strictObject({
  dataset: z.string(),
  rows: z.int(),
  features: z.int(),
  /** Test errors of the machine that the validation rows chose. */
  svm: z.array(share),
  /** How its features and kernel were scaled, and in how many folds. */
  scalings: z.record(z.string(), z.int()),
  /** The cascade that the validation rows chose. */
  chosen: z.array(
    z.strictObject({ variant: z.enum(variantNames), errors: z.array(share), depths: z.array(depth) }),
  ),
  /** All cascades, chosen or not: means over the folds. */
  cascades: z.array(
    z.strictObject({
      complexity: z.enum(complexities),
      minDepth: z.int().min(1),
      gamma: z.number(),
      depth: z.number(),
      trainingError: share,
      validationError: share,
      testError: share,
    }),
  ),
});

/** The numbers of one data set. */
export type SetErrors = z.infer<typeof setSchema>;

/** The whole result. */
export const table1Schema = z.strictObject({
  rotations: z.int().min(1),
  sets: z.array(setSchema),
  /** Data sets that were not on the machine. */
  absent: z.array(z.string()),
});
