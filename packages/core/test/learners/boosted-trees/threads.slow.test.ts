import { afterAll, expect, it } from "vitest";
import { BinnedColumns } from "#core/encode/binned-columns.js";
import { Sample } from "#core/encode/sample.js";
import { boostedTrees } from "#core/learners/boosted-trees/boosted-trees.js";
import { assessRows, classifyRows } from "#core/learners/score-rows.js";
import { Random } from "#core/runtime/maths/random.js";
import { completeRun } from "#core/runtime/parallel/run.js";
import { threadExecutor } from "#core/runtime/parallel/threads.js";
import { randomBins } from "./random-bins.js";

const executors = [1, 2, 3, 7, 16].map((threads) => threadExecutor({ threads }));
afterAll(() => Promise.all(executors.map((executor) => executor.close())));

type Options = NonNullable<Parameters<typeof boostedTrees>[0]>;

/** Rows with numbers, categories, features of two values and missing cells. */
const some = (classes: number, rows: number) =>
  randomBins(new Random(3), {
    rows,
    numbers: 15,
    twoValued: 9,
    categories: 2,
    classes,
    missing: 0.05,
    weighted: false,
  });

const sampling = { rowsPerTree: 0.7, columnsPerTree: 0.5, columnsPerSplit: 0.5 };

/** More than 65,536 rows are drawn from in pieces, and nodes of more than 4,096 rows are divided in parts. */
const MANY = 70_001;

it.each<[string, number, number, Options]>([
  ["two classes", 2, 5001, { rounds: 30 }],
  ["two classes, sampled", 2, 5001, { rounds: 30, ...sampling }],
  ["two classes with early stopping", 2, 5001, { rounds: 30, patience: 2, learningRate: 0.5 }],
  ["two classes and many rows", 2, MANY, { rounds: 3, maxDepth: 4 }],
  ["two classes and many rows, sampled", 2, MANY, { rounds: 2, maxDepth: 3, ...sampling }],
  ["three classes and many rows", 3, MANY, { rounds: 1, maxDepth: 3 }],
  ["five classes", 5, 5001, { rounds: 12, maxDepth: 4 }],
  ["five classes, sampled", 5, 5001, { rounds: 12, maxDepth: 4, ...sampling }],
  ["three classes with early stopping", 3, 5001, { rounds: 12, patience: 2 }],
  ["twenty classes", 20, 5001, { rounds: 3, maxDepth: 4, minChildWeight: 20 }],
])("a model of %s is the same on any number of threads", async (_, classes, rows, options) => {
  const sample = some(classes, rows);
  const learner = boostedTrees(options);
  const alone = await learner.fit(sample, { seed: 3 });
  expect(alone.trees.depth).toBeGreaterThan(1);
  for (const executor of executors) {
    const model = await learner.fit(sample, { seed: 3, executor });
    expect(executor.running).toBeGreaterThan(0);
    expect(model.toState()).toEqual(alone.toState());
  }
});

it.each([2, 4])("scores of %i classes are the same on any number of threads", async (classes) => {
  const model = await boostedTrees({ rounds: 40 }).fit(some(classes, 400));
  const sample = some(classes, 5001);
  const expected = model.assess(sample);
  for (const executor of executors) {
    const run = completeRun({ executor });
    expect(await assessRows(model, sample, run)).toEqual(expected);
  }
  const none = await classifyRows(model, sample.features.select([]), completeRun());
  expect(none.predictions).toHaveLength(0);
});

it("finds the same splits behind more columns than are gathered at once", async () => {
  const narrow = some(2, 5001);
  const { features, labels, classes } = narrow;
  const bins = new Uint8Array(5001 * 150);
  // The columns that matter come last; the others are constant.
  bins.set(features.bins, 5001 * 133);
  const wide = Array.from({ length: 150 }, (_, j) => features.features[(j + 3) % 17]);
  const sample = new Sample({ features: new BinnedColumns(5001, wide, bins), labels, classes });
  const learner = boostedTrees({ rounds: 5 });
  const { trainingLosses } = await learner.fit(narrow);
  for (const executor of executors) {
    expect((await learner.fit(sample, { executor })).trainingLosses).toEqual(trainingLosses);
  }
});
