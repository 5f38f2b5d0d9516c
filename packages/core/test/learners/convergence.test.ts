import { describe, expect, it } from "vitest";
import { learnerNamed, type Model, Table } from "vouch";
import { type Features, fitEncoder, labelledSample, Random, type Sample } from "vouch/extend";

/** Points in the plane whose classes overlap. */
function overlapping(encoding: Parameters<typeof fitEncoder>[2], classes: number): Sample<Features> {
  const random = new Random(7);
  const labels = Int32Array.from({ length: 60 }, (_, i) => i % classes);
  const features = Table.fromColumns("points", {
    x: Float64Array.from(labels, (k) => random.normal() + 1.5 * Math.cos(k)),
    y: Float64Array.from(labels, (k) => random.normal() + 1.5 * Math.sin(k)),
  });
  const names = Array.from({ length: classes }, (_, k) => `class ${k}`);
  return labelledSample(fitEncoder(features, { target: "class", classes: names }, encoding), {
    features,
    labels,
  });
}

/** Fits a learner by name, and checks that its model says the same after it is restored. */
async function fitted(name: string, options: Record<string, unknown> = {}, classes = 2): Promise<Model> {
  const kind = await learnerNamed(name);
  const learner = kind.create(options);
  const model = await learner.fit(overlapping(learner.encoding, classes), {});
  expect(kind.restore(model.toState()).converged).toBe(model.converged);
  return model;
}

/** A small search. */
const cascade = { maxDepth: 2, gammas: [0.01], fractions: [0.5], cGrid: [1] };
const kernels = { ...cascade, leaves: ["kernel-2"] };

/** Options that let the solver finish, and a change that stops it early. */
const solvers: [name: string, options: Record<string, unknown>, early: Record<string, unknown>][] = [
  ["svm", {}, { maxIterations: 1 }],
  ["linear-svm", {}, { maxPasses: 1, tolerance: 1e-9 }],
  ["logistic", {}, { maxIterations: 1 }],
  ["relaxed-hierarchy", {}, { maxIterations: 1, tolerance: 1e-9 }],
  ["deep-cascade", kernels, { maxIterations: 1 }],
  ["deep-cascade-svm", cascade, { maxIterations: 1 }],
  ["one-vs-one", { base: "svm" }, { baseOptions: { maxIterations: 1 } }],
];

describe("Model.converged", () => {
  it.each(solvers)("of %s tells whether the solver reached its tolerance", async (name, options, early) => {
    expect((await fitted(name, options)).converged).toBe(true);
    expect((await fitted(name, { ...options, ...early })).converged).toBe(false);
  });

  it.each(["one-vs-one", "one-vs-rest", "dag-svm"])(
    "of %s is that of all its machines, and absent if it does not apply to them",
    async (name) => {
      for (const base of ["svm", "linear-svm"]) {
        const early = base === "svm" ? { maxIterations: 1 } : { maxPasses: 1, tolerance: 1e-9 };
        expect((await fitted(name, { base }, 3)).converged).toBe(true);
        expect((await fitted(name, { base, baseOptions: early }, 3)).converged).toBe(false);
      }
      expect(await fitted(name, { base: "stump" }, 3)).not.toHaveProperty("converged");
    },
  );

  it("of perceptron is true once every training row is right", async () => {
    const separable = await fitted("perceptron", { kernel: "rbf", gamma: 100, passes: 50 });
    expect(separable.converged).toBe(true);
    const noisy = await fitted("perceptron", { degree: 1, passes: 50 });
    expect(noisy.converged).toBe(false);
    const averaged = await fitted("perceptron", { degree: 1, passes: 50, averaged: true });
    expect(averaged).not.toHaveProperty("converged");
  });

  it("of networks is false after divergence and true after early stopping", async () => {
    expect((await fitted("mlp", { layers: [4], learningRate: 1e6, epochs: 3 })).converged).toBe(false);
    expect(
      (await fitted("mlp", { layers: [4], patience: 1, learningRate: 0.1, epochs: 500 })).converged,
    ).toBe(true);
    expect(await fitted("mlp", { layers: [4], patience: 0, epochs: 2 })).not.toHaveProperty("converged");
  });

  it.each(["majority", "stump", "adaboost", "forest", "boosted-trees"])("is absent for %s", async (name) => {
    expect(await fitted(name)).not.toHaveProperty("converged");
  });
});
