import { logBinomialSum } from "../numeric/log-binomial.js";

/**
 * ln of what Sauer's lemma bounds the growth function of a family of VC dimension d on m points by (Triviño 2017,
 * Lemma 2.1, eq. 2.22): Π(m) ≤ Σ_{i=0}^{d} C(m, i). It is 2^m for d ≥ m.
 */
export function logSauer(points: number, dimension: number): number {
  return logBinomialSum(points, dimension);
}

/**
 * ln of the simpler bound (em/d)^d of that sum (eq. 2.23), for m ≥ d ≥ 1. Outside that it bounds nothing: then
 * Infinity, but 0 for d = 0, where there is one labelling.
 */
export function logSauerPower(points: number, dimension: number): number {
  if (dimension === 0) return 0;
  if (dimension > points) return Number.POSITIVE_INFINITY;
  return dimension * (1 + Math.log(points / dimension));
}
