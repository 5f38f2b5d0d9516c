import { describe, expect, it } from "vitest";
import { Sample } from "#vouch/encode/sample.js";
import { learnerNamed } from "#vouch/learners/index.js";
import { mlp } from "#vouch/learners/net/mlp.js";
import { NetworkModel } from "#vouch/learners/net/network-model.js";
import { Matrix } from "#vouch/runtime/matrix.js";
import { Random } from "#vouch/runtime/random.js";
import type { State } from "#vouch/runtime/state.js";
import { threadExecutor } from "#vouch/runtime/threads.js";
import { referenceSums } from "./reference-network.js";

/** Rows around the corners of a triangle, or of its first two. */
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
  it("learns several classes, with probabilities that are those of the definition", async () => {
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

  it("tells two classes apart by a single output", async () => {
    const sample = blobs(200, ["no", "yes"]);
    const model = await mlp(quick).fit(sample);
    expect(model.weights.sizes).toEqual([2, 8, 1]);
    const [z] = referenceSums(model.weights, model, limited(sample.features.row(0)));
    expect(model.scores(sample.features).row(0)[1]).toBeCloseTo(1 / (1 + Math.exp(-z)), 4);
    expect(model.scores(sample.features).row(0)[0]).toBeCloseTo(1 / (1 + Math.exp(z)), 4);
    const softmax = await mlp({ ...quick, output: "softmax" }).fit(sample);
    expect(softmax.weights.sizes).toEqual([2, 8, 2]);
  });

  it("without hidden layers it is a linear model", async () => {
    const model = await mlp({ ...quick, layers: [] }).fit(blobs(200, ["no", "yes"]));
    const points = Matrix.from([
      [0, 0],
      [1, 1],
      [0.5, 0.5],
    ]);
    const [a, b, middle] = model.sums(points).values;
    expect(middle).toBeCloseTo((a + b) / 2, 5);
  });

  it("gives the same bits for any number of threads", async () => {
    const sample = blobs(120);
    const executor = threadExecutor({ threads: 2 });
    const [one, two] = [
      await mlp(quick).fit(sample, { seed: 4 }),
      await mlp(quick).fit(sample, { seed: 4, executor }),
    ];
    await executor.close();
    expect(two.toState()).toEqual(one.toState());
  });

  it("survives a round trip through its state; whatever is odd in a state is found", async () => {
    const sample = blobs(150, ["no", "yes"]);
    const model = await mlp(quick).fit(sample, { seed: 3 });
    const state = model.toState();
    const restored = learnerNamed("mlp").restore(state);
    expect(restored).toBeInstanceOf(NetworkModel);
    expect(restored.scores(sample.features)).toEqual(model.scores(sample.features));
    expect(restored.describe()).toEqual(model.describe());
    expect(restored.toState()).toEqual(state);
    expect(restored.certificates?.({ confidence: 0.9 })).toEqual(model.certificates({ confidence: 0.9 }));
    const weights = { shape: [8, 2], data: new Float32Array(16).fill(Number.NaN) };
    const { margins: _, ...withoutMargins } = state.tensors;
    const broken: State[] = [
      { ...state, tensors: { ...state.tensors, weights0: weights } },
      { ...state, tensors: withoutMargins },
      { ...state, tensors: { ...state.tensors, stranger: weights } },
      { ...state, json: { ...Object(state.json), sizes: [2, 8, 2] } },
      { ...state, json: { ...Object(state.json), best: 999 } },
      { ...state, json: { ...Object(state.json), classes: ["a", "b", "c"] } },
    ];
    for (const other of broken) {
      expect(() => NetworkModel.restore(other)).toThrowError(
        expect.objectContaining({ code: "model/corrupt" }),
      );
    }
  });

  it("describes itself with its curve of losses", async () => {
    const model = await mlp({ ...quick, patience: 0 }).fit(blobs(60));
    expect(model.describe()).toMatchObject({
      sizes: [2, 8, 3],
      parameters: 2 * 8 + 8 + 8 * 3 + 3,
      epochs: 20,
      bestEpoch: 20,
      stop: "all epochs done",
    });
    const { losses } = Object(model.describe());
    expect(losses).toHaveLength(20);
    expect(losses[19]).toEqual({ epoch: 20, trainingLoss: model.curve[19].trainingLoss });
    expect(model.notices).toEqual([]);
  });

  it("says when its training diverged, and has weights all the same", async () => {
    const sample = blobs(60);
    const model = await mlp({ ...quick, optimiser: "sgd", learningRate: 1e5 }).fit(sample);
    expect(model.notices).toHaveLength(1);
    expect(model.notices[0]).toMatch(
      /^Training diverged in epoch 1: .* The learning rate 100,000 is too large: try learningRate=10000\.$/,
    );
    expect(model.scores(sample.features).values.every(Number.isFinite)).toBe(true);
  });

  it("bounds its error by its margins and norms, and for two classes by Theorem 4.1", async () => {
    const sample = blobs(200, ["no", "yes"]);
    const model = await mlp(quick).fit(sample);
    const [margin, vc] = model.certificates({ confidence: 0.95 });
    expect([margin.name, vc.name]).toEqual(["network-margin", "vc"]);
    expect(vc.terms.V).toBe(model.complexity().vcDimension);
    expect(margin.holds).toBe(true);
    expect(Number.isFinite(margin.value)).toBe(true);
    expect(model.complexity().counts).toMatchObject({ parameters: 2 * 8 + 8 + 8 + 1, layers: 2, units: 8 });
    const several = await mlp(quick).fit(blobs(90));
    expect(several.certificates({ confidence: 0.95 }).map(({ name }) => name)).toEqual(["network-margin"]);
    expect(several.complexity().vcDimension).toBeUndefined();
  });
});

describe("bad input to mlp", () => {
  const fails = async (code: string, work: () => Promise<unknown>) => {
    await expect(work()).rejects.toMatchObject({ code });
  };

  it("options: no hidden units, too many, a rate of 0, a logistic output of three classes", async () => {
    for (const options of [{ layers: [0] }, { layers: [8, -1] }, { learningRate: 0 }, { batchSize: 0 }]) {
      expect(() => mlp(options)).toThrowError(expect.objectContaining({ code: "option/invalid" }));
    }
    await fails("memory/exhausted", () => mlp({ layers: [100_000, 100_000] }).fit(blobs(30)));
    await fails("learner/unsupported", () => mlp({ output: "logistic" }).fit(blobs(30)));
  });

  it("data: NaN, one class, no rows, numbers that are too many or too few", async () => {
    const sample = blobs(30);
    const holes = sample.features.select(sample.labels.map((_, i) => i));
    holes.values[5] = Number.NaN;
    await fails("data/not-finite", () => mlp(quick).fit(new Sample({ ...sample, features: holes })));
    await fails("data/one-class", () => mlp(quick).fit(sample.select([0, 3, 6])));
    await fails("data/no-rows", () => mlp(quick).fit(sample.select([])));
    const model = await mlp(quick).fit(sample);
    expect(() => model.predict(new Matrix(1, 3))).toThrowError(
      expect.objectContaining({ code: "data/malformed" }),
    );
    expect(model.predict(new Matrix(0, 2))).toHaveLength(0);
  });

  it("huge numbers, constant features and a batch beyond the sample give a sound model", async () => {
    const { labels, classes } = blobs(30);
    const values = Array.from(labels, (label, i) => [label === 1 ? 1e300 : -1e300, 7, i]);
    const sample = new Sample({ features: Matrix.from(values), labels, classes });
    const model = await mlp({ ...quick, batchSize: 100_000 }).fit(sample);
    expect(model.scores(sample.features).values.every(Number.isFinite)).toBe(true);
  });
});

/** What the network makes of features that are too far away. */
function limited(row: ArrayLike<number>): number[] {
  return Array.from(row, (value) => Math.max(-4, Math.min(4, value)));
}
