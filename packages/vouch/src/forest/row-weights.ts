import type { Features, Sample } from "../data/sample.js";
import type { ForestOptions } from "./options.js";

/** Beside a huge weight a small one would vanish, and with it maybe all rows that a tree has drawn. */
const SMALLEST = 1e-60;

/**
 * How much each row counts, 1 on average; nothing where all rows count the same, which is faster. With balanced classes
 * a row of class c counts m / (k · m_c) times, where m_c is the weight of the class's rows, m that of all of them, and k
 * the number of classes that have rows.
 */
export function rowWeights<F extends Features>(
  { labels, classes }: Sample<F>,
  distribution: Float64Array,
  classWeights: ForestOptions["classWeights"],
): Float64Array | undefined {
  const rows = distribution.length;
  const weights = distribution.map((share) => Math.max(SMALLEST, share * rows));
  if (classWeights === "balanced") {
    const ofClass = new Float64Array(classes.length);
    for (let i = 0; i < rows; i++) ofClass[labels[i]] += weights[i];
    const present = ofClass.filter((weight) => weight > 0).length;
    for (let i = 0; i < rows; i++) weights[i] *= rows / (present * ofClass[labels[i]]);
  }
  return weights.every((weight) => weight === weights[0]) ? undefined : weights;
}
