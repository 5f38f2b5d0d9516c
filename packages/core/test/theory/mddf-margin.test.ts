import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { VouchError } from "#core/runtime/vouch-error.js";
import { type MddfLayer, type MddfMarginEvidence, mddfMargin } from "#core/theory/forests/mddf-margin.js";

/** 100,000 rows: one tenth with margin −0.1, four with 0.5, five with 0.7. So mean 0.54, variance 0.346 − 0.54² = 0.0544. */
const margins = Float64Array.from({ length: 100_000 }, (_, i) => (i % 10 === 0 ? -0.1 : i % 2 ? 0.7 : 0.5));
const facts: MddfMarginEvidence = {
  layers: [
    { alpha: 3, logFamilySize: 40 },
    { alpha: 1, logFamilySize: 42 },
  ],
  margins,
  classes: 2,
  outOfFold: true,
  confidence: 0.95,
};

/** The theorem at any r, written down a second time. */
function byHand({ layers, margins, confidence }: MddfMarginEvidence): (r: number) => number {
  const values = Array.from(margins).sort((a, b) => a - b);
  const m = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / m;
  const variance = values.reduce((sum, value) => sum + value * value, 0) / m - mean * mean;
  const total = layers.reduce((sum, { alpha }) => sum + alpha, 0);
  const size = layers.reduce(
    (sum, { alpha, logFamilySize }) => sum + (alpha / total) * Math.exp(logFamilySize),
    0,
  );
  const lambda = Math.sqrt(Math.max(0, variance)) / Math.abs(mean);
  return (r) => {
    const d = 2 / (1 - mean ** 2 + r / 9);
    const mu = (Math.log(m) * Math.log(2 * size)) / r ** 2 + Math.log(2 / (1 - confidence));
    const reached = values.findIndex((value) => value >= r);
    const below = (reached < 0 ? m : reached) / m;
    return (
      below + m ** -d + (3 * Math.sqrt(mu)) / m ** 1.5 + (7 * mu) / (3 * m) + lambda * Math.sqrt((3 * mu) / m)
    );
  };
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
  .map(({ steps, repeats, layers }): MddfMarginEvidence => {
    const values = Array.from({ length: repeats }, () => steps.map((step) => step / 100)).flat();
    return { layers, margins: Float64Array.from(values), classes: 2, outOfFold: true, confidence: 0.9 };
  })
  .filter(({ margins }) => Math.abs(Array.from(margins).reduce((sum, value) => sum + value, 0)) > 0.005);

describe("margin bound of mdDF (Lyu, Yang and Zhou 2019, Theorem 1)", () => {
  it("is the sum of its terms by hand", () => {
    const { value, terms, confidence, role } = mddfMargin(facts);
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
      ["delta", 0.05],
    ];
    expect(Object.keys(terms)).toEqual(expected.map(([name]) => name));
    for (const [name, amount] of expected) expect(terms[name] / amount, name).toBeCloseTo(1, 9);
    expect(value).toBeCloseTo(
      expected.slice(0, 5).reduce((sum, [, amount]) => sum + amount, 0),
      12,
    );
    expect(confidence).toBe(0.95);
    expect(role).toBe("comparison");
  });

  it("is the infimum over r in (0, 1]: no r of a dense grid, on the margins or beside them, gives less", () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const { value, terms } = mddfMargin(facts);
        const at = byHand(facts);
        expect(at(terms.r) / value).toBeCloseTo(1, 9);
        const grid = Array.from({ length: 1000 }, (_, step) => at((step + 1) / 1000));
        expect(Math.min(...grid)).toBeGreaterThanOrEqual(value * (1 - 1e-9));
      }),
      { numRuns: 40 },
    );
  });

  it("takes r = 1 if no margin is positive, and if all are 1", () => {
    const of = (margins: number[]) => mddfMargin({ ...facts, margins }).terms;
    expect(of([-0.5, -0.25])).toMatchObject({ r: 1, "Pr_S[yF < r]": 1 });
    expect(of([1, 1, 1])).toMatchObject({ r: 1, "Pr_S[yF < r]": 0, λ: 0 });
  });

  it("says that it is not a guarantee: which premises fail, and that a value of 1 or more is vacuous", () => {
    const useful = mddfMargin(facts);
    expect(useful.value).toBeLessThan(1);
    expect(useful.holds).toBe(false);
    expect(useful.statement).toMatch(
      /^No guarantee: The theorem as printed gives [\d.]+%, but 3 of its premises/,
    );
    const failing = useful.premises.filter(({ status }) => status === "violated").map(({ text }) => text);
    expect(failing.join(" ")).toMatch(/Out-of-fold.*bin boundaries.*constants/);

    const more = mddfMargin({ ...facts, classes: 3 });
    expect(more.premises.filter(({ status }) => status === "violated")).toHaveLength(4);
    const own = mddfMargin({ ...facts, outOfFold: false });
    expect(own.premises.filter(({ status }) => status === "violated")).toHaveLength(2);

    const empty = mddfMargin({ ...facts, margins: [0.5, 0.7] });
    expect(empty.value).toBeGreaterThan(1);
    expect(empty.reason).toContain("vacuous (not below 1): 2 training rows are too few");
  });

  it("is vacuous, never NaN, for unknown families, a mean of 0 and a single row", () => {
    const unknown = [{ alpha: 1, logFamilySize: Number.POSITIVE_INFINITY }];
    for (const change of [
      { layers: unknown },
      { layers: unknown, margins: [1, 1] },
      { margins: [-0.5, 0.5] },
      { margins: [0, 0] },
      { layers: unknown, margins: [0.5] },
      { margins: [0.5] },
    ]) {
      const { value, terms } = mddfMargin({ ...facts, ...change });
      expect(value).toBeGreaterThan(1);
      expect(Object.values(terms)).not.toContain(Number.NaN);
    }
  });

  it("accepts margins that rounding has put beyond 1, and no others", () => {
    const of = (margin: number) => mddfMargin({ ...facts, margins: [0.5, margin] });
    expect(of(1 + 1e-7)).toEqual(of(1));
    for (const margin of [1.1, -2, Number.NaN]) expect(() => of(margin)).toThrow(/row 2/);
  });

  it("rejects impossible input", () => {
    const layer: MddfLayer = { alpha: 1, logFamilySize: 1 };
    for (const layers of [
      [],
      [{ ...layer, alpha: 0 }],
      [layer, { ...layer, alpha: -1 }],
      [{ ...layer, alpha: Number.NaN }],
      [{ ...layer, logFamilySize: -1 }],
    ]) {
      expect(() => mddfMargin({ ...facts, margins: [0.5], layers })).toThrow(VouchError);
    }
    expect(() => mddfMargin({ ...facts, margins: [] })).toThrow(VouchError);
    expect(() => mddfMargin({ ...facts, margins: [0.5], confidence: 1 })).toThrow(VouchError);
  });
});

describe("ln(2 Σ α|H|)", () => {
  const of = (layers: readonly MddfLayer[]) =>
    mddfMargin({ ...facts, margins: [0.5], layers }).terms["ln(2 Σ α|H|)"];

  it("is that of the weighted sum, whatever the scale of α, without layers of weight 0", () => {
    const layers = [
      { alpha: 6, logFamilySize: Math.log(10) },
      { alpha: 2, logFamilySize: Math.log(50) },
      { alpha: 0, logFamilySize: 1e9 },
    ];
    expect(of(layers)).toBeCloseTo(Math.log(2 * (0.75 * 10 + 0.25 * 50)), 13);
  });

  it("does not overflow: a layer e^100 times as large determines it", () => {
    const layers = [
      { alpha: 1, logFamilySize: 1_000_000 },
      { alpha: 1, logFamilySize: 1_000_100 },
    ];
    expect(of(layers)).toBeCloseTo(1_000_100, 6);
  });
});
