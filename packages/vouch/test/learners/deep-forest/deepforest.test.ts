import { afterAll, describe, expect, it } from "vitest";
import { BinnedColumns, MISSING_BIN } from "#vouch/encode/binned-columns.js";
import { Sample } from "#vouch/encode/sample.js";
import { adaboost } from "#vouch/learners/adaboost/adaboost.js";
import { cascadeForest, gcForest, learnerNamed, learners, mddf } from "#vouch/learners/index.js";
import type { Model } from "#vouch/learners/model.js";
import { svm } from "#vouch/learners/svm/svm.js";
import { errorsOn } from "#vouch/learners/training-facts.js";
import { Matrix } from "#vouch/runtime/matrix.js";
import type { Progress } from "#vouch/runtime/run.js";
import { threadExecutor } from "#vouch/runtime/threads.js";
import type { VouchError } from "#vouch/runtime/vouch-error.js";
import { Table } from "#vouch/table/table.js";
import { trainClassifier } from "#vouch/train/train.js";
import { fault } from "../../fault.js";
import { binnedSample, isOdd, noiseRows } from "../forest/binned-samples.js";

const executor = threadExecutor({ threads: 3 });
afterAll(() => executor.close());

const small = { trees: 8, folds: 3, layers: 3, minLeafRows: 1 } as const;

/** Three classes, with so much noise that layers differ. */
const threeClasses = (rows: number, seed = 1) =>
  noiseRows(rows, 4, (row, random) => (random.uniform() < 0.1 ? 2 : isOdd(row)), { seed });

const state = (model: Model) => structuredClone(model.toState());
const faultOf = (work: Promise<unknown>): Promise<VouchError> =>
  work.then(
    () => expect.fail("No error was thrown."),
    (error) =>
      fault(() => {
        throw error;
      }),
  );

describe.each([
  ["cascade-forest", cascadeForest],
  ["gcforest", gcForest],
  ["mddf", mddf],
] as const)("%s", (name, make) => {
  it("learns what no single feature tells, with probabilities and margins that fit", async () => {
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

  it("is the same on any number of threads, and another with another seed", async () => {
    const sample = threeClasses(300);
    const alone = await make(small).fit(sample, { seed: 3 });
    expect(state(await make(small).fit(sample, { seed: 3, executor }))).toEqual(state(alone));
    expect(state(await make(small).fit(sample, { seed: 4 }))).not.toEqual(state(alone));
  });

  it("is the same when it is stored and restored", async () => {
    const sample = threeClasses(200);
    const model = await make({ ...small, patience: 3 }).fit(sample);
    const again = learnerNamed(name).restore(state(model));
    expect(again.scores(sample.features)).toEqual(model.scores(sample.features));
    expect(again.describe()).toEqual(model.describe());
    expect(again.certificates?.({ confidence: 0.9 })).toEqual(model.certificates({ confidence: 0.9 }));
    expect(state(again)).toEqual(state(model));
  });

  it("takes rows of weight zero as absent", async () => {
    const sample = threeClasses(150);
    const weights = Float64Array.from(sample.labels, (_, i) => (i % 3 === 0 ? 0 : 2));
    const kept = [...sample.labels.keys()].filter((i) => weights[i] > 0);
    const weighted = await make(small).fit(sample.weighted(weights));
    const without = await make(small).fit(sample.select(kept));
    expect(state(weighted)).toEqual(state(without));
  });

  it("refuses what it cannot learn from", async () => {
    const sample = threeClasses(60);
    const matrix = new Sample({ ...sample, features: new Matrix(60, 4) });
    const untyped: (given: unknown) => Promise<unknown> = (given) =>
      Reflect.apply(make(small).fit, undefined, [given]);
    expect((await faultOf(untyped(matrix))).code).toBe("data/wrong-kind");
    expect((await faultOf(make(small).fit(sample.select([0, 1])))).code).toMatch(/^data\//);
    const oneClass = new Sample({ ...sample, labels: new Int32Array(60) });
    expect((await faultOf(make(small).fit(oneClass))).code).toBe("data/one-class");
    const few = sample.select([...sample.labels.keys()].slice(0, 8));
    expect((await faultOf(make({ ...small, folds: 9 }).fit(few))).code).toBe("data/too-few-rows");
    const model = await make(small).fit(sample);
    expect(fault(() => model.scores(noiseRows(3, 2, isOdd).features)).code).toBe("data/malformed");
  });

  it("takes a class with one row, missing cells, constant features and one feature", async () => {
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

  it("is trained on raw tables with categories and missing cells", async () => {
    const rows = Array.from({ length: 120 }, (_, i) => i);
    const table = Table.fromColumns("t", {
      colour: rows.map((i) => (i % 11 === 0 ? null : ["red", "green", "blue"][i % 3])),
      size: rows.map((i) => (i % 7 === 0 ? null : i % 13)),
      label: rows.map((i) => (i % 3 === 0 ? "yes" : "no")),
    });
    const { classifier } = await trainClassifier(table, make(small));
    expect(classifier.card.error.train).toBeLessThan(0.15);
  });

  it("tells of its progress and can be interrupted", async () => {
    const stages: Progress[] = [];
    await make(small).fit(threeClasses(100), { progress: (progress) => stages.push(progress) });
    expect(stages.some(({ stage }) => stage.startsWith("layer 1"))).toBe(true);
    expect(stages.some(({ stage, note }) => stage === "layers" && note?.includes("out-of-fold"))).toBe(true);
    const controller = new AbortController();
    const work = make(small).fit(threeClasses(400), {
      signal: controller.signal,
      progress: () => controller.abort(),
    });
    expect((await faultOf(work)).code).toBe("run/interrupted");
  });

  it("is known by its name", () => {
    expect(learners.find((learner) => learner.name === name)?.create({ trees: 3 }).options.trees).toBe(3);
  });
});

describe("layers", () => {
  it("after the best are dropped, and of a plain cascade the last predicts", async () => {
    const sample = threeClasses(300);
    const model = await cascadeForest({ ...small, layers: 5, patience: 5 }).fit(sample);
    const scores = model.layers.map(({ outOfFoldAccuracy }) => outOfFoldAccuracy);
    expect(Math.max(...scores)).toBe(scores.at(-1));
    expect(model.layers.map(({ alpha }) => alpha)).toEqual(
      scores.map((_, t) => Number(t === scores.length - 1)),
    );
    const first = model.after(1);
    expect(first.layers).toHaveLength(1);
    expect(first.scores(sample.features).values.every(Number.isFinite)).toBe(true);
    expect(fault(() => model.after(scores.length + 1)).code).toBe("option/invalid");
  });

  it("of mdDF are summed with their weights", async () => {
    const sample = threeClasses(400);
    const model = await mddf({ ...small, patience: 3, r: [0.9], mu: [0.1], reweight: "always" }).fit(sample, {
      seed: 2,
    });
    expect(model.layers.length).toBeGreaterThan(1);
    const before = model.after(model.layers.length - 1);
    const total = before.layers.reduce((sum, { alpha }) => sum + alpha, 0);
    const { alpha } = model.layers[model.layers.length - 1];
    expect(alpha).toBeGreaterThan(0);
    // What is left of the sum without the layers before is a mean of probabilities: the last layer's.
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

  it("of mdDF follow their margins: reweighting changes what is grown", async () => {
    const sample = threeClasses(300);
    const options = { ...small, layers: 2, patience: 2, r: [0.8], mu: [0.1] };
    const [always, never] = await Promise.all([
      mddf({ ...options, reweight: "always" }).fit(sample),
      mddf({ ...options, reweight: "never" }).fit(sample),
    ]);
    expect(always.layers[0].reweighted).toBe(false);
    const second = always.layers[1] ?? never.layers[1];
    expect(second).toBeDefined();
    expect(state(always)).not.toEqual(state(never));
  });

  it.each([
    ["full", 4 + 3, ["forest", "forest", "random-trees", "random-trees"]],
    ["SF", 4 + 3, ["forest", "forest", "forest", "forest"]],
    ["ST", 3, ["forest", "forest", "random-trees", "random-trees"]],
    ["NP", 4 + 3, ["forest", "forest", "random-trees", "random-trees"]],
  ] as const)("of the variant %s see %d columns", async (variant, columns, members) => {
    const sample = threeClasses(250);
    // Patience without end: the second layer is there if any of the later ones is better than the first.
    const model = await mddf({ ...small, layers: 6, patience: 6, variant }).fit(sample, { seed: 1 });
    expect(model.layers[0].members.map(({ name }) => name)).toEqual(members);
    expect(model.cascading.handsOn).toBe(variant === "NP" ? "mean" : "sum");
    expect(model.layers.length).toBeGreaterThan(1);
    for (const member of model.layers[1].members) {
      expect(member.kind === "forest" && member.trees.columns).toBe(columns);
    }
    const again = learnerNamed("mddf").restore(state(model));
    expect(again.scores(sample.features)).toEqual(model.scores(sample.features));
  });

  it("choose larger leaves where labels are noisy, pure ones where they are not", async () => {
    const noisy = noiseRows(600, 2, ([a], random) => Number(random.uniform() < 0.3 !== a > 0.5));
    const options = { trees: 20, folds: 3, layers: 1 };
    expect((await cascadeForest(options).fit(noisy)).minLeafRows).toBeGreaterThan(1);
    const clean = noiseRows(400, 2, ([a, b]) => (Math.floor(6 * a) + Math.floor(6 * b)) % 2);
    expect((await cascadeForest(options).fit(clean)).minLeafRows).toBe(1);
  });
});

describe("a damaged state", () => {
  it("is refused, whatever is wrong with it", async () => {
    const model = await mddf({ ...small, trees: 2, layers: 2, patience: 2 }).fit(threeClasses(80), {
      seed: 1,
    });
    const good = state(model);
    const { restore } = learnerNamed("mddf");
    expect(() => restore(good)).not.toThrow();
    for (const [name, tensor] of Object.entries(good.tensors)) {
      const { [name]: _, ...others } = good.tensors;
      expect(fault(() => restore({ ...good, tensors: others })).code).toBe("model/corrupt");
      const longer = { ...tensor, shape: [tensor.shape[0] + 1] };
      expect(fault(() => restore({ ...good, tensors: { ...others, [name]: longer } })).code).toBe(
        "model/corrupt",
      );
    }
    const stranger = { ...good.tensors, more: { shape: [1], data: Float64Array.of(1) } };
    expect(fault(() => restore({ ...good, tensors: stranger })).code).toBe("model/corrupt");
    const wide = structuredClone(good);
    const margins = wide.tensors["layer1.margins"].data;
    margins[0] = 2;
    expect(fault(() => restore(wide)).code).toBe("model/corrupt");
    const child = structuredClone(good);
    child.tensors["layer1.member1.nodes"].data[0] = 1_000_000;
    expect(fault(() => restore(child)).code).toBe("model/corrupt");
    expect(fault(() => restore({ ...good, json: {} })).code).toBe("model/corrupt");
  });
});

describe("layers of other learners", () => {
  const sample = threeClasses(120);

  it("learn, are stored and restored", async () => {
    const options = {
      ...small,
      layers: 2,
      patience: 2,
      estimators: ["forest:trees=5", "svm:probability=true:C=10"],
    };
    const model = await mddf(options).fit(sample);
    expect(model.layers[0].members.map(({ name }) => name)).toEqual(["forest", "svm"]);
    expect(model.complexity().counts.trees).toBe(model.layers.length * 5 * 3);
    const again = learnerNamed("mddf").restore(state(model));
    expect(again.scores(sample.features)).toEqual(model.scores(sample.features));
    // Nobody can count the machines that there could have been.
    const [{ value }] = model.certificates({ confidence: 0.95 });
    expect(value).toBe(Infinity);
    const ofLearners = await cascadeForest({ ...small, layers: 1 }, [svm({ probability: true })]).fit(sample);
    expect(ofLearners.layers[0].members.map(({ name }) => name)).toEqual(["svm"]);
    // No forests are there to try weights with: layers are reweighted, as in the paper.
    const alone = await mddf({ ...small, layers: 2, improvement: 0 }, [svm({ probability: true })]).fit(
      sample,
    );
    expect(alone.layers.map(({ reweighted }) => reweighted)).toEqual(alone.layers.map((_, t) => t > 0));
  });

  it("can be boosted trees and networks", async () => {
    const estimators = ["boosted-trees:rounds=3", "mlp:epochs=2"];
    const model = await cascadeForest({ ...small, layers: 1, estimators }).fit(sample);
    expect(model.layers[0].members.map(({ name }) => name)).toEqual(["boosted-trees", "mlp"]);
    const again = learnerNamed("cascade-forest").restore(state(model));
    expect(again.scores(sample.features)).toEqual(model.scores(sample.features));
  });

  it("can be learners that are made of others, deep forests too", async () => {
    const estimators = ["one-vs-rest:base=boosted-trees", "cascade-forest:trees=3:layers=1:folds=2"];
    const model = await cascadeForest({ ...small, folds: 2, layers: 1, estimators }).fit(sample);
    expect(model.layers[0].members.map(({ name }) => name)).toEqual(["one-vs-rest", "cascade-forest"]);
    const again = learnerNamed("cascade-forest").restore(state(model));
    expect(again.scores(sample.features)).toEqual(model.scores(sample.features));
  });

  it("can be learners of one's own; a file of these is not taken for something else", async () => {
    const own = { ...svm({ probability: true }), name: "machine" };
    const model = await cascadeForest({ ...small, layers: 1 }, [own]).fit(sample);
    expect(model.layers[0].members.map(({ name }) => name)).toEqual(["machine"]);
    const known = await cascadeForest({ ...small, layers: 1 }, [svm({ probability: true })]).fit(sample);
    expect(model.scores(sample.features)).toEqual(known.scores(sample.features));
    const restored = fault(() => learnerNamed("cascade-forest").restore(state(model)));
    expect(restored.message).toContain('no learner "machine"');
  });

  it("must give probabilities", async () => {
    const error = await faultOf(cascadeForest(small, [adaboost()]).fit(sample));
    expect(error.code).toBe("learner/unsupported");
    expect(error.message).toContain("adaboost");
    const unsaid = await faultOf(mddf({ ...small, estimators: ["svm"] }).fit(sample));
    expect(unsaid.hint).toContain("svm:probability=true");
  });

  it.each([
    [["forrest"], 'Did you mean "forest"?'],
    [["forest:tres=5"], "trees"],
    [["forest:classWeights=balanced"], "trees"],
    [["svm:probability=perhaps"], "true or false"],
  ])("are refused if %s", (estimators, hint) => {
    const error = fault(() => cascadeForest({ estimators }));
    expect(error.code).toMatch(/^(option|learner)\//);
    expect(error.hint).toContain(hint);
  });

  it("and forests cannot both be absent", () => {
    const error = fault(() => mddf({ randomForests: 0, completelyRandomForests: 0 }));
    expect(error.code).toBe("option/invalid");
    expect(fault(() => mddf({ trees: 0 })).code).toBe("option/invalid");
  });
});
