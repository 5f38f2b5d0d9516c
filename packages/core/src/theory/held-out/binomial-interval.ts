import { largestProbability } from "../distributions.js";

/**
 * Computes the interval of Clopper and Pearson (1934) for the probability of an event that happened `hits` times in `rows`
 * independent trials: all p with P(Binomial(rows, p) ≤ hits) and P(Binomial(rows, p) ≥ hits) both at least δ/2. It is [0, 1]
 * without rows.
 */
export function binomialInterval(
  hits: number,
  rows: number,
  confidence = 0.95,
): readonly [lower: number, upper: number] {
  if (rows === 0) return [0, 1];
  const tail = (1 - confidence) / 2;
  return [1 - largestProbability(rows - hits, rows, tail), largestProbability(hits, rows, tail)];
}
