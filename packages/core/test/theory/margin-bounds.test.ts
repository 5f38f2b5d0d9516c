import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Random } from "#core/runtime/maths/random.js";
import { VouchError } from "#core/runtime/vouch-error.js";
import { marginFinite, marginVc, smallestTheta } from "#core/theory/margins/margin-bounds.js";
import { MARGIN_QUANTILES, marginQuantiles } from "#core/theory/margins/margin-quantiles.js";
import { marginStatistics, shareUpTo } from "#core/theory/margins/margin-statistics.js";

const usual = { rows: 600, errors: 30, confidence: 0.95 };
const rows = 1_000_000;
/** Quantiles of margins that are evenly spread from ½ to 1. */
const spread = Array.from({ length: MARGIN_QUANTILES }, (_, percent) => 0.5 + percent / 200);

describe("margin bound for a VC dimension (Triviño 2017, Theorem 3.5)", () => {
  it("has the smallest θ 0.7133 of §5.4.1 for 600 rows and V = 7", () => {
    expect(smallestTheta(7, 600).toFixed(4)).toBe("0.7133");
    expect(smallestTheta(7, 6)).toBe(Number.POSITIVE_INFINITY);
  });

  it("is the formula by hand at the θ it reports, and no other θ is better", () => {
    const evidence = { rows, errors: 0, confidence: 0.95, vcDimension: 7, margins: spread };
    const { value, terms, role } = marginVc(evidence);
    const byHand = (theta: number) => {
      const power = 7 * Math.log((Math.E * rows) / 7);
      const n = Math.ceil((4 / theta ** 2) * Math.log((rows * theta ** 2) / (8 * power)));
      const inner = Math.log(n * (n + 1) ** 2) + n * power + Math.log(160);
      const share = Math.floor(spread.findIndex((margin) => margin > theta) * 0.01 * (rows - 1)) / rows;
      return share + 4 * Math.exp((-n * theta ** 2) / 8) + Math.sqrt((32 * inner) / rows);
    };
    expect(value).toBeCloseTo(byHand(terms.θ), 9);
    expect(value).toBeLessThan(1);
    expect(role).toBe("comparison");
    for (let theta = 0.05; theta < 0.99; theta += 0.01)
      expect(value).toBeLessThanOrEqual(byHand(theta) + 1e-9);
  });

  it("is vacuous, and says why, if no margin is large enough, all are zero, or there are too few rows", () => {
    const zero = new Array(101).fill(0);
    const none = marginVc({ ...usual, vcDimension: 7, margins: zero });
    expect(none.value).toBe(1);
    expect(none.reason).toContain("No margin is above 0.7");
    expect(Object.values(none.terms)).not.toContain(Number.NaN);
    const few = marginVc({ rows: 5, errors: 0, confidence: 0.95, vcDimension: 7, margins: zero });
    expect(few.holds).toBe(false);
    expect(few.value).toBe(Number.POSITIVE_INFINITY);
    expect(few.reason).toContain("fewer than the VC dimension");
    expect(() => marginVc({ ...usual, vcDimension: 7, margins: [0, 2] })).toThrowError(VouchError);
  });
});

describe("margin bound for a finite class (eq. 3.13)", () => {
  it("is the formula by hand up to its constant, and not a bound", () => {
    const evidence = { rows, errors: 0, confidence: 0.95, margins: spread, logSize: Math.log(100) };
    const certificate = marginFinite(evidence, 0.4);
    const scaled = (rows * 0.16) / Math.log(100);
    expect(certificate.value).toBeCloseTo(Math.sqrt(Math.log(scaled) / scaled + Math.log(20) / rows), 12);
    expect(certificate.holds).toBe(false);
    expect(certificate.reason).toContain("constant");
    expect(marginFinite({ ...usual, margins: spread, logSize: 50 }, 0.01).value).toBe(
      Number.POSITIVE_INFINITY,
    );
    expect(() => marginFinite({ ...usual, margins: spread, logSize: 5 }, 0)).toThrowError(VouchError);
  });
});

describe("margin statistics", () => {
  const margin = fc.double({ min: -1, max: 1, noNaN: true });

  it("are mean, variance and λ by hand", () => {
    // E = 0.5, E[γ²] = (0.04 + 0.16 + 0.36 + 0.64)/4 = 0.3, Var = 0.05.
    const { mean, variance, ratio } = marginStatistics([0.8, 0.2, 0.6, 0.4]);
    expect(mean).toBeCloseTo(0.5, 14);
    expect(variance).toBeCloseTo(0.05, 14);
    expect(ratio).toBeCloseTo(Math.sqrt(0.05 / 0.25), 14);
  });

  it("have a ratio that is infinite for a mean of 0, and 0 if nothing varies", () => {
    expect(marginStatistics([-0.8, -0.2, -0.6, -0.4]).ratio).toBeCloseTo(Math.sqrt(0.2), 14);
    expect(marginStatistics([-0.5, 0.5]).ratio).toBe(Number.POSITIVE_INFINITY);
    expect(marginStatistics([0, 0]).ratio).toBe(0);
    expect(marginStatistics([0.25]).ratio).toBe(0);
  });

  it("do not depend on the order of the margins, and leave them unchanged", () => {
    fc.assert(
      fc.property(fc.array(margin, { minLength: 1 }), (margins) => {
        const given = Float64Array.from(margins);
        expect(marginStatistics(given)).toEqual(marginStatistics(margins.toReversed()));
        expect(given).toEqual(Float64Array.from(margins));
      }),
    );
  });

  it("have ascending quantiles from the smallest to the largest, with at most k % below the k-th", () => {
    fc.assert(
      fc.property(fc.array(margin, { minLength: 1 }), (margins) => {
        const sorted = Float64Array.from(margins).sort();
        const { quantiles } = marginStatistics(margins);
        expect(quantiles).toEqual(marginQuantiles(Float64Array.from(margins)));
        expect(quantiles).toHaveLength(MARGIN_QUANTILES);
        expect(quantiles[0]).toBe(sorted[0]);
        expect(quantiles[100]).toBe(sorted[sorted.length - 1]);
        quantiles.forEach((quantile, percent) => {
          const below = sorted.findIndex((value) => value >= quantile);
          if (sorted[below] !== quantile || below / sorted.length > percent / 100) {
            expect.unreachable(`quantile ${percent} of ${margins}`);
          }
        });
      }),
    );
  });

  it("bound the share of margins up to θ from above", () => {
    const margins = Float64Array.from({ length: 257 }, (_, i) => Math.sin(i * i) * 0.9);
    const quantiles = marginQuantiles(margins);
    for (let theta = -1; theta <= 1; theta += 0.013) {
      const share = margins.filter((each) => each <= theta).length / 257;
      expect(shareUpTo(theta, quantiles, 257)).toBeGreaterThanOrEqual(share);
    }
  });

  it("reject an empty list, and margins that are not finite", () => {
    for (const margins of [[], [0.5, Number.NaN], [Number.NEGATIVE_INFINITY, 0]]) {
      expect(() => marginStatistics(margins)).toThrow(VouchError);
    }
  });
});

describe("marginQuantiles", () => {
  it("takes the same margins as a sort of all of them, with ties and extremes", () => {
    const random = new Random(5);
    const draws = [
      () => 2 * random.uniform() - 1,
      () => random.integer(3) - 1,
      () => Math.tanh(4 * random.normal()),
      () => (random.uniform() < 0.3 ? 1 : 1e-9 * random.normal()),
    ];
    for (const draw of draws) {
      const margins = Float64Array.from({ length: 30_011 }, draw);
      const sorted = margins.toSorted();
      const expected = Array.from({ length: 101 }, (_, k) => sorted[Math.floor((k * 30_010) / 100)]);
      expect(marginQuantiles(margins)).toEqual(expected);
    }
  });
});
