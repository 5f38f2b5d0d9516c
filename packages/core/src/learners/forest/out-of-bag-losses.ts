import * as z from "zod";
import { MOST_COUNTED, proportion } from "../../runtime/codec/schema-numbers.js";

/** Errors of a forest on the rows that it was grown on, each predicted by the trees that have not seen it. */
export interface OutOfBag {
  /** Rows that some tree has not seen; the others are left out. */
  readonly rows: number;
  readonly errors: number;
}

/**
 * Losses of the trees of a forest on rows that they have not seen, for certificates. The loss of a tree on a row is the share
 * of its leaf that is of wrong classes, because the forest predicts by the mean over the trees. Each `rows` is the harmonic
 * mean of the numbers of rows that the losses were measured on; 0 if one was measured on none.
 */
export const outOfBagLossesSchema = z.strictObject({
  /** The mean loss of a tree. */
  single: z.strictObject({ loss: proportion, rows: z.number().min(0).max(MOST_COUNTED) }),
  /**
   * The mean product of the losses of two trees on the rows that neither has seen, over all pairs, a tree with itself among
   * them; absent for more than `MOST_PAIRED_TREES` trees. Losses are rounded up to multiples of 1/4096.
   */
  pairs: z.strictObject({ loss: proportion, rows: z.number().min(0).max(MOST_COUNTED) }).optional(),
});

/** Out-of-bag losses of a forest, for PAC-Bayes bounds. */
export type OutOfBagLosses = z.output<typeof outOfBagLossesSchema>;

/** A mean loss, and the number of rows it was measured on. */
export type MeasuredLoss = OutOfBagLosses["single"];
