import { expect, it } from "vitest";
import { type CascadeModel, cascadeLeaves } from "#core/learners/cascade/cascade-model.js";
import { deepCascade } from "#core/learners/cascade/deep-cascade.js";
import { deepCascadePerceptron } from "#core/learners/cascade/kernel-cascades.js";
import { growthFunctionExact } from "#core/theory/vc/growth-function.js";
import { logCascadeGrowth } from "#core/theory/vc/growth-of-families.js";
import { noisySample } from "../adaboost/noisy-sample.js";

const confidence = 0.95;
const sample = noisySample(200, 2, 2, 4);

function growthOf(model: CascadeModel) {
  return model.certificates?.({ confidence }).find(({ name }) => name === "growth-function-exact");
}

it("a cascade of polynomials has a certificate that counts how it can label rows", async () => {
  const model = await deepCascadePerceptron({
    degrees: [1, 2],
    minDepth: 2,
    maxDepth: 2,
    fractions: [0.3, 0.6],
    gammas: [0.01],
  }).fit(sample);
  const certificate = growthOf(model);
  // Two features have 3 monomials up to degree 1 and 6 up to degree 2.
  const dimensions = cascadeLeaves(model.levels).map(({ degree }) => (degree === 1 ? 3 : 6));
  const errors = model.predict(sample.features).filter((label, i) => label !== sample.labels[i]).length;
  expect(certificate).toEqual(
    growthFunctionExact({
      rows: 200,
      errors,
      confidence,
      logGrowth: (points) => logCascadeGrowth(points, dimensions),
      // At most 2 levels, 2 degrees at each of the 2.
      logChoices: Math.log(2) + 2 * Math.log(2),
    }),
  );
  expect(certificate?.value).toBeLessThan(0.8);
});

it("a cascade without finite dimension, or with threshold gates, has none", async () => {
  const gaussian = await deepCascadePerceptron({ kernel: "rbf", maxDepth: 1, gammas: [0.01] }).fit(sample);
  expect(growthOf(gaussian)).toBeUndefined();
  // Its bounds are never below 1, so they take no share of the risk from others.
  for (const { role, value, holds } of gaussian.certificates?.({ confidence }) ?? []) {
    expect(role).toBe("comparison");
    expect(!holds || value >= 1).toBe(true);
  }
  const thresholds = await deepCascade({
    leaves: ["kernel-1"],
    maxDepth: 2,
    minDepth: 2,
    gammas: [0.01],
    fractions: [0.5],
    cGrid: [1],
  }).fit(sample);
  expect(growthOf(thresholds)).toBeUndefined();
});
