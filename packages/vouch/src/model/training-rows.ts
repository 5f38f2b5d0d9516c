import type { Fingerprint } from "../data/fingerprint.js";
import type { Schema } from "../data/schema.js";
import type { LabelledRows } from "../data/target.js";
import { binomialAtMost, largestProbability } from "../numeric/binomial.js";

/** The risk of taking fresh rows for training rows because they happen to look like them. */
const FALSE_ALARM = 1e-3;

/**
 * Why the rows must be taken for training rows, if so: more of them equal training rows than chance explains.
 * Chance is judged by how many training rows equal each other, which is what fresh rows would do too.
 */
export function trainingRowsAmong(
  fingerprint: Fingerprint,
  rows: Pick<LabelledRows, "features" | "labels">,
  schema: Schema,
): string | undefined {
  const { rows: compared, share, byChance } = fingerprint.overlap(rows, schema);
  const equal = Math.round(share * compared);
  const chance = largestProbability(Math.round(byChance * fingerprint.rows), fingerprint.rows, 0.05);
  const probability = 1 - binomialAtMost(equal - 1, compared, chance);
  if (equal === 0 || probability >= FALSE_ALARM) return undefined;
  const percentage = Math.max(1, Math.round(100 * share));
  return `About ${percentage} % of the rows are rows that the model was trained on.`;
}
