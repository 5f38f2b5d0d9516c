import { describe, expect, it } from "vitest";
import { meanLowerBounds, meanUpperBounds } from "#vouch/theory/held-out/bounded-mean.js";
import { CountedDraws } from "#vouch/theory/held-out/counted-draws.js";

const UNIT = { low: 0, high: 1 };

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
});
