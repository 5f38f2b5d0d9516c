import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { VouchError } from "#vouch/runtime/vouch-error.js";
import {
  MARGIN_QUANTILES,
  marginQuantiles,
  marginStatistics,
} from "#vouch/theory/margins/margin-statistics.js";

const margin = fc.double({ min: -1, max: 1, noNaN: true });

describe("margin statistics", () => {
  it("are mean, variance and λ by hand", () => {
    // E = 0.5, E[γ²] = (0.04 + 0.16 + 0.36 + 0.64)/4 = 0.3, Var = 0.05.
    const { mean, variance, ratio } = marginStatistics([0.8, 0.2, 0.6, 0.4]);
    expect(mean).toBeCloseTo(0.5, 14);
    expect(variance).toBeCloseTo(0.05, 14);
    expect(ratio).toBeCloseTo(Math.sqrt(0.05 / 0.25), 14);
  });

  it("have the ratio of the size of the mean, without bound at 0, and 0 where nothing varies", () => {
    expect(marginStatistics([-0.8, -0.2, -0.6, -0.4]).ratio).toBeCloseTo(Math.sqrt(0.2), 14);
    expect(marginStatistics([-0.5, 0.5]).ratio).toBe(Number.POSITIVE_INFINITY);
    expect(marginStatistics([0, 0]).ratio).toBe(0);
    expect(marginStatistics([0.25]).ratio).toBe(0);
  });

  it("do not depend on the order of the margins, and leave them as they are", () => {
    fc.assert(
      fc.property(fc.array(margin, { minLength: 1 }), (margins) => {
        const given = Float64Array.from(margins);
        expect(marginStatistics(given)).toEqual(marginStatistics(margins.toReversed()));
        expect(given).toEqual(Float64Array.from(margins));
      }),
    );
  });

  it("have ascending quantiles, from the smallest to the largest, of which at most k % are below the k-th", () => {
    fc.assert(
      fc.property(fc.array(margin, { minLength: 1 }), (margins) => {
        const { quantiles } = marginStatistics(margins);
        expect(quantiles).toEqual(marginQuantiles(Float64Array.from(margins)));
        expect(quantiles).toHaveLength(MARGIN_QUANTILES);
        expect(quantiles[0]).toBe(Float64Array.from(margins).sort()[0]);
        expect(quantiles[100]).toBe(Float64Array.from(margins).sort()[margins.length - 1]);
        quantiles.forEach((quantile, percent) => {
          expect(margins).toContain(quantile);
          const below = margins.filter((value) => value < quantile).length;
          expect(below / margins.length).toBeLessThanOrEqual(percent / 100);
        });
      }),
    );
  });

  it("are refused for no margins, and for margins that are not numbers", () => {
    for (const margins of [[], [0.5, Number.NaN], [Number.NEGATIVE_INFINITY, 0]]) {
      expect(() => marginStatistics(margins)).toThrow(VouchError);
    }
  });
});
