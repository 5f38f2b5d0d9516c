import * as z from "zod";
import { positiveInteger, realNumber } from "../../runtime/codec/schema-numbers.js";
import { selectiveCountsSchema } from "./selective-rows.js";

const fraction = z.number().gt(0).lt(1);

/** Schema of `AbstentionRule`, for model files. */
export const abstentionRuleSchema = z
  .strictObject({
    /** Rows with at least this confidence are answered; null if every row is. */
    threshold: realNumber.nullable(),
    /** The requested error of answers. */
    asked: fraction,
    /** The certified error of answers: the requested one, or a larger one if that could not be kept. */
    target: fraction,
    /** The confidence with which the target is kept. */
    confidence: fraction,
    /** Number of possible thresholds, including the one that answers every row. */
    thresholds: positiveInteger,
    /** Answers to held-out rows at this threshold. */
    counts: selectiveCountsSchema,
  })
  .refine(({ asked, target }) => target >= asked, "a target below the one asked for");

/** When to answer, and the evidence that its answers keep a target. */
export type AbstentionRule = z.output<typeof abstentionRuleSchema>;

/** Returns whether the requested error is certified, and not only a larger one. */
export function keepsTarget({ asked, target }: Pick<AbstentionRule, "asked" | "target">): boolean {
  return target <= asked;
}

/** Marks answered rows with 1. */
export function answeredMask(
  { threshold }: Pick<AbstentionRule, "threshold">,
  confidences: Float64Array,
): Uint8Array {
  const least = threshold ?? Number.NEGATIVE_INFINITY;
  return Uint8Array.from(confidences, (confidence) => (confidence >= least ? 1 : 0));
}
