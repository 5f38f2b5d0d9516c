/** Percentage of the rows that are predicted right. */
export function accuracyOf(predictions: Int32Array, labels: Int32Array): number {
  const right = predictions.reduce((count, prediction, i) => count + (prediction === labels[i] ? 1 : 0), 0);
  return (100 * right) / labels.length;
}
