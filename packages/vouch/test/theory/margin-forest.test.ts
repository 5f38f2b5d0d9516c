import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { VouchError } from "#vouch/runtime/vouch-error.js";
import {
  logWeightedSum,
  type MarginForestFacts,
  type MarginForestLayer,
  marginForestBound,
} from "#vouch/theory/forests/margin-forest.js";

/** 100,000 rows: a tenth with margin −0.1, four with 0.5, five with 0.7. So mean 0.54, variance 0.346 − 0.54² = 0.0544. */
const margins = Float64Array.from({ length: 100_000 }, (_, i) => (i % 10 === 0 ? -0.1 : i % 2 ? 0.7 : 0.5));
const facts: MarginForestFacts = {
  layers: [
    { alpha: 3, logFamilySize: 40 },
    { alpha: 1, logFamilySize: 42 },
  ],
  margins,
  classes: 2,
  outOfFold: true,
};

/** The theorem at one r, written down a second time. */
function atOneMargin({ layers, margins }: MarginForestFacts, delta: number, r: number): number {
  const values = Array.from(margins);
  const m = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / m;
  const variance = values.reduce((sum, value) => sum + value * value, 0) / m - mean * mean;
  const total = layers.reduce((sum, { alpha }) => sum + alpha, 0);
  const size = layers.reduce(
    (sum, { alpha, logFamilySize }) => sum + (alpha / total) * Math.exp(logFamilySize),
    0,
  );
  const d = 2 / (1 - mean ** 2 + r / 9);
  const mu = (Math.log(m) * Math.log(2 * size)) / r ** 2 + Math.log(2 / delta);
  const lambda = Math.sqrt(Math.max(0, variance)) / Math.abs(mean);
  const below = values.filter((value) => value < r).length / m;
  return (
    below + m ** -d + (3 * Math.sqrt(mu)) / m ** 1.5 + (7 * mu) / (3 * m) + lambda * Math.sqrt((3 * mu) / m)
  );
}

const anyFacts = fc
  .record({
    // Hundredths, so that margins repeat.
    steps: fc.array(fc.integer({ min: -100, max: 100 }), { minLength: 2, maxLength: 60 }),
    repeats: fc.constantFrom(1, 30),
    layers: fc.array(
      fc.record({
        alpha: fc.integer({ min: 1, max: 9 }),
        logFamilySize: fc.double({ min: 0, max: 50, noNaN: true }),
      }),
      { minLength: 1, maxLength: 4 },
    ),
  })
  .map(({ steps, repeats, layers }): MarginForestFacts => {
    const values = Array.from({ length: repeats }, () => steps.map((step) => step / 100)).flat();
    return { layers, margins: Float64Array.from(values), classes: 2, outOfFold: true };
  })
  .filter(({ margins }) => Math.abs(Array.from(margins).reduce((sum, value) => sum + value, 0)) > 0.005);

describe("Theorem 1 of the deep forests", () => {
  it("is the sum of its terms by hand", () => {
    const { value, terms, confidence } = marginForestBound(facts, { confidence: 0.95 });
    const logFamilies = Math.log(2 * (0.75 * Math.exp(40) + 0.25 * Math.exp(42)));
    const mu = (Math.log(1e5) * logFamilies) / 0.25 + Math.log(40);
    const lambda = Math.sqrt(0.0544) / 0.54;
    const d = 2 / (1 - 0.54 ** 2 + 0.5 / 9);
    const expected: [string, number][] = [
      ["Pr_S[yF < r]", 0.1],
      ["m^−d", 1e5 ** -d],
      ["3√μ / m^(3/2)", (3 * Math.sqrt(mu)) / 1e5 ** 1.5],
      ["7μ / 3m", (7 * mu) / 3e5],
      ["λ √(3μ/m)", lambda * Math.sqrt((3 * mu) / 1e5)],
      ["r", 0.5],
      ["d", d],
      ["μ", mu],
      ["λ", lambda],
      ["E_S[yF]", 0.54],
      ["Var_S[yF]", 0.0544],
      ["ln(2 Σ α|H|)", logFamilies],
      ["m", 1e5],
      ["δ", 0.05],
    ];
    expect(Object.keys(terms)).toEqual(expected.map(([name]) => name));
    for (const [name, amount] of expected) expect(terms[name] / amount, name).toBeCloseTo(1, 9);
    expect(value).toBeCloseTo(
      expected.slice(0, 5).reduce((sum, [, amount]) => sum + amount, 0),
      12,
    );
    expect(confidence).toBe(0.95);
  });

  it("has the smallest value over r in (0, 1]: no r of a dense grid, on the margins or beside them, has less", () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const { value, terms } = marginForestBound(facts, { confidence: 0.9 });
        expect(atOneMargin(facts, 0.1, terms.r) / value).toBeCloseTo(1, 9);
        for (let step = 1; step <= 1000; step++) {
          expect(atOneMargin(facts, 0.1, step / 1000)).toBeGreaterThanOrEqual(value * (1 - 1e-9));
        }
      }),
      { numRuns: 40 },
    );
  });

  it("takes r = 1 where no margin is positive, and where all are 1", () => {
    const of = (margins: number[]) => marginForestBound({ ...facts, margins }, { confidence: 0.9 }).terms;
    expect(of([-0.5, -0.25])).toMatchObject({ r: 1, "Pr_S[yF < r]": 1 });
    expect(of([1, 1, 1])).toMatchObject({ r: 1, "Pr_S[yF < r]": 0, λ: 0 });
  });

  it("says plainly that it guarantees nothing: which premises fail, and that a value of 1 or more is empty", () => {
    const useful = marginForestBound(facts, { confidence: 0.95 });
    expect(useful.value).toBeLessThan(1);
    expect(useful.holds).toBe(false);
    expect(useful.statement).toMatch(
      /^No guarantee: The theorem as printed gives [\d.]+ %, but 3 of its premises/,
    );
    const failing = useful.premises.filter(({ holds }) => !holds).map(({ statement }) => statement);
    expect(failing.join(" ")).toMatch(/Out of fold.*cuts between bins.*constants/);

    const more = marginForestBound({ ...facts, classes: 3 }, { confidence: 0.95 });
    expect(more.premises.filter(({ holds }) => !holds)).toHaveLength(4);
    const own = marginForestBound({ ...facts, outOfFold: false }, { confidence: 0.95 });
    expect(own.premises.filter(({ holds }) => !holds)).toHaveLength(2);

    const empty = marginForestBound({ ...facts, margins: [0.5, 0.7] }, { confidence: 0.95 });
    expect(empty.value).toBeGreaterThan(1);
    expect(empty.reason).toContain("not below 1");
    expect(empty.reason).toContain("2 training rows are too few");
  });

  it("is infinite, never not a number, for unknown families, a mean of 0 and a single row", () => {
    const unknown = [{ alpha: 1, logFamilySize: Number.POSITIVE_INFINITY }];
    for (const change of [
      { layers: unknown },
      { layers: unknown, margins: [1, 1] },
      { margins: [-0.5, 0.5] },
      { margins: [0, 0] },
      { layers: unknown, margins: [0.5] },
      { margins: [0.5] },
    ]) {
      const { value, terms } = marginForestBound({ ...facts, ...change }, { confidence: 0.95 });
      expect(value).toBeGreaterThan(1);
      expect(Object.values(terms)).not.toContain(Number.NaN);
    }
  });

  it("forgives margins that rounding has put beyond 1, and no others", () => {
    const of = (margin: number) =>
      marginForestBound({ ...facts, margins: [0.5, margin] }, { confidence: 0.9 });
    expect(of(1 + 1e-7)).toEqual(of(1));
    for (const margin of [1.1, -2, Number.NaN]) expect(() => of(margin)).toThrow(/row 2/);
  });

  it("refuses what cannot be", () => {
    const layer: MarginForestLayer = { alpha: 1, logFamilySize: 1 };
    for (const layers of [
      [],
      [{ ...layer, alpha: 0 }],
      [layer, { ...layer, alpha: -1 }],
      [{ ...layer, alpha: Number.NaN }],
      [{ ...layer, logFamilySize: -1 }],
    ]) {
      expect(() => marginForestBound({ ...facts, layers }, { confidence: 0.9 })).toThrow(VouchError);
    }
    expect(() => marginForestBound({ ...facts, margins: [] }, { confidence: 0.9 })).toThrow(VouchError);
    expect(() => marginForestBound(facts, { confidence: 1 })).toThrow(VouchError);
  });
});

describe("ln Σ α|H|", () => {
  it("is that of the weighted sum, whatever the scale of α, and leaves out layers without weight", () => {
    const layers = [
      { alpha: 6, logFamilySize: Math.log(10) },
      { alpha: 2, logFamilySize: Math.log(50) },
      { alpha: 0, logFamilySize: 1e9 },
    ];
    expect(logWeightedSum(layers)).toBeCloseTo(Math.log(0.75 * 10 + 0.25 * 50), 13);
  });

  it("does not overflow: a layer e^100 times as large is all there is", () => {
    const layers = [
      { alpha: 1, logFamilySize: 1_000_000 },
      { alpha: 1, logFamilySize: 1_000_100 },
    ];
    expect(logWeightedSum(layers)).toBeCloseTo(1_000_100 - Math.LN2, 6);
  });
});
