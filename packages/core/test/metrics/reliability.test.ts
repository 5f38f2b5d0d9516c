import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  calibrationBins,
  calibrationError,
  chanceCalibrationError,
  reliability,
} from "#core/metrics/reliability.js";
import { Matrix } from "#core/runtime/maths/matrix.js";
import { Random } from "#core/runtime/maths/random.js";
import { binomialMeanDeviation } from "#core/theory/distributions.js";

const probability = fc.integer({ min: 0, max: 20 }).map((twentieths) => twentieths / 20);
const twoClasses = fc.array(fc.record({ label: fc.constantFrom(-1, 0, 1), p: probability }), {
  maxLength: 50,
});

function binsOf(rows: readonly { readonly label: number; readonly p: number }[]) {
  return calibrationBins({
    classes: ["no", "yes"],
    labels: Int32Array.from(rows, ({ label }) => label),
    predictions: Int32Array.from(rows, ({ p }) => Number(p > 0.5)),
    scores: new Matrix(rows.length, 2, Float64Array.from(rows.flatMap(({ p }) => [1 - p, p]))),
    scoring: "probability",
  });
}

describe("calibration", () => {
  it("puts every row into the bin of its probability of the second class", () => {
    fc.assert(
      fc.property(twoClasses, (rows) => {
        const bins = binsOf(rows) ?? [];
        expect(bins).toHaveLength(10);
        expect(bins.reduce((sum, bin) => sum + bin.rows, 0)).toBe(rows.length);
        bins.forEach(({ from, to, rows: count, hits, meanProbability }, b) => {
          const inside = rows.filter(({ p }) => p >= from && (p < to || (b === 9 && p === 1)));
          expect(count).toBe(inside.length);
          expect(hits).toBe(inside.filter(({ label }) => label === 1).length);
          const mean = inside.reduce((sum, { p }) => sum + p, 0) / inside.length;
          if (meanProbability === undefined) expect(inside).toEqual([]);
          else expect(meanProbability).toBeCloseTo(mean, 12);
        });
      }),
    );
  });

  it("is about the predicted class if there are more than two", () => {
    const bins = calibrationBins({
      classes: ["a", "b", "c"],
      labels: Int32Array.of(0, 1),
      predictions: Int32Array.of(0, 2),
      scores: Matrix.from([
        [0.75, 0.25, 0],
        [0.25, 0.25, 0.5],
      ]),
      scoring: "probability",
    });
    expect(bins?.[7]).toMatchObject({ rows: 1, hits: 1, meanProbability: 0.75 });
    expect(bins?.[5]).toMatchObject({ rows: 1, hits: 0, meanProbability: 0.5 });
  });

  it("is about the class that is named positive", () => {
    const predicted = {
      classes: ["a", "b"],
      labels: Int32Array.of(0, 0),
      predictions: Int32Array.of(0, 0),
      scores: Matrix.from([
        [0.75, 0.25],
        [0.95, 0.05],
      ]),
      scoring: "probability" as const,
    };
    const bins = calibrationBins(predicted, { positive: 0, bins: 5 }) ?? [];
    expect(bins.map(({ hits }) => hits)).toEqual([0, 0, 0, 1, 1]);
    expect((calibrationBins(predicted, { bins: 5 }) ?? []).map(({ rows }) => rows)).toEqual([1, 1, 0, 0, 0]);
  });

  it("is not there for decision values", () => {
    const labels = Int32Array.of(0);
    const scores = Matrix.from([[1, -1]]);
    expect(
      calibrationBins({ classes: ["a", "b"], labels, predictions: labels, scores, scoring: "decision" }),
    ).toBeUndefined();
  });

  it("is the mean distance between predicted and observed frequencies", () => {
    // Said 80%, true in one of two: off by 30 points in both; said 0%, never true: not off.
    const bins = binsOf([
      { label: 1, p: 0.8 },
      { label: 0, p: 0.8 },
      { label: 0, p: 0 },
    ]);
    expect(calibrationError(bins ?? [])).toBeCloseTo((2 / 3) * 0.3, 12);
    expect(calibrationError([])).toBe(0);
  });
});

describe("reliability", () => {
  /** Rows whose event happens with probability `truth(p)` where the model says p. */
  function predictedBy(truth: (p: number) => number, rows: number, seed: number) {
    const random = new Random(seed);
    const labels = new Int32Array(rows);
    const values = new Float64Array(2 * rows);
    for (let i = 0; i < rows; i++) {
      const p = random.uniform() ** 2;
      values.set([1 - p, p], 2 * i);
      labels[i] = Number(random.uniform() < truth(p));
    }
    const predictions = Int32Array.from(labels, (_, i) => Number(values[2 * i + 1] > 0.5));
    const scores = new Matrix(rows, 2, values);
    return { classes: ["no", "yes"], labels, predictions, scores, scoring: "probability" as const };
  }

  it("computes the mean absolute deviation of a binomial number", () => {
    for (const n of [1, 2, 7, 20]) {
      for (const p of [0, 0.01, 0.3, 0.5, 0.95, 1]) {
        let expected = 0;
        let probability = (1 - p) ** n;
        for (let k = 0; k <= n; k++) {
          expected += probability * Math.abs(k - n * p);
          probability = p === 1 ? Number(k + 1 === n) : (probability * (n - k) * p) / ((k + 1) * (1 - p));
        }
        expect(binomialMeanDeviation(n, p)).toBeCloseTo(expected, 12);
      }
    }
  });

  it("of calibrated probabilities is rejected at most as often as stated, and its error is that of chance", () => {
    const runs = 400;
    let rejected = 0;
    let bandsMissed = 0;
    let difference = 0;
    for (let seed = 0; seed < runs; seed++) {
      const found = reliability(
        predictedBy((p) => p, 150, seed),
        { confidence: 0.9 },
      );
      if (!found) return expect.fail("there are rows");
      const missed = found.bands.some(
        ({ meanProbability, lower, upper }) => meanProbability < lower || meanProbability > upper,
      );
      bandsMissed += Number(missed);
      rejected += Number(found.p < 0.1);
      difference += (found.error - found.chanceError) / runs;
      expect(missed).toBe(found.p < 0.1);
    }
    // Two standard errors of 10% in 400 runs are 3 points; exact bands fail less often.
    expect(rejected / runs).toBeLessThan(0.13);
    expect(bandsMissed).toBe(rejected);
    expect(Math.abs(difference)).toBeLessThan(0.003);
  });

  it("of probabilities that are off is rejected", () => {
    const found = reliability(predictedBy((p) => p / 2, 2000, 1));
    expect(found?.p).toBeLessThan(0.001);
    expect(found?.error).toBeGreaterThan(0.1);
    expect(found?.debiasedError).toBeGreaterThan(0.1);
    expect(chanceCalibrationError(found?.bins ?? [])).toBeLessThan(0.03);
  });

  it("divides the risk among the bins that have rows", () => {
    const labels = Int32Array.of(1, 1, 0);
    const scores = Matrix.from([
      [0.25, 0.75],
      [0.25, 0.75],
      [0.95, 0.05],
    ]);
    const found = reliability({
      classes: ["a", "b"],
      labels,
      predictions: labels,
      scores,
      scoring: "probability",
    });
    expect(found?.bands.map(({ rows, lower, upper }) => [rows, lower, upper])).toEqual([
      [1, 0, expect.closeTo(1 - 0.0125, 9)],
      [2, expect.closeTo(Math.sqrt(0.0125), 9), 1],
    ]);
    expect(reliability({ classes: ["a", "b"], labels, predictions: labels })).toBeUndefined();
  });
});
