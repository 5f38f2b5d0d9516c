import { expect, test } from "vitest";
import { binMatrix } from "#vouch/encode/bins.js";
import { type Features, Sample } from "#vouch/encode/sample.js";
import { learnerNamed, learners } from "#vouch/learners/index.js";
import { describeOptions } from "#vouch/learners/options.js";
import { sampleOf } from "./small-samples.js";

test("every learner can be made by name, trained, stored and restored", async () => {
  const numbers = sampleOf(
    [
      [0, 5],
      [1, 4],
      [2, 9],
      [3, 1],
      [4, 7],
      [5, 2],
    ],
    [0, 1, 1, 0, 1, 0],
  );
  const binned = new Sample({ ...numbers, features: binMatrix(numbers.features) });
  for (const definition of learners) {
    expect(learnerNamed(definition.name)).toBe(definition);
    const learner = definition.create();
    expect(learner.name).toBe(definition.name);
    const sample: Sample<Features> = learner.encoding.kind === "binned" ? binned : numbers;
    const model = await learner.fit(sample);
    expect(model.learner).toBe(definition.name);
    expect(model.classes).toEqual(sample.classes);
    const again = definition.restore(structuredClone(model.toState()));
    expect(again.scores(sample.features)).toEqual(model.scores(sample.features));
    expect(JSON.parse(JSON.stringify(model.describe()))).toEqual(model.describe());
  }
});

test("every option has a default and a description, and a learner tells its options", () => {
  for (const definition of learners) {
    for (const option of describeOptions(definition.options)) {
      expect(option.default, `${definition.name}.${option.name}`).toBeDefined();
      expect(option.description, `${definition.name}.${option.name}`).not.toBe("");
    }
  }
  expect(learnerNamed("adaboost").create({ rounds: 7 }).options).toMatchObject({ rounds: 7 });
});

test("a wrong name is an error with a suggestion", () => {
  expect(() => learnerNamed("adabost")).toThrow(
    expect.objectContaining({
      code: "learner/unknown",
      hint: expect.stringMatching(/^Did you mean "adaboost"\? Learners are majority, stump, adaboost/),
    }),
  );
  for (const [elsewhere, here] of [
    ["Random_Forest", "forest"],
    ["xgboost", "boosted-trees"],
    ["constructor", undefined],
  ]) {
    const hint = here === undefined ? /^Learners are/ : new RegExp(`^Did you mean "${here}"`);
    expect(() => learnerNamed(elsewhere ?? "")).toThrow(
      expect.objectContaining({ hint: expect.stringMatching(hint) }),
    );
  }
  expect(() => learnerNamed("zzz")).toThrow(
    expect.objectContaining({ hint: expect.stringMatching(/^Learners are/) }),
  );
});
