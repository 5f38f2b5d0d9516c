import { describe, expect, it } from "vitest";
import {
  adaboost,
  cascadeForest,
  createLearner,
  type DeepForestModel,
  gcForest,
  mddf,
  svm,
  trainClassifier,
} from "vouch";
import { BinnedColumns, MISSING_BIN } from "#core/encode/binned-columns.js";
import { firstLayers } from "#core/learners/deep-forest/deep-forests.js";
import { layerOutput, passedAmong, passedOn } from "#core/learners/deep-forest/layer-output.js";
import { classifyRows } from "#core/learners/score-rows.js";
import { errorsOn } from "#core/learners/training-summary.js";
import { Matrix } from "#core/runtime/maths/matrix.js";
import type { Executor } from "#core/runtime/parallel/executor.js";
import { completeRun, type Progress } from "#core/runtime/parallel/run.js";
import { threadExecutor } from "#core/runtime/parallel/threads.js";
import type { VouchError } from "#core/runtime/vouch-error.js";
import { Table } from "#core/table/table.js";
import { fault } from "../../fault.js";
import { binnedSample, isOdd, noiseRows } from "../forest/binned-samples.js";

const small = { trees: 8, folds: 3, layers: 3, minLeafRows: 1 } as const;

/** Three classes, with enough noise for layers to differ. */
const threeClasses = (rows: number, seed = 1) =>
  noiseRows(rows, 4, (row, random) => (random.uniform() < 0.1 ? 2 : isOdd(row)), { seed });

const memberNames = ({ layers: [{ members }] }: DeepForestModel) => members.map(({ name }) => name);
const faultOf = (work: Promise<unknown>): Promise<VouchError> =>
  work.then(
    () => expect.fail("No error was thrown."),
    (error) =>
      fault(() => {
        throw error;
      }),
  );

it.each([
  ["cascade-forest", cascadeForest(small), ["forest/walk"]],
  [
    "gcforest",
    gcForest({ ...small, shape: [4], windows: [2], stride: 1, scanTrees: 8 }),
    ["encode/bin-matrix"],
  ],
])("%s scores many rows on threads as at once, and each row as alone", async (_, learner, sent) => {
  const sample = threeClasses(300);
  const model = await learner.fit(sample);
  const rows = 20_000;
  const { features } = noiseRows(rows, 4, isOdd, { seed: 3, like: sample });
  const scores = model.scores(features);
  const pool = threadExecutor({ threads: 3 });
  const tasks = new Set<string>();
  const executor: Executor = {
    ...pool,
    threads: 3,
    map(task, inputs, options) {
      tasks.add(task.id);
      return pool.map(task, inputs, options);
    },
  };
  const onThreads = await classifyRows(model, features, completeRun({ executor }));
  await pool.close();
  expect(onThreads.scores.values).toEqual(scores.values);
  expect([...tasks]).toEqual(expect.arrayContaining(sent));
  for (const row of [0, 7, rows - 1]) {
    expect([...model.scores(features.select([row])).row(0)]).toEqual([...scores.row(row)]);
  }
});

describe.each([
  ["cascade-forest", cascadeForest],
  ["gcforest", gcForest],
  ["mddf", mddf],
] as const)("%s", (_, make) => {
  it("learns what no single feature shows, with matching probabilities and margins", async () => {
    const sample = noiseRows(500, 2, isOdd);
    const fresh = noiseRows(500, 2, isOdd, { seed: 2, like: sample });
    const model = await make(small).fit(sample);
    expect(errorsOn(model, fresh) / 500).toBeLessThan(0.06);
    const scores = model.scores(fresh.features);
    const margins = model.margins(fresh);
    for (let i = 0; i < scores.rows; i++) {
      const [no, yes] = scores.row(i);
      expect(no + yes).toBeCloseTo(1, 6);
      expect(margins[i]).toBeCloseTo(fresh.labels[i] === 1 ? yes - no : no - yes, 6);
    }
    expect(model.scores(fresh.features.select([])).rows).toBe(0);
  });

  it("handles a class with one row, missing cells, constant features and a single feature", async () => {
    const cells = Array.from({ length: 40 }, (_, i) => [7, i % 5 === 0 ? Number.NaN : i, i % 3]);
    const sample = binnedSample(
      cells,
      cells.map((_, i) => (i === 39 ? 2 : Number(i > 20))),
    );
    const model = await make(small).fit(sample);
    const missing = new BinnedColumns(2, sample.features.features, new Uint8Array(6).fill(MISSING_BIN));
    expect(model.scores(missing).values.every(Number.isFinite)).toBe(true);
    const one = binnedSample(
      cells.map(([, , x]) => [x]),
      cells.map(([, , x]) => x),
    );
    expect(errorsOn(await make(small).fit(one), one)).toBe(0);
  });
});

it("a table with categories and missing cells can be learned; progress names layers", async () => {
  const rows = Array.from({ length: 120 }, (_, i) => i);
  const table = Table.fromColumns("t", {
    colour: rows.map((i) => (i % 11 === 0 ? null : ["red", "green", "blue"][i % 3])),
    size: rows.map((i) => (i % 7 === 0 ? null : i % 13)),
    label: rows.map((i) => (i % 3 === 0 ? "yes" : "no")),
  });
  const stages: Progress[] = [];
  const run = { progress: (progress: Progress) => stages.push(progress) };
  const { classifier } = await trainClassifier(table, mddf(small), { run });
  expect(classifier.card.error.train).toBeLessThan(0.15);
  expect(stages.some(({ stage }) => stage.startsWith("layer 1"))).toBe(true);
  expect(stages.some(({ stage, note }) => stage === "layers" && note?.includes("out-of-fold"))).toBe(true);
});

it("more folds than rows are an error", async () => {
  const few = threeClasses(60).select([0, 1, 2, 3, 4, 5, 6, 7]);
  expect((await faultOf(cascadeForest({ ...small, folds: 9 }).fit(few))).code).toBe("data/too-few-rows");
});

describe("layers", () => {
  it("after the best are dropped, and the last layer of a plain cascade predicts", async () => {
    const sample = threeClasses(300);
    const model = await cascadeForest({ ...small, layers: 5, patience: 5 }).fit(sample);
    const scores = model.layers.map(({ outOfFoldAccuracy }) => outOfFoldAccuracy);
    expect(Math.max(...scores)).toBe(scores.at(-1));
    expect(model.layers.map(({ alpha }) => alpha)).toEqual(
      scores.map((_, t) => Number(t === scores.length - 1)),
    );
    const first = firstLayers(model, 1);
    expect(first.layers).toHaveLength(1);
    expect(first.layers[0].alpha).toBe(1);
    expect(first.scores(sample.features).values.every(Number.isFinite)).toBe(true);
    expect(fault(() => firstLayers(model, scores.length + 1)).code).toBe("option/invalid");
  });

  it("of mdDF are summed with their weights", async () => {
    const sample = threeClasses(400);
    const model = await mddf({ ...small, patience: 3, r: [0.9], mu: [0.1], reweight: "always" }).fit(sample, {
      seed: 2,
    });
    expect(model.layers.length).toBeGreaterThan(1);
    const before = firstLayers(model, model.layers.length - 1);
    const total = before.layers.reduce((sum, { alpha }) => sum + alpha, 0);
    const { alpha } = model.layers[model.layers.length - 1];
    expect(alpha).toBeGreaterThan(0);
    // The sum minus the layers before is a mean of probabilities: the last layer.
    const [all, some] = [model.scores(sample.features), before.scores(sample.features)];
    for (let i = 0; i < all.rows; i++) {
      let sum = 0;
      for (let k = 0; k < 3; k++) {
        const own = ((total + alpha) * all.row(i)[k] - total * some.row(i)[k]) / alpha;
        expect(own).toBeGreaterThan(-1e-6);
        sum += own;
      }
      expect(sum).toBeCloseTo(1, 5);
    }
  });

  it("of mdDF follow their margins: reweighting changes the trees", async () => {
    const sample = threeClasses(300);
    const options = { ...small, layers: 2, patience: 2, r: [0.8], mu: [0.1] };
    const [always, never] = await Promise.all([
      mddf({ ...options, reweight: "always" }).fit(sample),
      mddf({ ...options, reweight: "never" }).fit(sample),
    ]);
    expect(always.layers[0].reweighted).toBe(false);
    expect(always.layers[1] ?? never.layers[1]).toBeDefined();
    expect(always.toState()).not.toEqual(never.toState());
  });

  it.each([
    ["full", 4 + 3, ["forest", "forest", "random-trees", "random-trees"]],
    ["SF", 4 + 3, ["forest", "forest", "forest", "forest"]],
    ["ST", 3, ["forest", "forest", "random-trees", "random-trees"]],
    ["NP", 4 + 3, ["forest", "forest", "random-trees", "random-trees"]],
  ] as const)("of the variant %s see %d columns", async (variant, columns, members) => {
    // Without early stopping, there is a second layer if any later one is better than the first.
    const model = await mddf({ ...small, layers: 6, patience: 6, variant }).fit(threeClasses(250), {
      seed: 1,
    });
    expect(memberNames(model)).toEqual(members);
    expect(model.cascade.passesOn).toBe(variant === "NP" ? "mean" : "sum");
    expect(model.layers.length).toBeGreaterThan(1);
    for (const member of model.layers[1].members) {
      expect(member.kind === "forest" && member.trees.columns).toBe(columns);
    }
  });

  it.each([
    ["full", "sums"],
    ["NP", "vectors"],
  ] as const)(
    "of the variant %s pass on the %s of all members among many features",
    async (variant, passesOn) => {
      const sample = noiseRows(150, 60, isOdd);
      const options = { ...small, layers: 4, patience: 4, variant };
      const model = await mddf(options).fit(sample, { seed: 1 });
      expect(model.cascade.passesOn).toBe(passesOn);
      expect(model.layers.length).toBeGreaterThan(1);
      expect(model.layers[1].columns).toBe(60 + 4 * 2);
      const restored = mddf.restore(model.toState());
      expect(restored.scores(sample.features)).toEqual(model.scores(sample.features));
    },
  );

  it("have larger leaves if labels are noisy, and pure ones if they are not", async () => {
    const noisy = noiseRows(600, 2, ([a], random) => Number(random.uniform() < 0.3 !== a > 0.5));
    const options = { trees: 20, folds: 3, layers: 1 };
    expect((await cascadeForest(options).fit(noisy)).minLeafRows).toBeGreaterThan(1);
    const clean = noiseRows(400, 2, ([a, b]) => (Math.floor(6 * a) + Math.floor(6 * b)) % 2);
    expect((await cascadeForest(options).fit(clean)).minLeafRows).toBe(1);
  });

  it("are described with their margins, those of mdDF with their losses", async () => {
    const model = await mddf({ ...small, r: [0.9], mu: [0.1] }).fit(threeClasses(100));
    const { sections } = Object(model.describe());
    expect(sections.map(({ kind }: { kind: string }) => kind)).toEqual(["layers", "table"]);
    const [{ layers }, { rows }] = sections;
    expect(layers).toHaveLength(model.layers.length);
    const { margins, outOfFoldAccuracy } = model.layers[0];
    expect(layers[0]).toMatchObject({ name: "layer 1", alpha: 1, outOfFoldAccuracy });
    expect(layers[0].margins.mean).toBeCloseTo(margins.reduce((a, b) => a + b) / margins.length, 12);
    expect(rows[0]).toEqual([1, 0.9, 0.1, "no"]);
  });
});

describe("what a layer passes on", () => {
  const vector = (...values: number[]) => new Matrix(1, 2, Float64Array.from(values));
  const outputs = (passesOn: "vectors" | "sums" | "sum" | "mean") => {
    const first = layerOutput(undefined, [vector(0.9, 0.1), vector(0.5, 0.5)], 1, passesOn);
    return layerOutput(first, [vector(0.1, 0.9), vector(0.3, 0.7)], 3, passesOn);
  };

  it.each([
    ["vectors", [0.1, 0.9, 0.3, 0.7]],
    // (0.9 + 3 · 0.1) / 4 and (0.5 + 3 · 0.3) / 4
    ["sums", [0.3, 0.7, 0.35, 0.65]],
    ["sum", [0.325, 0.675]],
    ["mean", [0.2, 0.8]],
  ] as const)("%s", (passesOn, expected) => {
    const passed = passedOn(passesOn, outputs(passesOn));
    expected.forEach((value, k) => {
      expect(passed.values[k]).toBeCloseTo(value, 12);
    });
    expect(passed.columns).toBe(expected.length);
  });

  it("depends on its share of the columns", () => {
    const cascade = { passesOn: "sum", keepsFeatures: true, additive: true } as const;
    expect(passedAmong(38, 2, cascade)).toBe("sum");
    expect(passedAmong(39, 2, cascade)).toBe("sums");
    expect(passedAmong(784, 10, { ...cascade, passesOn: "mean" })).toBe("vectors");
    expect(passedAmong(784, 10, { ...cascade, keepsFeatures: false })).toBe("sum");
  });
});

it("a file is refused unless its layers fit together", async () => {
  const options = { ...small, trees: 2, layers: 3, patience: 3, reweight: "always" } as const;
  const model = await mddf(options).fit(threeClasses(80), { seed: 1 });
  const { json, tensors } = structuredClone(model.toState());
  const { core, parts } = Object(json);
  const [first, ...others] = parts.layers;
  expect(others.length).toBeGreaterThan(0);
  const codeOf = (changed: object) =>
    fault(() => mddf.restore({ json: { core, parts: { ...parts, ...changed } }, tensors })).code;
  expect(codeOf({ cascade: { ...parts.cascade, passesOn: "vectors" } })).toBe("model/corrupt");
  expect(codeOf({ cascade: { ...parts.cascade, keepsFeatures: false } })).toBe("model/corrupt");
  expect(codeOf({ layers: [{ ...first, columns: first.columns + 1 }, ...others] })).toBe("model/corrupt");
  expect(codeOf({ layers: parts.layers.map((layer: object) => ({ ...layer, alpha: 0 })) })).toBe(
    "model/corrupt",
  );
});

describe("layers of other learners", () => {
  const sample = threeClasses(120);

  it("learn and are restored", async () => {
    const estimators = ["forest:trees=5", "svm:probability=true:C=10"];
    const model = await mddf({ ...small, layers: 2, patience: 2, estimators }).fit(sample);
    expect(memberNames(model)).toEqual(["forest", "svm"]);
    expect(model.complexity().counts.trees).toBe(model.layers.length * 5 * 3);
    const again = mddf.restore(structuredClone(model.toState()));
    expect(again.scores(sample.features)).toEqual(model.scores(sample.features));
    // The machines that there could have been cannot be counted.
    expect(model.certificates?.({ confidence: 0.95 })[0].value).toBe(Infinity);
  });

  it("can be given as learners, which are shown by name and options and made again from these", async () => {
    const options = { ...small, layers: 2, improvement: 0, estimators: [svm({ probability: true })] };
    const learner = mddf(options);
    const model = await learner.fit(sample);
    expect(memberNames(model)).toEqual(["svm"]);
    const { estimators } = learner.options;
    expect(estimators).toEqual([{ name: "svm", options: svm({ probability: true }).options }]);
    const again = await createLearner("mddf", structuredClone(learner.options));
    expect((await again.fit(sample)).toState()).toEqual(model.toState());
    // There are no forests to try weights with: layers are reweighted, as in the paper.
    expect(model.layers.map(({ reweighted }) => reweighted)).toEqual(model.layers.map((_, t) => t > 0));
  });

  it("can be made of other learners, deep forests too", async () => {
    const estimators = [
      "one-vs-rest:base=boosted-trees:base.rounds=3",
      "cascade-forest:trees=3:layers=1:folds=2",
      "mlp:epochs=2",
    ];
    const model = await cascadeForest({ ...small, folds: 2, layers: 1, estimators }).fit(sample);
    expect(memberNames(model)).toEqual(["one-vs-rest", "cascade-forest", "mlp"]);
    const again = cascadeForest.restore(structuredClone(model.toState()));
    expect(again.scores(sample.features)).toEqual(model.scores(sample.features));
  });

  it("must give probabilities", async () => {
    const error = await faultOf(cascadeForest({ ...small, estimators: [adaboost()] }).fit(sample));
    expect(error.code).toBe("learner/unsupported");
    expect(error.message).toContain("adaboost");
    const uncalibrated = await faultOf(mddf({ ...small, estimators: ["svm"] }).fit(sample));
    expect(uncalibrated.hint).toContain("svm:probability=true");
  });

  it.each([
    [["forrest"], 'Did you mean "forest"?'],
    [["forest:tres=5"], "trees"],
    [["forest:classWeights=balanced"], "trees"],
    [["svm:probability=perhaps"], "true or false"],
    [[{}], "forest({ trees: 100 })"],
  ])("are refused if they are %j", (estimators, hint) => {
    const error = fault(() => Reflect.apply(cascadeForest, undefined, [{ estimators }]));
    expect(error.code).toMatch(/^(option|learner)\//);
    expect(`${error.message} ${error.hint}`).toContain(hint);
  });

  it("cannot be absent along with the forests", () => {
    const error = fault(() => mddf({ randomForests: 0, completelyRandomForests: 0 }));
    expect(error.code).toBe("option/invalid");
  });
});
