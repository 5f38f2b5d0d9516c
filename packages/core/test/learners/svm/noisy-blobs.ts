import { Sample } from "#core/encode/sample.js";
import { Matrix } from "#core/runtime/maths/matrix.js";
import { Random } from "#core/runtime/maths/random.js";

/** Overlapping clouds of points, one per class, of different sizes. */
export function noisyBlobs(rows: number, columns: number, classes: number, seed: number): Sample {
  const random = new Random(seed);
  const centres = Array.from({ length: classes }, () =>
    Array.from({ length: columns }, () => 1.2 * random.normal()),
  );
  const labels = Int32Array.from({ length: rows }, (_, i) =>
    i < classes ? i : Math.min(random.integer(classes), random.integer(classes)),
  );
  const values = Float64Array.from(
    { length: rows * columns },
    (_, k) => centres[labels[Math.floor(k / columns)]][k % columns] + random.normal(),
  );
  const names = Array.from({ length: classes }, (_, k) => `class ${k + 1}`);
  return new Sample({ features: new Matrix(rows, columns, values), labels, classes: names });
}
