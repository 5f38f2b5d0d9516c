import * as z from "zod";
import { shares } from "../../runtime/codec/tensor-parts.js";
import { Matrix } from "../../runtime/maths/matrix.js";
import { defineLearner } from "../define-learner.js";
import { indexOfLargest, sharesOf } from "../scores.js";

/** The baseline: predicts the most frequent class, whatever the features. */
export const majority = defineLearner({
  name: "majority",
  title: "Most frequent class",
  summary: "Ignores all columns: the baseline that other learners must beat.",
  options: z.object({}),
  features: "any",
  encoding: { kind: "numeric", standardise: false },
  parts: {
    /** Share of each class in the weight of the training rows. */
    frequencies: shares(["classes"]),
  },
  async fit({ sample, distribution }) {
    const weights = new Float64Array(sample.classes.length);
    for (let i = 0; i < sample.rows; i++) weights[sample.labels[i]] += distribution[i];
    return { frequencies: sharesOf(weights) };
  },
  scores({ frequencies }, { rows }) {
    const scores = new Float64Array(rows * frequencies.length);
    for (let i = 0; i < rows; i++) scores.set(frequencies, i * frequencies.length);
    return new Matrix(rows, frequencies.length, scores);
  },
  /**
   * Returns the VC dimension 1 of the two constant functions, and the free parameters: frequencies maximise the likelihood and
   * sum to one.
   */
  complexity({ classes }) {
    const counts = { classes: classes.length };
    return { ...(classes.length === 2 && { vcDimension: 1 }), freeParameters: classes.length - 1, counts };
  },
  describe({ classes, frequencies }) {
    return {
      facts: [{ name: "prediction", value: classes[indexOfLargest(frequencies)] }],
      sections: [
        {
          kind: "table",
          title: "class frequencies",
          columns: [{ name: "class" }, { name: "frequency", unit: "share" }],
          rows: classes.map((name, k) => [name, frequencies[k]]),
        },
      ],
    };
  },
});
