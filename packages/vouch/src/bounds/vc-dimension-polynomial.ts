import { VouchError } from "../error.js";

/**
 * The VC dimension of the classifiers sgn(w·φ(x)) with the kernel (1 + x·y)^δ on n features: the number of monomials of
 * degree at most δ,
 *
 *     C(n + δ, δ).
 *
 * Exact up to 2⁵³, beyond that to the nearest number, and Infinity where no number is that large.
 */
export function polynomialVcDimension(features: number, degree: number): number {
  for (const [name, value] of Object.entries({ features, degree })) {
    if (Number.isSafeInteger(value) && value >= 0) continue;
    throw new VouchError("option/invalid", `The ${name} of a polynomial are ${value}, but must be a count.`);
  }
  const factors = Math.min(features, degree);
  // Each factor is at least 2 (n + δ ≥ 2·factors), so that 1,100 of them pass the largest number.
  if (factors > 1100) return Number.POSITIVE_INFINITY;
  const larger = BigInt(Math.max(features, degree));
  let dimension = 1n;
  for (let i = 1n; i <= BigInt(factors); i++) dimension = (dimension * (larger + i)) / i;
  return Number(dimension);
}
