import { describe, expect, test } from "vitest";
import { binLike, binMatrix } from "#core/encode/bin-matrix.js";
import { BinnedColumns } from "#core/encode/binned-columns.js";
import { Sample } from "#core/encode/sample.js";
import { type AdaBoostModel, adaboost } from "#core/learners/adaboost/adaboost.js";
import { forest } from "#core/learners/forest/forest.js";
import { wasmMemory } from "#core/runtime/wasm/wasm-memory.js";
import { stratifiedHoldout } from "#core/table/splits.js";
import { fault } from "../../fault.js";
import { sampleOf } from "../small-samples.js";
import { boostedTrees as literalBoosting } from "./literal-tree-boosting.js";
import { noisySample } from "./noisy-sample.js";
import { boundsOf, stumpsOf, treesOf } from "./voters.js";

/** The same rows in bins; with so few rows every value has a bin of its own. */
function binned(sample: Sample): Sample<BinnedColumns> {
  return new Sample({ ...sample, features: binMatrix(sample.features) });
}

function onTrees(depth: number, rounds: number) {
  return adaboost({ weakLearner: "tree", depth, rounds });
}

test("is AdaBoost on trees found by trying all cuts, for any number of classes", async () => {
  for (const [classes, depth] of [
    [2, 1],
    [2, 3],
    [3, 2],
    [4, 3],
  ]) {
    const sample = noisySample(60, 3, classes, 30 + depth);
    const model = await onTrees(depth, 12).fit(binned(sample));
    const rows = Array.from({ length: sample.rows }, (_, i) => [...sample.features.row(i)]);
    const expected = literalBoosting(rows, [...sample.labels], classes, depth, 12);
    expect(model.rounds.length).toBe(expected.length);
    model.rounds.forEach(({ alpha, error, trainingError }, t) => {
      expect(2 * alpha).toBeCloseTo(expected[t].alpha, 8);
      expect(error).toBeCloseTo(expected[t].error, 9);
      expect(trainingError).toBeCloseTo(expected[t].trainingError, 9);
    });
    expect(expected.map((_, t) => treesOf(model).leavesOf(t))).toEqual(expected.map(({ leaves }) => leaves));
    expect(treesOf(model).depth).toBeLessThanOrEqual(depth);
  }
});

test("the training error stays below the bound of Theorem 3.1 in every round", async () => {
  for (const classes of [2, 3, 4]) {
    for (const depth of [1, 2]) {
      const model = await onTrees(depth, 40).fit(binned(noisySample(150, 4, classes, 7 + classes)));
      const bounds = boundsOf(model);
      expect(model.rounds.length).toBeGreaterThan(10);
      model.rounds.forEach(({ trainingError }, t) => {
        expect(trainingError).toBeLessThanOrEqual(bounds[t] + 1e-12);
      });
    }
  }
});

/** The predictions of the stump of a round for each row, and those of the tree. */
function predictions(stumps: AdaBoostModel, trees: AdaBoostModel, sample: Sample, t: number) {
  const { split, left, right } = stumpsOf(stumps)[t];
  const { features } = binned(sample);
  const set = treesOf(trees);
  const { nodes, nodeStarts } = set.arrays;
  return Array.from({ length: sample.rows }, (_, i) => ({
    stump: !split || sample.features.row(i)[split.feature] <= split.threshold ? left : right,
    tree: nodes[2 * (nodeStarts[t] + set.leafOf(t, features, i))],
  }));
}

test("with depth 1 it is the vote of stumps, as long as the Gini index and the error find the same ones", async () => {
  let same = 0;
  for (let seed = 0; seed < 40; seed++) {
    const sample = noisySample(14, 2, 2, seed);
    if (new Set(sample.labels).size < 2) continue;
    const stumps = await adaboost({ rounds: 8 }).fit(sample);
    const trees = await onTrees(1, 8).fit(binned(sample));
    let t = 0;
    for (; t < Math.min(stumps.rounds.length, trees.rounds.length); t++) {
      // Stumps have the lowest error possible.
      expect(trees.rounds[t].error).toBeGreaterThan(stumps.rounds[t].error - 1e-9);
      if (predictions(stumps, trees, sample, t).some(({ stump, tree }) => stump !== tree)) break;
      expect(trees.rounds[t].error).toBeCloseTo(stumps.rounds[t].error, 9);
      expect(trees.rounds[t].alpha).toBeCloseTo(stumps.rounds[t].alpha, 9);
      expect(trees.rounds[t].trainingError).toBeCloseTo(stumps.rounds[t].trainingError, 12);
    }
    if (t < 8) continue;
    same++;
    const margins = trees.margins(binned(sample));
    stumps.margins(sample).forEach((margin, i) => {
      expect(margins[i]).toBeCloseTo(margin, 9);
    });
  }
  expect(same).toBeGreaterThan(3);
});

test("integer weights act like repeated rows, and scaling the weights changes nothing", async () => {
  for (const classes of [2, 3]) {
    const sample = noisySample(50, 3, classes, 3);
    const weights = Float64Array.from({ length: 50 }, (_, i) => 1 + (i % 3));
    const repeated = Array.from(weights).flatMap((weight, i) => Array<number>(weight).fill(i));
    const features = binMatrix(sample.features);
    const weighted = new Sample({ ...sample, features, weights });
    const learner = onTrees(2, 8);
    const models = [
      await learner.fit(weighted),
      await learner.fit(weighted.weighted(weights.map((weight) => 1e200 * weight))),
      await learner.fit(new Sample({ ...sample, features }).select(repeated)),
    ];
    for (const other of models.slice(1)) {
      expect(treesOf(other).arrays.nodes).toEqual(treesOf(models[0]).arrays.nodes);
      other.rounds.forEach(({ alpha }, t) => {
        expect(alpha).toBeCloseTo(models[0].rounds[t].alpha, 8);
      });
    }
  }
});

test("learns what stumps cannot: XOR, and sets of categories", async () => {
  const corners = Array.from({ length: 40 }, (_, i) => [i & 1, (i >> 1) & 1]);
  const xor = sampleOf(
    corners,
    corners.map(([a, b]) => a ^ b),
  );
  expect((await adaboost().fit(xor)).predict(xor.features)).not.toEqual(xor.labels);
  const model = await onTrees(2, 5).fit(binned(xor));
  expect(model.stop).toBe("perfect tree");
  expect(model.predict(binned(xor).features)).toEqual(xor.labels);

  const levels = ["red", "green", "blue", "grey"];
  const bins = Uint8Array.from({ length: 40 }, (_, i) => i % 4);
  const colours = new BinnedColumns(40, [{ kind: "categorical", name: "colour", levels }], bins);
  const labels = Int32Array.from(bins, (bin) => bin & 1);
  const byColour = await onTrees(1, 3).fit(new Sample({ features: colours, labels, classes: ["a", "b"] }));
  expect(byColour.predict(colours)).toEqual(labels);
  expect(byColour.certificates?.({ confidence: 0.95 })).toEqual([]);
  expect(byColour.complexity().vote).toBeUndefined();
});

describe("a committee of trees", () => {
  const several = binned(noisySample(90, 3, 3, 11));

  test("has staged predictions, prefixes and training errors that agree", async () => {
    for (const sample of [several, binned(noisySample(90, 3, 2, 11))]) {
      const learner = onTrees(2, 15);
      const model = await learner.fit(sample);
      let t = 0;
      for (const staged of model.stagedPredictions?.(sample.features) ?? []) {
        expect(staged).toEqual(learner.growth?.upTo(model, ++t).predict(sample.features));
        const wrong = staged.filter((label, i) => label !== sample.labels[i]).length;
        expect(wrong / sample.rows).toBeCloseTo(model.rounds[t - 1].trainingError, 12);
      }
      expect(t).toBe(15);
      const fitted = await onTrees(2, 6).fit(sample);
      const grown = learner.growth?.upTo(model, 6);
      expect(grown?.rounds).toEqual(fitted.rounds);
      expect(grown?.scores(sample.features)).toEqual(fitted.scores(sample.features));
    }
  });

  test("releases all WebAssembly memory, even when interrupted", async () => {
    const before = wasmMemory().used;
    await onTrees(2, 3).fit(several);
    const controller = new AbortController();
    const fit = onTrees(2, 100_000).fit(several, {
      signal: controller.signal,
      progress: ({ done }) => done === 5 && controller.abort(),
    });
    await expect(fit).rejects.toMatchObject({ code: "run/interrupted" });
    expect(wasmMemory().used).toBe(before);
  });

  test("comes back from its state, unless its trees do not match its rounds or its depth", async () => {
    const model = await onTrees(2, 4).fit(several);
    const again = adaboost.restore(model.toState());
    expect(again.toState()).toEqual(model.toState());
    expect(again.scores(several.features)).toEqual(model.scores(several.features));
    const { voters } = model;
    if (voters.kind !== "trees") return expect.fail("The voters are stumps.");
    const shares = await forest({ trees: 4, maxDepth: 2, minLeafRows: 5 }).fit(several);
    for (const damage of [
      { rounds: model.rounds.slice(1) },
      { voters: { ...voters, depth: 1 } },
      { voters: { ...voters, trees: shares.trees } },
      { trainingClasses: 4 },
    ]) {
      const state = adaboost.assemble({ ...model, ...damage }).toState();
      expect(fault(() => adaboost.restore(state)).code).toBe("model/corrupt");
    }
  });

  test("takes binned columns, and a committee of stumps a matrix", async () => {
    const matrix = noisySample(20, 2, 2, 1);
    await expect(onTrees(1, 1).fit(matrix)).rejects.toMatchObject({ code: "data/wrong-kind" });
    await expect(adaboost().fit(binned(matrix))).rejects.toMatchObject({ code: "data/wrong-kind" });
    const stumps = await adaboost({ rounds: 1 }).fit(matrix);
    expect(fault(() => stumps.predict(binned(matrix).features)).code).toBe("data/wrong-kind");
    const model = await onTrees(1, 1).fit(several);
    expect(fault(() => model.predict(noisySample(5, 3, 2, 1).features)).code).toBe("data/wrong-kind");
    const narrow = binned(noisySample(5, 2, 2, 1)).features;
    expect(() => model.predict(narrow)).toThrow("trained on 3 features, but the rows have 2");
  });

  test("stops early, and keeps the rounds up to the best one", async () => {
    const sample = binned(noisySample(200, 4, 2, 12));
    const { train, test: heldOut } = stratifiedHoldout(sample.labels, 0.25, 5);
    const learner = adaboost({ weakLearner: "tree", depth: 2, rounds: 60, patience: 4, validation: 0.25 });
    expect(learner.growth).toBeUndefined();
    const model = await learner.fit(sample, { seed: 5 });
    const plain = await onTrees(2, 60).fit(sample.select(train), { seed: 5 });
    const held = sample.select(heldOut);
    const errors = Array.from(
      plain.stagedPredictions?.(held.features) ?? [],
      (predictions) => predictions.filter((label, i) => label !== held.labels[i]).length,
    );
    let best = 0;
    for (let t = 0; t < errors.length && t - best < 4; t++) if (errors[t] < errors[best]) best = t;
    expect(model.rounds).toEqual(plain.rounds.slice(0, best + 1));
  });

  test("missing cells go the way that was learned", async () => {
    const bins = Uint8Array.of(0, 0, 1, 1, 255, 255);
    const features = new BinnedColumns(6, [{ kind: "numeric", name: "x", cuts: Float64Array.of(0.5) }], bins);
    const labels = Int32Array.of(0, 0, 1, 1, 0, 0);
    const model = await onTrees(1, 3).fit(new Sample({ features, labels, classes: ["a", "b"] }));
    expect(model.predict(features)).toEqual(labels);
  });
});

test("stumps need a numeric encoding and trees a binned one", async () => {
  expect(adaboost({ weakLearner: "tree" }).encoding).toEqual({ kind: "binned", maxBins: 255 });
  expect(adaboost().encoding).toEqual({ kind: "numeric", standardise: false });
  const train = noisySample(200, 3, 2, 1);
  const features = binMatrix(train.features);
  const model = await onTrees(3, 30).fit(new Sample({ ...train, features }));
  const fresh = noisySample(500, 3, 2, 2);
  const predictions = model.predict(binLike(fresh.features, features.features));
  const wrong = predictions.filter((label, i) => label !== fresh.labels[i]).length;
  expect(wrong / 500).toBeLessThan(0.3);
});
