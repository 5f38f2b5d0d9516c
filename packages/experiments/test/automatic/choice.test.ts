import { loadDataset } from "@vouch/datasets";
import { expect, it } from "vitest";
import { completeRun } from "vouch/learning";
import { automaticChoice, type ChoiceTrial, choiceOn } from "#experiments/automatic/choice.js";

it("the choice and the single learners are tested on the same rows", async () => {
  const trial = await choiceOn(
    await loadDataset("iris"),
    { budget: 1, timeLimit: 1 },
    completeRun({ seed: 1 }),
  );
  expect(trial.testRows).toBe(30);
  expect(trial.tried).toBeLessThanOrEqual(trial.candidates);
  const errors = new Map(trial.singles.map(({ learner, error }) => [learner, error]));
  expect(errors.get("majority")).toBeCloseTo(2 / 3, 12);
  expect(errors.get("svm")).toBeLessThan(0.2);
});

it("the table shows the mean difference to the best single learner over divisions", () => {
  const trial = (chosen: string, error: number, svm: number, forest?: number): ChoiceTrial => ({
    testRows: 40,
    chosen,
    error,
    tried: 3,
    candidates: 4,
    singles: [
      { learner: "svm", error: svm },
      { learner: "forest", ...(forest !== undefined && { error: forest }) },
    ],
  });
  const sets = [
    { dataset: "official", trials: [trial("svm C=10", 0.5, 0.25, 0.75)] },
    { dataset: "divided", trials: [trial("svm C=10", 0.2, 0.3, 0.1), trial("svm", 0.2, 0.1, 0.4)] },
    { dataset: "partly", trials: [trial("svm", 0.2, 0.3, 0.1), trial("forest", 0.3, 0.2)] },
  ];
  const page = automaticChoice.render({
    experiment: "automatic/choice",
    scale: "quick",
    seed: 1,
    vouch: "0",
    data: { budget: 2, sets, absent: [] },
  });
  const cells = (dataset: string) =>
    page
      .split("\n")
      .find((line) => line.startsWith(`| ${dataset}`))
      ?.split("|")
      .map((cell) => cell.trim())
      .slice(2, -1);
  expect(cells("official")).toEqual(["40", "svm C=10", "3 of 4", "50.00", "svm", "25.00", "25.00"]);
  expect(cells("divided")).toEqual([
    "2 × 40",
    "2 × svm",
    "3 of 4",
    "20.00 ± 0.00",
    "svm",
    "20.00 ± 10.00",
    "0.00 ± 10.00",
  ]);
  // The forest was not fitted to both divisions and cannot be the best one.
  expect(cells("partly")?.slice(4)).toEqual(["svm", "25.00 ± 5.00", "0.00 ± 10.00"]);
  expect(cells("partly")?.[1]).toBe("svm, forest");
  expect(page).toContain("which is picked on the test rows, on 2 of 3 sets");
  expect(page).toContain("Too slow or not possible:");
  expect(page).toContain("forest on partly");
});
