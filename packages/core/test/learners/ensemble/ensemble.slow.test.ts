import { afterAll, describe, expect, it } from "vitest";
import { createLearner, ensemble, learnerNamed } from "vouch";
import { JointFeatures } from "#core/encode/joint-features.js";
import { type Features, Sample } from "#core/encode/sample.js";
import { changedOptions } from "#core/learners/changed-options.js";
import { choosePool, lossesOf } from "#core/learners/ensemble/choose-pool.js";
import { withLearners } from "#core/learners/index.js";
import { classifyRows } from "#core/learners/score-rows.js";
import { parseSettings, settingSummary } from "#core/learners/settings.js";
import { Matrix } from "#core/runtime/maths/matrix.js";
import { inlineExecutor } from "#core/runtime/parallel/inline.js";
import { threadExecutor } from "#core/runtime/parallel/threads.js";
import { Table } from "#core/table/table.js";
import { labelled } from "#core/table/target.js";
import { unseenRows } from "#core/validation/out-of-fold.js";
import { fault } from "../../fault.js";
import { ROWS, smallSample } from "../small-fits.js";
import { drawnMembers } from "./out-of-fold-draws.js";

const [two, three] = [threadExecutor({ threads: 2 }), threadExecutor({ threads: 3 })];
afterAll(() => Promise.all([two.close(), three.close()]));

const SMALL_FOREST = { learner: "forest", options: { trees: 5 } };
const MIXED = ["logistic", SMALL_FOREST, "linear-svm"];

describe("an ensemble of one member", () => {
  it("has the bits of the member alone", async () => {
    const learner = await createLearner("ensemble", { members: [SMALL_FOREST], folds: 2 });
    const alone = await createLearner("forest", { trees: 5 });
    expect(learner.encoding).toEqual(alone.encoding);
    const sample = smallSample(alone, 3);
    const [model, own] = [await learner.fit(sample, { seed: 4 }), await alone.fit(sample, { seed: 4 })];
    expect(model.scores(sample.features)).toEqual(own.scores(sample.features));
  });
});

describe("an ensemble of several members", () => {
  it("has the bits of each member alone, whether weights are given or selected", async () => {
    const selecting = ensemble({ members: MIXED, folds: 3, combine: "average" });
    const sample = smallSample(selecting, 3);
    const selected = await selecting.fit(sample, { seed: 7 });
    const kept = selected.members.map(({ model, weight, temperature }) => ({
      ...(model.learner === "forest" ? SMALL_FOREST : { learner: model.learner }),
      weight,
      temperature,
    }));
    const given = ensemble({
      members: MIXED.map((member) => {
        const name = typeof member === "string" ? member : member.learner;
        return kept.find(({ learner }) => learner === name) ?? { learner: name, weight: 0 };
      }),
    });
    const again = await given.fit(sample, { seed: 7 });
    expect(again.members.map(({ model }) => model.toState())).toEqual(
      selected.members.map(({ model }) => model.toState()),
    );
    expect(again.scores(sample.features)).toEqual(selected.scores(sample.features));
    if (!(sample.features instanceof JointFeatures)) return expect.fail("The encodings differ.");
    for (const { model, settings } of selected.members) {
      const alone = await createLearner(model.learner, settings.length > 0 ? SMALL_FOREST.options : {});
      const fitted = await alone.fit(smallSample(alone, 3), { seed: 7 });
      expect(model.toState()).toEqual(fitted.toState());
    }
  });

  it("is the same for 1, 2 and 3 threads, and scores on threads what it scores alone", async () => {
    const learner = ensemble({ members: MIXED, folds: 2 });
    const sample = smallSample(learner, 3);
    const model = await learner.fit(sample, { seed: 2 });
    for (const executor of [two, three]) {
      const again = await learner.fit(sample, { seed: 2, executor });
      expect(again.toState()).toEqual(model.toState());
      expect(again.outOfFoldScores).toEqual(model.outOfFoldScores);
      const run = { seed: 0, executor, progress: () => {} };
      expect(await classifyRows(again, sample.features, run)).toEqual(model.classify(sample.features));
    }
  });

  it("averages probabilities by weight, and pools logarithms log-linearly", async () => {
    const members = [
      { learner: "logistic", weight: 3 },
      { ...SMALL_FOREST, weight: 1 },
    ];
    const average = ensemble({ members });
    const sample = smallSample(average, 3);
    const model = await average.fit(sample);
    if (!(sample.features instanceof JointFeatures)) return expect.fail("The encodings differ.");
    const [first, second] = sample.features.parts.map(
      (part, m) => model.members[m].model.scores(part).values,
    );
    const mean = model.scores(sample.features).values;
    for (let i = 0; i < mean.length; i++) expect(mean[i]).toBeCloseTo(0.75 * first[i] + 0.25 * second[i], 12);
    const offsets = [0.5, 0, -0.5];
    const pooled = await ensemble({ members, combine: "log-linear", offsets }).fit(sample);
    const scores = pooled.scores(sample.features);
    for (let i = 0; i < scores.rows; i++) {
      const factors = offsets.map((offset, k) => {
        const [p, q] = [first[3 * i + k], second[3 * i + k]].map((value) => Math.max(1e-4, value));
        return p ** 3 * q * Math.exp(offset);
      });
      const total = factors.reduce((sum, factor) => sum + factor, 0);
      factors.forEach((factor, k) => {
        expect(scores.row(i)[k]).toBeCloseTo(factor / total, 9);
      });
    }
  });

  it("says of each member what it is, weighs, adds and costs", async () => {
    const learner = ensemble({ members: MIXED, folds: 3 });
    const model = await learner.fit(smallSample(learner, 3));
    const { facts, sections } = model.describe();
    expect(facts.map(({ name }) => name)).toEqual([
      "members",
      "combination",
      "out-of-fold error",
      "out-of-fold log-loss",
      "size",
    ]);
    const [table] = sections;
    if (table.kind !== "table") return expect.fail("The members are a table.");
    expect(table.rows).toHaveLength(model.members.length);
    const names = table.columns.map(({ name }) => name);
    for (const name of ["learner", "weight", "out-of-fold error", "size"]) expect(names).toContain(name);
    const timed = ensemble({
      members: [
        {
          learner: "logistic",
          weight: 1,
          evidence: { error: 0.2, adds: 0.01, seconds: 2, secondsPerRow: 1e-6 },
        },
        { ...SMALL_FOREST, weight: 1, evidence: { error: 0.1, adds: 0.1, secondsPerRow: 3e-6 } },
      ],
    });
    const [costs] = (await timed.fit(smallSample(timed, 3))).describe().sections;
    if (costs.kind !== "table") return expect.fail("The members are a table.");
    expect(costs.columns.map(({ name }) => name)).toEqual([
      "learner",
      "options",
      "weight",
      "out-of-fold error",
      "lowers error by",
      "size",
      "fit",
      "share of prediction time",
    ]);
    expect(costs.rows.map((row) => [row[1], row[3], row[4], row[7]])).toEqual([
      ["", 0.2, 0.01, 0.25],
      ["trees=5", 0.1, 0.1, 0.75],
    ]);
  });

  it("averages the importance of features over the members that measure it, by weight", async () => {
    const trees = { learner: "tree", options: { maxDepth: 2 } };
    const weights = [
      { ...SMALL_FOREST, weight: 3 },
      { ...trees, weight: 1 },
      { learner: "logistic", weight: 4 },
    ];
    const learner = ensemble({ members: weights });
    const model = await learner.fit(smallSample(learner, 3));
    const importance = (own: Pick<typeof model, "describe">) => {
      const sections = own.describe().sections.filter(({ kind }) => kind === "importance");
      const [section] = sections;
      return section?.kind === "importance" ? section : expect.fail("There is no importance.");
    };
    const [forest, tree] = model.members.map(({ model: own }) => own).slice(0, 2);
    const shareIn = (own: Pick<typeof model, "describe">, feature: string) =>
      importance(own).features.find(({ name }) => name === feature)?.share ?? 0;
    const { title, features } = importance(model);
    expect(title).toBe("feature importance (in the members with 50.0% of the weight)");
    for (const { name, share } of features) {
      expect(share).toBeCloseTo(0.75 * shareIn(forest, name) + 0.25 * shareIn(tree, name), 12);
    }
  });

  it("calibrates by its own out-of-fold rows, unless rows belong together", async () => {
    const learner = ensemble({ members: MIXED, folds: 3 });
    const sample = smallSample(learner, 3);
    const model = await learner.fit(sample);
    const data = {
      ...labelled(Table.fromColumns("t", { x: [1, 2], y: ["a", "b"] }), "y"),
      labels: sample.labels,
    };
    const rows = unseenRows(model, data);
    expect(rows).toMatchObject({ from: "folds", scoring: "probability" });
    expect(rows?.scores).toEqual(model.outOfFoldScores);
    const wrong = rows?.predictions.filter((prediction, i) => prediction !== sample.labels[i]).length ?? 0;
    expect(model.outOfFold?.error).toBeCloseTo(wrong / ROWS, 12);
    expect(unseenRows(model, { ...data, groups: new Int32Array(ROWS) })).toBeUndefined();
  });

  it("weighs members equally where there are no folds, and says so", async () => {
    const learner = ensemble({ members: MIXED });
    const sample = smallSample(learner, 2);
    const [first] = sample.labels;
    const other = sample.labels.findIndex((label) => label !== first);
    const rows = Array.from(sample.labels.keys()).filter((i) => sample.labels[i] === first || i === other);
    const model = await learner.fit(sample.select(rows));
    expect(model.members.map(({ weight }) => weight)).toEqual([1 / 3, 1 / 3, 1 / 3]);
    expect(model.notices?.[0]).toContain("All members have the same weight");
  });

  it("takes rows that are encoded once for all members, and no other encodings", async () => {
    const learner = ensemble({ members: ["logistic", "mlp"], folds: 2 });
    const sample = smallSample(await createLearner("mlp"), 2);
    const model = await learner.fit(sample);
    expect(model.predict(sample.features)).toHaveLength(ROWS);
    const { features } = sample;
    if (!(features instanceof Matrix)) return expect.fail("Networks take a matrix.");
    const joint = new Sample<Features>({ ...sample, features: new JointFeatures([features]) });
    await expect(learner.fit(joint)).rejects.toMatchObject({ code: "data/wrong-kind" });
  });
});

describe("options of an ensemble", () => {
  it("are filled in, and a learner of them is the same", async () => {
    const learner = ensemble({ members: ["svm", SMALL_FOREST] });
    expect(learner.options).toMatchObject({
      members: [
        { learner: "svm", options: { C: expect.anything() } },
        { learner: "forest", options: { trees: 5 } },
      ],
      combine: "auto",
    });
    const again = await createLearner("ensemble", learner.options);
    expect(again.options).toEqual(learner.options);
    expect(learner).toMatchObject({ keepsRows: true, encoding: { kind: "joint" } });
    expect(ensemble({ members: ["forest", "boosted-trees"] })).toMatchObject({
      encoding: { kind: "binned" },
    });
  });

  it("are names between commas or JSON on a command line", async () => {
    const kind = await learnerNamed("ensemble");
    const parsed = (setting: string) => withLearners(() => parseSettings(kind, [setting]));
    expect(await parsed("members=forest,svm")).toEqual({ members: ["forest", "svm"] });
    expect(await parsed('members=["svm",{"learner":"forest","options":{"trees":5}}]')).toEqual({
      members: ["svm", SMALL_FOREST],
    });
  });

  it("must fit together", () => {
    const code = (options: Parameters<typeof ensemble>[0]) => fault(() => ensemble(options)).code;
    expect(code({ members: ["ensemble"] })).toBe("option/invalid");
    expect(code({ members: [{ learner: "one-vs-rest", options: { base: "ensemble" } }] })).toBe(
      "option/invalid",
    );
    expect(code({ members: ["sae"] })).toBe("option/invalid");
    expect(code({ members: ["forrest"] })).toBe("learner/unknown");
    expect(code({ members: [{ learner: "forest", weight: 1 }, "svm"] })).toBe("option/invalid");
    expect(code({ members: [{ learner: "forest", weight: 0 }] })).toBe("option/invalid");
    expect(code({ members: ["forest"], offsets: [1, 2] })).toBe("option/invalid");
    expect(code({ members: [] })).toBe("option/invalid");
  });
});

describe("choosePool", () => {
  const run = { executor: inlineExecutor() };
  const foldsOf = (rows: number) => Int32Array.from({ length: rows }, (_, i) => i % 5);

  it("pools the rows of each fold with weights that the other folds have fitted", async () => {
    const drawn = drawnMembers(3, 200, 3, 11);
    const members = { ...drawn, foldOf: foldsOf(200) };
    const { outOfFold } = await choosePool(members, { combine: "average", metric: "error" }, run);
    // Other labels in fold 0 change the weights of all folds but fold 0.
    const labels = drawn.labels.map((label, i) => (i % 5 === 0 ? (label + 1) % 3 : label));
    const changed = await choosePool({ ...members, labels }, { combine: "average", metric: "error" }, run);
    const rowsOf = (values: Float64Array, fold: number) =>
      Array.from(values).filter((_, i) => Math.floor(i / 3) % 5 === fold);
    expect(rowsOf(changed.outOfFold, 0)).toEqual(rowsOf(outOfFold, 0));
    expect(rowsOf(changed.outOfFold, 1)).not.toEqual(rowsOf(outOfFold, 1));
  });

  it("takes the log-linear pool where an average cannot be right", async () => {
    // Probabilities that are far too flat, and of a shifted class: an average stays flat and shifted.
    const { labels, probabilities, classes } = drawnMembers(2, 1000, 2, 3);
    const flat = probabilities.map((own) =>
      own.map((p, i) => (i % 2 === 0 ? 0.05 + 0.2 * p : 0.75 + 0.2 * p)),
    );
    const members = { labels, classes, probabilities: flat, foldOf: foldsOf(1000) };
    const chosen = await choosePool(members, { combine: "auto", metric: "error" }, run);
    expect(chosen.combine).toBe("log-linear");
    const average = await choosePool(members, { combine: "average", metric: "error" }, run);
    expect(lossesOf(chosen.outOfFold, members).error).toBeLessThan(
      lossesOf(average.outOfFold, members).error,
    );
  });

  it("takes the pool with the smaller loss in folds, and the average where rows are few", async () => {
    for (let seed = 0; seed < 5; seed++) {
      const members = { ...drawnMembers(3, 150, 3, seed), foldOf: foldsOf(150) };
      const lossWith = async (combine: "auto" | "average" | "log-linear") => {
        const { outOfFold } = await choosePool(members, { combine, metric: "log-loss" }, run);
        return lossesOf(outOfFold, members).logLoss;
      };
      const [chosen, ...both] = await Promise.all([
        lossWith("auto"),
        lossWith("average"),
        lossWith("log-linear"),
      ]);
      expect(chosen).toBe(Math.min(...both));
      const few = { ...drawnMembers(3, 40, 3, seed), foldOf: foldsOf(40) };
      expect(await choosePool(few, { combine: "auto", metric: "error" }, run)).toMatchObject({
        combine: "average",
      });
    }
  });
});

describe("changed options of an ensemble", () => {
  it("are typed as they make the same learner again, and short for people", async () => {
    const members = [
      { learner: "svm", weight: 2, temperature: 0.5 },
      { ...SMALL_FOREST, weight: 1 },
    ];
    const learner = await createLearner("ensemble", { members });
    const typed = changedOptions(learner).map(([name, value]) => `${name}=${value}`);
    expect(typed).toEqual([`members=${JSON.stringify(members)}`]);
    const kind = await learnerNamed("ensemble");
    const again = await createLearner("ensemble", await withLearners(() => parseSettings(kind, typed)));
    expect(again.options).toEqual(learner.options);
    expect(changedOptions(learner, settingSummary)).toEqual([["members", "svm,forest"]]);
    const named = await createLearner("ensemble", { members: ["svm", "tree"], folds: 3 });
    expect(changedOptions(named)).toEqual([
      ["members", "svm,tree"],
      ["folds", "3"],
    ]);
    expect(changedOptions(await createLearner("ensemble"))).toEqual([]);
  });
});
