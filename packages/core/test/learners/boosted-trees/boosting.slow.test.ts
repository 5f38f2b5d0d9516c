import { describe, expect, it } from "vitest";
import { BinnedColumns } from "#core/encode/binned-columns.js";
import { Sample } from "#core/encode/sample.js";
import { boostedTrees } from "#core/learners/boosted-trees/boosted-trees.js";
import { Random } from "#core/runtime/maths/random.js";
import { importanceOf } from "./importance.js";
import { baseOf, type LiteralOptions, literalBoosting } from "./literal-boosting.js";
import { type RandomBins, randomBins } from "./random-bins.js";

const usual: LiteralOptions = {
  rounds: 3,
  learningRate: 0.5,
  maxDepth: 3,
  lambda: 1,
  gamma: 0,
  minChildWeight: 0.1,
};

/** Without λ and limits the best of all sets of categories is found (Fisher); with them, the best of some. */
const anySet = { lambda: 0, minChildWeight: 0 };

/** The scores of a model beside those of the literal algorithm. */
async function compare(shape: RandomBins, options: LiteralOptions, seed: number): Promise<void> {
  const sample = randomBins(new Random(seed), shape);
  const model = await boostedTrees({ ...options }).fit(sample);
  const scores = model.scores(sample.features);
  literalBoosting(sample, options).forEach((margins, i) => {
    const logits = margins.length === 1 ? [0, margins[0]] : margins;
    const total = logits.reduce((sum, margin) => sum + Math.exp(margin), 0);
    logits.forEach((margin, k) => {
      expect(scores.values[i * scores.columns + k]).toBeCloseTo(Math.exp(margin) / total, 5);
    });
  });
}

describe("boosted trees are those of the literal algorithm", () => {
  it.each<[string, RandomBins, Partial<LiteralOptions>]>([
    ["numbers", { rows: 40, numbers: 3 }, {}],
    ["missing cells", { rows: 40, numbers: 3, missing: 0.3 }, {}],
    ["more than a block of features", { rows: 60, numbers: 13, missing: 0.1 }, {}],
    ["features of two values", { rows: 900, numbers: 15, twoValued: 11, missing: 0.1 }, { rounds: 2 }],
    ["deeper trees", { rows: 60, numbers: 5 }, { maxDepth: 6, minChildWeight: 0 }],
    ["stumps", { rows: 30, numbers: 3 }, { maxDepth: 1, rounds: 6 }],
    ["a large gamma", { rows: 40, numbers: 3 }, { gamma: 0.7 }],
    ["a large least weight", { rows: 60, numbers: 3 }, { minChildWeight: 2 }],
    ["a large lambda", { rows: 40, numbers: 3 }, { lambda: 10 }],
    ["several classes", { rows: 50, numbers: 4, classes: 4, missing: 0.1 }, {}],
    ["categories", { rows: 40, numbers: 1, categories: 2 }, anySet],
    ["categories with missing cells", { rows: 40, numbers: 0, categories: 2, missing: 0.2 }, anySet],
    ["categories of several classes", { rows: 50, numbers: 1, categories: 2, classes: 3 }, anySet],
  ])("with %s", async (_, shape, options) => {
    for (let seed = 0; seed < (shape.rows > 100 ? 1 : 6); seed++)
      await compare(shape, { ...usual, ...options }, seed);
  });
});

it("a leaf is −G / (H + λ), by hand", async () => {
  const features = new BinnedColumns(
    6,
    [{ kind: "numeric", name: "x", cuts: Float64Array.of(0) }],
    Uint8Array.of(0, 0, 0, 1, 1, 1),
  );
  const sample = new Sample({ features, labels: Int32Array.of(0, 0, 1, 1, 1, 1), classes: ["no", "yes"] });
  const model = await boostedTrees({ rounds: 1, learningRate: 1, lambda: 0.5, minChildWeight: 0 }).fit(
    sample,
  );
  // Before the tree p = 2/3 for all. Left G = 3 · 2/3 − 1 = 1, right G = 3 · 2/3 − 3 = −1, both H = 3 · 2/9.
  const step = 1 / (2 / 3 + 0.5);
  const yes = (margin: number) => 1 / (1 + Math.exp(-margin));
  expect(model.scores(features).row(0)[1]).toBeCloseTo(yes(Math.log(2) - step), 6);
  expect(model.scores(features).row(5)[1]).toBeCloseTo(yes(Math.log(2) + step), 6);
  // 1 / (H + λ) on both sides, and G = 0 before.
  expect(model.gains[0]).toBeCloseTo(2 * step, 5);
});

it.each([2, 4])("the loss of %i classes falls in every round and is that of the scores", async (classes) => {
  const sample = randomBins(new Random(5), { rows: 501, numbers: 5, classes, missing: 0.1 });
  const model = await boostedTrees({ rounds: 40 }).fit(sample);
  const { trainingLosses } = model;
  for (let round = 1; round < 40; round++)
    expect(trainingLosses[round]).toBeLessThan(trainingLosses[round - 1]);
  const scores = model.scores(sample.features);
  const weights = sample.weights ?? new Float64Array();
  let [loss, total] = [0, 0];
  sample.labels.forEach((label, i) => {
    loss -= weights[i] * Math.log(scores.row(i)[label]);
    total += weights[i];
  });
  expect(trainingLosses[39]).toBeCloseTo(loss / total, 6);
});

it("missing cells go where they fit best, on either side", async () => {
  const random = new Random(2);
  for (const ofMissing of [0, 1]) {
    const bins = Uint8Array.from({ length: 200 }, (_, i) => (i % 4 === 0 ? 255 : random.integer(4)));
    const features = new BinnedColumns(
      200,
      [{ kind: "numeric", name: "x", cuts: Float64Array.of(1, 2, 3) }],
      bins,
    );
    const labels = Int32Array.from(bins, (bin) => (bin === 255 ? ofMissing : Number(bin > 1)));
    const sample = new Sample({ features, labels, classes: ["low", "high"] });
    const model = await boostedTrees({ rounds: 20, maxDepth: 1 }).fit(sample);
    expect(model.predict(features)).toEqual(labels);
    expect(model.trees.nodesOf(0)).toBe(3);
  }
});

it("is the same if there are too many histograms to keep", async () => {
  const { features, labels, classes } = randomBins(new Random(9), { rows: 600, numbers: 9, weighted: false });
  const wide = Array.from({ length: 1500 }, (_, j) => features.features[j % 9]);
  // All features but the first nine are constant.
  const bins = new Uint8Array(600 * wide.length);
  bins.set(features.bins);
  const options = { rounds: 2, maxDepth: 10, minChildWeight: 0, lambda: 0.1 };
  const narrow = await boostedTrees(options).fit(new Sample({ features, labels, classes }));
  const sample = new Sample({ features: new BinnedColumns(600, wide, bins), labels, classes });
  const model = await boostedTrees(options).fit(sample);
  expect(model.trees.leavesOf(0)).toBeGreaterThan(150);
  expect({ ...model.trees.arrays, columns: 9 }).toEqual(narrow.trees.arrays);
});

it("integer weights act like repeated rows", async () => {
  const sample = randomBins(new Random(8), { rows: 120, numbers: 4, categories: 1, weighted: false });
  const weights = Float64Array.from({ length: 120 }, (_, i) => 1 + (i % 3));
  const repeated = sample.select(
    Array.from(weights, (weight, i) => new Array<number>(weight).fill(i)).flat(),
  );
  const learner = boostedTrees({ rounds: 20 });
  const [once, often] = [await learner.fit(sample.weighted(weights)), await learner.fit(repeated)];
  const expected = often.scores(sample.features).values;
  once.scores(sample.features).values.forEach((score, k) => {
    expect(score).toBeCloseTo(expected[k], 4);
  });
});

it("a model without splits gives the class frequencies", async () => {
  const sample = randomBins(new Random(1), { rows: 60, numbers: 2, classes: 3 });
  const model = await boostedTrees({ rounds: 1, minChildWeight: 1e6 }).fit(sample);
  const total = baseOf(sample).map(Math.exp);
  model
    .scores(sample.features)
    .row(0)
    .forEach((score, k) => {
      expect(score).toBeCloseTo(total[k], 6);
    });
  expect(importanceOf(model)).toEqual({ x1: 0, x2: 0 });
  expect(model.notices).toHaveLength(1);
});
