import { Matrix } from "#core/runtime/maths/matrix.js";
import { Random } from "#core/runtime/maths/random.js";

/** Random numbers in 41 rows of 13. */
export function noiseMatrix() {
  const random = new Random(7);
  return new Matrix(
    41,
    13,
    Float64Array.from({ length: 41 * 13 }, () => random.uniform()),
  );
}
