import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  AdditiveMargins,
  bestAlpha,
  LARGEST_SHARE,
  type MarginLoss,
  marginLoss,
  marginLossSlope,
  meanMarginLoss,
  reweighted,
} from "#core/learners/deep-forest/margin-loss.js";

const loss = { r: 0.8, mu: 0.1 };
const margin = fc.double({ min: -1, max: 1, noNaN: true });

describe("the margin distribution loss", () => {
  test.each([
    [-1, (1.8 / 0.8) ** 2],
    [0, 1],
    [0.4, 0.25],
    [0.8, 0],
    [0.9, 0.1 * 0.25],
    [1, 0.1],
  ])("of the margin %d is %d", (z, expected) => {
    expect(marginLoss(z, loss)).toBeCloseTo(expected, 12);
  });

  test("has the slope of a difference quotient, which never falls", () => {
    fc.assert(
      fc.property(margin, margin, (z, other) => {
        const quotient = (marginLoss(z + 1e-6, loss) - marginLoss(z - 1e-6, loss)) / 2e-6;
        expect(marginLossSlope(z, loss)).toBeCloseTo(quotient, 4);
        const [low, high] = z < other ? [z, other] : [other, z];
        expect(marginLossSlope(low, loss)).toBeLessThanOrEqual(marginLossSlope(high, loss));
      }),
    );
  });

  test("gives the weights of the next layer by hand", () => {
    const margins = Float64Array.of(0, 0.8, 1);
    const distribution = Float64Array.of(0.25, 0.25, 0.5);
    expect(meanMarginLoss(margins, distribution, loss)).toBeCloseTo(0.25 + 0.05, 12);
    const weights = reweighted(margins, distribution, loss);
    expect(weights[0]).toBeCloseTo(0.25 / 0.3, 6);
    expect(weights[2]).toBeCloseTo(0.05 / 0.3, 6);
    // A margin of r has no loss, but every row keeps some weight.
    expect(weights[1]).toBeGreaterThan(0);
    expect(weights[1]).toBeLessThan(1e-6);
    expect(weights[0] + weights[1] + weights[2]).toBeCloseTo(1, 12);
  });

  test("without any loss leaves the weights as they are", () => {
    const distribution = Float64Array.of(0.5, 0.5);
    expect([...reweighted(Float64Array.of(0.8, 0.8), distribution, loss)]).toEqual([0.5, 0.5]);
  });
});

const losses = fc.record({
  r: fc.constantFrom(0.7, 0.75, 0.8, 0.85, 0.9, 0.95),
  mu: fc.constantFrom(0.01, 0.05, 0.1),
});
const rows = fc.array(fc.tuple(margin, margin, fc.double({ min: 0.01, max: 1, noNaN: true })), {
  minLength: 1,
  maxLength: 30,
});

function split(cases: [number, number, number][]) {
  const total = cases.reduce((sum, [, , weight]) => sum + weight, 0);
  return {
    before: AdditiveMargins.none(cases.length).plus(
      Float64Array.from(cases, ([a]) => a),
      2.5,
    ),
    gamma: Float64Array.from(cases, ([, gamma]) => gamma),
    distribution: Float64Array.from(cases, ([, , weight]) => weight / total),
  };
}

describe("bestAlpha", () => {
  test("finds the minimum that a dense grid of α finds", () => {
    fc.assert(
      fc.property(rows, losses, (cases: [number, number, number][], loss: MarginLoss) => {
        const { before, gamma, distribution } = split(cases);
        const valueAt = (alpha: number) =>
          meanMarginLoss(before.plus(gamma, alpha).values, distribution, loss);
        const found = valueAt(bestAlpha(before, gamma, distribution, loss));
        // α = S·u/(1 − u): dense near zero and far out.
        let least = Infinity;
        for (let k = 0; k <= 2000; k++) {
          const share = (LARGEST_SHARE * k) / 2000;
          least = Math.min(least, valueAt((before.total * share) / (1 - share)));
        }
        expect(found).toBeLessThanOrEqual(least + 1e-12);
      }),
      { numRuns: 100 },
    );
  });

  test("is what one computes by hand", () => {
    // One row with a = 0.2 and γ = 0.8 reaches r = 0.5 at u = ½, so at α = S.
    const before = AdditiveMargins.none(1).plus(Float64Array.of(0.2), 3);
    expect(bestAlpha(before, Float64Array.of(0.8), Float64Array.of(1), { r: 0.5, mu: 0.1 })).toBeCloseTo(
      3,
      9,
    );
  });

  test("is 1 for the first layer, 0 for a layer that only harms, and bounded for one that is always better", () => {
    const loss = { r: 0.9, mu: 0.05 };
    const one = Float64Array.of(1);
    expect(bestAlpha(AdditiveMargins.none(1), Float64Array.of(-1), one, loss)).toBe(1);
    const before = AdditiveMargins.none(1).plus(Float64Array.of(0.5), 1);
    expect(bestAlpha(before, Float64Array.of(-0.5), one, loss)).toBe(0);
    expect(bestAlpha(before, Float64Array.of(0.5), one, loss)).toBe(0);
    expect(bestAlpha(before, Float64Array.of(0.7), one, loss)).toBeCloseTo(1023, 6);
  });
});

describe("AdditiveMargins", () => {
  test("is the weighted mean of the layers' margins", () => {
    const margins = AdditiveMargins.none(2)
      .plus(Float64Array.of(1, -1), 1)
      .plus(Float64Array.of(0, 0.5), 3)
      .plus(Float64Array.of(0.4, 0.2), 4);
    expect(margins.total).toBe(8);
    expect(margins.values[0]).toBeCloseTo((1 + 0 + 1.6) / 8, 12);
    expect(margins.values[1]).toBeCloseTo((-1 + 1.5 + 0.8) / 8, 12);
  });
});
