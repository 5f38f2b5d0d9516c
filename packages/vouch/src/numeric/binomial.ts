import { deviance, stirlingError } from "./special.js";

/**
 * P(X = k) for X binomial with n trials of success probability p, to nearly full precision for n up to 10⁷
 * and beyond.
 */
export function binomialProbability(k: number, n: number, p: number): number {
  if (k < 0 || k > n) return 0;
  if (p <= 0) return k === 0 ? 1 : 0;
  if (p >= 1) return k === n ? 1 : 0;
  return probability(k, n, p, 1 - p);
}

/**
 * P(X ≤ k) for X binomial with n trials of success probability p. The tail that does not hold the mean is
 * summed from its largest term outwards: all terms are positive and fall, so nothing cancels, and about
 * nine standard deviations of terms count, some 15,000 for n = 10⁷.
 */
export function binomialAtMost(k: number, n: number, p: number): number {
  if (k < 0) return 0;
  if (k >= n || p <= 0) return 1;
  if (p >= 1) return 0;
  return k <= n * p ? lowerTail(k, n, p, 1 - p) : 1 - lowerTail(n - k - 1, n, 1 - p, p);
}

/**
 * The largest p with P(X ≤ k | n, p) ≥ tail, to the last bit that the tail function resolves: the upper end of
 * the Clopper–Pearson interval. P(X ≤ k) falls as p grows, from 1 at p = 0 to 0 at p = 1 (unless k = n).
 */
export function largestProbability(k: number, n: number, tail: number): number {
  if (k >= n) return 1;
  if (k === 0) return Math.abs(Math.expm1(Math.log(tail) / n));
  let low = 0;
  let high = 1;
  for (;;) {
    const middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) return low;
    if (binomialAtMost(k, n, middle) >= tail) low = middle;
    else high = middle;
  }
}

/** P(X ≤ k) for k ≤ np and q = 1 − p: P(X = k) · (1 + ratio of the next term + …). */
function lowerTail(k: number, n: number, p: number, q: number): number {
  let sum = 1;
  let term = 1;
  for (let i = k; i > 0; i--) {
    term *= (i / (n - i + 1)) * (q / p);
    const next = sum + term;
    if (next === sum) break;
    sum = next;
  }
  return Math.min(1, sum * probability(k, n, p, q));
}

/**
 * C(n,k) pᵏqⁿ⁻ᵏ in Loader's saddle-point form. Takes p and q = 1 − p separately: the smaller of the two then
 * keeps all its digits, which 1 − (1 − p) would lose.
 */
function probability(k: number, n: number, p: number, q: number): number {
  if (k === 0) return Math.exp(n * logarithm(q, p));
  if (k === n) return Math.exp(n * logarithm(p, q));
  const exponent =
    stirlingError(n) - stirlingError(k) - stirlingError(n - k) - deviance(k, n * p) - deviance(n - k, n * q);
  return Math.exp(exponent) * Math.sqrt(n / k / (2 * Math.PI * (n - k)));
}

/** ln p, from whichever of p and q = 1 − p is the more accurate. */
function logarithm(p: number, q: number): number {
  return p < q ? Math.log(p) : Math.log1p(-q);
}
