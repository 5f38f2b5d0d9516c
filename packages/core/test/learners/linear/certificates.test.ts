import { describe, expect, it, test } from "vitest";
import { losses, solveLinearSvm } from "#core/learners/linear/dual-coordinate-descent.js";
import { loadLinearRows } from "#core/learners/linear/linear-rows.js";
import { type LinearSvmModel, linearSvm } from "#core/learners/linear/linear-svm.js";
import { runNow } from "#core/runtime/parallel/pausable.js";
import { noisySample } from "../adaboost/noisy-sample.js";

const confidence = 0.95;
const sample = noisySample(300, 3, 2, 6);
const certificatesOf = (model: LinearSvmModel) => model.certificates?.({ confidence }) ?? [];

describe("the support vectors", () => {
  it.each(losses)("alone give the same machine: %s", async (loss) => {
    const rows = runNow(loadLinearRows(sample.features));
    const solve = (taken: Int32Array) =>
      solveLinearSvm(
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
    const all = await solve(Int32Array.from(sample.labels.keys()));
    const support = Int32Array.from(sample.labels.keys()).filter((row) => all.coefficients[row] !== 0);
    expect(support.length).toBeLessThan(300);
    const again = await solve(support);
    rows.release();
    expect(Array.from(again.weights)).toEqual(Array.from(all.weights, (weight) => expect.closeTo(weight, 6)));
    expect(again.bias).toBeCloseTo(all.bias, 6);
  });
});

test("support vectors certify a machine for two classes, and so does its dimension", async () => {
  const model = await linearSvm().fit(sample);
  const wrong = model.predict(sample.features).filter((label, i) => label !== sample.labels[i]).length;
  expect(model.compression).toMatchObject({ rows: 300, errors: wrong, messages: 1 });
  const certificates = certificatesOf(model);
  expect(certificates.map(({ name }) => name)).toEqual(["compression", "growth-function-exact", "vc"]);
  expect(certificates[0].terms).toMatchObject({ "rows that determine it": model.supportVectors[0] });
  expect(certificates[2].terms.V).toBe(4);
  expect(certificates.every(({ holds }) => holds)).toBe(true);
  expect(model.complexity()).toMatchObject({ vcDimension: 4, counts: { features: 3, machines: 1 } });
  expect((await linearSvm({ bias: 0 }).fit(sample)).complexity().vcDimension).toBe(3);
});

test("balanced classes cost a count; models that support vectors do not determine have no certificate", async () => {
  const balanced = linearSvm({ classWeights: "balanced" });
  expect((await balanced.fit(sample)).compression?.messages).toBe(301);
  const weights = new Float64Array(300).fill(2);
  expect(certificatesOf(await balanced.fit(sample.weighted(weights)))).toEqual([]);
  expect(certificatesOf(await linearSvm().fit(noisySample(90, 3, 3, 2)))).toEqual([]);
});

test("support vectors certify nothing if the solver has not converged", async () => {
  const model = await linearSvm({ maxPasses: 1, tolerance: 1e-9 }).fit(sample);
  const [compression] = certificatesOf(model);
  expect(compression.holds).toBe(false);
  expect(compression.reason).toBe("The solver stopped before it reached the optimum.");
});

test("a file with more support vectors than rows is refused", async () => {
  const { json, tensors } = (await linearSvm().fit(sample)).toState();
  const { core, parts } = Object(json);
  const compression = { rows: 3, errors: 1, kept: 3, otherErrors: 1, messages: 1 };
  expect(() => linearSvm.restore({ json: { core, parts: { ...parts, compression } }, tensors })).toThrow(
    expect.objectContaining({ code: "model/corrupt" }),
  );
});
