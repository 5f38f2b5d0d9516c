import * as real from "../runtime/maths/portable-math.js";

/** Tails of the distributions of test statistics. */

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
