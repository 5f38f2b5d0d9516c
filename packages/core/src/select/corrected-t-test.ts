import { mean, standardDeviation } from "../runtime/maths/statistics.js";
import { studentTail } from "../theory/test-tails.js";

/**
 * Computes the corrected resampled t-test of Nadeau and Bengio (2003) for the errors of two learners in the same k folds. Folds
 * share most of their training rows, so that their errors are not independent. With n₁ training and n₂ test rows in each,
 *
 *     t = d̄ / √((1/k + n₂/n₁) s²)  with k − 1 degrees of freedom,
 *
 * where d̄ and s² are mean and variance of the differences. For k folds n₂/n₁ is 1/(k − 1).
 *
 * Errors are counts of rows divided by n₂, so few folds may differ by the same amount by chance. With a resolution of 1/n₂, s² is at
 * least the variance of rounding to it, 1/(12 n₂²) (Sheppard's correction).
 *
 * @returns the two-sided p-value; 1 if all pairs are equal, 0 if all differ by the same amount and the resolution is 0
 */
export function correctedTTest(first: readonly number[], second: readonly number[], resolution = 0): number {
  const folds = first.length;
  const differences = first.map((error, i) => error - second[i]);
  const centre = mean(differences);
  if (centre === 0 || folds < 2) return 1;
  const variance = Math.max(standardDeviation(differences) ** 2, resolution ** 2 / 12);
  if (variance === 0) return 0;
  const t = Math.abs(centre) / Math.sqrt((1 / folds + 1 / (folds - 1)) * variance);
  return Math.min(1, 2 * studentTail(t, folds - 1));
}
