import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { kernelValue } from "#core/learners/kernel/kernel.js";
import { trainPerceptron, trainPerceptronSync } from "#core/learners/perceptron/batch-perceptron.js";
import { perceptron } from "#core/learners/perceptron/perceptron.js";
import { Matrix } from "#core/runtime/maths/matrix.js";
import { Random } from "#core/runtime/maths/random.js";
import { sampleOf } from "../small-samples.js";

type Points = readonly (readonly number[])[];

/** Algorithm 2 of Vani and Venkatesh 2015, word for word: every score is summed again. */
function literally(points: Points, labels: readonly number[], degree: number, passes: number) {
  const kernel = { kind: "polynomial", degree, scale: 1 } as const;
  const alpha = labels.map(() => 0);
  const score = (weights: readonly number[], x: readonly number[]) =>
    weights.reduce((sum, weight, i) => sum + weight * labels[i] * kernelValue(kernel, points[i], x), 0);
  const means = labels.map(() => 0);
  let visits = 0;
  for (let p = 1; p <= passes; p++) {
    let mistakes = 0;
    for (let t = 0; t < points.length; t++) {
      const predicted = Math.sign(score(alpha, points[t]));
      if (predicted !== labels[t]) {
        alpha[t]++;
        mistakes++;
      }
      visits++;
      for (let i = 0; i < alpha.length; i++) means[i] += alpha[i];
    }
    if (mistakes === 0) break;
  }
  const averaged = means.map((sum) => sum / visits);
  return { alpha, averaged, score };
}

/** Small whole coordinates: kernel values are exact in single precision, and scores of 0 happen. */
const problems = fc.record({
  data: fc.array(
    fc.record({
      point: fc.array(fc.integer({ min: -2, max: 2 }), { minLength: 2, maxLength: 2 }),
      label: fc.constantFrom(-1, 1),
    }),
    { minLength: 1, maxLength: 12 },
  ),
  degree: fc.integer({ min: 1, max: 3 }),
  passes: fc.integer({ min: 1, max: 6 }),
});

function problemOf(points: Points, labels: readonly number[], degree: number) {
  const kernel = { kind: "polynomial", degree, scale: 1 } as const;
  return {
    kernel: {
      row: (i: number) => Float32Array.from(points, (point) => kernelValue(kernel, points[i], point)),
    },
    rows: Int32Array.from(points, (_, i) => i),
    labels: Int8Array.from(labels),
  };
}

describe("the batch perceptron", () => {
  test("is Algorithm 2, with and without averaging", () => {
    fc.assert(
      fc.property(problems, ({ data, degree, passes }) => {
        const points = data.map(({ point }) => point);
        const labels = data.map(({ label }) => label);
        const expected = literally(points, labels, degree, passes);
        const problem = problemOf(points, labels, degree);
        const plain = trainPerceptronSync(problem, { passes, averaged: false });
        expect([...plain.coefficients].map((c) => c + 0)).toEqual(
          expected.alpha.map((alpha, i) => alpha * labels[i] + 0),
        );
        expect([...plain.decisionValues]).toEqual(points.map((x) => expected.score(expected.alpha, x)));
        expect(plain.mistakes).toBe(expected.alpha.reduce((sum, alpha) => sum + alpha, 0));
        const mean = trainPerceptronSync(problem, { passes, averaged: true });
        mean.coefficients.forEach((coefficient, i) => {
          expect(coefficient).toBeCloseTo(expected.averaged[i] * labels[i], 10);
          expect(mean.decisionValues[i] / 100).toBeCloseTo(
            expected.score(expected.averaged, points[i]) / 100,
            8,
          );
        });
      }),
      { numRuns: 300 },
    );
  });

  test("visits only the given rows, in their order", () => {
    const points = [
      [1, 2],
      [3, 1],
      [-1, 0],
      [0, -2],
      [2, 2],
    ];
    const all = problemOf(points, [1, 1, -1, -1, 1], 2);
    const rows = Int32Array.of(4, 2, 1);
    const some = trainPerceptronSync(
      { ...all, rows, labels: Int8Array.of(1, -1, 1) },
      { passes: 5, averaged: false },
    );
    const alone = problemOf([points[4], points[2], points[1]], [1, -1, 1], 2);
    expect(some).toEqual(trainPerceptronSync(alone, { passes: 5, averaged: false }));
  });

  test("knows the norm of its weights", () => {
    const points = [
      [1, 2],
      [-3, 1],
    ];
    const { coefficients, squaredNorm } = trainPerceptronSync(problemOf(points, [1, -1], 1), {
      passes: 9,
      averaged: false,
    });
    // With degree 1 the feature space is (1, x).
    const w = [0, 1, 2].map((axis) =>
      points.reduce((sum, point, i) => sum + coefficients[i] * [1, ...point][axis], 0),
    );
    expect(squaredNorm).toBeCloseTo(
      w.reduce((sum, value) => sum + value * value, 0),
      9,
    );
  });

  test("trains the same with pauses", async () => {
    const problem = problemOf(
      [
        [0, 0],
        [0, 0],
        [1, 1],
      ],
      [1, -1, 1],
      2,
    );
    let pauses = 0;
    const paused = await trainPerceptron(problem, { passes: 4, averaged: false }, () => {
      pauses++;
      return Promise.resolve();
    });
    expect(paused).toEqual(trainPerceptronSync(problem, { passes: 4, averaged: false }));
    expect(pauses).toBeGreaterThanOrEqual(paused.mistakes);
  });
});

describe("the learner", () => {
  /** Two classes, inside and outside of a circle. */
  function ring(rows: number, seed: number) {
    const random = new Random(seed);
    const points = Array.from({ length: rows }, () => [random.normal(), random.normal()]);
    return sampleOf(
      points,
      points.map(([x, y]) => (x * x + y * y < 1.2 ? 0 : 1)),
    );
  }

  test("separates a circle with degree 2, and its scores, predictions and margins agree", async () => {
    const sample = ring(200, 1);
    const model = await perceptron({ degree: 2, passes: 1000 }).fit(sample);
    expect([...model.predict(sample.features)]).toEqual([...sample.labels]);
    const margins = model.margins(sample);
    expect(Math.min(...margins)).toBeGreaterThan(0);
    expect(Math.max(...margins)).toBeLessThanOrEqual(1);
    expect(model.passes).toBeLessThan(1000);
    const test1 = ring(300, 2);
    const predicted = model.predict(test1.features);
    const wrong = predicted.filter((k, i) => k !== test1.labels[i]).length;
    expect(wrong / 300).toBeLessThan(0.05);
    // One row at a time gives the same bits.
    const single = model.scores(new Matrix(1, 2, test1.features.values.slice(4, 6)));
    expect([...single.row(0)]).toEqual([...model.scores(test1.features).row(2)]);
  });

  test("works with every kernel", async () => {
    const random = new Random(3);
    const points = Array.from({ length: 60 }, () => [random.uniform(), random.uniform()]);
    const sample = sampleOf(
      points,
      points.map(([x, y]) => (x > y ? 0 : 1)),
    );
    for (const kernel of ["linear", "polynomial", "rbf", "chi-square", "intersection"] as const) {
      const model = await perceptron({ kernel, passes: 200, averaged: kernel === "rbf" }).fit(sample);
      const wrong = model.predict(sample.features).filter((k, i) => k !== sample.labels[i]).length;
      expect(wrong, kernel).toBeLessThanOrEqual(3);
    }
  });

  test("errors say what is wrong with the input", async () => {
    const three = sampleOf([[0], [1], [2]], [0, 1, 2]);
    await expect(perceptron().fit(three)).rejects.toMatchObject({
      code: "learner/unsupported",
      message: "perceptron takes two classes, but there are 3: ant, bee, cat.",
    });
    await expect(perceptron().fit(sampleOf([[0], [1]], [0, 0]))).rejects.toMatchObject({
      code: "data/one-class",
    });
    await expect(
      perceptron({ kernel: "intersection" }).fit(sampleOf([[-1], [1]], [0, 1])),
    ).rejects.toMatchObject({
      code: "data/malformed",
    });
    const amounts = await perceptron({ kernel: "intersection" }).fit(sampleOf([[1], [2]], [0, 1]));
    expect(() => amounts.predict(Matrix.from([[3], [-1]]))).toThrow(
      expect.objectContaining({
        code: "data/malformed",
        message: expect.stringMatching(/^Row 2 has -1 in feature x1/),
      }),
    );
    expect(() => perceptron({ passes: 0 })).toThrow(expect.objectContaining({ code: "option/invalid" }));
  });

  test("identical points with different labels, and points that are all zero, give finite scores", async () => {
    const same = sampleOf([[0], [0], [0], [0]], [0, 1, 0, 1]);
    for (const averaged of [false, true]) {
      const model = await perceptron({ averaged }).fit(same);
      expect(model.scores(same.features).values.every(Number.isFinite)).toBe(true);
      expect(model.margins(same).every((margin) => Math.abs(margin) <= 1)).toBe(true);
    }
    const linear = await perceptron({ kernel: "linear" }).fit(same);
    expect([...linear.margins(same)]).toEqual([0, 0, 0, 0]);
  });
});
