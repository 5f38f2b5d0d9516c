import { mean, standardDeviation } from "vouch/select";

/** The standard error of the mean of some numbers; 0 of a single one. */
export function standardError(values: readonly number[]): number {
  return standardDeviation(values) / Math.sqrt(values.length);
}

/** Shares, such as the accuracies of several seeds, in per cent: their mean ± its standard error, without ± of a single one. */
export function pointsCell(shares: readonly number[]): string {
  const points = (100 * mean(shares)).toFixed(2);
  return shares.length > 1 ? `${points} ± ${(100 * standardError(shares)).toFixed(2)}` : points;
}

/** By how many points shares are above others that were measured in pairs with them. */
export function differenceCell(shares: readonly number[], others: readonly number[]): string {
  const differences = shares.map((share, i) => share - others[i]);
  return (mean(differences) > 0 ? "+" : "") + pointsCell(differences);
}
