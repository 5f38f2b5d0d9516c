import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { samplingPlan } from "#core/explain/sampled-shapley.js";

describe("the plan of sampling", () => {
  it("uses all background rows, each with at least two pairs of orders, if there are few columns", () => {
    expect(samplingPlan(20, 64)).toEqual({ rows: 64, pairs: 2 });
    expect(samplingPlan(20, 8)).toEqual({ rows: 8, pairs: 16 });
    expect(samplingPlan(20, 64, 1000)).toEqual({ rows: 64, pairs: 8 });
  });

  it("uses fewer background rows with many columns, or few permutations", () => {
    expect(samplingPlan(1000, 64)).toEqual({ rows: 8, pairs: 2 });
    expect(samplingPlan(20, 64, 8)).toEqual({ rows: 2, pairs: 2 });
    expect(samplingPlan(20, 64, 1)).toEqual({ rows: 1, pairs: 2 });
  });

  it("never asks for rows that are not there, nor for a spread of one pair", () => {
    const whole = (max: number) => fc.integer({ min: 1, max });
    fc.assert(
      fc.property(whole(1e5), whole(64), fc.option(whole(1e5)), (columns, background, permutations) => {
        const { rows, pairs } = samplingPlan(columns, background, permutations ?? undefined);
        expect(rows).toBeGreaterThanOrEqual(1);
        expect(rows).toBeLessThanOrEqual(background);
        expect(pairs).toBeGreaterThanOrEqual(2);
        if (permutations !== null) expect(2 * rows * pairs).toBeGreaterThanOrEqual(permutations);
      }),
    );
  });
});
