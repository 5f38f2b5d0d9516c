import { describe, expect, it } from "vitest";
import { boostedTrees } from "#core/learners/boosted-trees/boosted-trees.js";
import { forest } from "#core/learners/forest/forest.js";
import type { Learner } from "#core/learners/learner.js";
import { linearSvm } from "#core/learners/linear/linear-svm.js";
import { logistic } from "#core/learners/logistic/logistic.js";
import { stump } from "#core/learners/stump/stump.js";
import { svm } from "#core/learners/svm/svm.js";
import { tree } from "#core/learners/tree/tree.js";
import { mean } from "#core/runtime/maths/statistics.js";
import { trainClassifier } from "#core/train/train.js";
import { plain } from "./simulated-cases.js";

describe("class weights", () => {
  const table = plain(200, 6);

  it.each<[string, () => Learner, (options: { classWeights: "balanced" }) => Learner]>([
    ["forest", () => forest({ trees: 50 }), (options) => forest({ trees: 50, ...options })],
    [
      "boosted trees",
      () => boostedTrees({ rounds: 5 }),
      (options) => boostedTrees({ rounds: 5, ...options }),
    ],
    ["linear SVM", linearSvm, linearSvm],
    ["SVM", svm, svm],
    ["logistic", logistic, logistic],
    ["tree", tree, tree],
  ])("that are balanced equal the option of the learner: %s", async (name, usual, balanced) => {
    const options = { calibrate: false, run: { seed: 3 } };
    const ours = await trainClassifier(table, usual(), { ...options, classWeights: "balanced" });
    const theirs = await trainClassifier(table, balanced({ classWeights: "balanced" }), options);
    const fresh = plain(100, 9);
    const [one, other] = [ours, theirs].map(({ classifier }) => classifier.scores(fresh).values);
    // Weights that differ in the last digit may grow another tree.
    const apart = one.map((score: number, i: number) => Math.abs(score - other[i]));
    expect(mean(apart)).toBeLessThan(name === "forest" ? 0.03 : 1e-8);
    const without = await trainClassifier(table, usual(), options);
    expect(without.classifier.scores(fresh).values).not.toEqual(one);
  });

  it("by name are those of a table with repeated rows", async () => {
    const labels = table.column("label");
    if (labels.kind !== "categorical") throw new Error("The labels are names.");
    const yes = labels.levels.indexOf("yes");
    const rows = Array.from(labels.codes, (code, row) => (code === yes ? [row, row, row] : [row])).flat();
    const weighted = await trainClassifier(table, stump(), { classWeights: { yes: 3 }, calibrate: false });
    const repeated = await trainClassifier(table.select(Int32Array.from(rows)), stump(), {
      calibrate: false,
    });
    const fresh = plain(100, 9);
    expect(weighted.classifier.predict(fresh)).toEqual(repeated.classifier.predict(fresh));
    expect(weighted.classifier.card.classWeights).toEqual([1, 3]);
  });

  it.each([
    [{ maybe: 2 }, /"maybe" has a class weight/],
    [{ yes: 0 }, /weight of class "yes" must be .*, not 0/],
    [{ yes: Number.NaN }, /weight of class "yes" must be .*, not NaN/],
    [{ yes: 1e10 }, /weight of class "yes"/],
    [JSON.parse('"equal"'), /classWeights must be .*, not "equal"/],
    [JSON.parse("null"), /classWeights must be .*, not null/],
  ])("are refused: %j", async (classWeights, message) => {
    await expect(trainClassifier(table, stump(), { classWeights })).rejects.toThrow(message);
  });
});
