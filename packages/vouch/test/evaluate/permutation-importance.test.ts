import { afterAll, describe, expect, it } from "vitest";
import type { BinnedColumns } from "#vouch/encode/binned-columns.js";
import { binMatrix } from "#vouch/encode/bins.js";
import { fitEncoder } from "#vouch/encode/fit-encoder.js";
import { Sample } from "#vouch/encode/sample.js";
import { featuresByColumn, permutationImportance } from "#vouch/evaluate/permutation-importance.js";
import { linearSvm } from "#vouch/learners/linear/linear-svm.js";
import type { Model } from "#vouch/learners/model.js";
import { marginsOf, predictionsOf } from "#vouch/learners/scores.js";
import { stump } from "#vouch/learners/stump/stump.js";
import { Matrix } from "#vouch/runtime/matrix.js";
import { Random } from "#vouch/runtime/random.js";
import { threadExecutor } from "#vouch/runtime/threads.js";
import { Table } from "#vouch/table/table.js";
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
    const { error, features } = await permutationImportance(model, sample);
    expect(error).toBe(0);
    expect(features.map(({ feature }) => feature)).toEqual(["x1", "x2", "x3"]);
    expect(features[0]).toMatchObject({ mean: 0, sd: 0 });
    expect(features[2]).toMatchObject({ mean: 0, sd: 0 });
    // A random answer to a fair question is wrong half of the time: 2000 rows, five times, sd ≈ 0.005.
    expect(features[1].mean).toBeGreaterThan(0.47);
    expect(features[1].mean).toBeLessThan(0.53);
    expect(features[1].sd).toBeGreaterThan(0);
    expect(features[1].sd).toBeLessThan(0.05);
  });

  it("shuffles the values and changes none: a column of one value has no importance", async () => {
    const sample = sampleOf([[1], [1], [1], [1]], [0, 1, 1, 1]);
    const { error, features } = await permutationImportance(await stump().fit(sample), sample);
    expect(error).toBe(0.25);
    expect(features[0].mean).toBe(0);
  });

  it("accepts binned columns and models of custom learners", async () => {
    const matrix = Matrix.from(Array.from({ length: 800 }, (_, i) => [i % 2, (i >> 1) % 2]));
    const labels = Int32Array.from({ length: 800 }, (_, i) => (i >> 1) % 2);
    const sample = new Sample({ features: binMatrix(matrix), labels, classes: ["no", "yes"] });
    const { error, features } = await permutationImportance(firstBinModel(1), sample, {}, { repeats: 3 });
    expect(error).toBe(0);
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
      expect(features[g]).toEqual({ feature: name, mean: error - errorOf(table), sd: 0 });
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
    expect(features).toEqual([
      { ...all.features[1], feature: "second and first" },
      { feature: "nothing", mean: 0, sd: 0 },
    ]);
    await expect(
      permutationImportance(model, sample, {}, { groups: [{ name: "third", features: [3] }] }),
    ).rejects.toMatchObject({ code: "option/invalid", message: expect.stringContaining('"third"') });
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
