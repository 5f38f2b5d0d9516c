import { isMainThread } from "node:worker_threads";
import { defineLearner, Matrix, matrix } from "vouch/extend";
import { z } from "zod";

/** A custom learner: classifies a row by the nearest class mean. */
export const nearestMean = defineLearner({
  name: "nearest-mean",
  summary: "The class whose mean is nearest.",
  module: import.meta.url,
  options: z.object({}),
  features: "matrix",
  encoding: { kind: "numeric", standardise: true },
  scoring: "decision",
  parts: {
    means: matrix("classes", "features"),
    /** Whether another thread trained it. */
    onThread: z.boolean(),
  },
  async fit({ sample: { features, labels, classes } }) {
    const means = new Matrix(classes.length, features.columns);
    classes.forEach((_, k) => {
      const own = [...labels.keys()].filter((i) => labels[i] === k);
      for (const i of own) {
        features.row(i).forEach((x, j) => {
          means.row(k)[j] += x / own.length;
        });
      }
    });
    return { means, onThread: !isMainThread };
  },
  scores({ means }, features) {
    const scores = new Matrix(features.rows, means.rows);
    for (let i = 0; i < features.rows; i++) {
      for (let k = 0; k < means.rows; k++) {
        const mean = means.row(k);
        scores.row(i)[k] = -features.row(i).reduce((sum, x, j) => sum + (x - mean[j]) ** 2, 0);
      }
    }
    return scores;
  },
  complexity: ({ classes }) => ({ counts: { means: classes.length } }),
  describe: ({ classes }) => ({ facts: [{ name: "means", value: classes.length }], sections: [] }),
});
