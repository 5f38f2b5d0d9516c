import { describe, expect, test } from "vitest";
import { svm } from "#core/learners/svm/svm.js";
import { noisyBlobs } from "./noisy-blobs.js";

describe("weights", () => {
  test("a row of weight w counts as w rows", async () => {
    const sample = noisyBlobs(40, 2, 3, 6);
    const weights = Float64Array.from(sample.labels, (_, i) => 1 + (i % 3));
    const repeated = [...weights].flatMap((weight, i) => Array<number>(weight).fill(i));
    const learner = svm({ gamma: 0.4, tolerance: 1e-6 });
    const weighted = await learner.fit(sample.weighted(weights));
    const again = await learner.fit(sample.select(repeated));
    const expected = again.machines.decisionValues(sample.features).values;
    weighted.machines.decisionValues(sample.features).values.forEach((value, k) => {
      expect(value).toBeCloseTo(expected[k], 3);
    });
  });

  test("rows of weight 0 are left out", async () => {
    const sample = noisyBlobs(40, 2, 2, 7);
    const weights = Float64Array.from(sample.labels, (_, i) => (i % 4 === 0 ? 0 : 1));
    const kept = [...weights.keys()].filter((i) => weights[i] > 0);
    const [weighted, without] = [
      await svm().fit(sample.weighted(weights)),
      await svm().fit(sample.select(kept).weighted(new Float64Array(kept.length).fill(1))),
    ];
    expect(weighted.toState()).toEqual(without.toState());
  });

  test("balanced classes have the same total weight: C times rows / (classes · rows of the class)", async () => {
    const sample = noisyBlobs(90, 2, 3, 3);
    const counts = [0, 1, 2].map((k) => sample.labels.filter((label) => label === k).length);
    expect(new Set(counts).size).toBe(3);
    const weights = Float64Array.from(sample.labels, (k) => 90 / (3 * counts[k]));
    const balanced = await svm({ classWeights: "balanced", tolerance: 1e-6 }).fit(sample);
    const weighted = await svm({ tolerance: 1e-6 }).fit(sample.weighted(weights));
    const expected = weighted.machines.decisionValues(sample.features).values;
    balanced.machines.decisionValues(sample.features).values.forEach((value, k) => {
      expect(value).toBeCloseTo(expected[k], 4);
    });
  });
});
