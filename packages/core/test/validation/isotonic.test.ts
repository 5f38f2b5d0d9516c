import fc from "fast-check";
import { expect, it } from "vitest";
import { isotonicCurve } from "#core/validation/isotonic.js";

interface Row {
  readonly score: number;
  readonly event: number;
  readonly weight: number;
}

function curveOf(rows: readonly Row[]) {
  return isotonicCurve({
    scores: Float64Array.from(rows, ({ score }) => score),
    targets: Float64Array.from(rows, ({ event }) => event),
    weights: Float64Array.from(rows, ({ weight }) => weight),
  });
}

/** The fitted value of every row by the max–min formula: max over a ≤ i of min over b ≥ i of the mean of a … b. */
function maxMin(rows: readonly { readonly mean: number; readonly weight: number }[]): number[] {
  const meanOf = (from: number, to: number) => {
    const part = rows.slice(from, to + 1);
    const weight = part.reduce((sum, row) => sum + row.weight, 0);
    return part.reduce((sum, row) => sum + row.weight * row.mean, 0) / weight;
  };
  return rows.map((_, i) =>
    Math.max(
      ...Array.from({ length: i + 1 }, (_, a) =>
        Math.min(...Array.from({ length: rows.length - i }, (_, b) => meanOf(a, i + b))),
      ),
    ),
  );
}

it("pools a known example, with half an event at either end", () => {
  const events = [0, 0, 1, 0, 1, 1];
  const { at, probabilities } = curveOf(events.map((event, score) => ({ score, event, weight: 1 })));
  // Blocks {½, 0, 0}, {1, 0}, {1, 1, ½}.
  expect(Array.from(at)).toEqual([expect.closeTo(1 / 3, 12), 2.5, expect.closeTo(14 / 3, 12)]);
  expect(Array.from(probabilities)).toEqual([expect.closeTo(1 / 6, 12), 0.5, expect.closeTo(5 / 6, 12)]);
});

it("equals the max–min formula, also with ties and weights", () => {
  const row = fc.record({
    score: fc.integer({ min: 0, max: 6 }),
    event: fc.integer({ min: 0, max: 1 }),
    weight: fc.integer({ min: 0, max: 3 }),
  });
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 10 }), (rows) => {
      const counted = rows.filter(({ weight }) => weight > 0);
      fc.pre(counted.length > 0);
      const scores = [...new Set(counted.map(({ score }) => score))].sort((a, b) => a - b);
      const tied = scores.map((score, i) => {
        const own = counted.filter((each) => each.score === score);
        const ends = Number(i === 0) + Number(i === scores.length - 1);
        const weight = ends + own.reduce((sum, each) => sum + each.weight, 0);
        const happened = ends / 2 + own.reduce((sum, each) => sum + each.weight * each.event, 0);
        return { mean: happened / weight, weight };
      });
      const expected = [...new Set(maxMin(tied).map((value) => value.toFixed(9)))];
      const { at, probabilities } = curveOf(rows);
      expect(Array.from(probabilities, (value) => value.toFixed(9))).toEqual(expected);
      for (let k = 1; k < at.length; k++) expect(at[k]).toBeGreaterThan(at[k - 1]);
      for (const p of probabilities) expect(p > 0 && p < 1).toBe(true);
    }),
  );
});
