import type { Features, Sample } from "../data/sample.js";
import { VouchError } from "../error.js";
import { Matrix } from "../numeric/matrix.js";

/**
 * The labels of a sample of two classes as signs: +1 for the first class, −1 for the second, as in LIBSVM. More classes
 * are an error.
 */
export function signsOf<F extends Features>(learner: string, { classes, labels }: Sample<F>): Int8Array {
  if (classes.length !== 2) {
    throw new VouchError(
      "learner/unsupported",
      `${learner} tells two classes apart, but there are ${classes.length}: ${classes.slice(0, 6).join(", ")}${classes.length > 6 ? ", …" : ""}.`,
      {
        hint: `Use one-vs-one or one-vs-rest with the base ${learner}, or a learner for several classes, such as svm.`,
      },
    );
  }
  return Int8Array.from(labels, (label) => (label === 0 ? 1 : -1));
}

/** Scores of two classes from signed values: f for the first class, −f for the second. */
export function signedScores(values: Float64Array): Matrix {
  const scores = new Float64Array(2 * values.length);
  for (let i = 0; i < values.length; i++) {
    scores[2 * i] = values[i];
    scores[2 * i + 1] = -values[i];
  }
  return new Matrix(values.length, 2, scores);
}

/**
 * The margin in [−1, 1] of a row with a signed value, of which `limit` is the largest size possible. A row whose class
 * the model does not know (label −1) is wrong.
 */
export function signedMargin(value: number, limit: number, label: number): number {
  if (limit === 0) return 0;
  const share = Math.max(-1, Math.min(1, value / limit));
  if (label < 0) return -Math.abs(share);
  return label === 0 ? share : -share;
}
