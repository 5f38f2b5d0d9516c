import { describe, expect, it } from "vitest";
import { VouchError } from "#vouch/runtime/vouch-error.js";
import { adaBoostFinite, adaBoostVc, adaBoostVcPenalty } from "#vouch/theory/boosting/boosting.js";
import { marginFinite, marginVc, shareUpTo, smallestMargin } from "#vouch/theory/margins/margin-bounds.js";
import { marginQuantiles } from "#vouch/theory/margins/margin-statistics.js";
import {
  computationVcDimension,
  twoLayerParameters,
  twoLayerVcDimension,
} from "#vouch/theory/networks/network-vc-dimension.js";
import { growthFunction } from "#vouch/theory/vc/growth-function.js";
import { finiteClass, logSauer, logSauerPower, vcBound, vcPenalty } from "#vouch/theory/vc/vc-bound.js";
import {
  stumpVcDimension,
  stumpVcDimensionClosedForm,
  stumpVcDimensionEmpirical,
} from "#vouch/theory/vc/vc-dimension.js";

const usual = { rows: 600, errors: 30, confidence: 0.95 };

describe("finite class, eq. 2.13", () => {
  it("is the formula by hand", () => {
    const { value, terms, holds } = finiteClass({ ...usual, logSize: Math.log(1000) });
    expect(value).toBeCloseTo(0.05 + Math.sqrt(Math.log(1000 / 0.05) / 1200), 14);
    expect(terms).toMatchObject({ "training error": 0.05, rows: 600, delta: 0.05 });
    expect(holds).toBe(true);
  });

  it("is Hoeffding's bound for one classifier", () => {
    expect(finiteClass({ ...usual, logSize: 0 }).value).toBeCloseTo(
      0.05 + Math.sqrt(Math.log(20) / 1200),
      14,
    );
  });

  it("refuses a class of less than one", () => {
    expect(() => finiteClass({ ...usual, logSize: -1 })).toThrowError(VouchError);
  });
});

describe("growth function, eq. 2.21, and Sauer's lemma, eqs. 2.22 and 2.23", () => {
  it("are the formulas by hand", () => {
    const logGrowth = Math.log(1 + 10 + 45 + 120);
    expect(logSauer(10, 3)).toBeCloseTo(logGrowth, 12);
    expect(logSauer(10, 12)).toBeCloseTo(10 * Math.LN2, 12);
    expect(logSauerPower(10, 3)).toBeCloseTo(3 * Math.log((Math.E * 10) / 3), 12);
    expect(growthFunction({ ...usual, logGrowth }).value).toBeCloseTo(
      0.05 + Math.sqrt((32 * (Math.log(8 / 0.05) + logGrowth)) / 600),
      12,
    );
  });

  it("the power is above the sum wherever m ≥ d ≥ 1, and nothing is said elsewhere", () => {
    for (let d = 1; d <= 60; d++) {
      for (const m of [d, d + 1, 2 * d, 50 * d]) {
        expect(logSauer(m, d)).toBeLessThanOrEqual(logSauerPower(m, d));
      }
    }
    expect(logSauerPower(5, 6)).toBe(Number.POSITIVE_INFINITY);
    expect(logSauerPower(5, 0)).toBe(0);
  });
});

describe("VC bound, eq. 2.25", () => {
  it("is the formula by hand", () => {
    const { value } = vcBound({ rows: 60_000, errors: 600, confidence: 0.95, vcDimension: 7 });
    const inner = Math.log(160) + 7 * Math.log((Math.E * 60_000) / 7);
    expect(value).toBeCloseTo(0.01 + Math.sqrt((32 * inner) / 60_000), 14);
  });

  it("is infinite for fewer rows than dimensions, and says why", () => {
    const certificate = vcBound({ rows: 6, errors: 0, confidence: 0.95, vcDimension: 7 });
    expect(certificate.value).toBe(Number.POSITIVE_INFINITY);
    expect(certificate.holds).toBe(false);
    expect(certificate.reason).toBe(
      "There are 6 rows, fewer than the VC dimension 7: such a family can label them in any way.",
    );
    expect(vcPenalty(7, 6, 0.05)).toBe(Number.POSITIVE_INFINITY);
    expect(vcPenalty(Number.POSITIVE_INFINITY, 600, 0.05)).toBe(Number.POSITIVE_INFINITY);
  });

  it.each([0, Number.NaN, -3])("refuses a dimension of %d", (vcDimension) => {
    expect(() => vcBound({ ...usual, vcDimension })).toThrowError(VouchError);
  });
});

describe("VC dimension of stumps", () => {
  it("is 7 for the 12 features of §5.1: 2⁷ ≤ 2·12·7 and 2⁸ > 2·12·8", () => {
    expect(stumpVcDimension(12)).toBe(7);
  });

  it("is below Proposition 3.1 for all d ≥ 5, and below the empirical formula from 1 to 2,000 features", () => {
    for (let d = 1; d <= 2000; d++) {
      expect(stumpVcDimension(d)).toBeLessThanOrEqual(stumpVcDimensionClosedForm(d));
      expect(stumpVcDimension(d)).toBeLessThanOrEqual(stumpVcDimensionEmpirical(d));
    }
    expect(stumpVcDimensionClosedForm(4)).toBe(Number.POSITIVE_INFINITY);
    expect(stumpVcDimensionClosedForm(16)).toBe(10);
    expect(stumpVcDimensionEmpirical(16)).toBeCloseTo(9.1, 12);
  });
});

describe("AdaBoost, eqs. 3.10 and 3.11", () => {
  it("are the formulas by hand", () => {
    const finite = adaBoostFinite({ ...usual, rounds: 10, logSize: Math.log(50) });
    expect(finite.value).toBeCloseTo(
      0.05 + Math.sqrt((32 * (10 * Math.log((Math.E * 600 * 50) / 10) + Math.log(160))) / 600),
      12,
    );
    const votes = Math.log((Math.E * 600) / 10);
    const stumps = 7 * Math.log((Math.E * 600) / 7);
    const byVc = adaBoostVc({ ...usual, rounds: 10, vcDimension: 7 });
    expect(byVc.value).toBeCloseTo(
      0.05 + Math.sqrt((32 * (10 * (votes + stumps) + Math.log(160))) / 600),
      12,
    );
    expect(byVc.holds).toBe(true);
    expect(byVc.reason).toContain("not below 1");
  });

  it("are infinite where there are fewer rows than rounds or dimensions, and say why", () => {
    for (const certificate of [
      adaBoostFinite({ rows: 10, errors: 0, confidence: 0.95, rounds: 11, logSize: 1 }),
      adaBoostVc({ rows: 10, errors: 0, confidence: 0.95, rounds: 11, vcDimension: 3 }),
      adaBoostVc({ rows: 10, errors: 0, confidence: 0.95, rounds: 3, vcDimension: 11 }),
    ]) {
      expect(certificate.value).toBe(Number.POSITIVE_INFINITY);
      expect(certificate.holds).toBe(false);
      expect(certificate.reason).toMatch(/label them in any way/);
      expect(Object.values(certificate.terms)).not.toContain(Number.NaN);
    }
  });

  it.each([0, 1.5, Number.NaN])("refuse %d rounds", (rounds) => {
    expect(() => adaBoostVc({ ...usual, rounds, vcDimension: 7 })).toThrowError(VouchError);
    expect(() => adaBoostFinite({ ...usual, rounds, logSize: 1 })).toThrowError(VouchError);
  });
});

describe("Table 5.1: no training errors, stumps on 12 features, δ = 0.05", () => {
  const sizes = [600, 6000, 60_000];
  const penalties = (rounds: number, reading: "equation" | "table") =>
    sizes.map((rows) =>
      Number(
        adaBoostVcPenalty({ rows, rounds, vcDimension: stumpVcDimension(12) }, 0.05, reading).toFixed(4),
      ),
    );

  it.each([
    [10, [4.3671, 1.6999, 0.6223]],
    [50, [9.4859, 3.7297, 1.372]],
    [100, [13.2664, 5.2368, 1.93]],
  ])("T = %d as printed, which is with m for em", (rounds, printed) => {
    expect(penalties(rounds, "table")).toEqual(printed);
  });

  it.each([
    [10, [4.831, 1.8211, 0.6556]],
    [50, [10.5506, 4.0055, 1.4476]],
    [100, [14.7873, 5.6295, 2.0375]],
  ])("T = %d by eq. 3.11 itself", (rounds, byEquation) => {
    // Independently: √(32 (T (1 + ln(m/T) + 7 + 7 ln(m/7)) + ln 160) / m).
    const byHand = sizes.map((m) => {
      const inner = rounds * (8 + Math.log(m / rounds) + 7 * Math.log(m / 7)) + Math.log(160);
      return Number(Math.sqrt((32 * inner) / m).toFixed(4));
    });
    expect(byHand).toEqual(byEquation);
    expect(penalties(rounds, "equation")).toEqual(byEquation);
  });
});

describe("Table 5.2: networks with 784 inputs", () => {
  it("cannot be had from Theorem 4.2 and eq. 2.25: the dimension is above all sample sizes", () => {
    for (const hidden of [80, 100, 120]) {
      const parameters = twoLayerParameters(784, hidden);
      expect(parameters).toBe(785 * hidden + hidden + 1);
      const vcDimension = twoLayerVcDimension({ parameters, inputs: 784, largestInput: 1 });
      expect(vcDimension).toBeCloseTo(2 * parameters * Math.log2(60 * 784), 6);
      for (const rows of [6000, 12_000, 24_000, 48_000]) {
        expect(vcDimension).toBeGreaterThan(rows);
        expect(vcPenalty(vcDimension, rows, 0.05)).toBe(Number.POSITIVE_INFINITY);
      }
    }
  });

  it("Theorem 4.1 is the formula by hand, in O(w⁴)", () => {
    expect(computationVcDimension({ parameters: 3, operations: 10 })).toBeCloseTo(
      100 * 3 * (3 + 19 * Math.log2(27)),
      9,
    );
    expect(computationVcDimension({ parameters: 3, operations: 10, exponentials: 1 })).toBeCloseTo(
      36 + 66 * (10 + Math.log2(54)),
      9,
    );
    expect(() => computationVcDimension({ parameters: 0, operations: 1 })).toThrowError(VouchError);
    expect(() => twoLayerVcDimension({ parameters: 5, inputs: 0, largestInput: 1 })).toThrowError(VouchError);
  });
});

describe("margin bounds, Theorems 3.4 and 3.5", () => {
  it("the smallest θ for 600 rows and stumps on 12 features is the 0.7133 of §5.4.1", () => {
    expect(smallestMargin(stumpVcDimension(12), 600).toFixed(4)).toBe("0.7133");
    expect(smallestMargin(7, 6)).toBe(Number.POSITIVE_INFINITY);
  });

  const rows = 1_000_000;
  const spread = Float64Array.from({ length: rows }, (_, i) => 0.5 + (0.5 * i) / (rows - 1));

  it("is the formula by hand at the θ it reports, and no other θ is better", () => {
    const margins = marginQuantiles(spread);
    const { value, terms } = marginVc({ rows, errors: 0, confidence: 0.95, vcDimension: 7, margins });
    const byHand = (theta: number) => {
      const power = 7 * Math.log((Math.E * rows) / 7);
      const n = Math.ceil((4 / theta ** 2) * Math.log((rows * theta ** 2) / (8 * power)));
      const inner = Math.log(n * (n + 1) ** 2) + n * power + Math.log(160);
      const share = Math.floor(margins.findIndex((margin) => margin > theta) * 0.01 * (rows - 1)) / rows;
      return share + 4 * Math.exp((-n * theta ** 2) / 8) + Math.sqrt((32 * inner) / rows);
    };
    expect(value).toBeCloseTo(byHand(terms.θ), 9);
    expect(value).toBeLessThan(1);
    for (let theta = 0.05; theta < 0.99; theta += 0.01)
      expect(value).toBeLessThanOrEqual(byHand(theta) + 1e-9);
  });

  it("the share of rows up to θ is never below the true one", () => {
    const margins = Float64Array.from({ length: 257 }, (_, i) => Math.sin(i * i) * 0.9);
    const quantiles = marginQuantiles(margins);
    for (let theta = -1; theta <= 1; theta += 0.013) {
      const share = margins.filter((margin) => margin <= theta).length / 257;
      expect(shareUpTo(theta, { margins: quantiles, rows: 257 })).toBeGreaterThanOrEqual(share);
    }
  });

  it("says nothing, and why, where no margin is large enough, all are zero, or there are too few rows", () => {
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

  it("eq. 3.13 up to its constant is the formula by hand, and no bound", () => {
    const margins = marginQuantiles(spread);
    const certificate = marginFinite(
      { rows, errors: 0, confidence: 0.95, margins, logSize: Math.log(100) },
      0.4,
    );
    const scaled = (rows * 0.16) / Math.log(100);
    expect(certificate.value).toBeCloseTo(Math.sqrt(Math.log(scaled) / scaled + Math.log(20) / rows), 12);
    expect(certificate.holds).toBe(false);
    expect(certificate.reason).toContain("constant");
    expect(marginFinite({ ...usual, margins, logSize: 50 }, 0.01).value).toBe(Number.POSITIVE_INFINITY);
    expect(() => marginFinite({ ...usual, margins, logSize: 5 }, 0)).toThrowError(VouchError);
  });
});

it("every bound refuses a confidence outside (0, 1) and impossible counts", () => {
  const bounds = [
    (evidence: typeof usual) => finiteClass({ ...evidence, logSize: 1 }),
    (evidence: typeof usual) => growthFunction({ ...evidence, logGrowth: 1 }),
    (evidence: typeof usual) => vcBound({ ...evidence, vcDimension: 2 }),
    (evidence: typeof usual) => adaBoostFinite({ ...evidence, rounds: 2, logSize: 1 }),
    (evidence: typeof usual) => adaBoostVc({ ...evidence, rounds: 2, vcDimension: 2 }),
    (evidence: typeof usual) => marginVc({ ...evidence, vcDimension: 2, margins: [0, 1] }),
  ];
  for (const bound of bounds) {
    for (const confidence of [0, 1, Number.NaN]) {
      expect(() => bound({ ...usual, confidence })).toThrowError(`${confidence}`);
    }
    for (const counts of [
      { rows: 0, errors: 0 },
      { rows: 5, errors: 6 },
      { rows: 5.5, errors: 1 },
    ]) {
      expect(() => bound({ ...usual, ...counts })).toThrowError(VouchError);
    }
  }
});
