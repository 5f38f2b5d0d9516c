import { describe, expect, it } from "vitest";
import { VouchError } from "#core/runtime/vouch-error.js";
import { finiteClass, logSauer, logSauerPower, vcBound, vcPenalty } from "#core/theory/vc/vc-bound.js";

const usual = { rows: 600, errors: 30, confidence: 0.95 };

describe("VC bound (Triviño 2017, eq. 2.25)", () => {
  it("is the formula by hand, listed for comparison", () => {
    const { value, role } = vcBound({ rows: 60_000, errors: 600, confidence: 0.95, vcDimension: 7 });
    const inner = Math.log(160) + 7 * Math.log((Math.E * 60_000) / 7);
    expect(value).toBeCloseTo(0.01 + Math.sqrt((32 * inner) / 60_000), 14);
    expect(role).toBe("comparison");
  });

  it("is infinite for fewer rows than dimensions, and says why", () => {
    const certificate = vcBound({ rows: 6, errors: 0, confidence: 0.95, vcDimension: 7 });
    expect(certificate.value).toBe(Number.POSITIVE_INFINITY);
    expect(certificate.holds).toBe(false);
    expect(certificate.reason).toBe(
      "There are 6 training rows, fewer than the VC dimension 7: the family may be able to label them in every way.",
    );
    expect(vcPenalty(7, 6, 0.05)).toBe(Number.POSITIVE_INFINITY);
    expect(vcPenalty(Number.POSITIVE_INFINITY, 600, 0.05)).toBe(Number.POSITIVE_INFINITY);
  });

  it.each([0, Number.NaN, -3])("rejects a dimension of %d", (vcDimension) => {
    expect(() => vcBound({ ...usual, vcDimension })).toThrowError(VouchError);
  });
});

describe("Sauer's lemma (eqs. 2.22 and 2.23)", () => {
  it("is the sum of binomial coefficients by hand, and 2^m from d = m on", () => {
    expect(logSauer(10, 3)).toBeCloseTo(Math.log(1 + 10 + 45 + 120), 12);
    expect(logSauer(10, 12)).toBeCloseTo(10 * Math.LN2, 12);
    expect(logSauerPower(10, 3)).toBeCloseTo(3 * Math.log((Math.E * 10) / 3), 12);
  });

  it("is below the power (em/d)^d for m ≥ d ≥ 1; the power is infinite for d > m", () => {
    for (let d = 1; d <= 60; d++) {
      for (const m of [d, d + 1, 2 * d, 50 * d]) {
        expect(logSauer(m, d)).toBeLessThanOrEqual(logSauerPower(m, d));
      }
    }
    expect(logSauerPower(5, 6)).toBe(Number.POSITIVE_INFINITY);
    expect(logSauerPower(5, 0)).toBe(0);
  });
});

describe("finite class (eq. 2.13)", () => {
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

  it("rejects a class of less than one", () => {
    expect(() => finiteClass({ ...usual, logSize: -1 })).toThrowError(VouchError);
  });
});
