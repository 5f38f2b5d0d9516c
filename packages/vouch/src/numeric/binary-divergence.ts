/**
 * kl(q‖p) = q ln(q/p) + (1 − q) ln((1 − q)/(1 − p)), the divergence of two coins; 0 ln 0 is 0. Infinity where p rules
 * out what q allows.
 */
export function binaryDivergence(q: number, p: number): number {
  const first = q === 0 ? 0 : q * Math.log(q / p);
  const second = q === 1 ? 0 : (1 - q) * (Math.log1p(-q) - Math.log1p(-p));
  return Math.max(0, first + second);
}

/** The largest p in [q, 1] with kl(q‖p) ≤ most: kl grows as p moves away from q. */
export function largestWithinDivergence(q: number, most: number): number {
  let low = q;
  let high = 1;
  for (;;) {
    const middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) return low;
    if (binaryDivergence(q, middle) <= most) low = middle;
    else high = middle;
  }
}
