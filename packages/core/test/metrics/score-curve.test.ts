import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { auc } from "#core/metrics/evaluation.js";
import {
  areaUnderRoc,
  averagePrecision,
  precisionRecallPoints,
  rocPoints,
  type ScoreCurve,
  scoreCurve,
} from "#core/metrics/score-curve.js";
import { Matrix } from "#core/runtime/maths/matrix.js";

/** Rows with few different scores, so that there are ties, and now and then an unknown class. */
const scoredRows = fc.array(
  fc.record({
    label: fc.constantFrom(-1, 0, 1, 0, 1),
    score: fc.integer({ min: -4, max: 4 }).map((quarter) => quarter / 4),
  }),
  { minLength: 1, maxLength: 40 },
);

type Row = { readonly label: number; readonly score: number };

function parts(rows: readonly Row[]) {
  const labels = Int32Array.from(rows, ({ label }) => label);
  return { labels, scores: Matrix.from(rows.map(({ score }) => [-score, score])) };
}

/** Calls `check` with the rows and their curve, if they have one. */
function forAllCurves(check: (curve: ScoreCurve, rows: readonly Row[]) => void): void {
  fc.assert(
    fc.property(scoredRows, (rows) => {
      const { labels, scores } = parts(rows);
      const curve = scoreCurve(labels, scores, 1);
      const known = rows.filter(({ label }) => label >= 0);
      expect(curve === undefined).toBe(new Set(known.map(({ label }) => label)).size < 2);
      if (curve) check(curve, known);
    }),
  );
}

describe("the curve of thresholds", () => {
  it("counts true and false positives at every distinct score", () => {
    forAllCurves((curve, rows) => {
      expect([...curve.thresholds]).toEqual(
        [...new Set(rows.map(({ score }) => score))].sort((a, b) => b - a),
      );
      curve.thresholds.forEach((threshold, i) => {
        const taken = rows.filter(({ score }) => score >= threshold);
        expect(curve.truePositives[i]).toBe(taken.filter(({ label }) => label === 1).length);
        expect(curve.falsePositives[i]).toBe(taken.filter(({ label }) => label === 0).length);
      });
    });
  });

  it("has the Mann–Whitney statistic for its ROC area, ties counting one half", () => {
    forAllCurves((curve, rows) => {
      const { labels, scores } = parts(rows);
      expect(areaUnderRoc(curve)).toBeCloseTo(auc(labels, scores) ?? Number.NaN, 12);
      const own = rows.filter(({ label }) => label === 1);
      const rest = rows.filter(({ label }) => label === 0);
      let pairs = 0;
      for (const a of own)
        for (const b of rest) pairs += a.score > b.score ? 1 : a.score === b.score ? 0.5 : 0;
      expect(areaUnderRoc(curve)).toBeCloseTo(pairs / (own.length * rest.length), 12);
    });
  });

  it("has a ROC curve that rises from (0, 0) to (1, 1)", () => {
    forAllCurves((curve) => {
      const points = rocPoints(curve);
      expect(points[0]).toEqual({ falsePositiveRate: 0, truePositiveRate: 0 });
      expect(points.at(-1)).toEqual({ falsePositiveRate: 1, truePositiveRate: 1 });
      points.slice(1).forEach((point, i) => {
        expect(point.falsePositiveRate).toBeGreaterThanOrEqual(points[i].falsePositiveRate);
        expect(point.truePositiveRate).toBeGreaterThanOrEqual(points[i].truePositiveRate);
      });
    });
  });

  it("has precision, recall and average precision as by brute force", () => {
    forAllCurves((curve, rows) => {
      const positives = rows.filter(({ label }) => label === 1).length;
      let area = 0;
      let before = 0;
      precisionRecallPoints(curve).forEach(({ precision, recall }, i) => {
        const taken = rows.filter(({ score }) => score >= curve.thresholds[i]);
        const hits = taken.filter(({ label }) => label === 1).length;
        expect(precision).toBe(hits / taken.length);
        expect(recall).toBe(hits / positives);
        area += ((hits - before) / positives) * (hits / taken.length);
        before = hits;
      });
      expect(averagePrecision(curve)).toBeCloseTo(area, 12);
    });
  });

  it("is of one class against all others", () => {
    const scores = Matrix.from([
      [3, 0, 0],
      [2, 5, 0],
      [1, 0, 9],
    ]);
    const curve = scoreCurve(Int32Array.of(0, 1, 2), scores, 0);
    expect(curve).toMatchObject({ positives: 1, negatives: 2, thresholds: Float64Array.of(3, 2, 1) });
    expect(scoreCurve(Int32Array.of(0, 1, 0), scores, 2)).toBeUndefined();
  });

  it("accepts infinite scores", () => {
    const { labels, scores } = parts([
      { label: 0, score: Number.NEGATIVE_INFINITY },
      { label: 1, score: Number.POSITIVE_INFINITY },
      { label: 1, score: Number.NEGATIVE_INFINITY },
    ]);
    const curve = scoreCurve(labels, scores, 1);
    expect(curve && areaUnderRoc(curve)).toBe(0.75);
  });
});
