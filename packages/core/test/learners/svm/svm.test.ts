import { describe, expect, test } from "vitest";
import { Sample } from "#core/encode/sample.js";
import { kernelValue } from "#core/learners/kernel/kernel.js";
import { rowValues } from "#core/learners/kernel/kernel-features.js";
import { type SvmModel, svm } from "#core/learners/svm/svm.js";
import type { State } from "#core/runtime/codec/state.js";
import { Matrix } from "#core/runtime/maths/matrix.js";
import { Random } from "#core/runtime/maths/random.js";
import { sampleOf } from "../small-samples.js";
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
      sum += coefficient * kernelValue(machines.kernel, rowValues(machines.supportVectors, s), x);
    }
    return sum;
  });
}

/** Two classes on parallel lines. */
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
  test("separable points have the widest margin, computed by hand", async () => {
    // Classes at x₁ = 0 and x₁ = 2: w = (−1, 0), b = 1 (positive for the first class), margin 1, whatever x₂ is.
    const model = await svm({ kernel: "linear", C: 100, tolerance: 1e-6 }).fit(separable);
    const values = model.machines.decisionValues(
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
    const columns = [
      ...["classes", "support vectors", "bias", "norm", "margin"],
      ...["violation", "duality gap", "iterations"],
    ].map((name) => ({ name }));
    const [one, number] = [expect.closeTo(1, 4), expect.any(Number)];
    const rows = [["ant vs bee", number, one, one, one, number, expect.closeTo(0, 4), number]];
    expect(model.describe()).toMatchObject({
      facts: expect.arrayContaining([
        { name: "kernel", value: "linear" },
        { name: "converged", value: true },
      ]),
      sections: [{ kind: "table", columns, rows }],
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
          rowValues(supportVectors, s).join(),
          coefficients.values[s],
        ]),
      );
      const values = model.machines.decisionValues(sample.features).values;
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
    expect([...model.machines.decisionValues(rows).values]).toEqual([2, 0, -2]);
    expect([...model.predict(rows)]).toEqual([0, 1, 1]);
    const scores = model.scores(rows);
    expect([...scores.row(0)]).toEqual([2, -2]);
    expect(scores.row(1)[1]).toBeLessThan(1e-300);
  });
});

describe("any number of classes", () => {
  test("decision values agree with the definition", async () => {
    for (const [classes, kernel] of [
      [2, "rbf"],
      [3, "polynomial"],
      [5, "rbf"],
      [4, "linear"],
    ] as const) {
      const model = await svm({ kernel }).fit(noisyBlobs(90, 4, classes, classes));
      const { features } = noisyBlobs(30, 4, classes, 77);
      const values = model.machines.decisionValues(features);
      for (let i = 0; i < features.rows; i++) {
        decisionByHand(model, features.row(i)).forEach((expected, p) => {
          expect(values.row(i)[p]).toBeCloseTo(expected, 8);
        });
      }
    }
  });

  test("the class with most votes wins, ties go to the first; scores, predictions and margins agree", async () => {
    for (const classes of [2, 3, 6]) {
      const model = await svm().fit(noisyBlobs(120, 3, classes, 3 * classes));
      const fresh = noisyBlobs(400, 3, classes, 3 * classes);
      const values = model.machines.decisionValues(fresh.features);
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

  test("the margin is the smallest over the pairs of the own class", async () => {
    const sample = noisyBlobs(60, 2, 3, 8);
    const model = await svm({ kernel: "rbf", gamma: 0.5 }).fit(sample);
    expect(model.squaredRadius).toBe(1);
    const values = model.machines.decisionValues(sample.features);
    const predictions = model.predict(sample.features);
    model.margins(sample).forEach((margin, i) => {
      const margins = model.machines.pairs.flatMap(({ first, second }, p) => {
        const sign = sample.labels[i] === first ? 1 : sample.labels[i] === second ? -1 : 0;
        const length = Math.hypot(Math.sqrt(model.squaredNorms[p]), model.machines.biases[p]) * Math.SQRT2;
        return sign === 0 ? [] : [(sign * values.row(i)[p]) / length];
      });
      if (predictions[i] === sample.labels[i])
        expect(margin).toBeCloseTo(Math.max(0, Math.min(...margins)), 12);
      else expect(margin).toBeCloseTo(Math.min(...margins), 12);
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
    const ofAll = all.machines.decisionValues(sample.features);
    const ofTwo = two.machines.decisionValues(sample.features);
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
      // A row of an unknown class cannot be right.
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

test("scores, predictions and margins of one evaluation are those of three", async () => {
  for (const probability of [false, true]) {
    const sample = noisyBlobs(60, 3, 3, 5);
    const model = await svm({ probability }).fit(sample);
    expect(model.assess(sample)).toEqual({
      scores: model.scores(sample.features),
      predictions: model.predict(sample.features),
      margins: model.margins(sample),
    });
  }
});

test("a file is refused if support vectors do not add up or outnumber the training rows or the compression set", async () => {
  const { json, tensors } = (await svm().fit(noisyBlobs(30, 2, 3, 1))).toState();
  const parts = Object(Object(json).parts);
  const refuse = (state: State) =>
    expect(() => svm.restore(state)).toThrow(expect.objectContaining({ code: "model/corrupt" }));
  const counts = { shape: [3], data: Int32Array.of(0, 1, 1) };
  refuse({ json, tensors: { ...tensors, "machines.counts": counts } });
  const compression = { rows: 3, errors: 1, kept: 3, otherErrors: 1, messages: 1 };
  refuse({ json: { ...Object(json), parts: { ...parts, compression } }, tensors });
  const fewer = { ...parts.compression, kept: 1 };
  refuse({ json: { ...Object(json), parts: { ...parts, compression: fewer } }, tensors });
  // Five billion pairs, which must not be listed.
  const trained = Array.from({ length: 100_000 }, (_, k) => k);
  const core = { ...Object(json).core, classes: trained.map(String) };
  refuse({ json: { core, parts: { ...parts, trained } }, tensors });
});
