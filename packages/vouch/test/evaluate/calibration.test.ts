import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { calibrationBins, calibrationError } from "#vouch/evaluate/calibration.js";
import { Matrix } from "#vouch/runtime/matrix.js";

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

  it("is not there for decision values", () => {
    const labels = Int32Array.of(0);
    const scores = Matrix.from([[1, -1]]);
    expect(
      calibrationBins({ classes: ["a", "b"], labels, predictions: labels, scores, scoring: "decision" }),
    ).toBeUndefined();
  });

  it("is the mean distance between predicted and observed frequencies", () => {
    // Said 80 %, true in one of two: off by 30 points in both; said 0 %, never true: not off.
    const bins = binsOf([
      { label: 1, p: 0.8 },
      { label: 0, p: 0.8 },
      { label: 0, p: 0 },
    ]);
    expect(calibrationError(bins ?? [])).toBeCloseTo((2 / 3) * 0.3, 12);
    expect(calibrationError([])).toBe(0);
  });
});
