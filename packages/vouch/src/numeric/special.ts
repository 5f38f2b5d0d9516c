/**
 * The two pieces of C. Loader, "Fast and accurate computation of binomial probabilities" (2000), with which
 * a probability of the size of ln n! is computed without ever forming the large numbers ln n!, whose
 * difference would lose all digits when n is in the millions.
 */

/** ln n! − [ln √(2πn) + n ln n − n] for n = 0 … 15, where Stirling's series is not accurate enough. */
const SMALL_STIRLING_ERRORS = stirlingErrorsUpTo(15);

/**
 * The error of Stirling's formula, ln n! − [ln √(2πn) + n ln n − n], for an integer n ≥ 1:
 * 1/(12n) − 1/(360n³) + 1/(1260n⁵) − 1/(1680n⁷) + 1/(1188n⁹) − …
 */
export function stirlingError(n: number): number {
  if (n < SMALL_STIRLING_ERRORS.length) return SMALL_STIRLING_ERRORS[n];
  const square = n * n;
  const series = 1 / 1260 - (1 / 1680 - 1 / 1188 / square) / square;
  return (1 / 12 - (1 / 360 - series / square) / square) / n;
}

/**
 * The deviance x ln(x/m) + m − x ≥ 0 of x > 0 from its mean m > 0. Near m the terms cancel, so there the
 * series in v = (x − m)/(x + m) is summed: (x − m)·v + 2x·(v³/3 + v⁵/5 + …).
 */
export function deviance(x: number, m: number): number {
  if (Math.abs(x - m) >= 0.1 * (x + m)) return x * Math.log(x / m) + m - x;
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

function stirlingErrorsUpTo(largest: number): Float64Array {
  const errors = new Float64Array(largest + 1);
  let factorial = 1;
  for (let n = 1; n <= largest; n++) {
    factorial *= n;
    errors[n] = Math.log(factorial) - (0.5 * Math.log(2 * Math.PI * n) + n * Math.log(n) - n);
  }
  return errors;
}
