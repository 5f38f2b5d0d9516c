import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Sample } from "#core/encode/sample.js";
import { svm } from "#core/learners/svm/svm.js";
import { Matrix } from "#core/runtime/maths/matrix.js";
import { sampleOf } from "../small-samples.js";
import { noisyBlobs } from "./noisy-blobs.js";

describe("hard data", () => {
  test("a notice reports the gap if the iterations run out", async () => {
    const sample = noisyBlobs(100, 3, 3, 4);
    const model = await svm({ maxIterations: 3 }).fit(sample);
    expect(model.notices).toEqual([
      expect.stringMatching(
        /^The solver stopped after 3 iterations without converging \(3 of 3 machines, the worst is class \d vs class \d\): the largest violation of the KKT conditions is [\d.]+, above the tolerance 0.001\./,
      ),
    ]);
    expect(Math.min(...(model.convergence?.violations ?? []))).toBeGreaterThan(0.001);
    expect(model.describe()).toMatchObject({
      facts: expect.arrayContaining([{ name: "converged", value: false }]),
    });
    expect(model.predict(sample.features).length).toBe(100);
  });

  test("equal points of different classes, and nothing but equal points", async () => {
    const twice = await svm().fit(sampleOf([[0], [0], [1], [1], [2]], [0, 1, 0, 1, 1]));
    expect([...twice.scores(Matrix.from([[0], [1], [2]])).values].every(Number.isFinite)).toBe(true);
    expect([...twice.predict(Matrix.from([[2]]))]).toEqual([1]);
    for (const probability of [false, true]) {
      const equal = sampleOf(Array(9).fill([3, 3]), [0, 1, 1, 1, 1, 1, 1, 0, 1]);
      const model = await svm({ probability }).fit(equal);
      expect([...model.predict(equal.features)]).toEqual(Array(9).fill(1));
      expect([...model.margins(equal)].every(Number.isFinite)).toBe(true);
    }
  });

  test("fewer than five rows, one feature, no features", async () => {
    expect([...(await svm().fit(sampleOf([[0], [1]], [0, 1]))).predict(Matrix.from([[0], [1]]))]).toEqual([
      0, 1,
    ]);
    for (const probability of [false, true]) {
      const none = await svm({ probability }).fit(sampleOf([[], [], [], []], [0, 1, 1, 1]));
      expect([...none.predict(Matrix.from([[]]))]).toEqual([1]);
    }
  });

  test("a kernel matrix too large for the cache is computed row by row, with the same result", async () => {
    const sample = noisyBlobs(700, 4, 2, 6);
    const [whole, rowByRow] = [
      await svm({ probability: true, tolerance: 1e-5 }).fit(sample),
      await svm({ probability: true, tolerance: 1e-5, cacheMegabytes: 1.3 }).fit(sample),
    ];
    const expected = whole.scores(sample.features).values;
    rowByRow.scores(sample.features).values.forEach((score, k) => {
      expect(score).toBeCloseTo(expected[k], 3);
    });
    expect(rowByRow.squaredNorms[0]).toBeCloseTo(whole.squaredNorms[0], 3);
  });

  test("kernel values beyond single precision are an error", async () => {
    const learner = svm({ kernel: "polynomial", degree: 20, scale: 1e3 });
    await expect(learner.fit(noisyBlobs(30, 4, 2, 1))).rejects.toMatchObject({
      code: "option/invalid",
      message: expect.stringMatching(/degree 20 .* beyond single precision/),
    });
  });

  test("any small sample gives finite scores and a model that can be saved", async () => {
    const cell = fc.oneof(fc.integer({ min: -2, max: 2 }), fc.double({ min: -1e6, max: 1e6, noNaN: true }));
    const samples = fc.integer({ min: 1, max: 3 }).chain((columns) =>
      fc
        .array(fc.tuple(fc.array(cell, { minLength: columns, maxLength: columns }), fc.nat(2)), {
          minLength: 2,
          maxLength: 12,
        })
        .filter((rows) => new Set(rows.map(([, label]) => label)).size > 1),
    );
    const kernel = fc.constantFrom("linear", "rbf", "polynomial");
    await fc.assert(
      fc.asyncProperty(samples, kernel, fc.boolean(), async (rows, kernel, probability) => {
        const sample = sampleOf(
          rows.map(([row]) => row),
          rows.map(([, label]) => label),
        );
        const model = await svm({ kernel, probability, maxIterations: 2000 }).fit(sample);
        const restored = svm.restore(model.toState());
        expect([...restored.scores(sample.features).values].every(Number.isFinite)).toBe(true);
        expect([...restored.margins(sample)].every((margin) => Math.abs(margin) <= 1)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  test("a row to predict whose kernel values overflow is an error", async () => {
    const model = await svm({ kernel: "polynomial", degree: 20 }).fit(noisyBlobs(30, 2, 2, 1));
    expect(() =>
      model.predict(
        Matrix.from([
          [0, 0],
          [1e17, 1e17],
        ]),
      ),
    ).toThrow(
      expect.objectContaining({ code: "data/not-finite", message: expect.stringMatching(/^Row 2 /) }),
    );
  });

  test("unusable data are an error", async () => {
    const refused = (sample: Sample, code: string) =>
      expect(svm().fit(sample)).rejects.toMatchObject({ code });
    await refused(sampleOf([], []), "data/no-rows");
    await refused(sampleOf([[1], [2]], [0, 0]), "data/one-class");
    await refused(sampleOf([[1], [2]], [0, -1]), "data/missing-target");
    await refused(sampleOf([[1], [Infinity]], [0, 1]), "data/not-finite");
  });

  test("more than 1000 classes are an error", async () => {
    const labels = Array.from({ length: 1001 }, (_, k) => k);
    const sample = new Sample({
      features: Matrix.from(labels.map((k) => [k])),
      labels: Int32Array.from(labels),
      classes: labels.map(String),
    });
    await expect(svm().fit(sample)).rejects.toMatchObject({
      code: "learner/unsupported",
      message: expect.stringContaining("500,500"),
    });
  });
});
