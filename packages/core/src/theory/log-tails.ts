import * as real from "../runtime/maths/portable-math.js";
import { deviance, fallingSum, largestWhere, stirlingError } from "./distributions.js";

/** Logarithms of binomial coefficients and of binomial and hypergeometric tails, for tails as small as e^−20,000. */

/** Computes ln C(n, k) for integers 0 ≤ k ≤ n; −∞ outside. */
export function logBinomialCoefficient(n: number, k: number): number {
  if (k < 0 || k > n) return Number.NEGATIVE_INFINITY;
  if (k === 0 || k === n) return 0;
  const rest = n - k;
  const stirling = stirlingError(n) - stirlingError(k) - stirlingError(rest);
  const entropy = -k * real.log(k / n) - rest * real.log1p(-k / n);
  return stirling + entropy + 0.5 * real.log(n / k / (2 * Math.PI * rest));
}

/** Computes ln Σ_{i=0}^{d} C(n, i); n·ln 2 for d ≥ n. */
export function logBinomialSum(n: number, d: number): number {
  if (d < 0) return Number.NEGATIVE_INFINITY;
  if (d >= n) return n * Math.LN2;
  // The smaller half is summed from its largest term downwards; the larger one is the rest of 2ⁿ.
  if (2 * d > n) return n * Math.LN2 + real.log1p(-real.exp(logBinomialSum(n, n - d - 1) - n * Math.LN2));
  return logBinomialCoefficient(n, d) + real.log(fallingSum(d, (i) => i / (n - i + 1)));
}

/** Computes ln P(X ≤ k) for X binomial with n trials of success probability p. */
function logBinomialAtMost(k: number, n: number, p: number): number {
  if (k < 0) return Number.NEGATIVE_INFINITY;
  if (k >= n || p <= 0) return 0;
  if (p >= 1) return Number.NEGATIVE_INFINITY;
  if (k <= n * p) return logLowerTail(k, n, p, 1 - p);
  return real.log1p(-real.exp(logLowerTail(n - k - 1, n, 1 - p, p)));
}

/** Finds the largest p with ln P(X ≤ k | n, p) ≥ logTail: `largestProbability` for tails below the smallest number. */
export function largestProbabilityByLog(k: number, n: number, logTail: number): number {
  if (k >= n) return 1;
  if (k === 0) return -real.expm1(logTail / n);
  return largestWhere((p) => logBinomialAtMost(k, n, p) >= logTail);
}

/** Computes ln P(X ≤ k) for k ≤ np and q = 1 − p. */
function logLowerTail(k: number, n: number, p: number, q: number): number {
  if (k === 0) return n * real.log1p(-p);
  const rest = n - k;
  const logLargest =
    stirlingError(n) -
    stirlingError(k) -
    stirlingError(rest) -
    deviance(k, n * p) -
    deviance(rest, n * q) +
    0.5 * real.log(n / k / (2 * Math.PI * rest));
  return logLargest + real.log(fallingSum(k, (i) => (i / (n - i + 1)) * (q / p)));
}

/**
 * Computes ln P(X ≤ k) for X hypergeometric: the marked ones among `drawn` of `drawn + others` things, `marked` of which are
 * marked, Σ_{i≤k} C(drawn, i) C(others, marked − i) / C(drawn + others, marked). For k up to the mean of X.
 */
export function logHypergeometricAtMost(k: number, drawn: number, others: number, marked: number): number {
  const most = Math.min(k, drawn, marked);
  const least = Math.max(0, marked - others);
  if (most < least) return Number.NEGATIVE_INFINITY;
  const logLargest =
    logBinomialCoefficient(drawn, most) +
    logBinomialCoefficient(others, marked - most) -
    logBinomialCoefficient(drawn + others, marked);
  const ratio = (i: number) => (i / (drawn - i + 1)) * ((others - marked + i) / (marked - i + 1));
  return Math.min(0, logLargest + real.log(fallingSum(most, ratio)));
}
