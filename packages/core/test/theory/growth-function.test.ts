import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { VouchError } from "#core/runtime/vouch-error.js";
import { binomialAtMost } from "#core/theory/distributions.js";
import { growthFunction, growthFunctionExact } from "#core/theory/vc/growth-function.js";
import { logHalfSpaceGrowth } from "#core/theory/vc/growth-of-families.js";

describe("growth function (Triviño 2017, eq. 2.21)", () => {
  it("is the formula by hand", () => {
    const logGrowth = (points: number) => 2 * Math.log(points);
    const { value } = growthFunction({ rows: 600, errors: 30, confidence: 0.95, logGrowth });
    expect(value).toBeCloseTo(0.05 + Math.sqrt((32 * (Math.log(8 / 0.05) + 2 * Math.log(600))) / 600), 12);
  });
});

describe("growth function with the exact double sample", () => {
  /** P(at most k of r marked are among m of m + u), by counting. */
  function hypergeometric(k: number, m: number, u: number, r: number): number {
    const ways = (n: number, i: number) => {
      let product = 1;
      for (let t = 0; t < i; t++) product *= (n - t) / (t + 1);
      return i > n ? 0 : product;
    };
    let sum = 0;
    for (let i = 0; i <= k; i++) sum += ways(m, i) * ways(u, r - i);
    return sum / ways(m + u, r);
  }

  it("is the definition by counting", () => {
    const growth = 50;
    const { value, terms } = growthFunctionExact({
      rows: 20,
      errors: 1,
      confidence: 0.95,
      logGrowth: () => Math.log(growth),
    });
    let j = 4;
    while (hypergeometric(1, 20, 80, 1 + j) > (0.2 * 0.05) / growth) j++;
    expect(terms).toMatchObject({ j, u: 80 });
    expect(1 - binomialAtMost(j - 1, 80, value)).toBeCloseTo(0.2, 9);
  });

  it("is never above eq. 2.21, falls with rows, and rises with errors, growth and confidence", () => {
    const evidence = fc.record({
      rows: fc.integer({ min: 1, max: 1500 }),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
      confidence: fc.double({ min: 0.5, max: 0.999, noNaN: true }),
      log: fc.double({ min: 0, max: 300, noNaN: true }),
    });
    fc.assert(
      fc.property(evidence, ({ rows, share, confidence, log }) => {
        const errors = Math.floor(share * (rows - 1));
        const facts = { rows, errors, confidence, logGrowth: () => log };
        const at = (change: object, growth = log) =>
          growthFunctionExact({ ...facts, logGrowth: () => growth, ...change }).value;
        const value = at({});
        expect(value).toBeGreaterThanOrEqual(errors / rows);
        expect(value).toBeLessThanOrEqual(1);
        expect(value).toBeLessThanOrEqual(growthFunction(facts).value);
        expect(at({ errors: errors + 1 })).toBeGreaterThanOrEqual(value);
        expect(at({ confidence: confidence + (1 - confidence) / 2 })).toBeGreaterThanOrEqual(value);
        expect(at({}, log + 1)).toBeGreaterThanOrEqual(value);
        expect(at({ logChoices: 1 })).toBe(at({}, log + 1));
      }),
      { numRuns: 100, seed: 3 },
    );
  });

  it("is informative at m = 600, where eq. 2.21 is vacuous", () => {
    const logGrowth = (points: number) => logHalfSpaceGrowth(points, 10);
    const evidence = { rows: 600, errors: 18, confidence: 0.95, logGrowth };
    expect(growthFunctionExact(evidence).value).toBeLessThan(0.19);
    expect(growthFunction(evidence).value).toBeGreaterThan(1.5);
  });

  it("is vacuous, and says why, if the family can label the rows in every way", () => {
    const certificate = growthFunctionExact({
      rows: 30,
      errors: 0,
      confidence: 0.95,
      logGrowth: (points) => points * Math.LN2,
    });
    expect(certificate.value).toBe(1);
    expect(certificate.reason).toBe(
      "The bound is vacuous (not below 1): 30 training rows are too few for a model this complex.",
    );
    expect(() =>
      growthFunctionExact({ rows: 9, errors: 0, confidence: 0.9, logGrowth: () => -1 }),
    ).toThrowError(VouchError);
  });
});
