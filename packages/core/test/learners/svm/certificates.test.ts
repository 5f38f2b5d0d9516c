import { describe, expect, it, test } from "vitest";
import { Sample } from "#core/encode/sample.js";
import { rowValues } from "#core/learners/kernel/kernel-features.js";
import { type SvmModel, svm } from "#core/learners/svm/svm.js";
import { Matrix } from "#core/runtime/maths/matrix.js";
import { logHalfSpaceGrowth } from "#core/theory/vc/growth-of-families.js";
import { noisySample } from "../adaboost/noisy-sample.js";

const confidence = 0.95;
const sample = noisySample(300, 3, 2, 6);
const fresh = noisySample(2000, 3, 2, 7);

const certificatesOf = (model: SvmModel) => model.certificates?.({ confidence }) ?? [];

/** Returns the rows of the sample that are support vectors. */
function supportRows({ features, rows }: Sample, { machines }: SvmModel): number[] {
  const { supportVectors } = machines;
  const known = new Set(
    Array.from({ length: supportVectors.rows }, (_, s) => rowValues(supportVectors, s).join()),
  );
  return Array.from({ length: rows }, (_, i) => i).filter((i) => known.has(features.row(i).join()));
}

describe("the support vectors", () => {
  it.each([
    ["linear", svm({ kernel: "linear", C: 1 })],
    ["polynomial", svm({ kernel: "polynomial", degree: 3, C: 5 })],
    ["rbf", svm({ kernel: "rbf", gamma: 0.5, C: 1 })],
    ["rbf with a small C", svm({ kernel: "rbf", gamma: 0.5, C: 0.05 })],
  ])("alone give the same machine up to the solver's tolerance: %s", async (_, learner) => {
    const model = await learner.fit(sample);
    const rows = supportRows(sample, model);
    expect(rows).toHaveLength(model.machines.supportVectors.rows);
    expect(rows.length).toBeLessThan(sample.rows);
    const again = await learner.fit(sample.select(rows));
    expect(again.predict(sample.features)).toEqual(model.predict(sample.features));
    const [a, b] = [again, model].map((machine) =>
      Array.from(machine.machines.decisionValues(fresh.features).values),
    );
    const difference = Math.max(...a.map((value, i) => Math.abs(value - b[i])));
    expect(difference).toBeLessThan(0.02);
  });
});

test("support vectors certify a machine, and so does its dimension if it is finite", async () => {
  const rbf = await svm().fit(sample);
  const wrong = rbf.predict(sample.features).filter((label, i) => label !== sample.labels[i]).length;
  const kept = rbf.machines.supportVectors.rows;
  expect(rbf.compression).toEqual({ rows: 300, errors: wrong, kept, otherErrors: 0, messages: 1 });
  const certificates = certificatesOf(rbf);
  expect(certificates.map(({ name }) => name)).toEqual(["compression"]);
  expect(certificates[0].terms).toMatchObject({ "rows that determine it": kept });
  const linear = await svm({ kernel: "linear" }).fit(sample);
  const byDimension = certificatesOf(linear);
  expect(byDimension.map(({ name }) => name)).toEqual(["compression", "growth-function-exact", "vc"]);
  expect(byDimension[2].terms.V).toBe(4);
});

test("balanced classes cost a count; probabilities have no certificate", async () => {
  const balanced = await svm({ classWeights: "balanced" }).fit(sample);
  expect(balanced.compression?.messages).toBe(301);
  expect(certificatesOf(balanced)[0].terms["ln(messages)"]).toBeCloseTo(Math.log(301), 12);
  const probable = await svm({ probability: true }).fit(sample);
  expect(certificatesOf(probable)).toEqual([]);
});

describe("machines of several classes", () => {
  const several = noisySample(400, 2, 3, 2);

  it.each([
    ["linear", svm({ kernel: "linear", C: 1 })],
    ["rbf", svm({ kernel: "rbf", gamma: 0.5, C: 10 })],
    ["rbf with C = 1", svm({ kernel: "rbf", gamma: 0.5, C: 1 })],
  ])("are determined by the support vectors of all of them: %s", async (_, learner) => {
    const model = await learner.fit(several);
    const rows = supportRows(several, model);
    expect(rows).toHaveLength(model.machines.supportVectors.rows);
    expect(rows.length).toBeLessThan(several.rows);
    const again = await learner.fit(several.select(rows));
    const [a, b] = [again, model].map((machine) =>
      Array.from(machine.machines.decisionValues(several.features).values),
    );
    const difference = Math.max(...a.map((value, i) => Math.abs(value - b[i])));
    expect(difference).toBeLessThan(0.02);
  });

  it("are certified together", async () => {
    const model = await svm({ kernel: "linear", C: 10 }).fit(several);
    const wrong = model.predict(several.features).filter((label, i) => label !== several.labels[i]).length;
    expect(model.compression).toMatchObject({ rows: 400, otherErrors: 0, messages: 1 });
    expect(model.compression?.errors).toBeGreaterThanOrEqual(wrong);
    const certificates = certificatesOf(model);
    expect(certificates.map(({ name }) => name)).toEqual(["compression", "growth-function-exact"]);
    const [compression, exact] = certificates;
    expect(compression.terms).toMatchObject({ "rows that determine it": model.machines.supportVectors.rows });
    // Three straight machines in the plane.
    expect(exact.terms["ln Π(m + u)"]).toBeCloseTo(3 * logHalfSpaceGrowth(2000, 3), 10);
  });

  it("with balanced classes cost the numbers of their rows, unless these are too many to count", async () => {
    const balanced = await svm({ classWeights: "balanced" }).fit(several);
    expect(balanced.compression?.messages).toBe(401 ** 2);
    const many = Array.from({ length: 400 }, (_, i) => [i % 20, i]);
    const twenty = new Sample({
      features: Matrix.from(many),
      labels: Int32Array.from(many, ([label]) => label),
      classes: Array.from({ length: 20 }, (_, k) => `class ${k}`),
    });
    expect(certificatesOf(await svm({ classWeights: "balanced" }).fit(twenty))).toEqual([]);
    expect(certificatesOf(await svm().fit(twenty))).toHaveLength(1);
  });
});

test("support vectors certify nothing if the solver has not converged", async () => {
  const model = await svm({ maxIterations: 3, tolerance: 1e-9 }).fit(sample);
  const [compression] = certificatesOf(model);
  expect(compression.holds).toBe(false);
  expect(compression.reason).toBe("The solver stopped before it reached the optimum.");
});
