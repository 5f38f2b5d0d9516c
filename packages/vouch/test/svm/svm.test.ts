import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { Sample } from "#vouch/data/sample.js";
import { kernelValue } from "#vouch/kernel/index.js";
import type { Progress } from "#vouch/learning/run.js";
import { Matrix } from "#vouch/numeric/matrix.js";
import { Random } from "#vouch/numeric/random.js";
import { threadExecutor } from "#vouch/parallel/threads.js";
import { type SvmModel, svm, svmDefinition } from "#vouch/svm/index.js";
import { sampleOf } from "../learning/small-samples.js";
import { noisyBlobs } from "./noisy-blobs.js";

/** f(x) of every pair from the definition: Σ yα K(s, x) + b over the support vectors of both classes. */
function decisionByHand({ machines }: SvmModel, x: ArrayLike<number>): number[] {
  const starts = [0];
  for (const count of machines.counts) starts.push(starts[starts.length - 1] + count);
  return machines.pairs.map(({ first, second }, p) => {
    let sum = machines.biases[p];
    for (let s = 0; s < machines.supportVectors.rows; s++) {
      const owner = starts.findLastIndex((start) => start <= s);
      if (owner !== first && owner !== second) continue;
      const opponent = owner === first ? second : first;
      const coefficient = machines.coefficients.row(s)[opponent < owner ? opponent : opponent - 1];
      sum += coefficient * kernelValue(machines.kernel, machines.supportVectors.row(s), x);
    }
    return sum;
  });
}

/** Points on two lines that any two classes of them can be told apart on. */
const separable = sampleOf(
  [
    [0, 0],
    [0, 1],
    [0, 2],
    [2, 0],
    [2, 1],
    [2, 2],
  ],
  [0, 0, 0, 1, 1, 1],
);

describe("two classes", () => {
  test("the widest margin of separable points, by hand", async () => {
    // Classes at x₁ = 0 and x₁ = 2: w = (−1, 0), b = 1 (positive for the first class), margin 1, whatever x₂ is.
    const model = await svm({ kernel: "linear", C: 100, tolerance: 1e-6 }).fit(separable);
    const values = model.decisionValues(
      Matrix.from([
        [0, 5],
        [1, -3],
        [2, 0],
        [5, 5],
      ]),
    ).values;
    [1, 0, -1, -4].forEach((expected, i) => {
      expect(values[i]).toBeCloseTo(expected, 4);
    });
    expect(model.squaredNorms[0]).toBeCloseTo(1, 4);
    expect(model.squaredRadius).toBe(8);
    expect(model.describe()).toMatchObject({
      kernel: "linear",
      converged: true,
      machines: [{ classes: "ant or bee", margin: expect.closeTo(1, 4), dualityGap: expect.closeTo(0, 4) }],
    });
    // y·f / (√2·√(‖w‖²R² + b²)) = 1 / √(2·(8 + 1))
    for (const margin of model.margins(separable)) expect(margin).toBeCloseTo(1 / Math.sqrt(18), 4);
    expect(model.complexity()).toMatchObject({ vcDimension: 3, counts: { features: 2, machines: 1 } });
    expect(model.notices).toEqual([]);
  });

  test("KKT: rows beyond the margin have no coefficient, rows inside it the largest", async () => {
    const C = 0.7;
    for (const kernel of ["linear", "polynomial", "rbf"] as const) {
      const sample = noisyBlobs(80, 3, 2, 5);
      const model = await svm({ kernel, C, tolerance: 1e-5 }).fit(sample);
      const { supportVectors, coefficients } = model.machines;
      const alphaOf = new Map(
        Array.from({ length: supportVectors.rows }, (_, s) => [
          supportVectors.row(s).join(),
          coefficients.values[s],
        ]),
      );
      const values = model.decisionValues(sample.features).values;
      let sum = 0;
      sample.labels.forEach((label, i) => {
        const y = label === 0 ? 1 : -1;
        const alpha = y * (alphaOf.get(sample.features.row(i).join()) ?? 0);
        expect(alpha).toBeGreaterThanOrEqual(0);
        expect(alpha).toBeLessThanOrEqual(C);
        if (alpha === 0) expect(y * values[i]).toBeGreaterThan(1 - 1e-3);
        else if (alpha === C) expect(y * values[i]).toBeLessThan(1 + 1e-3);
        else expect(y * values[i]).toBeCloseTo(1, 3);
        sum += y * alpha;
      });
      expect(sum).toBeCloseTo(0, 6);
    }
  });

  test("scores are ±f(x), and f(x) = 0 is for the second class, as in LIBSVM", async () => {
    const model = await svm({ kernel: "linear" }).fit(sampleOf([[-1], [1]], [0, 1]));
    const rows = Matrix.from([[-2], [0], [2]]);
    expect([...model.decisionValues(rows).values]).toEqual([2, 0, -2]);
    expect([...model.predict(rows)]).toEqual([0, 1, 1]);
    const scores = model.scores(rows);
    expect([...scores.row(0)]).toEqual([2, -2]);
    expect(scores.row(1)[1]).toBeLessThan(1e-300);
  });
});

describe("any number of classes", () => {
  test("decision values are what the definition says", async () => {
    for (const [classes, kernel] of [
      [2, "rbf"],
      [3, "polynomial"],
      [5, "rbf"],
      [4, "linear"],
    ] as const) {
      const model = await svm({ kernel }).fit(noisyBlobs(90, 4, classes, classes));
      const { features } = noisyBlobs(30, 4, classes, 77);
      const values = model.decisionValues(features);
      for (let i = 0; i < features.rows; i++) {
        decisionByHand(model, features.row(i)).forEach((expected, p) => {
          expect(values.row(i)[p]).toBeCloseTo(expected, 8);
        });
      }
    }
  });

  test("the class with most duels wins, the first of several; scores, predictions and margins agree", async () => {
    for (const classes of [2, 3, 6]) {
      const model = await svm().fit(noisyBlobs(120, 3, classes, 3 * classes));
      const fresh = noisyBlobs(400, 3, classes, 3 * classes);
      const values = model.decisionValues(fresh.features);
      const predictions = model.predict(fresh.features);
      const scores = model.scores(fresh.features);
      const margins = model.margins(fresh);
      for (let i = 0; i < fresh.rows; i++) {
        const votes = new Array<number>(classes).fill(0);
        model.machines.pairs.forEach(({ first, second }, p) => {
          votes[values.row(i)[p] > 0 ? first : second]++;
        });
        const winner = votes.indexOf(Math.max(...votes));
        expect(predictions[i]).toBe(winner);
        expect(scores.row(i).indexOf(Math.max(...scores.row(i)))).toBe(winner);
        expect(Math.abs(margins[i])).toBeLessThanOrEqual(1);
        if (margins[i] > 0) expect(winner).toBe(fresh.labels[i]);
        if (margins[i] < 0) expect(winner).not.toBe(fresh.labels[i]);
      }
      expect(margins.filter((margin) => margin > 0).length).toBeGreaterThan(200);
      expect(margins.some((margin) => margin < 0)).toBe(true);
    }
  });

  test("margins are the smallest of the own class's duels", async () => {
    const sample = noisyBlobs(60, 2, 3, 8);
    const model = await svm({ kernel: "rbf", gamma: 0.5 }).fit(sample);
    expect(model.squaredRadius).toBe(1);
    const values = model.decisionValues(sample.features);
    const predictions = model.predict(sample.features);
    model.margins(sample).forEach((margin, i) => {
      const duels = model.machines.pairs.flatMap(({ first, second }, p) => {
        const sign = sample.labels[i] === first ? 1 : sample.labels[i] === second ? -1 : 0;
        const length = Math.hypot(Math.sqrt(model.squaredNorms[p]), model.machines.biases[p]) * Math.SQRT2;
        return sign === 0 ? [] : [(sign * values.row(i)[p]) / length];
      });
      if (predictions[i] === sample.labels[i])
        expect(margin).toBeCloseTo(Math.max(0, Math.min(...duels)), 12);
      else expect(margin).toBeCloseTo(Math.min(...duels), 12);
    });
  });

  test("a machine of a pair is the machine of its two classes alone", async () => {
    const sample = noisyBlobs(90, 3, 3, 12);
    const all = await svm({ gamma: 0.3, tolerance: 1e-6 }).fit(sample);
    const rows = [...sample.labels.keys()].filter((i) => sample.labels[i] !== 1);
    const two = await svm({ gamma: 0.3, tolerance: 1e-6 }).fit(
      new Sample({
        features: sample.features.select(rows),
        labels: Int32Array.from(rows, (i) => sample.labels[i] / 2),
        classes: ["a", "b"],
      }),
    );
    const ofAll = all.decisionValues(sample.features);
    const ofTwo = two.decisionValues(sample.features);
    for (let i = 0; i < sample.rows; i++) expect(ofAll.row(i)[1]).toBeCloseTo(ofTwo.values[i], 4);
  });

  test("a class without training rows is never predicted", async () => {
    const two = noisyBlobs(40, 2, 2, 4);
    for (const probability of [false, true]) {
      const sample = new Sample({ ...two, labels: two.labels.map((k) => 2 * k), classes: ["a", "b", "c"] });
      const model = await svm({ probability }).fit(sample);
      expect(model.trained).toEqual([0, 2]);
      expect(model.predict(sample.features)).not.toContain(1);
      const reference = await svm({ probability }).fit(two);
      expect([...model.predict(two.features)]).toEqual(
        [...reference.predict(two.features)].map((k) => 2 * k),
      );
      const restored = svmDefinition.restore(model.toState());
      expect(restored.scores(two.features)).toEqual(model.scores(two.features));
      // A row of the class that the model does not know cannot be right.
      const unknown = new Sample({ ...sample, labels: sample.labels.map(() => 1) });
      expect(Math.max(...model.margins(unknown))).toBeLessThanOrEqual(0);
    }
  });

  test("a row has the same scores in every batch", async () => {
    const sample = noisyBlobs(70, 5, 3, 9);
    const model = await svm().fit(sample);
    const together = model.scores(sample.features);
    for (let i = 0; i < sample.rows; i++) {
      expect(model.scores(sample.features.select([i])).values).toEqual(together.row(i));
    }
    expect(model.scores(sample.features.select([])).rows).toBe(0);
  });
});

describe("weights", () => {
  test("whole weights are repeated rows", async () => {
    const sample = noisyBlobs(40, 2, 3, 6);
    const weights = Float64Array.from(sample.labels, (_, i) => 1 + (i % 3));
    const repeated = [...weights].flatMap((weight, i) => Array<number>(weight).fill(i));
    const learner = svm({ gamma: 0.4, tolerance: 1e-6 });
    const weighted = await learner.fit(sample.weighted(weights));
    const again = await learner.fit(sample.select(repeated));
    const expected = again.decisionValues(sample.features).values;
    weighted.decisionValues(sample.features).values.forEach((value, k) => {
      expect(value).toBeCloseTo(expected[k], 3);
    });
  });

  test("rows of weight 0 are as good as absent", async () => {
    const sample = noisyBlobs(40, 2, 2, 7);
    const weights = Float64Array.from(sample.labels, (_, i) => (i % 4 === 0 ? 0 : 1));
    const kept = [...weights.keys()].filter((i) => weights[i] > 0);
    const [weighted, without] = [
      await svm().fit(sample.weighted(weights)),
      await svm().fit(sample.select(kept).weighted(new Float64Array(kept.length).fill(1))),
    ];
    expect(weighted.toState()).toEqual(without.toState());
  });

  test("balanced classes weigh the same: C times rows / (classes · rows of the class)", async () => {
    const sample = noisyBlobs(90, 2, 3, 3);
    const counts = [0, 1, 2].map((k) => sample.labels.filter((label) => label === k).length);
    expect(new Set(counts).size).toBe(3);
    const weights = Float64Array.from(sample.labels, (k) => 90 / (3 * counts[k]));
    const balanced = await svm({ classWeights: "balanced", tolerance: 1e-6 }).fit(sample);
    const weighted = await svm({ tolerance: 1e-6 }).fit(sample.weighted(weights));
    const expected = weighted.decisionValues(sample.features).values;
    balanced.decisionValues(sample.features).values.forEach((value, k) => {
      expect(value).toBeCloseTo(expected[k], 4);
    });
  });
});

describe("kernels", () => {
  test("gamma=scale is 1/(d·var) for rbf and mean/(d·var) for chi-square, which no unit changes", async () => {
    const rows = [
      [0, 1],
      [2, 3],
      [4, 2],
      [0, 0],
    ];
    // Mean 1.5, variance (0 + 1 + 4 + 9 + 16 + 4 + 0 + 0)/8 − 2.25 = 2
    const model = await svm().fit(sampleOf(rows, [0, 1, 1, 0]));
    expect(model.machines.kernel).toEqual({ kind: "rbf", gamma: expect.closeTo(1 / (2 * 2), 12) });
    const chi = svm({ kernel: "chi-square" });
    const own = await chi.fit(sampleOf(rows, [0, 1, 1, 0]));
    expect(own.machines.kernel).toEqual({ kind: "chi-square", gamma: expect.closeTo(1.5 / 4, 12) });
    const times = (factor: number) => rows.map((row) => row.map((x) => factor * x));
    const scaled = await chi.fit(sampleOf(times(1000), [0, 1, 1, 0]));
    const expected = own.decisionValues(Matrix.from(rows)).values;
    scaled.decisionValues(Matrix.from(times(1000))).values.forEach((value, k) => {
      expect(value).toBeCloseTo(expected[k], 5);
    });
  });

  test("polynomial: scale 1/d unless given", async () => {
    const sample = noisyBlobs(30, 4, 2, 1);
    const kernelOf = async (options: Parameters<typeof svm>[0]) =>
      (await svm(options).fit(sample)).machines.kernel;
    expect(await kernelOf({ kernel: "polynomial" })).toEqual({ kind: "polynomial", degree: 3, scale: 1 / 4 });
    const given = { kernel: "polynomial", degree: 2, scale: 7 } as const;
    expect(await kernelOf(given)).toEqual({ kind: "polynomial", degree: 2, scale: 7 });
  });

  test("kernels of amounts take features as they are and refuse negative ones by name", async () => {
    for (const kernel of ["chi-square", "intersection"] as const) {
      const learner = svm({ kernel });
      expect(learner.encoding).toEqual({ kind: "numeric", standardise: false });
      const amounts = sampleOf(
        [
          [0, 1],
          [1, 0],
          [3, 1],
          [4, 0],
          [0, 2],
        ],
        [0, 0, 1, 1, 0],
      );
      const model = await learner.fit(amounts);
      expect([...model.predict(amounts.features)]).toEqual([0, 0, 1, 1, 0]);
      const message = `Row 2 has -1 in feature x2, but the ${kernel} kernel compares amounts, which are not negative.`;
      const negative = sampleOf(
        [
          [0, 1],
          [1, -1],
          [3, 1],
        ],
        [0, 0, 1],
      );
      await expect(learner.fit(negative)).rejects.toMatchObject({ code: "data/malformed", message });
      expect(() => model.predict(negative.features)).toThrow(expect.objectContaining({ message }));
    }
    expect(svm().encoding).toEqual({ kind: "numeric", standardise: true });
  });
});

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

describe("threads", () => {
  const executor = threadExecutor({ threads: 3 });
  afterAll(() => executor.close());

  test("any number of them gives the same bits", async () => {
    // Large enough for the work to be sent to threads.
    const sample = noisyBlobs(1200, 6, 4, 1);
    const learner = svm({ probability: true });
    const inline = await learner.fit(sample, { seed: 3 });
    const threaded = await learner.fit(sample, { seed: 3, executor });
    expect(executor.running).toBeGreaterThan(0);
    expect(threaded.toState()).toEqual(inline.toState());
  });

  test("progress is reported, and an interrupted run stops", async () => {
    const sample = noisyBlobs(600, 4, 4, 1);
    const seen: Progress[] = [];
    await svm().fit(sample, { executor, progress: (progress) => seen.push(progress) });
    expect(seen.at(-1)).toMatchObject({ stage: "support vector machines", done: 6, total: 6 });
    const controller = new AbortController();
    const fit = svm().fit(sample, { executor, signal: controller.signal });
    controller.abort();
    await expect(fit).rejects.toMatchObject({ code: "run/interrupted" });
  });
});

describe("model files", () => {
  test("a restored model is the model", async () => {
    for (const [classes, probability] of [
      [2, false],
      [3, true],
    ] as const) {
      const sample = noisyBlobs(60, 3, classes, 2);
      const model = await svm({ probability }).fit(sample);
      const restored = svmDefinition.restore(model.toState());
      expect(restored.toState()).toEqual(model.toState());
      expect(restored.scores(sample.features)).toEqual(model.scores(sample.features));
      expect(restored.margins(sample)).toEqual(model.margins(sample));
      expect(restored.describe()).toEqual(model.describe());
    }
  });

  test("a state that no model has is refused", async () => {
    const state = (await svm({ probability: true }).fit(noisyBlobs(30, 2, 3, 1))).toState();
    const { json, tensors } = state;
    if (typeof json !== "object" || json === null || Array.isArray(json)) throw new Error("not an object");
    const refuse = (broken: unknown) =>
      // The damage makes it another type; that is the point.
      expect(() => Reflect.apply(svmDefinition.restore, undefined, [broken])).toThrow(
        expect.objectContaining({ code: "model/corrupt" }),
      );
    for (const name of Object.keys(tensors)) {
      const { [name]: removed, ...rest } = tensors;
      refuse({ json, tensors: rest });
      refuse({ json, tensors: { ...tensors, [name]: { ...removed, shape: [1, 1, 1] } } });
      refuse({
        json,
        tensors: { ...tensors, [name]: { ...removed, data: new Uint8Array(removed.data.length) } },
      });
      if (removed.data instanceof Float64Array) {
        const data = removed.data.map((value, k) => (k === 0 ? Number.NaN : value));
        refuse({ json, tensors: { ...tensors, [name]: { ...removed, data } } });
      }
    }
    for (const change of [
      { trained: [0, 1, 3] },
      { trained: [0, 2, 1] },
      { trained: [0, 1] },
      { kernel: { kind: "rbf" } },
      { kernel: { kind: "rbf", gamma: -1 } },
      { kernel: { kind: "sigmoid" } },
      { supportVectors: 1e9 },
      { squaredRadius: -1 },
      { probability: false },
      { tolerance: null },
      { extra: 1 },
    ]) {
      refuse({ json: { ...json, ...change }, tensors });
    }
    refuse({ json, tensors: { ...tensors, more: tensors.biases } });
    // Five billion pairs, which nobody must try to list.
    const many = Array.from({ length: 100_000 }, (_, k) => k);
    refuse({ json: { ...json, classes: many.map(String), trained: many }, tensors });
    const counts = { ...tensors.counts, data: Int32Array.of(-1, 1, 30) };
    refuse({ json, tensors: { ...tensors, counts } });
  });
});

describe("hard data", () => {
  test("the iteration cap ends in a notice with the gap", async () => {
    const sample = noisyBlobs(100, 3, 3, 4);
    const model = await svm({ maxIterations: 3 }).fit(sample);
    const { gaps } = model.convergence ?? { gaps: new Float64Array(0) };
    expect(model.notices).toEqual([
      expect.stringMatching(
        /^The solver stopped after 3 iterations before it was done in 3 of 3 machines, most in class \d or class \d: the conditions of the optimum are violated by [\d.]+, which is above the tolerance 0.001\./,
      ),
    ]);
    expect(Math.min(...gaps)).toBeGreaterThan(0.001);
    expect(model.describe()).toMatchObject({ converged: false });
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

  test("a kernel matrix that is larger than its memory is computed row by row, with the same result", async () => {
    const sample = noisyBlobs(700, 4, 2, 6);
    const [whole, rowByRow] = [
      await svm({ probability: true, tolerance: 1e-5 }).fit(sample),
      await svm({ probability: true, tolerance: 1e-5, cacheMegabytes: 1 }).fit(sample),
    ];
    const expected = whole.scores(sample.features).values;
    rowByRow.scores(sample.features).values.forEach((score, k) => {
      expect(score).toBeCloseTo(expected[k], 3);
    });
    expect(rowByRow.squaredNorms[0]).toBeCloseTo(whole.squaredNorms[0], 3);
  });

  test("a kernel whose values are too large for single precision is refused", async () => {
    const learner = svm({ kernel: "polynomial", degree: 20, scale: 1e3 });
    await expect(learner.fit(noisyBlobs(30, 4, 2, 1))).rejects.toMatchObject({
      code: "option/invalid",
      message: expect.stringMatching(/degree 20 .* beyond single precision/),
    });
  });

  test("any small sample gives finite scores and a model that survives a file", async () => {
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
        const restored = svmDefinition.restore(model.toState());
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

  test("data that cannot be learned from are refused", async () => {
    const refused = (sample: Sample, code: string) =>
      expect(svm().fit(sample)).rejects.toMatchObject({ code });
    await refused(sampleOf([], []), "data/no-rows");
    await refused(sampleOf([[1], [2]], [0, 0]), "data/one-class");
    await refused(sampleOf([[1], [2]], [0, -1]), "data/missing-target");
    await refused(sampleOf([[1], [Infinity]], [0, 1]), "data/not-finite");
  });

  test("so many classes that their pairs would take days are refused", async () => {
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

  test("options outside their range are refused by name", () => {
    for (const [name, value] of [
      ["C", 0],
      ["C", -1],
      ["C", Number.NaN],
      ["gamma", 0],
      ["gamma", "auto"],
      ["degree", 0],
      ["degree", 1.5],
      ["scale", -1],
      ["tolerance", 0],
      ["maxIterations", 0],
      ["cacheMegabytes", 0],
      ["kernel", "sigmoid"],
      ["classWeights", "equal"],
    ] as const) {
      expect(() => svm(Object.fromEntries([[name, value]]))).toThrow(
        expect.objectContaining({
          code: "option/invalid",
          message: expect.stringContaining(`Option ${name} of svm is`),
        }),
      );
    }
  });
});

test("twenty classes of three rows each", async () => {
  const random = new Random(5);
  const rows = Array.from({ length: 60 }, (_, i) => [Math.floor(i / 3), random.uniform() / 10]);
  const labels = Int32Array.from({ length: 60 }, (_, i) => Math.floor(i / 3));
  const classes = Array.from({ length: 20 }, (_, k) => `class ${k}`);
  const sample = new Sample({ features: Matrix.from(rows), labels, classes });
  const model = await svm({ C: 100, gamma: 1 }).fit(sample);
  expect(model.machines.pairs.length).toBe(190);
  expect([...model.predict(sample.features)]).toEqual([...labels]);
});
