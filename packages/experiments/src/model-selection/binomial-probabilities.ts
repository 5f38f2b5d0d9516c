/**
 * Computes P(X = k), k = 0 … n, for X binomial with n trials of success probability p in (0, 1), by the ratio of
 * neighbours. It is independent of the library, because it tests the library's certificates.
 */
export function binomialProbabilities(n: number, p: number): Float64Array {
  const odds = Math.log(p) - Math.log1p(-p);
  const probabilities = new Float64Array(n + 1);
  // In logarithms: (1 − p)ⁿ alone may be too small for a double.
  let logarithm = n * Math.log1p(-p);
  for (let k = 0; k <= n; k++) {
    probabilities[k] = Math.exp(logarithm);
    logarithm += Math.log((n - k) / (k + 1)) + odds;
  }
  return probabilities;
}
