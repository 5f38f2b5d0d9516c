import { describe, expect, test } from "vitest";
import { svm } from "#core/learners/svm/svm.js";
import { sampleOf } from "../small-samples.js";
import { noisyBlobs } from "./noisy-blobs.js";

describe("probabilities", () => {
  test("sum to one, order the classes and are calibrated", async () => {
    for (const classes of [2, 4]) {
      const model = await svm({ probability: true }).fit(noisyBlobs(300, 3, classes, 20 + classes));
      const fresh = noisyBlobs(1500, 3, classes, 20 + classes);
      expect(model.scoring).toBe("probability");
      const scores = model.scores(fresh.features);
      let expectedRight = 0;
      let right = 0;
      for (let i = 0; i < fresh.rows; i++) {
        const row = [...scores.row(i)];
        expect(row.reduce((a, b) => a + b)).toBeCloseTo(1, 12);
        expect(Math.min(...row)).toBeGreaterThan(0);
        const best = row.indexOf(Math.max(...row));
        expectedRight += row[best];
        if (best === fresh.labels[i]) right++;
      }
      // Calibrated: the mean probability of the answers is about the share of right ones.
      expect(Math.abs(expectedRight - right) / fresh.rows).toBeLessThan(0.05);
      const margins = model.margins(fresh);
      const predictions = model.predict(fresh.features);
      margins.forEach((margin, i) => {
        if (margin !== 0) expect(margin > 0).toBe(predictions[i] === fresh.labels[i]);
      });
    }
  });

  test("depend on the seed only through the folds", async () => {
    const sample = noisyBlobs(80, 3, 2, 2);
    const learner = svm({ probability: true });
    const states = await Promise.all([1, 1, 2].map((seed) => learner.fit(sample, { seed })));
    expect(states[0].toState()).toEqual(states[1].toState());
    expect(states[0].machines.sigmoids).not.toEqual(states[2].machines.sigmoids);
    expect(states[0].machines.coefficients).toEqual(states[2].machines.coefficients);
  });

  test("of very few rows, and of a class with a single row, point the right way", async () => {
    for (const [rows, labels] of [
      [
        [[0], [1]],
        [0, 1],
      ],
      [
        [[0], [1], [1.1]],
        [0, 1, 1],
      ],
      [
        [[0], [3], [3.1], [2.9], [3.2], [2.8], [3.3]],
        [0, 1, 1, 1, 1, 1, 1],
      ],
      [
        [[0], [0.1], [5], [9], [9.1]],
        [0, 0, 1, 2, 2],
      ],
    ] as const) {
      const sample = sampleOf(rows, labels);
      const model = await svm({ probability: true, C: 100 }).fit(sample);
      const scores = model.scores(sample.features);
      expect([...scores.values].every((p) => p > 0 && p < 1)).toBe(true);
      const { sigmoids = [] } = model.machines;
      for (const { A } of sigmoids) expect(A).toBeLessThan(0);
    }
  });
});
