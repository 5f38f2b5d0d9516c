import { describe, expect, it } from "vitest";
import { voteDivergence } from "#core/theory/forests/forest-votes.js";
import { firstOrderWeights, tandemWeights } from "#core/theory/forests/vote-weights.js";
import { pacBayesLoss } from "#core/theory/pac-bayes/pac-bayes.js";
import { fault } from "../fault.js";

const ROWS = 200;

/** The smallest value of a function of the weights of three voters, on a grid. */
function smallestOnGrid(boundAt: (weights: readonly number[]) => number): number {
  const steps = 200;
  let smallest = Number.POSITIVE_INFINITY;
  for (let a = 0; a <= steps; a++) {
    for (let b = 0; a + b <= steps; b++) {
      smallest = Math.min(smallest, boundAt([a / steps, b / steps, (steps - a - b) / steps]));
    }
  }
  return smallest;
}

describe("weights that minimise a bound on a vote", () => {
  it("are as good as the best of a grid, by single losses", () => {
    const losses = [0.1, 0.14, 0.3];
    const bound = (weights: ArrayLike<number>) =>
      pacBayesLoss(
        {
          loss: losses.reduce((sum, loss, h) => sum + loss * weights[h], 0),
          divergence: voteDivergence(weights),
          rows: ROWS,
        },
        0.05,
      );
    const found = bound(firstOrderWeights({ losses, rows: ROWS }, 0.95));
    expect(found).toBeLessThan(smallestOnGrid(bound) + 2e-3);
    expect(found).toBeLessThan(bound([1 / 3, 1 / 3, 1 / 3]) - 0.01);
  });

  it("are as good as the best of a grid, by losses of pairs", () => {
    const losses = [0.2, 0.02, 0.15, 0.02, 0.2, 0.15, 0.15, 0.15, 0.4];
    const tandem = (weights: ArrayLike<number>) =>
      losses.reduce((sum, loss, k) => sum + loss * weights[Math.floor(k / 3)] * weights[k % 3], 0);
    const bound = (weights: ArrayLike<number>) =>
      pacBayesLoss({ loss: tandem(weights), divergence: 2 * voteDivergence(weights), rows: ROWS }, 0.05);
    const weights = tandemWeights({ losses, rows: ROWS }, 0.95);
    expect(bound(weights)).toBeLessThan(smallestOnGrid(bound) + 2e-3);
    // The first two err on different rows, so both keep their vote; the third errs often, and with them.
    expect(weights[0]).toBeCloseTo(weights[1], 6);
    expect(weights[2]).toBeLessThan(0.1);
  });

  it("are equal for voters that are alike, and never worse than equal ones", () => {
    const alike = tandemWeights({ losses: new Float64Array(16).fill(0.1), rows: ROWS }, 0.95);
    expect(Array.from(alike)).toEqual([0.25, 0.25, 0.25, 0.25]);
    expect(Array.from(firstOrderWeights({ losses: [0.3, 0.3], rows: 1 }, 0.95))).toEqual([0.5, 0.5]);
  });

  it("need a loss for each pair, and rows", () => {
    expect(fault(() => tandemWeights({ losses: [0, 0, 0], rows: 9 }, 0.95)).code).toBe("option/invalid");
    expect(fault(() => firstOrderWeights({ losses: [0.1], rows: 0 }, 0.95)).code).toBe("option/invalid");
  });
});
