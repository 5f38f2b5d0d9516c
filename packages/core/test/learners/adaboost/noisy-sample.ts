import type { Sample } from "#core/encode/sample.js";
import { Random } from "#core/runtime/maths/random.js";
import { sampleOf } from "../small-samples.js";

/** Rows with Gaussian features whose class depends on all of them, with noise. */
export function noisySample(rows: number, columns: number, classes: number, seed: number): Sample {
  const random = new Random(seed);
  const features = Array.from({ length: rows }, () => Array.from({ length: columns }, () => random.normal()));
  const labels = features.map((row) => {
    const score = row.reduce((sum, x) => sum + x, random.normal());
    return Math.max(0, Math.min(classes - 1, Math.floor((score / columns + 0.5) * classes)));
  });
  return sampleOf(features, labels, undefined, classes);
}
