import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Random } from "#vouch/runtime/random.js";
import { VouchError } from "#vouch/runtime/vouch-error.js";
import { binomialAtMost } from "#vouch/theory/distributions.js";
import { heldOutBinomial, heldOutHoeffding } from "#vouch/theory/held-out/held-out.js";
import { certify } from "#vouch/train/certify.js";

const BOUNDS = [heldOutBinomial, heldOutHoeffding];

describe("held-out binomial", () => {
  it("is the largest error under which so few mistakes have probability δ", () => {
    const { value, terms, holds } = heldOutBinomial({ rows: 140, errors: 2, confidence: 0.95 });
    expect(value).toBeCloseTo(0.04428496484428671, 14); // scipy: beta.ppf(0.95, 3, 138)
    expect(binomialAtMost(2, 140, value)).toBeCloseTo(0.05, 12);
    expect(terms).toEqual({ errors: 2, rows: 140, delta: 0.05 });
    expect(holds).toBe(true);
  });

  it("has the closed form 1 − δ^(1/m) without errors: the rule of three", () => {
    const { value } = heldOutBinomial({ rows: 300, errors: 0, confidence: 0.95 });
    expect(value).toBeCloseTo(1 - 0.05 ** (1 / 300), 15);
    expect(Math.abs(value - 3 / 300)).toBeLessThan(1e-4);
  });

  it("is 1, and says why, when everything is wrong", () => {
    const certificate = heldOutBinomial({ rows: 5, errors: 5, confidence: 0.95 });
    expect(certificate.value).toBe(1);
    expect(certificate.reason).toContain("All held-out rows");
  });
});

describe("held-out Hoeffding", () => {
  it("is eq. 2.5 evaluated by hand", () => {
    const { value, terms } = heldOutHoeffding({ rows: 200, errors: 10, confidence: 0.95 });
    expect(terms.error).toBe(0.05);
    expect(terms.deviation).toBeCloseTo(Math.sqrt(Math.log(20) / 400), 15);
    expect(value).toBe(terms.error + terms.deviation);
  });

  it("is flagged as vacuous when it reaches 1", () => {
    const certificate = heldOutHoeffding({ rows: 1, errors: 0, confidence: 0.95 });
    expect(certificate.value).toBeGreaterThan(1);
    expect(certificate.holds).toBe(true);
    expect(certificate.reason).toContain("too few");
    expect(certificate.statement).toContain("No guarantee");
  });
});

describe("every held-out certificate", () => {
  it("says what it means in words, rounding the error up", () => {
    const { statement } = heldOutBinomial({ rows: 1400, errors: 40, confidence: 0.95 });
    expect(statement).toBe(
      "With 95 % confidence at most 3.8 % of new cases like these are misclassified, from 1,400 held-out rows.",
    );
    const { value } = heldOutBinomial({ rows: 1400, errors: 40, confidence: 0.95 });
    expect(value).toBeLessThanOrEqual(0.038);
    expect(value).toBeGreaterThan(0.037);
    expect(heldOutBinomial({ rows: 1e6, errors: 0, confidence: 0.999 }).statement).toMatch(
      /^With 99\.9 % confidence at most 0\.00070 % of /,
    );
  });

  it("states that the rows are assumed to be drawn like future data", () => {
    for (const bound of BOUNDS) {
      const { premises } = bound({ rows: 10, errors: 1, confidence: 0.9 });
      expect(premises.map((premise) => premise.holds)).toEqual([true, true]);
      expect(premises[1].assumed).toBe(true);
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

  it("says nothing without rows, and is never NaN", () => {
    for (const bound of BOUNDS) {
      const certificate = bound({ rows: 0, errors: 0, confidence: 0.95 });
      expect(certificate.value).toBe(Number.POSITIVE_INFINITY);
      expect(certificate.reason).toBe("There are no held-out rows.");
      expect(Object.values(certificate.terms)).not.toContain(Number.NaN);
    }
  });

  it("refuses impossible input", () => {
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

  it("the exact tail is never above Hoeffding, and both fall with more rows and rise with confidence", () => {
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
      { numRuns: 200, seed: 7 },
    );
  });

  it.each([
    [0.02, 50],
    [0.1, 100],
    [0.37, 140],
  ])("covers a true error of %f from %i rows in at least 95 %% of 2,000 samples", (error, rows) => {
    const random = new Random(42);
    const missed = [0, 0];
    for (let sample = 0; sample < 2000; sample++) {
      let errors = 0;
      for (let i = 0; i < rows; i++) if (random.uniform() < error) errors++;
      BOUNDS.forEach((bound, b) => {
        if (bound({ rows, errors, confidence: 0.95 }).value < error) missed[b]++;
      });
    }
    // At most 5 % of 2,000, and three standard deviations √(2000 · 0.05 · 0.95) ≈ 9.7 of luck.
    for (const count of missed) expect(count).toBeLessThanOrEqual(100 + 30);
  });

  it("misses now and then: the exact tail is not simply generous", () => {
    const random = new Random(43);
    let missed = 0;
    for (let sample = 0; sample < 2000; sample++) {
      let errors = 0;
      for (let i = 0; i < 400; i++) if (random.uniform() < 0.3) errors++;
      if (heldOutBinomial({ rows: 400, errors, confidence: 0.95 }).value < 0.3) missed++;
    }
    expect(missed).toBeGreaterThan(60);
  });
});

describe("certify", () => {
  const card = { heldOut: { rows: 140, errors: 2 } };

  it("uses the result that training kept, smallest bound first", () => {
    const certificates = certify({ card }, { confidence: 0.95 });
    expect(certificates.map(({ name }) => name)).toEqual(["held-out-binomial", "held-out-hoeffding"]);
    expect(certificates[0].value).toBeLessThan(certificates[1].value);
  });

  it("prefers a result on other data", () => {
    const [first] = certify({ card }, { confidence: 0.95, heldOut: { rows: 1000, errors: 10 } });
    expect(first.terms.rows).toBe(1000);
  });

  it("gives none without held-out rows", () => {
    expect(certify({ card: {} }, { confidence: 0.95 })).toEqual([]);
  });

  it("checks the confidence", () => {
    expect(() => certify({ card }, { confidence: 1.2 })).toThrowError("1.2");
  });
});
