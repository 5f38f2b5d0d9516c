import type { Json } from "@vouch/core/internal/runtime/codec/state";
import { loadDataset } from "@vouch/datasets";
import { expect, it } from "vitest";
import { createLearner, trainClassifier } from "vouch";
import { completeRun } from "vouch/extend";
import { choiceDivision } from "#experiments/automatic/choice-divisions.js";
import { choiceParts, measureChoices } from "#experiments/automatic/choice-parts.js";
import { raceOn, singlesOn } from "#experiments/automatic/choice-trial.js";
import type { ExperimentRun, PartialResults } from "#experiments/experiment.js";

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

const trial = {
  ...{ testRows: 30, trainingRows: 120, name: "svm", error: 0.1, wrongRows: [1, 2, 3], secondsPerRow: 1e-6 },
  ...{ bytes: 10, tried: 1, candidates: 2, budget: 5, seconds: 4 },
};

const singles = [{ learner: "stump", error: 0.3 }];

/** A run whose parts are already there. */
function runWith(...names: string[]): ExperimentRun {
  const parts = new Map<string, Json>(
    names.map((name) => [name, name.startsWith("singles") ? singles : trial]),
  );
  const partial: PartialResults = {
    get: (part) => parts.get(part),
    add: () => Promise.reject(new Error("computed")),
    commits: () => [],
  };
  return { ...completeRun({ seed: 1 }), scale: "quick", partial };
}

const races = ["ionosphere, seed 1", "ionosphere, seed 2", "iris, seed 1", "iris, seed 2"].map(
  (name) => `5 s race: ${name}`,
);

it("finished parts make a result, and a set that lacks one is listed as absent", async () => {
  const finished = { ...runWith(...races.slice(1), "singles: iris, seed 1"), finishedOnly: true };
  expect(await measureChoices(finished)).toEqual({
    sets: [{ dataset: "iris", trials: [trial, trial] }],
    absent: ["ionosphere"],
    expert: expect.anything(),
  });
  const complete = runWith(...races, "singles: iris, seed 1", "singles: iris, seed 2");
  const { sets } = await measureChoices({ ...complete, finishedOnly: true });
  expect(sets).toEqual([
    { dataset: "ionosphere", trials: [trial, trial] },
    { dataset: "iris", trials: [trial, trial], singles: [singles, singles] },
  ]);
});

it("a result contains its parts, but for races with another budget", async () => {
  const names = [...races, "singles: iris, seed 1", "singles: iris, seed 2"];
  const result = await measureChoices({ ...runWith(...names), finishedOnly: true });
  expect([...choiceParts(result, { scale: "quick", seed: 1 }).keys()].sort()).toEqual(names.sort());
  const longer = result.sets.map((set) => ({ ...set, trials: [{ ...trial, budget: 6 }, trial] }));
  const parts = choiceParts({ ...result, sets: longer }, { scale: "quick", seed: 1 });
  expect([...parts.keys()].filter((name) => name.includes("race"))).toEqual([races[1], races[3]]);
});

it("a run computes the wanted parts of its share only", async () => {
  const all = { ...runWith(...races), only: ["race"] };
  expect((await measureChoices(all)).sets).toHaveLength(2);
  const first = { ...runWith(...races.slice(2)), only: ["race"], share: { index: 3, of: 3 } };
  await expect(measureChoices(first)).rejects.toThrow("2 parts left");
});
