import { Sample } from "#core/encode/sample.js";
import { Matrix } from "#core/runtime/maths/matrix.js";
import { Random } from "#core/runtime/maths/random.js";

/** Clouds of points around the corners of a polygon, one per class, that overlap a little. */
export function blobs(classes: number, rowsEach: number, seed = 1, spread = 0.7): Sample {
  const random = new Random(seed);
  const rows: number[][] = [];
  const labels: number[] = [];
  for (let i = 0; i < classes * rowsEach; i++) {
    const k = i % classes;
    const angle = (2 * Math.PI * k) / classes;
    rows.push([
      2 * Math.cos(angle) + spread * random.normal(),
      2 * Math.sin(angle) + spread * random.normal(),
      random.normal(),
    ]);
    labels.push(k);
  }
  return new Sample({
    features: Matrix.from(rows),
    labels: Int32Array.from(labels),
    classes: Array.from({ length: classes }, (_, k) => `c${k}`),
  });
}
