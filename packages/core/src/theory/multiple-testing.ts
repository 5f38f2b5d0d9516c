/**
 * Corrects p-values for multiple comparisons by Holm's method (1979): the i-th smallest of m is multiplied by m − i + 1, and
 * the results keep their order. If all hypotheses below α are rejected, a true one is among them with probability ≤ α.
 */
export function holm(values: readonly number[]): number[] {
  const order = values.map((_, i) => i).sort((a, b) => values[a] - values[b]);
  const adjusted = new Array<number>(values.length);
  let largest = 0;
  order.forEach((index, i) => {
    largest = Math.max(largest, Math.min(1, (values.length - i) * values[index]));
    adjusted[index] = largest;
  });
  return adjusted;
}
