/**
 * Weight of each class over all rows. Like below, every fourth row is added to the same sum: sums in memory would
 * otherwise wait for each other.
 */
export function addByClass(weights: Float64Array, labels: Int32Array, classes: number): Float64Array {
  const sums = new Float64Array(4 * classes);
  const full = weights.length - (weights.length % 4);
  for (let i = 0; i < full; i += 4) {
    sums[labels[i]] += weights[i];
    sums[classes + labels[i + 1]] += weights[i + 1];
    sums[2 * classes + labels[i + 2]] += weights[i + 2];
    sums[3 * classes + labels[i + 3]] += weights[i + 3];
  }
  for (let i = full; i < weights.length; i++) sums[labels[i]] += weights[i];
  return addFour(sums);
}

/** Weight of each class on side 0, then on side 1. */
export function addBySideAndClass(
  weights: Float64Array,
  sides: Uint8Array,
  labels: Int32Array,
  classes: number,
): Float64Array {
  const size = 2 * classes;
  const sums = new Float64Array(4 * size);
  const full = weights.length - (weights.length % 4);
  for (let i = 0; i < full; i += 4) {
    sums[sides[i] * classes + labels[i]] += weights[i];
    sums[size + sides[i + 1] * classes + labels[i + 1]] += weights[i + 1];
    sums[2 * size + sides[i + 2] * classes + labels[i + 2]] += weights[i + 2];
    sums[3 * size + sides[i + 3] * classes + labels[i + 3]] += weights[i + 3];
  }
  for (let i = full; i < weights.length; i++) sums[sides[i] * classes + labels[i]] += weights[i];
  return addFour(sums);
}

/** Adds four vectors, which follow each other. */
function addFour(vectors: Float64Array): Float64Array {
  const size = vectors.length / 4;
  const sum = (k: number) => vectors[k] + vectors[size + k] + (vectors[2 * size + k] + vectors[3 * size + k]);
  return vectors.subarray(0, size).map((_, k) => sum(k));
}
