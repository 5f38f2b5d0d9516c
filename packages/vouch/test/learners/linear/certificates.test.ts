import { describe, expect, it, test } from "vitest";
import { losses, solveLinearSvmSync } from "#vouch/learners/linear/dual-coordinate-descent.js";
import { LinearSvmModel } from "#vouch/learners/linear/linear-model.js";
import { LinearRows } from "#vouch/learners/linear/linear-rows.js";
import { linearSvm } from "#vouch/learners/linear/linear-svm.js";
import { noisySample } from "../adaboost/noisy-sample.js";

const confidence = 0.95;
const sample = noisySample(300, 3, 2, 6);

describe("the support vectors", () => {
  it.each(losses)("alone give the same machine: %s", (loss) => {
    const rows = LinearRows.of(sample.features);
    const solve = (taken: Int32Array) =>
      solveLinearSvmSync(
        {
          rows,
          taken,
          labels: Int8Array.from(taken, (row) => (sample.labels[row] === 0 ? 1 : -1)),
          upperBounds: new Float64Array(taken.length).fill(1),
          loss,
          bias: 1,
        },
        { tolerance: 1e-9, maxPasses: 100_000, seed: 1 },
      );
    const all = solve(Int32Array.from(sample.labels.keys()));
    const support = Int32Array.from(sample.labels.keys()).filter((row) => all.coefficients[row] !== 0);
    expect(support.length).toBeLessThan(300);
    const again = solve(support);
    rows.release();
    expect(Array.from(again.weights)).toEqual(Array.from(all.weights, (weight) => expect.closeTo(weight, 6)));
    expect(again.bias).toBeCloseTo(all.bias, 6);
  });
});

test("a machine for two classes certifies itself by them and by its dimension, also from a file", async () => {
  const model = await linearSvm().fit(sample);
  const wrong = model.predict(sample.features).filter((label, i) => label !== sample.labels[i]).length;
  expect(model.training).toMatchObject({ rows: 300, errors: wrong, messages: 1 });
  const certificates = model.certificates({ confidence });
  expect(certificates.map(({ name }) => name)).toEqual(["compression", "growth-function-exact", "vc"]);
  expect(certificates[0].terms).toMatchObject({ "rows that determine it": model.supportVectors[0] });
  expect(certificates[2].terms.V).toBe(4);
  expect(certificates.every(({ holds }) => holds)).toBe(true);
  expect(LinearSvmModel.restore(model.toState()).certificates({ confidence })).toEqual(certificates);
  expect(model.complexity()).toMatchObject({ vcDimension: 4, counts: { features: 3, machines: 1 } });
  expect((await linearSvm({ bias: 0 }).fit(sample)).complexity().vcDimension).toBe(3);
});

test("balanced classes cost a count, and what the rows do not determine certifies nothing", async () => {
  const balanced = linearSvm({ classWeights: "balanced" });
  expect((await balanced.fit(sample)).training?.messages).toBe(301);
  const weights = new Float64Array(300).fill(2);
  expect((await balanced.fit(sample.weighted(weights))).certificates({ confidence })).toEqual([]);
  expect((await linearSvm().fit(noisySample(90, 3, 3, 2))).certificates({ confidence })).toEqual([]);
});

test("a solver that gave up proves nothing by support vectors", async () => {
  const model = await linearSvm({ maxPasses: 1, tolerance: 1e-9 }).fit(sample);
  const [compression] = model.certificates({ confidence });
  expect(compression.holds).toBe(false);
  expect(compression.reason).toBe("The solver stopped before it reached the optimum.");
});
