import { Sample } from "#core/encode/sample.js";
import { Matrix } from "#core/runtime/maths/matrix.js";
import { Random } from "#core/runtime/maths/random.js";

/** Draws a small cloud of points per class, around points of a grid in the plane that are `step` apart. */
export function separableClouds(classes: number, rowsEach: number, step: number, seed: number): Sample {
  const random = new Random(seed);
  const width = Math.ceil(Math.sqrt(classes));
  const labels = Int32Array.from({ length: classes * rowsEach }, (_, i) => i % classes);
  const rows = Array.from(labels, (k) => [
    step * (k % width) + 0.3 * random.normal(),
    step * Math.floor(k / width) + 0.3 * random.normal(),
  ]);
  const names = Array.from({ length: classes }, (_, k) => `c${k}`);
  return new Sample({ features: Matrix.from(rows), labels, classes: names });
}
