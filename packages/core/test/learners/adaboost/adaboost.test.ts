import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Sample } from "#core/encode/sample.js";
import { type AdaBoostModel, adaboost } from "#core/learners/adaboost/adaboost.js";
import { Matrix } from "#core/runtime/maths/matrix.js";
import { fault } from "../../fault.js";
import { sampleOf, smallSamples } from "../small-samples.js";
import { algorithm1, samme } from "./literal-algorithms.js";
import { noisySample } from "./noisy-sample.js";
import { boundsOf, stumpsOf } from "./voters.js";

function trainingError(model: AdaBoostModel, sample: Sample): number {
  const predictions = model.predict(sample.features);
  return predictions.filter((prediction, i) => prediction !== sample.labels[i]).length / sample.rows;
}

describe("AdaBoost for two classes", () => {
  test("is Algorithm 1", async () => {
    await fc.assert(
      fc.asyncProperty(smallSamples(2), async ({ rows, labels, weights }) => {
        const expected = algorithm1(
          rows,
          labels.map((label) => 2 * label - 1),
          weights,
          12,
        );
        const model = await adaboost({ rounds: 12 }).fit(sampleOf(rows, labels, weights));
        fc.pre(expected.alphas.length > 0);
        expect(model.rounds.length).toBe(expected.alphas.length);
        const total = expected.alphas.reduce((a, b) => a + b);
        model.rounds.forEach(({ alpha, error }, t) => {
          expect(alpha).toBeCloseTo(expected.alphas[t], 9);
          expect(error).toBeCloseTo(expected.errors[t], 9);
        });
        const scores = model.scores(Matrix.from(rows));
        expected.f.forEach((f, i) => {
          expect(scores.values[2 * i + 1] - scores.values[2 * i]).toBeCloseTo(f / total, 9);
        });
      }),
      { numRuns: 300 },
    );
  });

  test("after one round by hand", async () => {
    // Best stump x ≤ 1.5 errs on the last of five rows: ε = 1/5, α = ½ ln 4.
    const model = await adaboost({ rounds: 1 }).fit(sampleOf([[0], [1], [2], [3], [4]], [0, 0, 1, 1, 0]));
    expect(stumpsOf(model)).toEqual([{ split: { feature: 0, threshold: 1.5 }, left: 0, right: 1 }]);
    expect(model.rounds[0].error).toBeCloseTo(0.2, 14);
    expect(model.rounds[0].trainingError).toBeCloseTo(0.2, 14);
    expect(model.rounds[0].alpha).toBeCloseTo(Math.log(2), 11);
    // √(1 − 4·0.3²) = 0.8
    expect(boundsOf(model)[0]).toBeCloseTo(0.8, 12);
    const { facts, sections } = model.describe();
    expect(facts).toContainEqual({
      name: "bound on the training error",
      value: expect.closeTo(0.8, 12),
      unit: "share",
    });
    expect(sections).toMatchObject([
      {
        kind: "curve",
        series: [
          { role: "train", values: [expect.closeTo(0.2, 12)] },
          { role: "bound", values: [expect.closeTo(0.8, 12)] },
        ],
      },
      {
        kind: "table",
        rows: [["x1", 1.5, "ant", "bee", expect.closeTo(Math.log(2), 11), expect.closeTo(0.2, 12)]],
      },
    ]);
  });
});

describe("with any number of classes", () => {
  test("the training error stays below the bound of Theorem 3.1 in every round", async () => {
    for (const classes of [2, 3, 4]) {
      const sample = noisySample(120, 4, classes, 7 + classes);
      const model = await adaboost({ rounds: 60 }).fit(sample);
      const bounds = boundsOf(model);
      expect(model.rounds.length).toBeGreaterThan(20);
      model.rounds.forEach(({ error, trainingError: after }, t) => {
        expect(after).toBeLessThanOrEqual(bounds[t] + 1e-12);
        if (classes === 2) {
          const factor = Math.sqrt(1 - 4 * (0.5 - error) ** 2);
          expect(bounds[t]).toBeCloseTo((bounds[t - 1] ?? 1) * factor, 12);
        }
      });
    }
    await fc.assert(
      fc.asyncProperty(smallSamples(4), async ({ rows, labels, weights, classes }) => {
        const model = await adaboost({ rounds: 10 }).fit(sampleOf(rows, labels, weights, classes));
        const bounds = boundsOf(model);
        model.rounds.forEach(({ trainingError: after }, t) => {
          expect(after).toBeLessThanOrEqual(bounds[t] + 1e-12);
        });
      }),
    );
  });

  test("is SAMME, with halved votes", async () => {
    await fc.assert(
      fc.asyncProperty(smallSamples(4), async ({ rows, labels, weights, classes }) => {
        const sample = sampleOf(rows, labels, weights, classes);
        const model = await adaboost({ rounds: 8 }).fit(sample);
        const expected = samme(rows, labels, weights, classes, 8);
        fc.pre(expected.length > 0);
        expect(model.rounds.length).toBe(expected.length);
        model.rounds.forEach(({ alpha, error }, t) => {
          expect(2 * alpha).toBeCloseTo(expected[t].alpha, 9);
          expect(error).toBeCloseTo(expected[t].error, 9);
        });
      }),
      { numRuns: 200 },
    );
  });

  test("staged predictions, prefixes of the model and its training errors agree", async () => {
    for (const classes of [2, 3]) {
      const sample = noisySample(90, 3, classes, 11);
      const learner = adaboost({ rounds: 25 });
      const model = await learner.fit(sample);
      let t = 0;
      for (const staged of model.stagedPredictions?.(sample.features) ?? []) {
        const prefix = learner.growth?.upTo(model, ++t) ?? model;
        expect(staged).toEqual(prefix.predict(sample.features));
        expect(trainingError(prefix, sample)).toBeCloseTo(model.rounds[t - 1].trainingError, 12);
      }
      expect(t).toBe(model.rounds.length);
    }
  });

  test("margins lie in [−1, 1] and are positive exactly where the model is right", async () => {
    await fc.assert(
      fc.asyncProperty(smallSamples(4), async ({ rows, labels, weights, classes }) => {
        const sample = sampleOf(rows, labels, weights, classes);
        const model = await adaboost({ rounds: 8 }).fit(sample);
        const predictions = model.predict(sample.features);
        model.margins(sample).forEach((margin, i) => {
          expect(Math.abs(margin)).toBeLessThanOrEqual(1);
          if (margin !== 0) expect(margin > 0).toBe(predictions[i] === labels[i]);
        });
      }),
    );
  });

  test("integer weights act like repeated rows, and scaling the weights changes nothing", async () => {
    await fc.assert(
      fc.asyncProperty(smallSamples(3), fc.constantFrom(1e-300, 0.7, 1e300), async (small, scale) => {
        const { rows, labels, weights, classes } = small;
        const repeated = weights.flatMap((weight, i) => Array<number>(weight).fill(i));
        const learner = adaboost({ rounds: 6 });
        const models = [
          await learner.fit(sampleOf(rows, labels, weights, classes)),
          await learner.fit(
            sampleOf(
              rows,
              labels,
              weights.map((weight) => weight * scale),
              classes,
            ),
          ),
          await learner.fit(
            sampleOf(
              repeated.map((i) => rows[i]),
              repeated.map((i) => labels[i]),
              undefined,
              classes,
            ),
          ),
        ];
        const rules = models.map(stumpsOf);
        expect(rules[1]).toEqual(rules[0]);
        expect(rules[2]).toEqual(rules[0]);
        const alphas = models.map((model) => model.rounds.map(({ alpha }) => alpha));
        alphas[0].forEach((alpha, t) => {
          expect(alphas[1][t]).toBeCloseTo(alpha, 9);
          expect(alphas[2][t]).toBeCloseTo(alpha, 9);
        });
      }),
    );
  });

  test("an increasing transformation of the features changes no prediction on the training rows", async () => {
    const transforms = [(x: number) => x ** 3, (x: number) => Math.exp(x), (x: number) => 5 * x - 7];
    for (const classes of [2, 4]) {
      const sample = noisySample(80, 3, classes, 5);
      const values = sample.features.values.map((x, k) => transforms[k % 3](x));
      const bent = new Matrix(80, 3, values);
      const learner = adaboost({ rounds: 20 });
      const straight = await learner.fit(sample);
      const other = await learner.fit(
        sampleOf(
          Array.from({ length: 80 }, (_, i) => [...bent.row(i)]),
          [...sample.labels],
          undefined,
          classes,
        ),
      );
      expect(other.predict(bent)).toEqual(straight.predict(sample.features));
      expect(other.scores(bent)).toEqual(straight.scores(sample.features));
    }
  });

  test("a row has the same scores in every batch", async () => {
    const sample = noisySample(70, 5, 3, 9);
    const model = await adaboost({ rounds: 40 }).fit(sample);
    const together = model.scores(sample.features);
    for (let i = 0; i < sample.rows; i++) {
      expect(model.scores(sample.features.select([i])).values).toEqual(together.row(i));
    }
    expect(model.scores(sample.features.select([])).rows).toBe(0);
  });

  test("single precision features work like the same numbers in double precision", async () => {
    const sample = noisySample(60, 3, 2, 21);
    const single = Float32Array.from(sample.features.values);
    const labels = [...sample.labels];
    const rows = Array.from({ length: 60 }, (_, i) => [...single.subarray(3 * i, 3 * i + 3)]);
    const double = await adaboost({ rounds: 10 }).fit(sampleOf(rows, labels));
    const model = await adaboost({ rounds: 10 }).fit(
      Object.assign(sampleOf(rows, labels), { features: new Matrix(60, 3, single) }),
    );
    expect(model.toState()).toEqual(double.toState());
    expect(model.scores(new Matrix(60, 3, single))).toEqual(double.scores(Matrix.from(rows)));
  });

  test("the same data give the same model", async () => {
    const state = async () =>
      (await adaboost({ rounds: 15 }).fit(noisySample(60, 4, 3, 2), { seed: 1 })).toState();
    expect(await state()).toEqual(await state());
  });
});

test("a class without training rows gets no votes, and two of three classes are Algorithm 1", async () => {
  const rows = [[0], [1], [2], [3], [4]];
  const three = await adaboost({ rounds: 5 }).fit(sampleOf(rows, [0, 2, 2, 0, 2], undefined, 3));
  const two = await adaboost({ rounds: 5 }).fit(sampleOf(rows, [0, 1, 1, 0, 1]));
  expect(three.rounds.map(({ alpha }) => alpha)).toEqual(two.rounds.map(({ alpha }) => alpha));
  const scores = three.scores(Matrix.from(rows));
  for (let i = 0; i < rows.length; i++) expect(scores.values[3 * i + 1]).toBe(0);
});

test("a model without columns, or with constant ones, is constant", async () => {
  for (const rows of [
    [[], [], []],
    [
      [3, 1],
      [3, 1],
      [3, 1],
    ],
  ]) {
    const sample = sampleOf(rows, [0, 1, 1]);
    expect([...(await adaboost().fit(sample)).predict(sample.features)]).toEqual([1, 1, 1]);
  }
});

test("a file with a constant stump that has two sides is refused", async () => {
  const model = await adaboost({ rounds: 1 }).fit(sampleOf([[0], [1]], [0, 1]));
  for (const [right, isRefused] of [
    [0, false],
    [1, true],
  ] as const) {
    const stumps = [{ split: undefined, left: 0, right }];
    const state = adaboost.assemble({ ...model, voters: { kind: "stumps", stumps } }).toState();
    const restore = () => adaboost.restore(state);
    if (isRefused) expect(fault(restore).message).toContain("two sides");
    else expect(restore().toState()).toEqual(state);
  }
});

test("complexity counts rounds and knows the stumps' VC dimension", async () => {
  const model = await adaboost({ rounds: 4 }).fit(noisySample(50, 12, 2, 1));
  expect(model.complexity()).toEqual({
    vote: { voters: 4, vcDimension: 7 },
    counts: { rounds: 4, features: 12, stumpVcDimension: 7 },
  });
});
