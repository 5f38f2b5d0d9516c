import { afterAll, describe, expect, it } from "vitest";
import { binMatrix } from "#core/encode/bin-matrix.js";
import type { BinnedColumns } from "#core/encode/binned-columns.js";
import { fitEncoder } from "#core/encode/fit-encoder.js";
import { type Features, Sample } from "#core/encode/sample.js";
import { featuresByColumn } from "#core/explain/feature-groups.js";
import { permutationImportance } from "#core/explain/permutation-importance.js";
import { boostedTrees } from "#core/learners/boosted-trees/boosted-trees.js";
import { forest } from "#core/learners/forest/forest.js";
import type { Learner } from "#core/learners/learner.js";
import { linearSvm } from "#core/learners/linear/linear-svm.js";
import type { Model } from "#core/learners/model.js";
import { marginsOf, predictionsOf } from "#core/learners/scores.js";
import { stump } from "#core/learners/stump/stump.js";
import { Matrix } from "#core/runtime/maths/matrix.js";
import { Random } from "#core/runtime/maths/random.js";
import { threadExecutor } from "#core/runtime/parallel/threads.js";
import { Table } from "#core/table/table.js";
import { sampleOf } from "../learners/small-samples.js";

const executors = [2, 4].map((threads) => threadExecutor({ threads }));
afterAll(() => Promise.all(executors.map((executor) => executor.close())));

/** Rows of noise whose class is 1 where the second of three features is above a half. */
function secondDecides(rows: number): Sample {
  const random = new Random(3);
  const cells = Array.from({ length: rows }, () => [random.uniform(), random.uniform(), random.uniform()]);
  return sampleOf(
    cells,
    cells.map(([, decisive]) => Number(decisive > 0.5)),
  );
}

/** A model of no learner in the registry, on binned columns: class 1 where the bin of one column is not 0. */
function firstBinModel(column: number): Model<BinnedColumns> {
  const scores = (features: BinnedColumns) => {
    const values = new Float64Array(2 * features.rows);
    features.column(column).forEach((bin, i) => {
      values[2 * i + Number(bin > 0)] = 1;
    });
    return new Matrix(features.rows, 2, values);
  };
  return {
    learner: "custom",
    classes: ["no", "yes"],
    featureNames: [],
    scoring: "probability",
    scores,
    predict: (features) => predictionsOf(scores(features)),
    margins: ({ features, labels }) => marginsOf(scores(features), labels),
    classify: (features) => ({ scores: scores(features), predictions: predictionsOf(scores(features)) }),
    assess: ({ features, labels }) => ({
      scores: scores(features),
      predictions: predictionsOf(scores(features)),
      margins: marginsOf(scores(features), labels),
    }),
    complexity: () => ({ counts: {} }),
    describe: () => ({ facts: [], sections: [] }),
    toState: () => ({ json: null, tensors: {} }),
  };
}

describe("permutation importance", () => {
  it("is the error of chance for the only relevant feature, and exactly 0 for the others", async () => {
    const sample = secondDecides(2000);
    const model = await stump().fit(sample);
    const { metric, loss, features } = await permutationImportance(
      model,
      sample,
      {},
      { objective: { metric: "error" } },
    );
    expect(metric).toBe("error");
    expect(loss).toBe(0);
    expect(features.map(({ feature }) => feature)).toEqual(["x1", "x2", "x3"]);
    expect(features[0]).toMatchObject({ mean: 0, se: 0, sd: 0, p: 1, matters: false });
    expect(features[2]).toMatchObject({ mean: 0, se: 0, sd: 0, p: 1, matters: false });
    // A random answer to a fair question is wrong half of the time: 2000 rows, five times, sd ≈ 0.005.
    expect(features[1].mean).toBeGreaterThan(0.47);
    expect(features[1].mean).toBeLessThan(0.53);
    expect(features[1].sd).toBeGreaterThan(0);
    expect(features[1].sd).toBeLessThan(0.05);
    // The mean of five fair coins has a standard deviation of √(1/4/5) in each row.
    expect(features[1].se).toBeCloseTo(Math.sqrt(0.05 / 2000), 3);
    expect(features[1]).toMatchObject({ matters: true });
  });

  it("shuffles the values and changes none: a column of one value has no importance", async () => {
    const sample = sampleOf([[1], [1], [1], [1]], [0, 1, 1, 1]);
    const model = await stump().fit(sample);
    const { loss, features } = await permutationImportance(
      model,
      sample,
      {},
      { objective: { metric: "error" } },
    );
    expect(loss).toBe(0.25);
    expect(features[0].mean).toBe(0);
  });

  it("accepts binned columns and models of custom learners", async () => {
    const matrix = Matrix.from(Array.from({ length: 800 }, (_, i) => [i % 2, (i >> 1) % 2]));
    const labels = Int32Array.from({ length: 800 }, (_, i) => (i >> 1) % 2);
    const sample = new Sample({ features: binMatrix(matrix), labels, classes: ["no", "yes"] });
    const options = { repeats: 3, objective: { metric: "brier" } } as const;
    const { loss, features } = await permutationImportance(firstBinModel(1), sample, {}, options);
    expect(loss).toBe(0);
    expect(features[0].mean).toBe(0);
    expect(Math.abs(features[1].mean - 0.5)).toBeLessThan(0.06);
    expect(sample.features.column(1).every((bin, i) => bin === labels[i])).toBe(true);
  });

  it("is the same on any number of threads, and another with another seed", async () => {
    const sample = secondDecides(3000);
    const model = await stump().fit(sample);
    const alone = await permutationImportance(model, sample, { seed: 5 });
    for (const executor of executors) {
      expect(await permutationImportance(model, sample, { seed: 5, executor })).toEqual(alone);
    }
    expect((await permutationImportance(model, sample, { seed: 6 })).features).not.toEqual(alone.features);
  });

  it("reports progress up to the end, and can be interrupted", async () => {
    const sample = secondDecides(3000);
    const model = await stump().fit(sample);
    const seen: number[] = [];
    await permutationImportance(model, sample, {
      progress: ({ done, total = 0 }) => seen.push(done / total),
    });
    expect(seen.at(-1)).toBe(1);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    const signal = AbortSignal.abort();
    await expect(permutationImportance(model, sample, { signal })).rejects.toMatchObject({
      code: "run/interrupted",
    });
  });

  it("of a column is that of the column shuffled before it is encoded", async () => {
    const random = new Random(8);
    const records = Array.from({ length: 300 }, (_, i) => ({
      colour: ["red", "green", "blue", "white"][random.integer(4)],
      size: i % 9 === 0 ? null : random.normal(),
      noise: random.normal(),
    }));
    const table = Table.fromRecords("boxes", records);
    const labels = Int32Array.from(records, ({ colour, size }) =>
      Number(colour === "red" || (colour === "blue" && (size ?? 0) > 0)),
    );
    const target = { target: "kind", classes: ["no", "yes"] };
    const encoder = fitEncoder(table, target, { kind: "numeric", standardise: true });
    const groups = featuresByColumn(encoder);
    expect(groups).toEqual([
      { name: "colour", features: [0, 1, 2, 3] },
      { name: "size", features: [4, 5] },
      { name: "noise", features: [6] },
    ]);
    const sample = new Sample({ features: encoder.encode(table), labels, classes: target.classes });
    const model = await linearSvm().fit(sample);
    const { features } = await permutationImportance(model, sample, { seed: 4 }, { repeats: 1, groups });
    const errorOf = (rows: Table) =>
      model.predict(encoder.encode(rows)).filter((k, i) => k !== labels[i]).length / labels.length;
    const order = Int32Array.from(records.keys());
    new Random(4).fork(0).shuffle(order);
    const shuffled = table.select(order);
    for (const [g, { name }] of groups.entries()) {
      const columns = table.columns.map((column, j) => (j === g ? shuffled.columns[j] : column));
      const error = errorOf(new Table("boxes", table.rows, columns));
      expect(features[g]).toMatchObject({ feature: name, sd: 0 });
      expect(features[g].mean).toBeCloseTo(error - errorOf(table), 12);
    }
    expect(features[0].mean).toBeGreaterThan(0.1);
  });

  it("of some groups only, in their order", async () => {
    const sample = secondDecides(500);
    const model = await stump().fit(sample);
    const all = await permutationImportance(model, sample);
    const groups = [
      { name: "second and first", features: [1, 0] },
      { name: "nothing", features: [] },
    ];
    const { features } = await permutationImportance(model, sample, {}, { groups });
    // Of fewer groups, p-values are adjusted by less.
    const { p, ...second } = all.features[1];
    expect(features[0]).toMatchObject({ ...second, feature: "second and first" });
    expect(features[0].p).toBeLessThanOrEqual(p);
    expect(features[1]).toEqual({ feature: "nothing", mean: 0, se: 0, sd: 0, p: 1, matters: false });
    await expect(
      permutationImportance(model, sample, {}, { groups: [{ name: "third", features: [3] }] }),
    ).rejects.toMatchObject({ code: "option/invalid", message: expect.stringContaining('"third"') });
  });

  it("by log-loss is the increase of −ln p, with p of at least 0.001", async () => {
    const sample = secondDecides(400);
    const model = await stump().fit(sample);
    const { metric, loss, features } = await permutationImportance(model, sample);
    expect(metric).toBe("log-loss");
    expect(loss).toBeCloseTo(0, 12);
    const wrong = (await permutationImportance(model, sample, {}, { objective: { metric: "error" } }))
      .features[1].mean;
    // Leaves are pure: a row on the wrong side has probability 0.
    expect(features[1].mean).toBeCloseTo(-Math.log(0.001) * wrong, 9);
    const svm = await linearSvm().fit(sample);
    expect(await permutationImportance(svm, sample)).toMatchObject({ metric: "error" });
    await expect(
      permutationImportance(svm, sample, {}, { objective: { metric: "brier" } }),
    ).rejects.toMatchObject({
      code: "learner/unsupported",
    });
  });

  it("rejects no rows and no repeats", async () => {
    const sample = secondDecides(10);
    const model = await stump().fit(sample);
    await expect(permutationImportance(model, sample.select([]))).rejects.toMatchObject({
      code: "data/no-rows",
    });
    await expect(permutationImportance(model, sample, {}, { repeats: 0 })).rejects.toMatchObject({
      code: "option/invalid",
    });
  });
});

/** One column that raises the chance of class 1 a little, and three of noise. */
function planted(rows: number, seed: number): Sample {
  const random = new Random(seed);
  const cells = Array.from({ length: rows }, () => Array.from({ length: 4 }, () => random.normal()));
  return sampleOf(
    cells,
    cells.map(([, , driver]) => Number(random.uniform() < 1 / (1 + Math.exp(1 - 2 * driver)))),
  );
}

describe("a planted driver among noise", () => {
  const learners: Record<string, { learner: Learner; binned: boolean }> = {
    forest: { learner: forest({ trees: 30 }), binned: true },
    "boosted trees": { learner: boostedTrees({ rounds: 20 }), binned: true },
    stump: { learner: stump(), binned: false },
    "linear SVM": { learner: linearSvm(), binned: false },
  };
  for (const [name, { learner, binned }] of Object.entries(learners)) {
    it(`is first, and noise is hardly ever taken for a driver: ${name}`, async () => {
      let mistaken = 0;
      for (let seed = 0; seed < 20; seed++) {
        const all = planted(900, 100 + seed);
        const features = binned ? binMatrix(all.features) : all.features;
        const sample = new Sample<Features>({ ...all, features });
        const rows = Int32Array.from({ length: 900 }, (_, i) => i);
        const fit: Model = await learner.fit(sample.select(rows.subarray(0, 500)), { seed });
        const fresh = sample.select(rows.subarray(500));
        const found = (await permutationImportance(fit, fresh, { seed })).features;
        const [first] = [...found].sort((a, b) => b.mean - a.mean);
        expect(first).toMatchObject({ feature: "x3", matters: true });
        mistaken += Number(found.some(({ feature, matters }) => matters && feature !== "x3"));
      }
      // Each time with a probability of at most 5%: more than four in twenty happens once in 400.
      expect(mistaken).toBeLessThan(5);
    });
  }
});
