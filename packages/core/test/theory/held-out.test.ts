import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { VouchError } from "#core/runtime/vouch-error.js";
import { binomialAtMost } from "#core/theory/distributions.js";
import { heldOutBinomial, heldOutHoeffding } from "#core/theory/held-out/held-out.js";

const BOUNDS = [heldOutBinomial, heldOutHoeffding];

describe("held-out binomial", () => {
  it("is the largest error for which so few mistakes have probability δ", () => {
    const { value, terms, holds, role } = heldOutBinomial({ rows: 140, errors: 2, confidence: 0.95 });
    expect(value).toBeCloseTo(0.04428496484428671, 14); // scipy: beta.ppf(0.95, 3, 138)
    expect(binomialAtMost(2, 140, value)).toBeCloseTo(0.05, 12);
    expect(terms).toEqual({ errors: 2, rows: 140, delta: 0.05 });
    expect(holds).toBe(true);
    expect(role).toBeUndefined();
  });

  it("has the closed form 1 − δ^(1/m) without errors: the rule of three", () => {
    const { value } = heldOutBinomial({ rows: 300, errors: 0, confidence: 0.95 });
    expect(value).toBeCloseTo(1 - 0.05 ** (1 / 300), 15);
    expect(Math.abs(value - 3 / 300)).toBeLessThan(1e-4);
  });

  it("is 1, and says why, if every row is misclassified", () => {
    const certificate = heldOutBinomial({ rows: 5, errors: 5, confidence: 0.95 });
    expect(certificate.value).toBe(1);
    expect(certificate.reason).toContain("All held-out rows");
  });
});

describe("held-out Hoeffding", () => {
  it("is eq. 2.5 evaluated by hand, listed for comparison", () => {
    const { value, terms, role } = heldOutHoeffding({ rows: 200, errors: 10, confidence: 0.95 });
    expect(terms.error).toBe(0.05);
    expect(terms.deviation).toBeCloseTo(Math.sqrt(Math.log(20) / 400), 15);
    expect(value).toBe(terms.error + terms.deviation);
    expect(role).toBe("comparison");
  });

  it("is flagged as vacuous if it reaches 1", () => {
    const certificate = heldOutHoeffding({ rows: 1, errors: 0, confidence: 0.95 });
    expect(certificate.value).toBeGreaterThan(1);
    expect(certificate.holds).toBe(true);
    expect(certificate.statement).toBe(
      "No guarantee: The bound is vacuous (not below 1): 1 held-out row is too few to rule out any error.",
    );
  });
});

describe("every held-out certificate", () => {
  it("says in words what it promises, with the error rounded up", () => {
    const { statement, value } = heldOutBinomial({ rows: 1400, errors: 40, confidence: 0.95 });
    expect(statement).toBe(
      "With 95% confidence at most 3.8% of new cases like these are misclassified, from 1,400 held-out rows.",
    );
    expect(value).toBeLessThanOrEqual(0.038);
    expect(value).toBeGreaterThan(0.037);
    expect(heldOutBinomial({ rows: 1e6, errors: 0, confidence: 0.999 }).statement).toMatch(
      /^With 99\.9% confidence at most 0\.00070% of /,
    );
  });

  it("assumes that the rows are drawn like future data, and for a stratified holdout in the same class proportions", () => {
    for (const bound of BOUNDS) {
      const { premises } = bound({ rows: 10, errors: 1, confidence: 0.9 });
      expect(premises.map(({ status }) => status)).toEqual(["checked", "assumed", "assumed"]);
      const stratified = bound({ rows: 10, errors: 1, confidence: 0.9, drawn: "stratified" }).premises;
      expect(stratified[3]).toMatchObject({ status: "assumed" });
      expect(stratified[3].text).toContain("class proportions");
    }
  });

  it("does not hold on rows that the training saw", () => {
    const dependence = "12 of the 100 rows were also training rows.";
    for (const bound of BOUNDS) {
      const certificate = bound({ rows: 100, errors: 1, confidence: 0.9, dependence });
      expect(certificate.holds).toBe(false);
      expect(certificate.reason).toBe(dependence);
      expect(certificate.statement).toBe(`No guarantee: ${dependence}`);
    }
  });

  it("is infinite without rows, and never NaN", () => {
    for (const bound of BOUNDS) {
      const certificate = bound({ rows: 0, errors: 0, confidence: 0.95 });
      expect(certificate.value).toBe(Number.POSITIVE_INFINITY);
      expect(certificate.reason).toBe("There are no held-out rows.");
      expect(Object.values(certificate.terms)).not.toContain(Number.NaN);
    }
  });

  it("rejects impossible input", () => {
    for (const bound of BOUNDS) {
      for (const confidence of [0, 1, -0.1, 95, Number.NaN]) {
        expect(() => bound({ rows: 10, errors: 1, confidence })).toThrowError(VouchError);
        expect(() => bound({ rows: 10, errors: 1, confidence })).toThrowError(`${confidence}`);
      }
      for (const [rows, errors] of [
        [10, 11],
        [-1, -1],
        [10, 0.5],
        [Number.NaN, 0],
      ]) {
        expect(() => bound({ rows, errors, confidence: 0.95 })).toThrowError(VouchError);
      }
    }
  });

  it("falls with more rows and rises with confidence, and the exact tail is never above Hoeffding", () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5000 }),
        share,
        fc.double({ min: 0.01, max: 0.99 }),
        (rows, s, c) => {
          const evidence = { rows, errors: Math.floor(s * rows), confidence: c };
          const exact = heldOutBinomial(evidence).value;
          expect(exact).toBeLessThanOrEqual(heldOutHoeffding(evidence).value + 1e-12);
          for (const bound of BOUNDS) {
            const { value } = bound(evidence);
            expect(bound({ ...evidence, rows: rows + 1 }).value).toBeLessThan(value + 1e-12);
            expect(bound({ ...evidence, confidence: c + 0.005 }).value).toBeGreaterThan(value - 1e-12);
          }
        },
      ),
      { numRuns: 100, seed: 7 },
    );
  });
});

describe("coverage, computed exactly", () => {
  const confidence = 0.95;

  /** P(bound < error) over the draw of the rows: the bound rises with the errors, so it fails for those up to some k. */
  function missProbability(bound: (typeof BOUNDS)[number], rows: number, error: number): number {
    let k = -1;
    while (k < rows && bound({ rows, errors: k + 1, confidence }).value < error) k++;
    return binomialAtMost(k, rows, error);
  }

  it.each([50, 140])("is at least 0.95 for every true error from %i rows", (rows) => {
    for (const bound of BOUNDS) {
      for (let error = 0.01; error < 1; error += 0.03) {
        expect(missProbability(bound, rows, error)).toBeLessThanOrEqual(0.05);
      }
    }
  });

  it("is exactly 0.95 for errors just above a value of the exact tail: it is not simply generous", () => {
    const { value } = heldOutBinomial({ rows: 140, errors: 30, confidence });
    expect(missProbability(heldOutBinomial, 140, value * (1 + 1e-12))).toBeCloseTo(0.05, 9);
    expect(missProbability(heldOutHoeffding, 140, value)).toBeLessThan(0.03);
  });
});
