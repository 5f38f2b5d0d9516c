import * as real from "../runtime/maths/portable-math.js";

/**
 * Tails of the distributions that bounds need, to nearly full precision for millions of trials and, by their logarithms, for
 * tails of e^−20,000.
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
function fallingSum(k: number, ratio: (i: number) => number): number {
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
function stirlingError(n: number): number {
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
function deviance(x: number, m: number): number {
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

/**
 * Computes P(T ≥ t) of Student's distribution with an integer number of degrees of freedom ν, by the finite sums of Abramowitz
 * and Stegun, 26.7.3 and 26.7.4: with θ = arctan(t/√ν), P(|T| ≤ t) is
 *
 *     sin θ · (1 + 1/2 cos²θ + (1·3)/(2·4) cos⁴θ + … cos^(ν−2) θ)                  for even ν,
 *     2/π · (θ + sin θ · (cos θ + 2/3 cos³θ + (2·4)/(3·5) cos⁵θ + … cos^(ν−2) θ))  for odd ν.
 */
export function studentTail(t: number, freedom: number): number {
  const angle = real.atan(Math.abs(t) / Math.sqrt(freedom));
  const cosine = real.cos(angle);
  const odd = freedom % 2;
  let term = odd ? cosine : 1;
  let sum = 0;
  for (let power = odd; power <= freedom - 2; power += 2) {
    sum += term;
    term *= (cosine ** 2 * (power + 1)) / (power + 2);
  }
  const within = odd ? (2 / Math.PI) * (angle + real.sin(angle) * sum) : real.sin(angle) * sum;
  const outside = Math.max(0, (1 - within) / 2);
  return t >= 0 ? outside : 1 - outside;
}

/**
 * Computes P(K ≥ λ) of Kolmogorov's distribution, the limit of √n times the largest distance between an empirical and a
 * continuous distribution function: 2 Σ_{k≥1} (−1)^{k−1} exp(−2k²λ²), or for small λ, where this converges slowly, the
 * equal 1 − √(2π)/λ · Σ_{k≥1} exp(−(2k − 1)²π²/(8λ²)).
 */
export function kolmogorovTail(lambda: number): number {
  if (lambda <= 0) return 1;
  if (lambda < 1) {
    const term = (k: number) => real.exp(-(((2 * k - 1) * Math.PI) ** 2) / (8 * lambda ** 2));
    return 1 - (Math.sqrt(2 * Math.PI) / lambda) * (term(1) + term(2) + term(3) + term(4));
  }
  const term = (k: number) => real.exp(-2 * (k * lambda) ** 2);
  return 2 * (term(1) - term(2) + term(3) - term(4) + term(5));
}
