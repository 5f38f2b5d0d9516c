import type { Features, Sample } from "../encode/sample.js";

/** Beside a huge weight a small one would vanish, and perhaps with it all rows that a tree has drawn. */
export const SMALLEST_WEIGHT = 1e-60;

/**
 * Computes weights of rows that are 1 on average; undefined if all are equal, which is faster. With balanced classes a row
 * of class c weighs m / (k · m_c), where m_c is the weight of the class's rows, m that of all rows, and k the number of
 * classes that have rows.
 */
export function rowWeights<F extends Features>(
  { labels, classes }: Sample<F>,
  distribution: Float64Array,
  classWeights: "none" | "balanced",
): Float64Array | undefined {
  const rows = distribution.length;
  const weights = distribution.map((share) => Math.max(SMALLEST_WEIGHT, share * rows));
  if (classWeights === "balanced") {
    const ofClass = new Float64Array(classes.length);
    for (let i = 0; i < rows; i++) ofClass[labels[i]] += weights[i];
    const present = ofClass.filter((weight) => weight > 0).length;
    for (let i = 0; i < rows; i++) weights[i] *= rows / (present * ofClass[labels[i]]);
  }
  return weights.every((weight) => weight === weights[0]) ? undefined : weights;
}
