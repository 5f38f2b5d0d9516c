/**
 * The supremum over the two constants −1 and +1: |Σ_i σ_i|. As E|Σσ_i| ≤ √m, their complexity is at most 1/√m. That of
 * the constants 0 and 1 is half of it.
 */
export function constantSupremum(signs: Int8Array): number {
  let sum = 0;
  for (let i = 0; i < signs.length; i++) sum += signs[i];
  return Math.abs(sum);
}
