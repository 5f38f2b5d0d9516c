import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Sample } from "#core/encode/sample.js";
import { thresholdBetween } from "#core/learners/stump/prepare-column.js";
import { stump } from "#core/learners/stump/stump.js";
import { StumpFinder } from "#core/learners/stump/stump-finder.js";
import { Matrix } from "#core/runtime/maths/matrix.js";
import { completeRun } from "#core/runtime/parallel/run.js";
import { stumpVcDimension } from "#core/theory/vc/vc-dimension.js";
import { type SmallSample, sampleOf, smallSamples } from "../small-samples.js";

interface Rule {
  readonly feature: number;
  readonly threshold: number;
  readonly error: number;
}

/** The lowest weighted error over features × thresholds × labels of both sides; constants first, then in order of ties. */
function bruteForce({ rows, labels, weights, classes }: SmallSample): Rule {
  const errorOf = (predicted: (row: readonly number[]) => number) =>
    rows.reduce((sum, row, i) => sum + (predicted(row) === labels[i] ? 0 : weights[i]), 0);
  let best: Rule = { feature: -1, threshold: 0, error: Infinity };
  for (let k = 0; k < classes; k++) {
    const error = errorOf(() => k);
    if (error < best.error) best = { ...best, error };
  }
  for (let feature = 0; feature < rows[0].length; feature++) {
    const values = [...new Set(rows.map((row) => row[feature]))].sort((a, b) => a - b);
    for (let v = 0; v + 1 < values.length; v++) {
      const threshold = (values[v] + values[v + 1]) / 2;
      for (let left = 0; left < classes; left++) {
        for (let right = 0; right < classes; right++) {
          const error = errorOf((row) => (row[feature] <= threshold ? left : right));
          if (error < best.error) best = { feature, threshold, error };
        }
      }
    }
  }
  return best;
}

function errorOf(model: ReturnType<typeof stump.assemble>, sample: Sample): number {
  const predictions = model.predict(sample.features);
  let error = 0;
  for (let i = 0; i < sample.rows; i++) {
    if (predictions[i] !== sample.labels[i]) error += sample.weights?.[i] ?? 1;
  }
  return error;
}

describe("a stump", () => {
  test("is the best of all features, thresholds and labels, with ties in the documented order", async () => {
    await fc.assert(
      fc.asyncProperty(smallSamples(4), async (small) => {
        const sample = sampleOf(small.rows, small.labels, small.weights, small.classes);
        const model = await stump().fit(sample);
        const best = bruteForce(small);
        expect(errorOf(model, sample)).toBe(best.error);
        expect(model.split?.feature ?? -1).toBe(best.feature);
        expect(model.split?.threshold ?? 0).toBe(best.threshold);
      }),
      { numRuns: 500 },
    );
  });

  test("on many rows and distinct values is the best of all", async () => {
    // One continuous column (sorted), one with few values (counted), one two-valued (listed), one constant.
    const rows = Array.from({ length: 700 }, (_, i) => [
      Math.sin(i * 12.9898) * 43758.5453,
      (i * 7919) % 11,
      i % 3 === 0 ? 1 : 0,
      4,
    ]);
    for (const classes of [2, 3]) {
      const labels = rows.map(([x, few, two], i) => (x > 9000 ? 1 : few > 7 && two === 0 ? i % classes : 0));
      const weights = rows.map((_, i) => 1 + ((i * 31) % 7));
      const sample = sampleOf(rows, labels, weights, classes);
      const model = await stump().fit(sample);
      const best = bruteForce({ rows, labels, weights, classes });
      expect(best.feature).toBe(0);
      expect(errorOf(model, sample)).toBe(best.error);
      expect(model.split).toEqual({ feature: best.feature, threshold: best.threshold });
    }
  });

  test("is the same for integer weights and repeated rows, weight zero included", async () => {
    const weighted = smallSamples(3).chain((small) =>
      fc
        .array(fc.nat(3), { minLength: small.rows.length, maxLength: small.rows.length })
        .map((weights) => ({ ...small, weights }))
        .filter(({ labels, weights }) => new Set(labels.filter((_, i) => weights[i] > 0)).size > 1),
    );
    await fc.assert(
      fc.asyncProperty(weighted, async ({ rows, labels, weights, classes }) => {
        const repeated = weights.flatMap((weight, i) => Array<number>(weight).fill(i));
        const one = await stump().fit(sampleOf(rows, labels, weights, classes));
        const other = await stump().fit(
          sampleOf(
            repeated.map((i) => rows[i]),
            repeated.map((i) => labels[i]),
            undefined,
            classes,
          ),
        );
        expect(one.split).toEqual(other.split);
        one.leaves.forEach((share, k) => {
          expect(share).toBeCloseTo(other.leaves[k], 11);
        });
        const features = Matrix.from(rows);
        expect(one.predict(features)).toEqual(other.predict(features));
      }),
    );
  });

  test("does not change if all weights are scaled, even to tiny or huge numbers", async () => {
    await fc.assert(
      fc.asyncProperty(
        smallSamples(3),
        fc.constantFrom(1e-300, 0.1, 3, 1e300),
        async ({ rows, labels, weights, classes }, scale) => {
          const one = await stump().fit(sampleOf(rows, labels, weights, classes));
          const scaled = weights.map((weight) => weight * scale);
          const other = await stump().fit(sampleOf(rows, labels, scaled, classes));
          expect(one.split).toEqual(other.split);
        },
      ),
    );
  });

  test("has the class distributions of its sides as scores", async () => {
    const model = await stump().fit(sampleOf([[1], [2], [4], [5], [6]], [0, 0, 1, 0, 1], [1, 1, 2, 1, 1]));
    expect(model.split).toEqual({ feature: 0, threshold: 3 });
    expect([...model.scores(Matrix.from([[3], [3.0001]])).values]).toEqual([1, 0, 0.25, 0.75]);
    expect([...model.margins(sampleOf([[3], [9], [9]], [0, 0, 1]))]).toEqual([1, -0.5, 0.5]);
    expect(model.describe().sections).toMatchObject([
      {
        kind: "tree",
        root: { condition: "x1 ≤ 3", branches: [{ node: { label: "ant" } }, { node: { label: "bee" } }] },
      },
    ]);
  });

  test("is constant if no split lowers the error", async () => {
    const same = await stump().fit(sampleOf([[7], [7], [7]], [1, 0, 1]));
    expect(same.split).toBeUndefined();
    expect([...same.predict(Matrix.from([[-1], [99]]))]).toEqual([1, 1]);
    const none = await stump().fit(sampleOf([[], [], []], [1, 0, 1]));
    expect(none.split).toBeUndefined();
    expect(none.complexity()).toEqual({ vcDimension: 1, counts: { features: 0, leaves: 1 } });
  });

  test("takes a class without training rows", async () => {
    const model = await stump().fit(sampleOf([[0], [1]], [0, 2], undefined, 4));
    expect([...model.predict(Matrix.from([[0], [1]]))]).toEqual([0, 2]);
    expect(model.scores(Matrix.from([[1]])).columns).toBe(4);
  });

  test("has positive margins exactly where it is right, except for ties", async () => {
    await fc.assert(
      fc.asyncProperty(smallSamples(4), async ({ rows, labels, weights, classes }) => {
        const sample = sampleOf(rows, labels, weights, classes);
        const model = await stump().fit(sample);
        const predictions = model.predict(sample.features);
        model.margins(sample).forEach((margin, i) => {
          expect(Math.abs(margin)).toBeLessThanOrEqual(1);
          if (margin !== 0) expect(margin > 0).toBe(predictions[i] === labels[i]);
        });
      }),
    );
    const model = await stump().fit(sampleOf([[0], [1]], [0, 1]));
    const unknown = new Sample({
      features: Matrix.from([[0]]),
      labels: Int32Array.of(-1),
      classes: ["ant", "bee"],
    });
    expect([...model.margins(unknown)]).toEqual([-1]);
  });
});

describe("thresholds", () => {
  test("separate neighbouring values, however close or far", () => {
    const doubles = fc.double({ noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(doubles, doubles, (a, b) => {
        fc.pre(a !== b);
        const threshold = thresholdBetween(Math.min(a, b), Math.max(a, b));
        expect(threshold).toBeGreaterThanOrEqual(Math.min(a, b));
        expect(threshold).toBeLessThan(Math.max(a, b));
      }),
    );
    expect(thresholdBetween(1, 1 + Number.EPSILON)).toBe(1);
    expect(thresholdBetween(0, Number.MIN_VALUE)).toBe(0);
    expect(thresholdBetween(-Number.MAX_VALUE, Number.MAX_VALUE)).toBe(0);
  });

  test("of zero and minus zero do not exist", async () => {
    const model = await stump().fit(sampleOf([[0], [-0], [0]], [0, 1, 0]));
    expect(model.split).toBeUndefined();
  });
});

test("the VC dimension is the largest k with 2^k ≤ 2dk", () => {
  // d = 12 gives the V = 7 behind the thesis' Table 5.1.
  expect([0, 1, 2, 12].map(stumpVcDimension)).toEqual([1, 2, 4, 7]);
  for (const d of [3, 34, 784, 100_000]) {
    const k = stumpVcDimension(d);
    expect(2 ** k).toBeLessThanOrEqual(2 * d * k);
    expect(2 ** (k + 1)).toBeGreaterThan(2 * d * (k + 1));
  }
});

test("a search does not change the weights and can be repeated with others", async () => {
  const run = completeRun();
  const sample = sampleOf(
    [
      [0, 0],
      [0, 1],
      [1, 0],
      [1, 1],
    ],
    [0, 1, 0, 1],
  );
  const finder = await StumpFinder.of(sample, run);
  const weights = Float64Array.of(0.1, 0.2, 0.3, 0.4);
  const found = await finder.best(weights, run);
  expect([...weights]).toEqual([0.1, 0.2, 0.3, 0.4]);
  expect(found.split).toEqual({ feature: 1, threshold: 0.5 });
  expect([...found.sides]).toEqual([0, 1, 0, 1]);
  expect((await finder.best(Float64Array.of(1, 0, 0, 0), run)).split).toBeUndefined();
});

describe("bad input", () => {
  const refused = (sample: Sample, code: string, message: RegExp) =>
    expect(stump().fit(sample)).rejects.toMatchObject({ code, message: expect.stringMatching(message) });

  test("is refused with row and feature", async () => {
    await refused(sampleOf([], []), "data/no-rows", /no rows/);
    await refused(sampleOf([[1], [2]], [1, 1]), "data/one-class", /"bee"/);
    await refused(sampleOf([[1], [2]], [0, 1], [0, 1]), "data/one-class", /"bee"/);
    await refused(sampleOf([[1], [2]], [0, -1]), "data/missing-target", /Row 2/);
    await refused(
      sampleOf(
        [
          [1, 2],
          [3, Number.NaN],
        ],
        [0, 1],
      ),
      "data/not-finite",
      /Row 2 has NaN in feature x2/,
    );
    await refused(
      sampleOf([[-Infinity], [3]], [0, 1]),
      "data/not-finite",
      /Row 1 has -Infinity in feature x1/,
    );
  });

  test("is also refused by the model", async () => {
    const model = await stump().fit(sampleOf([[0], [1]], [0, 1]));
    expect(() => model.predict(Matrix.from([[0, 1]]))).toThrow(/1 features, but the rows have 2/);
    expect(() => model.predict(Matrix.from([[0], [Number.NaN]]))).toThrow(/Row 2 has NaN in feature x1/);
  });
});
