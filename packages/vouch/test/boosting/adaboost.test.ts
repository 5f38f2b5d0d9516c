import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AdaBoostModel, adaboost } from "#vouch/boosting/index.js";
import type { Sample } from "#vouch/data/sample.js";
import { holdout } from "#vouch/data/splits.js";
import type { Progress } from "#vouch/learning/run.js";
import { Matrix } from "#vouch/numeric/matrix.js";
import { Random } from "#vouch/numeric/random.js";
import { sampleOf, smallSamples } from "../learning/small-samples.js";

type Hypothesis = (row: readonly number[]) => number;

/** All stumps of eq. 3.3 on the rows: constants, then both signs at each threshold of each feature. */
function allStumps(rows: readonly (readonly number[])[]): Hypothesis[] {
  const stumps: Hypothesis[] = [() => -1, () => 1];
  for (let j = 0; j < rows[0].length; j++) {
    const values = [...new Set(rows.map((row) => row[j]))].sort((a, b) => a - b);
    for (let v = 0; v + 1 < values.length; v++) {
      const threshold = (values[v] + values[v + 1]) / 2;
      for (const sign of [-1, 1]) stumps.push((row) => (row[j] <= threshold ? sign : -sign));
    }
  }
  return stumps;
}

/** Algorithm 1 word for word: exp, Z_t, try every stump. Ends where ε_t is 0 or ½. */
function algorithm1(
  rows: readonly (readonly number[])[],
  y: readonly number[],
  weights: readonly number[],
  T: number,
) {
  const stumps = allStumps(rows);
  const total = weights.reduce((a, b) => a + b);
  let D = weights.map((weight) => weight / total);
  const alphas: number[] = [];
  const errors: number[] = [];
  const f = rows.map(() => 0);
  const errorOf = (h: Hypothesis) => rows.reduce((sum, row, i) => sum + (h(row) === y[i] ? 0 : D[i]), 0);
  for (let t = 0; t < T; t++) {
    let best = stumps[0];
    let error = errorOf(best);
    for (const h of stumps) {
      const other = errorOf(h);
      if (other < error - 1e-12) [best, error] = [h, other];
    }
    if (error === 0 || error > 0.5 - 1e-10) break;
    const alpha = 0.5 * Math.log((1 - error) / error);
    const unnormalised = D.map((d, i) => d * Math.exp(-alpha * y[i] * best(rows[i])));
    const Z = unnormalised.reduce((a, b) => a + b);
    D = unnormalised.map((d) => d / Z);
    rows.forEach((row, i) => {
      f[i] += alpha * best(row);
    });
    alphas.push(alpha);
    errors.push(error);
  }
  return { alphas, errors, f };
}

/** SAMME as Zhu et al. print it, with every stump tried; ends where a stump is perfect or no better than chance. */
function samme(
  rows: readonly (readonly number[])[],
  labels: readonly number[],
  weights: readonly number[],
  classes: number,
  T: number,
) {
  const K = new Set(labels).size;
  const names = Array.from({ length: classes }, (_, k) => k);
  const questions = allStumps(rows).filter((_, s) => s === 0 || s % 2 === 1);
  const stumps = questions.flatMap((asks) =>
    names.flatMap((a) =>
      names.map(
        (b): Hypothesis =>
          (row) =>
            asks(row) < 0 ? a : b,
      ),
    ),
  );
  let D = weights.map((weight) => weight);
  const found: { alpha: number; error: number }[] = [];
  for (let t = 0; t < T; t++) {
    const total = D.reduce((a, b) => a + b);
    const errorOf = (h: Hypothesis) =>
      rows.reduce((sum, row, i) => sum + (h(row) === labels[i] ? 0 : D[i] / total), 0);
    let best = stumps[0];
    let error = errorOf(best);
    for (const h of stumps) {
      const other = errorOf(h);
      if (other < error - 1e-12) [best, error] = [h, other];
    }
    if (error === 0 || error > 1 - 1 / K - 1e-10) break;
    const alpha = Math.log((1 - error) / error) + Math.log(K - 1);
    D = D.map((d, i) => (best(rows[i]) === labels[i] ? d : d * Math.exp(alpha)));
    found.push({ alpha, error });
  }
  return found;
}

/** Rows with Gaussian features whose class depends on all of them, with noise. */
function noisySample(rows: number, columns: number, classes: number, seed: number): Sample {
  const random = new Random(seed);
  const features = Array.from({ length: rows }, () => Array.from({ length: columns }, () => random.normal()));
  const labels = features.map((row) => {
    const score = row.reduce((sum, x) => sum + x, random.normal());
    return Math.max(0, Math.min(classes - 1, Math.floor((score / columns + 0.5) * classes)));
  });
  return sampleOf(features, labels, undefined, classes);
}

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
    expect(model.rounds[0]).toMatchObject({ split: { feature: 0, threshold: 1.5 }, left: 0, right: 1 });
    expect(model.rounds[0].error).toBeCloseTo(0.2, 14);
    expect(model.rounds[0].trainingError).toBeCloseTo(0.2, 14);
    expect(model.rounds[0].alpha).toBeCloseTo(Math.log(2), 11);
    expect(model.describe()).toMatchObject({
      rounds: 1,
      rules: [
        {
          feature: "x1",
          threshold: 1.5,
          left: "ant",
          right: "bee",
          trainingError: expect.closeTo(0.2, 12),
          trainingErrorBound: expect.closeTo(0.8, 12),
        },
      ],
    });
    // √(1 − 4·0.3²) = 0.8
    expect(model.trainingErrorBounds()[0]).toBeCloseTo(0.8, 12);
  });
});

describe("with any number of classes", () => {
  test("the training error stays below the bound of Theorem 3.1 in every round", async () => {
    for (const classes of [2, 3, 4]) {
      const sample = noisySample(120, 4, classes, 7 + classes);
      const model = await adaboost({ rounds: 60 }).fit(sample);
      const bounds = model.trainingErrorBounds();
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
        const bounds = model.trainingErrorBounds();
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

  test("staged predictions, models cut short and the recorded training errors agree", async () => {
    for (const classes of [2, 3]) {
      const sample = noisySample(90, 3, classes, 11);
      const model = await adaboost({ rounds: 25 }).fit(sample);
      let t = 0;
      for (const staged of model.stagedPredictions(sample.features)) {
        const cut = model.after(++t);
        expect(staged).toEqual(cut.predict(sample.features));
        expect(trainingError(cut, sample)).toBeCloseTo(model.rounds[t - 1].trainingError, 12);
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

  test("whole weights are repeated rows, and scaling the weights changes nothing", async () => {
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
        const rules = models.map((model) =>
          model.rounds.map(({ split, left, right }) => ({ split, left, right })),
        );
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

describe("early stops", () => {
  test("a perfect stump decides alone, with a finite vote", async () => {
    const model = await adaboost().fit(sampleOf([[0], [1], [2]], [1, 1, 0]));
    expect(model.stop).toBe("perfect stump");
    expect(model.rounds).toMatchObject([{ alpha: 1, error: 0, trainingError: 0 }]);
    expect(model.trainingErrorBounds()[0]).toBe(0);
    expect([...model.margins(sampleOf([[0], [2], [2]], [1, 0, 1]))]).toEqual([1, 1, -1]);
  });

  test("when the first stump is no better than chance, it is the model", async () => {
    const rows = [
      [0, 0],
      [0, 1],
      [1, 0],
      [1, 1],
    ];
    const xor = sampleOf(rows, [0, 1, 1, 0]);
    const model = await adaboost().fit(xor);
    expect(model.stop).toBe("no better than chance");
    expect(model.rounds).toMatchObject([{ split: undefined, left: 0, right: 0, alpha: 1, error: 0.5 }]);
    expect([...model.predict(xor.features)]).toEqual([0, 0, 0, 0]);
    expect([...model.scores(xor.features).values].every(Number.isFinite)).toBe(true);
  });

  test("a later stump that is no better than chance ends boosting and is left out", async () => {
    // The constant is right on 3 of 4 rows; afterwards both classes weigh the same and no feature tells them apart.
    const model = await adaboost().fit(sampleOf([[1], [1], [1], [1]], [0, 0, 0, 1]));
    expect(model.stop).toBe("no better than chance");
    expect(model.rounds.length).toBe(1);
    expect(model.rounds[0].error).toBeCloseTo(0.25, 14);
    expect(model.describe()).toMatchObject({ rules: [{ predicts: "ant" }] });
  });

  test("thousands of rounds on separable data stay finite", async () => {
    const sample = sampleOf(
      [
        [0, 1],
        [1, 0],
        [2, 2],
        [3, 1],
        [4, 0],
      ],
      [0, 1, 0, 1, 0],
    );
    const model = await adaboost({ rounds: 3000 }).fit(sample);
    expect(model.rounds.at(-1)?.trainingError).toBe(0);
    for (const { alpha, error } of model.rounds) {
      expect(Number.isFinite(alpha) && alpha > 0).toBe(true);
      expect(error > 0 && error < 0.5).toBe(true);
    }
    expect(model.trainingErrorBounds().every((bound) => bound >= 0)).toBe(true);
  });

  test("weights of very different size stay finite", async () => {
    const weights = [1, 1e-300, 1e-310, 1e-5, 1e-160, 1e200];
    const rows = [[0], [1], [2], [3], [4], [5]];
    const model = await adaboost({ rounds: 50 }).fit(sampleOf(rows, [0, 1, 0, 1, 0, 1], weights));
    expect([...model.scores(Matrix.from(rows)).values].every((score) => score >= 0 && score <= 1)).toBe(true);
    expect(model.rounds.every(({ alpha }) => Number.isFinite(alpha))).toBe(true);
  });
});

test("a class that training does not have gets no votes, and two of three classes are Algorithm 1", async () => {
  const rows = [[0], [1], [2], [3], [4]];
  const three = await adaboost({ rounds: 5 }).fit(sampleOf(rows, [0, 2, 2, 0, 2], undefined, 3));
  const two = await adaboost({ rounds: 5 }).fit(sampleOf(rows, [0, 1, 1, 0, 1]));
  expect(three.rounds.map(({ alpha }) => alpha)).toEqual(two.rounds.map(({ alpha }) => alpha));
  const scores = three.scores(Matrix.from(rows));
  for (let i = 0; i < rows.length; i++) expect(scores.values[3 * i + 1]).toBe(0);
});

test("complexity counts rounds and knows the stumps' VC dimension", async () => {
  const model = await adaboost({ rounds: 4 }).fit(noisySample(50, 12, 2, 1));
  expect(model.complexity()).toEqual({ counts: { rounds: 4, features: 12, stumpVcDimension: 7 } });
});

test("progress is reported in every round", async () => {
  const seen: Progress[] = [];
  await adaboost({ rounds: 5 }).fit(noisySample(50, 3, 2, 1), {
    progress: (progress) => seen.push(progress),
  });
  const boosting = seen.filter(({ stage }) => stage === "boosting");
  expect(boosting.map(({ done, total }) => [done, total])).toEqual([1, 2, 3, 4, 5].map((done) => [done, 5]));
  expect(boosting[0].note).toMatch(/^training error \d+\.\d %$/);
});

test("an interrupted run stops soon", async () => {
  const controller = new AbortController();
  let after = 0;
  const fit = adaboost({ rounds: 100_000 }).fit(noisySample(2000, 10, 2, 1), {
    signal: controller.signal,
    progress: ({ stage, done }) => {
      if (stage === "boosting" && done === 3) controller.abort();
      if (controller.signal.aborted) after = done;
    },
  });
  await expect(fit).rejects.toMatchObject({ code: "run/interrupted" });
  expect(after).toBeLessThan(1000);
});

describe("bad input", () => {
  test("options outside their range are refused by name", () => {
    for (const rounds of [0, -1, 1.5, 1e9, Number.NaN, Infinity]) {
      expect(() => adaboost({ rounds })).toThrow(
        expect.objectContaining({
          code: "option/invalid",
          message: `Option rounds of adaboost is ${rounds}.`,
        }),
      );
    }
  });

  test("data that cannot be learned from are refused", async () => {
    const refused = (sample: Sample, code: string) =>
      expect(adaboost().fit(sample)).rejects.toMatchObject({ code });
    await refused(sampleOf([], []), "data/no-rows");
    await refused(sampleOf([[1], [2]], [0, 0]), "data/one-class");
    await refused(sampleOf([[1], [2]], [0, -1]), "data/missing-target");
    await refused(sampleOf([[1], [Infinity]], [0, 1]), "data/not-finite");
  });

  test("no columns and constant columns give a constant model", async () => {
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

  test("a model cannot be cut to rounds that it does not have", async () => {
    const model = await adaboost({ rounds: 3 }).fit(noisySample(50, 3, 2, 1));
    for (const rounds of [0, 4, 1.5]) expect(() => model.after(rounds)).toThrow(/rounds 1 to 3/);
  });
});

describe("growth", () => {
  test("one fit gives the models of all smaller numbers of rounds, as they would have been fitted", async () => {
    for (const classes of [2, 3]) {
      const sample = noisySample(80, 3, classes, 9);
      const learner = adaboost({ rounds: 25 });
      const model = await learner.fit(sample);
      for (const rounds of [1, 7, 24, 25]) {
        const fitted = await adaboost({ rounds }).fit(sample);
        expect(learner.growth?.upTo(model, rounds).toState()).toEqual(fitted.toState());
      }
    }
  });

  test("a model that stopped before is the model of any larger number of rounds", async () => {
    const learner = adaboost({ rounds: 50 });
    const model = await learner.fit(sampleOf([[0], [1], [2]], [1, 1, 0]));
    expect(learner.growth?.upTo(model, 20)).toBe(model);
  });

  test("there is none with a patience: the best of few rounds may be another one than the best of many", () => {
    expect(adaboost({ patience: 3 }).growth).toBeUndefined();
  });
});

describe("patience", () => {
  const weights = Float64Array.from({ length: 200 }, (_, i) => 1 + (i % 3));
  const sample = noisySample(200, 4, 2, 12).weighted(weights);
  const { train, test: apart } = holdout(sample.labels, 0.25, 5);
  /** The error on the rows kept apart after each round of a committee that was trained on the others. */
  async function validationErrors(rounds: number): Promise<number[]> {
    const model = await adaboost({ rounds }).fit(sample.select(train));
    const { features, labels } = sample.select(apart);
    const weighted = (wrong: boolean, i: number) => (wrong ? weights[apart[i]] : 0);
    return Array.from(model.stagedPredictions(features), (predictions) =>
      predictions.reduce((sum, k, i) => sum + weighted(k !== labels[i], i), 0),
    );
  }

  test("ends that many rounds after the smallest error on the rows kept apart, and keeps the rounds to it", async () => {
    const errors = await validationErrors(120);
    for (const patience of [1, 4, 15]) {
      const stop = errors.findIndex(
        (_, t) =>
          t >= patience &&
          Math.min(...errors.slice(0, t - patience + 1)) <= Math.min(...errors.slice(0, t + 1)),
      );
      const seen = errors.slice(0, stop < 0 ? 120 : stop + 1);
      const best = seen.indexOf(Math.min(...seen)) + 1;
      const rounds: number[] = [];
      const progress = ({ stage, done }: Progress) => void (stage === "boosting" && rounds.push(done));
      const model = await adaboost({ rounds: 120, patience, validation: 0.25 }).fit(sample, {
        seed: 5,
        progress,
      });
      expect(model.rounds.length).toBe(best);
      expect(rounds.length).toBe(seen.length);
      expect(model.stop).toBe("validation error no longer falls");
      const plain = await adaboost({ rounds: best }).fit(sample.select(train));
      expect(model.rounds).toEqual(plain.rounds);
      expect(AdaBoostModel.restore(model.toState()).stop).toBe(model.stop);
    }
  });

  test("needs rows of two classes to train on", async () => {
    const few = sampleOf([[0], [1]], [0, 1]);
    await expect(adaboost({ patience: 2 }).fit(few)).rejects.toMatchObject({
      code: "data/too-few-rows",
      hint: expect.stringContaining("patience of 0"),
    });
  });
});

describe("the state of a committee", () => {
  test("gives the same scores, bit for bit", async () => {
    for (const classes of [2, 3]) {
      const sample = noisySample(60, 3, classes, 4);
      const model = await adaboost({ rounds: 30 }).fit(sample);
      const again = AdaBoostModel.restore(structuredClone(model.toState()));
      expect(again.scores(sample.features)).toEqual(model.scores(sample.features));
      expect(again.describe()).toEqual(model.describe());
      expect(again.toState()).toEqual(model.toState());
    }
  });

  test("is refused when anything is odd", async () => {
    const sample = sampleOf([[0], [1], [2], [3], [4]], [0, 0, 1, 1, 0]);
    const { json, tensors } = (await adaboost({ rounds: 2 }).fit(sample)).toState();
    const structure = {
      classes: ["ant", "bee"],
      featureNames: ["x1"],
      rounds: 2,
      stop: "all rounds done",
      trainingClasses: 2,
    };
    expect(json).toEqual(structure);
    const numbers = (name: string, ...data: number[]) => ({
      json,
      tensors: { ...tensors, [name]: { shape: [2], data: Float64Array.from(data) } },
    });
    const integers = (name: string, ...data: number[]) => ({
      json,
      tensors: { ...tensors, [name]: { shape: [2], data: Int32Array.from(data) } },
    });
    const { alpha, ...withoutAlpha } = tensors;
    const bad = [
      { json: { ...structure, rounds: 3 }, tensors },
      { json: { ...structure, rounds: 1e15 }, tensors },
      { json: { ...structure, stop: "bored" }, tensors },
      { json: { ...structure, trainingClasses: 3 }, tensors },
      { json: { ...structure, classes: ["ant"] }, tensors },
      { json: { ...structure, featureNames: [] }, tensors },
      { json: [], tensors },
      { json, tensors: withoutAlpha },
      { json, tensors: { ...tensors, beta: alpha } },
      { json, tensors: { ...tensors, alpha: { ...alpha, shape: [2, 1] } } },
      numbers("alpha", 1, 0),
      numbers("alpha", 1, -1),
      numbers("alpha", 1, Infinity),
      numbers("alpha", 1, 1e300),
      numbers("threshold", 1, Number.NaN),
      numbers("error", 0.1, 1.1),
      numbers("trainingError", -0.1, 0),
      numbers("feature", 0, 0),
      integers("alpha", 1, 1),
      integers("feature", 0, 1),
      integers("feature", 0, -2),
      integers("feature", -1, -1),
      integers("left", 0, 2),
      integers("right", -1, 0),
    ];
    expect(AdaBoostModel.restore({ json, tensors }).toState()).toEqual({ json, tensors });
    for (const state of bad) {
      expect(() => AdaBoostModel.restore(state), JSON.stringify(state)).toThrow(
        expect.objectContaining({ code: "model/corrupt" }),
      );
    }
  });
});
