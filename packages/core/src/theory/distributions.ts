import * as real from "../runtime/maths/portable-math.js";

/**
 * Tails of the binomial distribution, to nearly full precision for millions of trials.
 *
 * Binomial probabilities are computed in the saddle-point form of C. Loader, "Fast and accurate computation of binomial
 * probabilities" (2000). It never forms ln n!: differences of such large numbers would lose all digits when n is in the
 * millions.
 */

/**
 * Computes P(X ≤ k) for X binomial with n trials of success probability p. Sums the tail that does not contain the mean, from
 * its largest term outwards: all terms are positive and fall, so nothing cancels, and about nine standard deviations of terms
 * count, some 15,000 for n = 10⁷.
 */
export function binomialAtMost(k: number, n: number, p: number): number {
  if (k < 0) return 0;
  if (k >= n || p <= 0) return 1;
  if (p >= 1) return 0;
  return k <= n * p ? lowerTail(k, n, p, 1 - p) : 1 - lowerTail(n - k - 1, n, 1 - p, p);
}

/**
 * Computes E|X − np| for X binomial, by de Moivre's closed form 2·v·(1 − p)·P(X = v) with v = ⌊np⌋ + 1 (Diaconis and Zabell
 * 1991).
 */
export function binomialMeanDeviation(n: number, p: number): number {
  if (n === 0 || p <= 0 || p >= 1) return 0;
  const v = Math.floor(n * p) + 1;
  return v > n ? 0 : 2 * v * (1 - p) * probability(v, n, p, 1 - p);
}

/**
 * Finds the largest p with P(X ≤ k | n, p) ≥ tail, to the last bit that the tail function resolves: the upper end of the
 * Clopper–Pearson interval. P(X ≤ k) falls as p grows, from 1 at p = 0 to 0 at p = 1 (unless k = n).
 */
export function largestProbability(k: number, n: number, tail: number): number {
  if (k >= n) return 1;
  if (k === 0) return Math.abs(real.expm1(real.log(tail) / n));
  return largestWhere((p) => binomialAtMost(k, n, p) >= tail);
}

/** Finds the largest p in [0, 1] for which a condition holds that holds up to some p and not beyond. */
export function largestWhere(holds: (p: number) => boolean): number {
  let low = 0;
  let high = 1;
  for (;;) {
    const middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) return low;
    if (holds(middle)) low = middle;
    else high = middle;
  }
}

/** Computes P(X ≤ k) for k ≤ np and q = 1 − p: P(X = k) · (1 + ratio of the next term + …). */
function lowerTail(k: number, n: number, p: number, q: number): number {
  const sum = fallingSum(k, (i) => (i / (n - i + 1)) * (q / p));
  return Math.min(1, sum * probability(k, n, p, q));
}

/**
 * Computes P(X = k) = C(n,k) pᵏqⁿ⁻ᵏ. Takes p and q = 1 − p separately: the smaller of the two then keeps all its digits, which
 * 1 − (1 − p) would lose.
 */
function probability(k: number, n: number, p: number, q: number): number {
  if (k === 0) return real.exp(n * logarithm(q, p));
  if (k === n) return real.exp(n * logarithm(p, q));
  const exponent =
    stirlingError(n) - stirlingError(k) - stirlingError(n - k) - deviance(k, n * p) - deviance(n - k, n * q);
  return real.exp(exponent) * Math.sqrt(n / k / (2 * Math.PI * (n - k)));
}

/** Computes ln p from the more accurate one of p and q = 1 − p. */
function logarithm(p: number, q: number): number {
  return p < q ? real.log(p) : real.log1p(-q);
}

/** Computes 1 + r(k) + r(k)r(k−1) + …, where r(i) takes the i-th term of a falling sum to the one below it. */
export function fallingSum(k: number, ratio: (i: number) => number): number {
  let sum = 1;
  let term = 1;
  for (let i = k; i > 0; i--) {
    term *= ratio(i);
    const next = sum + term;
    if (next === sum) break;
    sum = next;
  }
  return sum;
}

/** ln n! − [ln √(2πn) + n ln n − n] for n = 0 … 15, where Stirling's series is not accurate enough. */
const SMALL_STIRLING_ERRORS = stirlingErrorsUpTo(15);

/**
 * Computes the error of Stirling's formula, ln n! − [ln √(2πn) + n ln n − n], for an integer n ≥ 1:
 * 1/(12n) − 1/(360n³) + 1/(1260n⁵) − 1/(1680n⁷) + 1/(1188n⁹) − …
 */
export function stirlingError(n: number): number {
  if (n < SMALL_STIRLING_ERRORS.length) return SMALL_STIRLING_ERRORS[n];
  const square = n * n;
  const series = 1 / 1260 - (1 / 1680 - 1 / 1188 / square) / square;
  return (1 / 12 - (1 / 360 - series / square) / square) / n;
}

function stirlingErrorsUpTo(largest: number): Float64Array {
  const errors = new Float64Array(largest + 1);
  let factorial = 1;
  for (let n = 1; n <= largest; n++) {
    factorial *= n;
    errors[n] = real.log(factorial) - (0.5 * real.log(2 * Math.PI * n) + n * real.log(n) - n);
  }
  return errors;
}

/**
 * Computes the deviance x ln(x/m) + m − x ≥ 0 of x > 0 from its mean m > 0. Near m the terms cancel, so there the series in
 * v = (x − m)/(x + m) is summed: (x − m)·v + 2x·(v³/3 + v⁵/5 + …).
 */
export function deviance(x: number, m: number): number {
  if (Math.abs(x - m) >= 0.1 * (x + m)) return x * real.log(x / m) + m - x;
  const v = (x - m) / (x + m);
  let sum = (x - m) * v;
  let power = 2 * x * v;
  for (let odd = 3; ; odd += 2) {
    power *= v * v;
    const next = sum + power / odd;
    if (next === sum) return sum;
    sum = next;
  }
}
