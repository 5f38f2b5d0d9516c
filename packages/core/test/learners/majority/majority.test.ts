import { describe, expect, test } from "vitest";
import { majority } from "#core/learners/majority/majority.js";
import { Matrix } from "#core/runtime/maths/matrix.js";
import { sampleOf } from "../small-samples.js";

const rows = [[1], [2], [3], [4], [5]];

describe("majority", () => {
  test("predicts the most frequent class and scores by frequency", async () => {
    const model = await majority().fit(sampleOf(rows, [2, 0, 2, 1, 2]));
    expect([...model.predict(Matrix.from([[9], [-9]]))]).toEqual([2, 2]);
    const scores = [...model.scores(Matrix.from([[9]])).values];
    [0.2, 0.2, 0.6].forEach((frequency, k) => {
      expect(scores[k]).toBe(frequency);
    });
  });

  test("counts weights, of any size", async () => {
    for (const scale of [1, 1e-308, 1e307]) {
      const weights = [5, 1, 1, 1, 1].map((weight) => weight * scale);
      const model = await majority().fit(sampleOf(rows, [0, 1, 1, 1, 1], weights));
      expect([...model.predict(Matrix.from(rows))]).toEqual([0, 0, 0, 0, 0]);
      expect(model.frequencies[0]).toBeCloseTo(5 / 9, 11);
    }
  });

  test("breaks ties towards the smaller class index", async () => {
    const model = await majority().fit(sampleOf(rows.slice(1), [1, 0, 0, 1]));
    expect(model.predict(Matrix.from([[0]]))[0]).toBe(0);
  });

  test("has margins between the true class and the best other one", async () => {
    const model = await majority().fit(sampleOf(rows.slice(1), [0, 0, 0, 1]));
    expect([...model.margins(sampleOf([[1], [1]], [0, 1]))]).toEqual([0.5, -0.5]);
    expect(model.complexity()).toEqual({ vcDimension: 1, freeParameters: 1, counts: { classes: 2 } });
  });

  test("refuses samples without rows or with one class", async () => {
    await expect(majority().fit(sampleOf([], []))).rejects.toMatchObject({ code: "data/no-rows" });
    await expect(majority().fit(sampleOf([[1]], [0]))).rejects.toMatchObject({ code: "data/one-class" });
  });
});
