import { describe, expect, it } from "vitest";
import { Random } from "#core/runtime/maths/random.js";
import { meanLowerBounds, meanUpperBounds } from "#core/theory/held-out/bounded-mean.js";
import { CountedDraws } from "#core/theory/held-out/counted-draws.js";
import { logBinomialCoefficient } from "#core/theory/log-tails.js";

const UNIT = { low: 0, high: 1 };

/** Computes how often the bound from n draws of 0 and 1 is below their mean, at the worst mean of up to `most`/n. */
function worstFailure(n: number, most: number, delta: number): number {
  // A bound is never below the mean of its draws: more ones than n times the mean do no harm.
  const bounds = Array.from({ length: most + 1 }, (_, ones) =>
    new CountedDraws([
      { value: 0, times: n - ones },
      { value: 1, times: ones },
    ]).upperBound(delta),
  );
  const binomial = (k: number, p: number) =>
    Math.exp(logBinomialCoefficient(n, k) + k * Math.log(p) + (n - k) * Math.log1p(-p));
  const means = Array.from({ length: 25 * most }, (_, i) => (i + 1) / 25 / n);
  return Math.max(
    ...means.map((p) => bounds.reduce((sum, bound, k) => sum + (bound < p ? binomial(k, p) : 0), 0)),
  );
}

describe("counted draws", () => {
  it("have the bounds of the draws one by one", () => {
    const draws = new CountedDraws([
      { value: 0, times: 30 },
      { value: 0.5, times: 8 },
      { value: 1, times: 2 },
    ]);
    const values = Float64Array.from({ length: 40 }, (_, i) => (i < 30 ? 0 : i < 38 ? 0.5 : 1));
    expect(draws.length).toBe(40);
    expect(draws.sum).toBe(6);
    expect(draws.upperBounds(0.05)).toEqual(meanUpperBounds(values, UNIT, 0.05));
    expect(draws.lowerBound(0.05)).toBe(meanLowerBounds(values, UNIT, 0.05).betting);
  });

  it("have empirical Bernstein's bound if there are many, in whatever interval", () => {
    const times = 150_000;
    const values = Float64Array.from({ length: 2 * times }, (_, i) => (i < times ? -2 : 3));
    const range = { low: -2, high: 3 };
    const draws = new CountedDraws(
      [
        { value: -2, times },
        { value: 3, times },
      ],
      range,
    );
    const { hoeffding, empiricalBernstein } = meanUpperBounds(values, range, 0.05);
    expect(draws.upperBounds(0.05).hoeffding).toBeCloseTo(hoeffding, 10);
    expect(draws.upperBound(0.05)).toBeCloseTo(empiricalBernstein, 10);
    const lower = meanLowerBounds(values, range, 0.05).empiricalBernstein;
    expect(draws.lowerBound(0.05)).toBeCloseTo(lower, 10);
  });

  it("take no memory and no time for each draw", () => {
    const draws = new CountedDraws([
      { value: 0.25, times: 2 ** 31 - 1 },
      { value: 1, times: 2 ** 31 - 1 },
    ]);
    expect(draws.mean).toBeCloseTo(0.625, 12);
    expect(draws.upperBound(0.05)).toBeGreaterThan(0.625);
    expect(draws.upperBound(0.05)).toBeLessThan(0.6251);
    expect(draws.lowerBound(0.05)).toBeLessThan(0.625);
  });

  it("fail in at most δ of samples of 0 and 1, although counts have no order, whatever the mean", () => {
    // With the same shuffles for all counts, these were 5.2% and 8.4%.
    expect(worstFailure(249, 28, 0.05)).toBeLessThanOrEqual(0.05);
    expect(worstFailure(152_000, 8, 0.05)).toBeLessThanOrEqual(0.05);
    for (const n of [3, 12, 60, 807, 1839]) {
      for (const delta of [0.05, 0.25]) {
        expect(worstFailure(n, Math.min(n, 14), delta), `${n} at ${delta}`).toBeLessThanOrEqual(delta);
      }
    }
  });

  it("fail in at most δ of samples of three values, or of many", () => {
    const random = new Random(4);
    const laws: [mean: number, draw: () => number][] = [
      [0.125, () => [0, 0, 0, 0, 0, 0, 0.5, 0.5][random.integer(8)]],
      [0.1225, () => [0, 0.05, 1][random.uniform() < 0.9 ? random.integer(2) : 2]],
      [0.5, () => random.integer(20) / 19],
    ];
    const [runs, delta] = [150, 0.1];
    for (const [mean, draw] of laws) {
      for (const n of [25, 100]) {
        let above = 0;
        let below = 0;
        for (let run = 0; run < runs; run++) {
          const times = new Map<number, number>();
          for (let i = 0; i < n; i++) {
            const value = draw();
            times.set(value, (times.get(value) ?? 0) + 1);
          }
          const counted = [...times].map(([value, count]) => ({ value, times: count }));
          const draws = new CountedDraws(counted.sort((a, b) => a.value - b.value));
          if (draws.upperBound(delta) < mean) above++;
          if (draws.lowerBound(delta) > mean) below++;
        }
        const most = runs * delta + 2 * Math.sqrt(runs * delta * (1 - delta));
        expect(above).toBeLessThanOrEqual(most);
        expect(below).toBeLessThanOrEqual(most);
      }
    }
  });
});
