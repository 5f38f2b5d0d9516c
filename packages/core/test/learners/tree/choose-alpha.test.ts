import { expect, it } from "vitest";
import { chooseSubtree } from "#core/learners/tree/grow-and-prune.js";

const fold = (alphas: readonly number[], errors: readonly number[], weight = 1) => ({
  alphas: Float64Array.from(alphas),
  errors: Float64Array.from(errors, (error) => error * weight),
  squares: Float64Array.from(errors, (error) => error * weight * weight),
});

/** The subtrees of the whole tree are judged at √(0 · 0.01) = 0, √(0.01 · 0.04) = 0.02 and ∞. */
const alphas = Float64Array.of(0, 0.01, 0.04);

/** Errors of the three subtrees: 9 + 8, 6 + 5 and 30 + 40 of 100 rows; the α's of a fold are its own. */
const folds = [fold([0, 0.015, 0.1], [9, 6, 30]), fold([0, 0.02, 0.03], [8, 5, 40])];

it("takes the subtree with the lowest cross-validated error at geometric means", () => {
  const chosen = chooseSubtree(alphas, folds, { sum: 100, sumOfSquares: 100 }, 0);
  expect(chosen).toEqual({
    index: 1,
    error: 0.11,
    standardError: expect.closeTo(Math.sqrt((0.11 * 0.89) / 100)),
  });
});

it("takes the smallest subtree within some standard errors, and the smaller one of equal ones", () => {
  const weights = { sum: 100, sumOfSquares: 100 };
  const close = [fold([0, 0.015, 0.1], [9, 6, 7]), fold([0, 0.02, 0.03], [8, 5, 6])];
  expect(chooseSubtree(alphas, close, weights, 0).index).toBe(1);
  expect(chooseSubtree(alphas, close, weights, 1).index).toBe(2);
  const equal = [fold([0], [6]), fold([0], [5])];
  expect(chooseSubtree(alphas, equal, weights, 0).index).toBe(2);
});

it("does not depend on the scale of the weights", () => {
  const heavy = [fold([0, 0.015, 0.1], [9, 6, 30], 2), fold([0, 0.02, 0.03], [8, 5, 40], 2)];
  const light = chooseSubtree(alphas, folds, { sum: 100, sumOfSquares: 100 }, 0);
  const chosen = chooseSubtree(alphas, heavy, { sum: 200, sumOfSquares: 400 }, 0);
  expect(chosen.error).toBeCloseTo(light.error, 12);
  expect(chosen.standardError).toBeCloseTo(light.standardError, 12);
});
