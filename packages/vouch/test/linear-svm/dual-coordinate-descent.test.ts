import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { losses, solveLinearSvmSync } from "#vouch/linear-svm/index.js";
import { noisyLabels, problemOn, randomFeatures } from "./random-problem.js";

const exact = { tolerance: 1e-9, maxPasses: 100_000, seed: 1 };

const shapes = fc.record({
  rows: fc.integer({ min: 2, max: 40 }),
  columns: fc.integer({ min: 1, max: 12 }),
  density: fc.constantFrom(0.2, 1),
  seed: fc.integer({ min: 0, max: 1000 }),
});
const settings = fc.record({
  loss: fc.constantFrom(...losses),
  bias: fc.constantFrom(0, 1, 2.5),
  C: fc.constantFrom(0.01, 1, 10),
});

describe("the solution", () => {
  it("has no duality gap, and w is the sum of the rows with their coefficients", () => {
    fc.assert(
      fc.property(shapes, settings, (shape, setting) => {
        const features = randomFeatures(shape);
        const problem = problemOn(features, noisyLabels(features, shape.seed), setting);
        try {
          const solution = solveLinearSvmSync(problem, exact);
          expect(solution.converged).toBe(true);
          const { objective, dualObjective, coefficients, weights, bias } = solution;
          expect(Math.abs(objective - dualObjective)).toBeLessThan(1e-7 * (1 + objective));
          for (let j = 0; j < features.columns; j++) {
            const sum = coefficients.reduce((s, c, i) => s + c * features.row(i)[j], 0);
            expect(weights[j]).toBeCloseTo(sum, 8);
          }
          const total = coefficients.reduce((s, c) => s + c, 0);
          expect(bias).toBeCloseTo(problem.bias ** 2 * total, 8);
        } finally {
          problem.rows.release();
        }
      }),
      { numRuns: 100 },
    );
  });
});
