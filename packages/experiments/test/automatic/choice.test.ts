import { loadDataset } from "@vouch/datasets";
import { expect, it } from "vitest";
import { createLearner, trainClassifier } from "vouch";
import { completeRun } from "vouch/learning";
import { choiceDivision } from "#experiments/automatic/choice-divisions.js";
import { choicePartName, choiceParts, finishedChoices } from "#experiments/automatic/choice-parts.js";
import { raceOn, singlesOn } from "#experiments/automatic/choice-trial.js";

const parts = new Map();
const partial = {
  get: (part: string) => parts.get(part),
  add: async () => {},
};

it("the choice and the single learners are tested on the rows of the division", async () => {
  const data = await loadDataset("iris");
  const run = completeRun({ seed: 3 });
  const trial = await raceOn(data, 1, run);
  expect(trial).toMatchObject({ testRows: 30, trainingRows: 120, budget: 1 });
  expect(trial.wrongRows.length / 30).toBeCloseTo(trial.error, 12);
  expect(trial.tried).toBeLessThanOrEqual(trial.candidates);
  expect(trial.secondsPerRow).toBeGreaterThan(0);
  const singles = await singlesOn(data, 1, run);
  const errors = new Map(singles.map(({ learner, error }) => [learner, error]));
  expect(errors.get("majority")).toBeCloseTo(2 / 3, 12);
  expect(errors.get("svm")).toBeLessThan(0.2);
});

it("a division has the rows that training holds out for the same seed", async () => {
  const data = await loadDataset("iris");
  const { tables } = await trainClassifier(data.train, await createLearner("majority"), {
    holdout: 0.2,
    stratify: true,
    run: { seed: 4 },
  });
  const { training, test } = choiceDivision(data, 4);
  const cells = (table = tables.heldOut) => table?.columns.map((column) => Object.values(column)[2]);
  expect(cells(test.features)).toEqual(cells());
  expect(cells(training.features)).toEqual(cells(tables.training));
  expect(cells(choiceDivision(data, 5).test.features)).not.toEqual(cells());
});

it("finished parts make a result, and a set that lacks one is listed as absent", async () => {
  const races = await choiceParts("quick", { work: "race" });
  expect(races.map((part) => choicePartName(part, 1))).toEqual([
    "ionosphere, seed 1",
    "ionosphere, seed 2",
    "iris, seed 1",
    "iris, seed 2",
  ]);
  const trial = {
    ...{
      testRows: 30,
      trainingRows: 120,
      name: "svm",
      error: 0.1,
      wrongRows: [1, 2, 3],
      secondsPerRow: 1e-6,
    },
    ...{ bytes: 10, tried: 1, candidates: 2, budget: 5, seconds: 4 },
  };
  for (const part of races.slice(1)) parts.set(choicePartName(part, 1), trial);
  const { sets, absent } = await finishedChoices({ partial, seed: 1, scale: "quick" });
  expect(absent).toEqual(["ionosphere"]);
  expect(sets).toEqual([{ dataset: "iris", trials: [trial, trial] }]);
});
