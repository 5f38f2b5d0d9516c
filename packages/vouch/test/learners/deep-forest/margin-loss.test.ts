import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  marginLoss,
  marginLossSlope,
  meanMarginLoss,
  reweighted,
} from "#vouch/learners/deep-forest/margin-loss.js";

const loss = { r: 0.8, mu: 0.1 };

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
    const margin = fc.double({ min: -1, max: 1, noNaN: true });
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
    // A margin of r has no loss, but no row is lost altogether.
    expect(weights[1]).toBeGreaterThan(0);
    expect(weights[1]).toBeLessThan(1e-6);
    expect(weights[0] + weights[1] + weights[2]).toBeCloseTo(1, 12);
  });

  test("without any loss leaves the weights as they are", () => {
    const distribution = Float64Array.of(0.5, 0.5);
    expect([...reweighted(Float64Array.of(0.8, 0.8), distribution, loss)]).toEqual([0.5, 0.5]);
  });
});
