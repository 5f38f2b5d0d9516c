import { describe, expect, it } from "vitest";
import type { BinnedColumns } from "#core/encode/binned-columns.js";
import type { Sample } from "#core/encode/sample.js";
import { boostedTrees } from "#core/learners/boosted-trees/boosted-trees.js";
import { errorsOn } from "#core/learners/training-summary.js";
import { Matrix } from "#core/runtime/maths/matrix.js";
import { Random } from "#core/runtime/maths/random.js";
import type { Progress } from "#core/runtime/parallel/run.js";
import { VouchError } from "#core/runtime/vouch-error.js";
import { fault } from "../../fault.js";
import { binnedSample, isOdd, noiseRows } from "../forest/binned-samples.js";
import { importanceOf } from "./importance.js";
import { randomBins } from "./random-bins.js";

it("learns XOR, which no single feature tells", async () => {
  const sample = noiseRows(800, 2, isOdd);
  const fresh = noiseRows(1000, 2, isOdd, { seed: 2, like: sample });
  const model = await boostedTrees({ rounds: 50 }).fit(sample);
  expect(errorsOn(model, fresh) / 1000).toBeLessThan(0.04);
  const scores = model.scores(fresh.features);
  const margins = model.margins(fresh);
  for (let i = 0; i < scores.rows; i++) {
    const [no, yes] = scores.row(i);
    expect(no + yes).toBeCloseTo(1, 12);
    expect(margins[i]).toBeCloseTo(fresh.labels[i] === 1 ? yes - no : no - yes, 12);
  }
});

it("refuses files whose trees, rounds and gains do not match", async () => {
  const sample = randomBins(new Random(1), { rows: 100, numbers: 2, classes: 3 });
  const model = await boostedTrees({ rounds: 4 }).fit(sample);
  for (const damage of [{ trainingLosses: new Float64Array(3) }, { gains: new Float32Array(1) }]) {
    const { json, tensors } = boostedTrees.assemble({ ...model, ...damage }).toState();
    expect(fault(() => boostedTrees.restore({ json, tensors })).code).toBe("model/corrupt");
  }
});

it.each([2, 4])("with few rounds is a prefix of one with many, for %i classes", async (classes) => {
  const sample = randomBins(new Random(4), { rows: 200, numbers: 4, classes });
  const options = { rowsPerTree: 0.8, columnsPerSplit: 0.5 };
  const learner = boostedTrees({ ...options, rounds: 20 });
  const long = await learner.fit(sample, { seed: 7 });
  const stages = Array.from(long.stagedPredictions?.(sample.features) ?? []);
  expect(stages).toHaveLength(20);
  for (const rounds of [1, 7, 20]) {
    const short = await boostedTrees({ ...options, rounds }).fit(sample, { seed: 7 });
    const prefix = learner.growth?.upTo(long, rounds);
    expect(prefix?.toState()).toEqual(short.toState());
    expect(prefix?.describe()).toEqual(short.describe());
    expect(stages[rounds - 1]).toEqual(short.predict(sample.features));
  }
  expect(learner.growth?.upTo(long, 500)).toBe(long);
});

describe("early stopping", () => {
  it("keeps the rounds up to the lowest held-out loss", async () => {
    // Noise: more rounds are worse on held-out rows.
    const sample = noiseRows(400, 5, (_, random) => random.integer(2));
    const learner = boostedTrees({ rounds: 300, learningRate: 0.3, patience: 5 });
    const notes: Progress[] = [];
    const model = await learner.fit(sample, { seed: 1, progress: (progress) => notes.push(progress) });
    expect(learner.growth).toBeUndefined();
    expect(model.stop).toBe("validation loss no longer falls");
    const losses = model.validationLosses ?? new Float64Array();
    const rounds = model.trainingLosses.length;
    expect(losses).toHaveLength(rounds);
    expect(Math.min(...losses)).toBe(losses[rounds - 1]);
    expect(notes.filter(({ done }) => done < 300)).toHaveLength(rounds + 5);
    expect(boostedTrees.restore(model.toState()).validationLosses).toEqual(losses);
    // As many rounds on the same rows give the same model.
    const again = await boostedTrees({ rounds, learningRate: 0.3, patience: 1000 }).fit(sample, { seed: 1 });
    expect(again.trees.arrays).toEqual(model.trees.arrays);
    expect(again.stop).toBe("all rounds done");
  });

  it("needs rows of two classes to train on", async () => {
    const sample = binnedSample([[0], [1]], [0, 1]);
    await expect(boostedTrees({ patience: 1, validation: 0.5 }).fit(sample)).rejects.toMatchObject({
      code: "data/too-few-rows",
    });
  });
});

describe("samples", () => {
  const sample = randomBins(new Random(6), { rows: 400, numbers: 8 });

  it("rows, which differ from tree to tree", async () => {
    const learner = boostedTrees({ rounds: 10, rowsPerTree: 0.5 });
    const [one, other] = [await learner.fit(sample, { seed: 1 }), await learner.fit(sample, { seed: 2 })];
    expect(one.toState()).not.toEqual(other.toState());
    // Rows that a tree has not seen also get its values: the loss is that of all rows.
    const scores = one.scores(sample.features);
    const weights = sample.weights ?? new Float64Array();
    const loss = sample.labels.reduce(
      (sum, label, i) => sum - weights[i] * Math.log(scores.row(i)[label]),
      0,
    );
    expect(one.trainingLosses[9]).toBeCloseTo(loss / weights.reduce((sum, weight) => sum + weight), 6);
  });

  it("features for each tree", async () => {
    const model = await boostedTrees({ rounds: 10, columnsPerTree: 0.25 }).fit(sample);
    const { nodes, nodeStarts } = model.trees.arrays;
    const all = new Set<number>();
    for (let t = 0; t < 10; t++) {
      const used = new Set<number>();
      for (let k = nodeStarts[t]; k < nodeStarts[t + 1]; k++) {
        if (nodes[2 * k + 1] >= 0) used.add(nodes[2 * k + 1] >> 10);
      }
      expect(used.size).toBeLessThanOrEqual(2);
      for (const feature of used) all.add(feature);
    }
    expect(all.size).toBeGreaterThan(2);
  });

  it("features for each split: even one of eight is used", async () => {
    const model = await boostedTrees({ rounds: 30, columnsPerSplit: 0.1 }).fit(sample);
    expect(Object.values(importanceOf(model)).every((share) => share > 0)).toBe(true);
  });
});

it("describes its size, losses and the importance of features", async () => {
  const sample = noiseRows(500, 4, ([, b]) => Number(b > 0.4));
  const model = await boostedTrees({ rounds: 10 }).fit(sample);
  const importance = importanceOf(model);
  expect(importance.x2).toBeGreaterThan(0.99);
  expect(Object.values(importance).reduce((sum, share) => sum + share)).toBeCloseTo(1, 12);
  const { facts, sections } = model.describe();
  expect(facts).toContainEqual({ name: "rounds", value: 10 });
  expect(facts).toContainEqual({ name: "training loss", value: model.trainingLosses[9] });
  expect(sections).toContainEqual(
    expect.objectContaining({ kind: "curve", series: [expect.objectContaining({ role: "train" })] }),
  );
  expect(model.complexity().freeParameters).toBeUndefined();
});

it("gives balanced classes the same total weight", async () => {
  const sample = noiseRows(1000, 1, (_, random) => Number(random.uniform() < 0.1));
  const model = await boostedTrees({ rounds: 1, classWeights: "balanced", minChildWeight: 1e6 }).fit(sample);
  expect(model.scores(sample.features).row(0)[1]).toBeCloseTo(0.5, 6);
});

describe("unusual input", () => {
  const sample = noiseRows(100, 2, isOdd);

  const codeOf = (given: Sample<BinnedColumns>) =>
    boostedTrees({ rounds: 2 })
      .fit(given)
      .then(
        () => "fitted",
        (error: unknown) => (error instanceof VouchError ? error.code : error),
      );

  it("refuses one class, no rows, matrices and huge weights", async () => {
    expect(await codeOf(binnedSample([[1], [2]], [0, 0]))).toBe("data/one-class");
    expect(await codeOf(sample.select([]))).toBe("data/no-rows");
    expect(await codeOf(sample.weighted(new Float64Array(100).fill(1e300)))).toBe("data/malformed");
    const untyped: { fit(sample: object): Promise<unknown> } = boostedTrees();
    const matrix = { ...sample, features: new Matrix(100, 2) };
    await expect(untyped.fit(matrix)).rejects.toMatchObject({ code: "data/wrong-kind" });
    const model = await boostedTrees({ rounds: 2 }).fit(sample);
    expect(fault(() => model.scores(noiseRows(3, 5, isOdd).features)).code).toBe("data/malformed");
  });

  it("takes constant features, missing cells, rows of weight 0 and classes without rows", async () => {
    const constant = binnedSample([[1], [1], [1]], [0, 1, 1]);
    const model = await boostedTrees({ rounds: 3 }).fit(constant);
    expect(model.scores(constant.features).row(0)[1]).toBeCloseTo(2 / 3, 5);
    expect(await codeOf(binnedSample([[Number.NaN], [Number.NaN], [Number.NaN]], [0, 1, 1]))).toBe("fitted");
    const weights = [0, 1, 1, 1, 1, 0];
    const rows = [[9], [0], [1], [2], [3], [9]];
    const labels = [0, 0, 0, 1, 1, 0];
    const options = { rounds: 3, minChildWeight: 0 };
    const weighted = await boostedTrees(options).fit(binnedSample(rows, labels, weights));
    const fewer = binnedSample(rows, labels).select([1, 2, 3, 4]);
    expect(weighted.toState()).toEqual((await boostedTrees(options).fit(fewer)).toState());
    const absent = await boostedTrees({ rounds: 3 }).fit(
      binnedSample([[0], [1], [2]], [0, 1, 0], undefined, 4),
    );
    expect(absent.scores(constant.features).row(0)[3]).toBeLessThan(1e-6);
  });

  it("takes 300 classes", async () => {
    const rows = Array.from({ length: 900 }, (_, i) => [i % 300, Math.floor((i % 300) / 20)]);
    const given = binnedSample(
      rows,
      rows.map(([label]) => label),
    );
    const model = await boostedTrees({ rounds: 2, minChildWeight: 0, learningRate: 1 }).fit(given);
    expect(errorsOn(model, given) / 900).toBeLessThan(0.4);
  });

  it("gives no NaN with extreme options and weights", async () => {
    for (const options of [
      { lambda: 0, minChildWeight: 0, learningRate: 1, rounds: 200 },
      { lambda: 1e300, rounds: 3 },
      { gamma: 1e300, rounds: 3 },
    ]) {
      for (const scale of [1e-90, 1, 1e90]) {
        const weights = new Float64Array(100).fill(scale);
        const model = await boostedTrees(options).fit(sample.weighted(weights));
        expect(model.scores(sample.features).values.every((score) => score >= 0 && score <= 1)).toBe(true);
        expect(model.trainingLosses.every((loss) => loss >= 0 && loss < 1)).toBe(true);
      }
    }
  });
});
