import { expect, it } from "vitest";
import { completeRun } from "vouch/learning";
import { automaticChoice, choiceOn } from "#experiments/automatic/choice.js";

it("the choice and the single learners are tested on the same rows, and the table says who is behind", async () => {
  const run = { ...completeRun({ seed: 1 }), scale: "quick" as const };
  const set = await choiceOn("iris", { budget: 2, patience: 1 }, run);
  expect(set.testRows).toBe(30);
  expect(set.tried).toBeLessThanOrEqual(set.candidates);
  const errors = new Map(set.singles.map(({ learner, error }) => [learner, error]));
  expect(errors.get("majority")).toBeCloseTo(2 / 3, 12);
  expect(errors.get("svm")).toBeLessThan(0.2);
  const result = {
    experiment: "automatic/choice",
    scale: "quick" as const,
    seed: 1,
    vouch: "0",
    data: {
      budget: 2,
      sets: [{ ...set, error: 0.5, singles: [{ learner: "svm", error: 0.25 }] }],
      absent: [],
    },
  };
  const page = automaticChoice.render(result);
  expect(page).toMatch(/iris +\| +30 \|.*50\.00 \| +svm \| 25\.00 \|\s+25\.00 \|/);
  expect(page).toContain("which the test rows themselves choose: 0 of 1 sets");
});
