import { afterAll, describe, expect, it } from "vitest";
import { BinnedColumns, MISSING_BIN } from "#core/encode/binned-columns.js";
import { Sample } from "#core/encode/sample.js";
import { permutationImportance } from "#core/explain/permutation-importance.js";
import { type ForestModel, featuresPerSplit, forest, randomTrees } from "#core/learners/forest/forest.js";
import { errorsOn } from "#core/learners/training-summary.js";
import { Matrix } from "#core/runtime/maths/matrix.js";
import { Random } from "#core/runtime/maths/random.js";
import { threadExecutor } from "#core/runtime/parallel/threads.js";
import { Table } from "#core/table/table.js";
import { trainClassifier } from "#core/train/train.js";
import { fault } from "../../fault.js";
import { binnedSample, isOdd, noiseRows } from "./binned-samples.js";

const executors = [2, 4].map((threads) => threadExecutor({ threads }));
afterAll(() => Promise.all(executors.map((executor) => executor.close())));

/** Options that both kinds of forests have. */
type Options = NonNullable<Parameters<typeof randomTrees>[0]>;

describe.each([
  ["forest", (options: Options) => forest(options)],
  ["random-trees", (options: Options) => randomTrees(options)],
] as const)("%s", (_, make) => {
  const learner = make({ trees: 25 });

  it("learns XOR, which no single feature tells", async () => {
    const sample = noiseRows(800, 2, isOdd);
    const fresh = noiseRows(1000, 2, isOdd, { seed: 2, like: sample });
    const model = await learner.fit(sample);
    expect(errorsOn(model, fresh) / 1000).toBeLessThan(0.06);
    const scores = model.scores(fresh.features);
    const margins = model.margins(fresh);
    for (let i = 0; i < scores.rows; i++) {
      const [no, yes] = scores.row(i);
      expect(no).toBeGreaterThanOrEqual(0);
      expect(no + yes).toBeCloseTo(1, 6);
      expect(margins[i]).toBeCloseTo(fresh.labels[i] === 1 ? yes - no : no - yes, 6);
    }
  });

  it("does not depend on the number of threads, but on the seed", async () => {
    const sample = noiseRows(700, 5, (row) => isOdd(row) + Number(row[2] > 0.7));
    const alone = await learner.fit(sample, { seed: 3 });
    for (const executor of executors) {
      const model = await learner.fit(sample, { seed: 3, executor });
      expect(model.toState()).toEqual(alone.toState());
      expect(model.outOfBagScores).toEqual(alone.outOfBagScores);
    }
    const other = await learner.fit(sample, { seed: 4 });
    expect(other.toState()).not.toEqual(alone.toState());
  });

  it("scores few rows as it scores them among many", async () => {
    const sample = noiseRows(2000, 3, (_, random) => random.integer(4));
    const model = await learner.fit(sample);
    const all = model.scores(sample.features);
    for (const i of [0, 7, 1999]) {
      expect(model.scores(sample.features.select([i])).row(0)).toEqual(all.row(i));
    }
    expect(model.scores(sample.features.select([])).rows).toBe(0);
  });

  it("takes classes with one row, classes without rows, and more than 256 classes", async () => {
    const lonely = binnedSample([[0], [1], [2], [3], [10]], [0, 0, 0, 0, 1], undefined, 4);
    const model = await learner.fit(lonely);
    expect(model.scores(lonely.features).columns).toBe(4);
    expect(model.scores(lonely.features).row(0)[3]).toBe(0);

    const many = binnedSample(
      Array.from({ length: 1200 }, (_, i) => [Math.floor(i / 4) % 20, Math.floor(i / 80)]),
      Array.from({ length: 1200 }, (_, i) => Math.floor(i / 4)),
    );
    expect(many.classes).toHaveLength(300);
    const large = await learner.fit(many);
    expect(errorsOn(large, many) / many.rows).toBeLessThan(0.1);
  });

  it("classifies rows with only missing cells", async () => {
    const cells = Array.from({ length: 60 }, (_, i) => (i % 3 === 0 ? [Number.NaN, Number.NaN] : [i % 7, i]));
    const labels = cells.map(([a]) => Number(Number.isNaN(a)));
    const sample = binnedSample(cells, labels);
    const model = await learner.fit(sample);
    expect(errorsOn(model, sample)).toBe(0);
    // The same for a model that has never seen a missing cell.
    const complete = await learner.fit(noiseRows(100, 2, isOdd));
    const missing = new BinnedColumns(3, sample.features.features, new Uint8Array(6).fill(MISSING_BIN));
    expect(complete.scores(missing).values.every(Number.isFinite)).toBe(true);
  });

  it("never splits on constant features, and is one leaf if all features are constant", async () => {
    const sample = binnedSample(
      Array.from({ length: 40 }, (_, i) => [5, i, Number.NaN]),
      Array.from({ length: 40 }, (_, i) => Number(i >= 20)),
    );
    const model = await learner.fit(sample);
    expect(Array.from(model.importances)).toEqual([0, 1, 0]);
    expect(errorsOn(model, sample)).toBeLessThanOrEqual(1);

    const flat = binnedSample(
      Array.from({ length: 40 }, () => [5]),
      Array.from({ length: 40 }, (_, i) => Number(i < 10)),
    );
    const guess = await learner.fit(flat);
    expect(guess.complexity().counts).toMatchObject({ trees: 25, leaves: 25, depth: 0 });
    expect(Array.from(guess.importances)).toEqual([0]);
    expect(guess.predict(flat.features).every((k) => k === 0)).toBe(true);
  });

  it("takes a column of ten thousand categories, which the encoder groups", async () => {
    const random = new Random(8);
    const rows = 12_000;
    const frequent = Array.from({ length: rows }, () => random.uniform() < 0.5);
    const shops = frequent.map((is, i) => (is ? `s${i % 10}` : `r${i % 9990}`));
    const open = frequent.map((is, i) => (is && i % 2 === 0 ? "yes" : "no"));
    const table = Table.fromColumns("shops", { shop: shops, open });
    const { classifier } = await trainClassifier(table, learner, { target: "open" });
    expect(classifier.card.notices.join()).toContain("shop");
    expect(classifier.card.error.train).toBe(0);
    const strange = Table.fromColumns("strange", { shop: ["never seen", null] });
    expect(classifier.predict(strange)[0]).toBe("no");
  });

  it("takes weights: zero means absent, integers act like repeated rows, tiny and huge ones work", async () => {
    const cells = Array.from({ length: 40 }, (_, i) => [i % 8, i % 5]);
    const labels = cells.map((_, i) => (i * 7) % 3);
    const sample = binnedSample(cells, labels);
    const { features } = sample;
    const counts = Float64Array.from(cells, (_, i) => i % 4);
    const seeing = make({ trees: 20, bootstrap: false });
    const weighted = (await seeing.fit(sample.weighted(counts))).scores(features).values;

    const present = [...cells.keys()].filter((i) => counts[i] > 0);
    const without = sample.select(present).weighted(counts.filter((count) => count > 0));
    expect((await seeing.fit(without)).scores(features).values).toEqual(weighted);

    const repeated = sample.select([...cells.keys()].flatMap((i) => new Array<number>(counts[i]).fill(i)));
    const shares = (await seeing.fit(repeated)).scores(features).values;
    weighted.forEach((share, k) => {
      expect(share).toBeCloseTo(shares[k], 5);
    });

    const extreme = await learner.fit(
      sample.weighted(Float64Array.from(cells, (_, i) => [1e-300, 1, 1e300][i % 3])),
    );
    expect(extreme.scores(features).values.every((share) => share >= 0 && share <= 1 + 1e-6)).toBe(true);
    const alone = Float64Array.from(cells, (_, i) => (i === 7 ? 1e300 : 1e-300));
    expect((await make({ trees: 20, bootstrap: true }).fit(sample.weighted(alone))).trees.trees).toBe(20);
    for (const bad of [-1, Number.NaN, Infinity]) {
      const weights = new Float64Array(40).fill(bad);
      expect(fault(() => sample.weighted(weights)).message).toContain("Row 1 has weight");
    }
  });

  it("gives balanced classes the same total weight", async () => {
    const random = new Random(4);
    const cells = Array.from({ length: 2000 }, () => [random.integer(4)]);
    const labels = cells.map(([x]) => Number(x > 1 && random.uniform() < 0.2));
    const sample = binnedSample(cells, labels);
    const balanced = make({ trees: 25, classWeights: "balanced" });
    const [plain, fair] = [await learner.fit(sample), await balanced.fit(sample)];
    const rare = (model: ForestModel) =>
      model.scores(sample.features).row(cells.findIndex(([x]) => x === 3))[1];
    const ones = labels.filter((label) => label === 1).length;
    const [n, rareWeight] = [cells.filter(([x]) => x === 3).length, 1000 / ones];
    const hits = labels.filter((label, i) => label === 1 && cells[i][0] === 3).length;
    const expected = (hits * rareWeight) / (hits * rareWeight + ((n - hits) * 1000) / (2000 - ones));
    expect(rare(plain)).toBeLessThan(0.3);
    expect(Math.abs(rare(fair) - expected)).toBeLessThan(0.05);
  });

  it("refuses samples it cannot learn from", async () => {
    const sample = binnedSample([[1], [2]], [0, 1]);
    await expect(learner.fit(sample.select([]))).rejects.toMatchObject({ code: "data/no-rows" });
    await expect(learner.fit(sample.select([0, 0]))).rejects.toMatchObject({ code: "data/one-class" });
    const empty = new Sample({
      ...sample,
      features: new BinnedColumns(2, [], new Uint8Array(0)),
      featureNames: [],
    });
    await expect(learner.fit(empty)).rejects.toMatchObject({ code: "data/no-features" });
    const unlabelled = new Sample({ ...sample, labels: Int32Array.of(0, -1) });
    await expect(learner.fit(unlabelled)).rejects.toMatchObject({ code: "data/missing-target" });
    const model = await learner.fit(sample);
    const wide = binnedSample([[1, 2]], [0]).features;
    expect(fault(() => model.scores(wide)).message).toContain("trained on 1 features, but the rows have 2");
    const untyped: { fit(sample: object): Promise<unknown> } = learner;
    const matrix = new Sample({
      features: Matrix.from([[1], [2]]),
      labels: Int32Array.of(0, 1),
      classes: ["a", "b"],
    });
    await expect(untyped.fit(matrix)).rejects.toMatchObject({ code: "data/wrong-kind" });
  });

  it("respects the limits on depth and rows", async () => {
    const sample = noiseRows(500, 3, (_, random) => random.integer(2));
    const counts = async (options: Options) =>
      (await make({ trees: 5, ...options }).fit(sample)).complexity().counts;
    expect((await counts({ maxDepth: 3 })).depth).toBe(3);
    expect((await counts({ maxDepth: 3 })).leaves).toBeLessThanOrEqual(40);
    expect((await counts({ minLeafRows: 100 })).leaves).toBeLessThanOrEqual(25);
    expect((await counts({ minSplitRows: 501 })).leaves).toBe(5);
    expect((await counts({})).leaves).toBeGreaterThan(500);
  });

  it("reports progress up to the last tree", async () => {
    const sample = noiseRows(500, 4, (_, random) => random.integer(2));
    const done: number[] = [];
    await learner.fit(sample, {
      progress: ({ stage, done: trees, total }) => {
        if (stage !== "trees") return;
        expect(total).toBe(25);
        done.push(trees);
      },
    });
    expect(done.at(-1)).toBe(25);
    expect(done).toEqual([...done].sort((a, b) => a - b));
  });
});

describe("options", () => {
  it("say how many features compete for a split", () => {
    const of = (rule: Parameters<typeof featuresPerSplit>[0], columns: number) =>
      featuresPerSplit(rule, columns);
    expect([of("sqrt", 16), of("sqrt", 15), of("sqrt", 1)]).toEqual([4, 3, 1]);
    expect([of("log2", 16), of("log2", 17), of("log2", 1)]).toEqual([4, 4, 1]);
    expect([of("all", 7), of(0.5, 7), of(0.01, 7), of(3, 7), of(8, 7)]).toEqual([7, 3, 1, 3, 7]);
  });
});

describe("importance", () => {
  it("is large for the feature that decides and small for noise, by impurity and by permutation", async () => {
    const sample = noiseRows(
      1500,
      4,
      ([, decisive], random) => Number(decisive > 0.5) ^ Number(random.uniform() < 0.05),
    );
    const fresh = noiseRows(1500, 4, ([, decisive]) => Number(decisive > 0.5), {
      seed: 9,
      like: sample,
    });
    const model = await forest({ trees: 30, minLeafRows: 10 }).fit(sample);
    expect(model.importances.reduce((sum, share) => sum + share)).toBeCloseTo(1, 10);
    expect(model.importances[1]).toBeGreaterThan(0.7);
    const { features } = await permutationImportance(model, fresh);
    expect(features[1].mean).toBeGreaterThan(0.4);
    for (const j of [0, 2, 3]) expect(Math.abs(features[j].mean)).toBeLessThan(0.02);
    expect(model.describe().sections).toMatchObject([
      { kind: "importance", features: [{ name: "x2", share: model.importances[1] }, {}, {}, {}] },
    ]);
  });

  it("is all of it for the only feature", async () => {
    const sample = binnedSample([[0], [0], [1], [1]], [0, 0, 1, 1]);
    const model = await forest({ trees: 1, bootstrap: false }).fit(sample);
    expect(Array.from(model.importances)).toEqual([1]);
    expect(model.complexity().counts).toEqual({ trees: 1, leaves: 2, depth: 1, features: 1 });
  });
});
