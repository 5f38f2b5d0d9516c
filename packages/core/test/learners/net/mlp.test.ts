import { describe, expect, it } from "vitest";
import { Sample } from "#core/encode/sample.js";
import { mlp } from "#core/learners/net/mlp.js";
import { networkSums } from "#core/learners/net/network-sums.js";
import type { State } from "#core/runtime/codec/state.js";
import { Matrix } from "#core/runtime/maths/matrix.js";
import { Random } from "#core/runtime/maths/random.js";
import { referenceSums } from "./reference-network.js";

/** Draws rows around the corners of a triangle, or around the first two. */
function blobs(rows: number, classes = ["a", "b", "c"], seed = 1): Sample<Matrix> {
  const random = new Random(seed);
  const labels = Int32Array.from({ length: rows }, (_, i) => i % classes.length);
  const corners = [
    [0, 0],
    [3, 0],
    [0, 3],
  ];
  const points = Array.from(labels, (label) => corners[label].map((x) => x + random.normal()));
  return new Sample({ features: Matrix.from(points), labels, classes, featureNames: ["x", "y"] });
}

const quick = { layers: [8], epochs: 20, learningRate: 0.02 };

describe("mlp", () => {
  it("learns several classes, with the probabilities of the definition", async () => {
    const sample = blobs(300);
    const model = await mlp(quick).fit(sample, { seed: 2 });
    const scores = model.scores(sample.features);
    const errors = model.predict(sample.features).filter((k, i) => k !== sample.labels[i]).length;
    expect(errors / 300).toBeLessThan(0.12);
    for (const i of [0, 17, 299]) {
      const sums = referenceSums(model.weights, model, limited(sample.features.row(i)));
      const total = sums.reduce((sum, z) => sum + Math.exp(z), 0);
      sums.forEach((z, k) => {
        expect(scores.row(i)[k]).toBeCloseTo(Math.exp(z) / total, 4);
      });
    }
  });

  it("trains on all rows for 1,000 steps if there are few, unless options say otherwise", async () => {
    // 300 rows in batches of 32 are 10 steps an epoch, 30 rows are one.
    const epochs = async (rows: number, options = {}) =>
      (await mlp({ layers: [2], ...options }).fit(blobs(rows))).curve.length;
    expect([await epochs(300), await epochs(30)]).toEqual([100, 1000]);
    expect([await epochs(300, { epochs: 7 }), await epochs(300, { minSteps: 2000 })]).toEqual([7, 200]);
    expect((await mlp({ layers: [2] }).fit(blobs(999))).curve[0].validationError).toBeUndefined();
    expect((await mlp({ layers: [2] }).fit(blobs(1000))).curve[0].validationError).toBeDefined();
  });

  it("has a single output for two classes", async () => {
    const sample = blobs(200, ["no", "yes"]);
    const model = await mlp(quick).fit(sample);
    expect(model.weights.sizes).toEqual([2, 8, 1]);
    const [z] = referenceSums(model.weights, model, limited(sample.features.row(0)));
    expect(model.scores(sample.features).row(0)[1]).toBeCloseTo(1 / (1 + Math.exp(-z)), 4);
    expect(model.scores(sample.features).row(0)[0]).toBeCloseTo(1 / (1 + Math.exp(z)), 4);
    const softmax = await mlp({ ...quick, output: "softmax" }).fit(sample);
    expect(softmax.weights.sizes).toEqual([2, 8, 2]);
  });

  it("is a linear model without hidden layers", async () => {
    const model = await mlp({ ...quick, layers: [] }).fit(blobs(200, ["no", "yes"]));
    const points = Matrix.from([
      [0, 0],
      [1, 1],
      [0.5, 0.5],
    ]);
    const [a, b, middle] = networkSums(model.weights, model, points).values;
    expect(middle).toBeCloseTo((a + b) / 2, 5);
  });

  it("refuses damaged models whose parts do not fit together", async () => {
    const stopping = mlp({ ...quick, patience: 5 });
    const { json, tensors } = (await stopping.fit(blobs(150, ["no", "yes"]), { seed: 3 })).toState();
    const { core, parts } = Object(json);
    const unit = { shape: [1], data: Float32Array.of(0) };
    const damaged: State[] = [
      { json: { core, parts: { ...parts, best: 999 } }, tensors },
      { json: { core: { ...core, classes: ["a", "b", "c"] }, parts }, tensors },
      { json: { core, parts: { ...parts, output: "softmax" } }, tensors },
      { json: { core, parts: { ...parts, curve: [{ trainingLoss: 1 }, ...parts.curve] } }, tensors },
      { json, tensors: { ...tensors, "weights.1.biases": unit } },
    ];
    for (const state of damaged) {
      expect(() => mlp.restore(state)).toThrowError(expect.objectContaining({ code: "model/corrupt" }));
    }
  });

  it("describes its layers, its training and the loss of every epoch", async () => {
    const model = await mlp({ ...quick, patience: 0 }).fit(blobs(60));
    const losses = model.curve.map(({ trainingLoss }) => trainingLoss);
    expect(losses).toHaveLength(20);
    expect(model.describe()).toMatchObject({
      facts: expect.arrayContaining([
        { name: "units per layer", value: [2, 8, 3] },
        { name: "parameters", value: 2 * 8 + 8 + 8 * 3 + 3 },
        { name: "epochs", value: 20 },
        { name: "best epoch", value: 20 },
        { name: "stop reason", value: "all epochs done" },
      ]),
      sections: [{ kind: "curve", quantity: "loss", series: [{ role: "train", values: losses }] }],
    });
    expect(model.notices).toEqual([]);
    const stopped = await mlp({ ...quick, patience: 5 }).fit(blobs(60));
    expect(stopped.describe()).toMatchObject({
      sections: [{ series: [{ role: "train" }, { role: "validation", name: "validation rows" }] }],
    });
  });

  it("says if training diverged, and still has finite weights", async () => {
    const sample = blobs(60);
    const model = await mlp({ ...quick, optimiser: "sgd", learningRate: 1e5 }).fit(sample);
    expect(model.notices).toHaveLength(1);
    expect(model.notices?.[0]).toMatch(
      /^Training diverged in epoch 1: .* The learning rate 100,000 is too large: try learningRate=10000\.$/,
    );
    expect(model.scores(sample.features).values.every(Number.isFinite)).toBe(true);
  });

  it("bounds its error by its margins and norms, and for two classes by Theorem 4.1", async () => {
    const sample = blobs(200, ["no", "yes"]);
    const model = await mlp(quick).fit(sample);
    const [margin, vc] = model.certificates?.({ confidence: 0.95 }) ?? [];
    expect([margin.name, vc.name]).toEqual(["network-margin", "vc"]);
    expect(vc.terms.V).toBe(model.complexity().vcDimension);
    expect(margin.holds).toBe(true);
    expect(Number.isFinite(margin.value)).toBe(true);
    expect(model.complexity().counts).toMatchObject({ parameters: 2 * 8 + 8 + 8 + 1, layers: 2, units: 8 });
    const several = await mlp(quick).fit(blobs(90));
    expect(several.certificates?.({ confidence: 0.95 }).map(({ name }) => name)).toEqual(["network-margin"]);
    expect(several.complexity().vcDimension).toBeUndefined();
  });
});

describe("mlp refuses", () => {
  const fails = async (code: string, work: () => Promise<unknown>) => {
    await expect(work()).rejects.toMatchObject({ code });
  };

  it("layers without units or too large, a rate of 0, a logistic output for three classes", async () => {
    for (const options of [{ layers: [0] }, { layers: [8, -1] }, { learningRate: 0 }, { batchSize: 0 }]) {
      expect(() => mlp(options)).toThrowError(expect.objectContaining({ code: "option/invalid" }));
    }
    await fails("memory/exhausted", () => mlp({ layers: [100_000, 100_000] }).fit(blobs(30)));
    await fails("learner/unsupported", () => mlp({ output: "logistic" }).fit(blobs(30)));
  });

  it("rows with NaN or another number of features", async () => {
    const sample = blobs(30);
    const holes = sample.features.select(sample.labels.map((_, i) => i));
    holes.values[5] = Number.NaN;
    await fails("data/not-finite", () => mlp(quick).fit(new Sample({ ...sample, features: holes })));
    const model = await mlp(quick).fit(sample);
    expect(() => model.predict(new Matrix(1, 3))).toThrowError(
      expect.objectContaining({ code: "data/malformed" }),
    );
    expect(model.predict(new Matrix(0, 2))).toHaveLength(0);
  });

  it("no huge numbers, constant features or batches beyond the sample", async () => {
    const { labels, classes } = blobs(30);
    const values = Array.from(labels, (label, i) => [label === 1 ? 1e300 : -1e300, 7, i]);
    const sample = new Sample({ features: Matrix.from(values), labels, classes });
    const model = await mlp({ ...quick, batchSize: 100_000 }).fit(sample);
    expect(model.scores(sample.features).values.every(Number.isFinite)).toBe(true);
  });
});

/** Clips features as the network does. */
function limited(row: ArrayLike<number>): number[] {
  return Array.from(row, (value) => Math.max(-4, Math.min(4, value)));
}
