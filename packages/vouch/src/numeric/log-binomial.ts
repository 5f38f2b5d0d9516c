import { deviance, stirlingError } from "./special.js";

/**
 * Binomial coefficients and tails by their logarithms, for bounds that ask for tails of e^−400 or e^−20,000 and for
 * counts that no number holds.
 */

/** ln C(n, k) for whole numbers 0 ≤ k ≤ n; −∞ outside. Nothing cancels: ln n! is never formed. */
export function logBinomialCoefficient(n: number, k: number): number {
  if (k < 0 || k > n) return Number.NEGATIVE_INFINITY;
  if (k === 0 || k === n) return 0;
  const rest = n - k;
  const stirling = stirlingError(n) - stirlingError(k) - stirlingError(rest);
  const entropy = -k * Math.log(k / n) - rest * Math.log1p(-k / n);
  return stirling + entropy + 0.5 * Math.log(n / k / (2 * Math.PI * rest));
}

/** ln Σ_{i=0}^{d} C(n, i); n·ln 2 from d = n on. */
export function logBinomialSum(n: number, d: number): number {
  if (d < 0) return Number.NEGATIVE_INFINITY;
  if (d >= n) return n * Math.LN2;
  // The smaller half is summed from its largest term downwards; the larger one is what it leaves of 2ⁿ.
  if (2 * d > n) return n * Math.LN2 + Math.log1p(-Math.exp(logBinomialSum(n, n - d - 1) - n * Math.LN2));
  return logBinomialCoefficient(n, d) + logOfFallingSum(d, (i) => i / (n - i + 1));
}

/** ln P(X ≤ k) for X binomial with n trials of success probability p. */
export function logBinomialAtMost(k: number, n: number, p: number): number {
  if (k < 0) return Number.NEGATIVE_INFINITY;
  if (k >= n || p <= 0) return 0;
  if (p >= 1) return Number.NEGATIVE_INFINITY;
  if (k <= n * p) return logLowerTail(k, n, p, 1 - p);
  return Math.log1p(-Math.exp(logLowerTail(n - k - 1, n, 1 - p, p)));
}

/** The largest p with ln P(X ≤ k | n, p) ≥ logTail: `largestProbability` for tails that no number holds. */
export function largestProbabilityByLog(k: number, n: number, logTail: number): number {
  if (k >= n) return 1;
  if (k === 0) return -Math.expm1(logTail / n);
  let low = 0;
  let high = 1;
  for (;;) {
    const middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) return low;
    if (logBinomialAtMost(k, n, middle) >= logTail) low = middle;
    else high = middle;
  }
}

/**
 * ln P(X ≤ k) where X counts the marked ones among `drawn` of `drawn + others` things, `marked` of which are marked
 * (hypergeometric): Σ_{i≤k} C(drawn, i) C(others, marked − i) / C(drawn + others, marked). For k up to the mean of X.
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
  return Math.min(0, logLargest + logOfFallingSum(most, ratio));
}

/** ln P(X ≤ k) for k ≤ np and q = 1 − p, in Loader's saddle-point form. */
function logLowerTail(k: number, n: number, p: number, q: number): number {
  if (k === 0) return n * Math.log1p(-p);
  const rest = n - k;
  const logLargest =
    stirlingError(n) -
    stirlingError(k) -
    stirlingError(rest) -
    deviance(k, n * p) -
    deviance(rest, n * q) +
    0.5 * Math.log(n / k / (2 * Math.PI * rest));
  return logLargest + logOfFallingSum(k, (i) => (i / (n - i + 1)) * (q / p));
}

/** ln(1 + r(k) + r(k)r(k−1) + …), where r(i) takes the i-th term of a falling sum to the one below it. */
function logOfFallingSum(k: number, ratio: (i: number) => number): number {
  let sum = 1;
  let term = 1;
  for (let i = k; i > 0; i--) {
    term *= ratio(i);
    const next = sum + term;
    if (next === sum) break;
    sum = next;
  }
  return Math.log(sum);
}
