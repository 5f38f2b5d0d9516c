import { mean, standardDeviation, studentTail } from "vouch/select";

/**
 * The one-sided paired t-test: how likely the first numbers are below the second by as much in the mean, if only chance
 * makes them differ. Half where all pairs are equal.
 */
export function pairedTTest(first: readonly number[], second: readonly number[]): number {
  const differences = second.map((value, i) => value - first[i]);
  const centre = mean(differences);
  if (centre === 0) return 0.5;
  const standardError = standardDeviation(differences) / Math.sqrt(differences.length);
  if (standardError === 0) return centre > 0 ? 0 : 1;
  return studentTail(centre / standardError, differences.length - 1);
}
