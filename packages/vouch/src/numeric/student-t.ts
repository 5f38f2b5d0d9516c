/**
 * P(T ≥ t) of Student's distribution with a whole number of degrees of freedom, by the finite sums of Abramowitz
 * and Stegun, 26.7.3 and 26.7.4: with θ = arctan(t/√ν), P(|T| ≤ t) is
 *
 *     sin θ · (1 + 1/2 cos²θ + (1·3)/(2·4) cos⁴θ + … cos^(ν−2) θ)                  for even ν,
 *     2/π · (θ + sin θ · (cos θ + 2/3 cos³θ + (2·4)/(3·5) cos⁵θ + … cos^(ν−2) θ))  for odd ν.
 */
export function studentTail(t: number, freedom: number): number {
  const angle = Math.atan(Math.abs(t) / Math.sqrt(freedom));
  const cosine = Math.cos(angle);
  const odd = freedom % 2;
  let term = odd ? cosine : 1;
  let sum = 0;
  for (let power = odd; power <= freedom - 2; power += 2) {
    sum += term;
    term *= (cosine ** 2 * (power + 1)) / (power + 2);
  }
  const within = odd ? (2 / Math.PI) * (angle + Math.sin(angle) * sum) : Math.sin(angle) * sum;
  const outside = Math.max(0, (1 - within) / 2);
  return t >= 0 ? outside : 1 - outside;
}
