import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { logTreeGrowth } from "#core/theory/vc/growth-of-families.js";
import {
  polynomialVcDimension,
  stumpVcDimension,
  stumpVcDimensionClosedForm,
  stumpVcDimensionEmpirical,
  treeVcDimension,
} from "#core/theory/vc/vc-dimension.js";

describe("VC dimension of polynomial kernels", () => {
  it("is C(n + δ, δ), exactly", () => {
    expect(polynomialVcDimension(34, 4)).toBe(73815);
    expect(polynomialVcDimension(24, 1)).toBe(25);
    expect(polynomialVcDimension(0, 3)).toBe(1);
    expect(polynomialVcDimension(28, 28)).toBe(7648690600760440);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 25 }), fc.integer({ min: 1, max: 25 }), (n, degree) => {
        const pascal = polynomialVcDimension(n - 1, degree) + polynomialVcDimension(n, degree - 1);
        expect(polynomialVcDimension(n, degree)).toBe(pascal);
        expect(polynomialVcDimension(degree, n)).toBe(pascal);
      }),
      { seed: 4 },
    );
  });

  it("goes on past 2⁵³, and ends in Infinity without taking long", () => {
    expect(polynomialVcDimension(1000, 10)).toBe(Number(291098519807782284023426n)); // Python: math.comb(1010, 10)
    expect(polynomialVcDimension(1e6, 1000)).toBe(Number.POSITIVE_INFINITY);
    expect(polynomialVcDimension(1e9, 1e9)).toBe(Number.POSITIVE_INFINITY);
    expect(polynomialVcDimension(1e9, 2)).toBe(Number(500000001500000001n));
  });

  it("rejects degrees that are not counts", () => {
    for (const degree of [-1, 1.5, Number.NaN]) {
      expect(() => polynomialVcDimension(3, degree)).toThrowError(`${degree}`);
    }
  });
});

describe("VC dimension of stumps (Triviño 2017, eq. 3.4 and Proposition 3.1)", () => {
  it("is 7 for the 12 features of §5.1: 2⁷ ≤ 2·12·7 and 2⁸ > 2·12·8", () => {
    expect(stumpVcDimension(12)).toBe(7);
  });

  it("is below Proposition 3.1 for all d ≥ 5, and below the empirical formula from 1 to 2,000 features", () => {
    for (let d = 1; d <= 2000; d++) {
      if (stumpVcDimension(d) > stumpVcDimensionClosedForm(d))
        expect.unreachable(`Proposition 3.1, d = ${d}`);
      if (stumpVcDimension(d) > stumpVcDimensionEmpirical(d)) expect.unreachable(`empirical, d = ${d}`);
    }
    expect(stumpVcDimensionClosedForm(4)).toBe(Number.POSITIVE_INFINITY);
    expect(stumpVcDimensionClosedForm(16)).toBe(10);
    expect(stumpVcDimensionEmpirical(16)).toBeCloseTo(9.1, 12);
  });
});

describe("VC dimension of trees", () => {
  it("is the largest number of points that the count of trees allows to be labelled in all ways", () => {
    for (const [features, leaves] of [
      [1, 1],
      [1, 2],
      [5, 4],
      [30, 8],
    ]) {
      const V = treeVcDimension(features, leaves);
      const count = (points: number) => logTreeGrowth(points, { features, leaves, classes: 2 });
      expect(count(V)).toBeCloseTo(V * Math.LN2, 12);
      expect(count(V + 1)).toBeLessThan((V + 1) * Math.LN2);
    }
    // Trees without splits are constants; L leaves separate L intervals on a line.
    expect(treeVcDimension(1, 1)).toBe(1);
    expect(treeVcDimension(1, 4)).toBeGreaterThanOrEqual(4);
    expect(treeVcDimension(0, 8)).toBe(1);
  });
});
