import { describe, expect, it } from "vitest";
import { completeRun } from "vouch/extend";
import { lassoModels, nestedModels } from "#experiments/model-selection/logistic-models.js";

const run = { ...completeRun({ seed: 3 }), scale: "quick" } as const;

describe("the choice among logistic regressions", () => {
  it("by BIC is the true model if there are many rows, and never larger than by AIC", async () => {
    const { choices, least } = await nestedModels("1600 rows", 3, run);
    const sizes = choices.map(({ chosen }) => chosen.reduce((sum, count, k) => sum + count * (k + 1), 0));
    expect(choices.map(({ criterion }) => criterion)).toEqual(["AIC", "BIC", "CV, error", "CV, log-loss"]);
    expect(choices[1].chosen).toEqual([0, 0, 0, 3, 0, 0, 0, 0, 0, 0]);
    expect(sizes[1]).toBeLessThanOrEqual(sizes[0]);
    for (const { logLosses } of choices) {
      logLosses.forEach((loss, problem) => {
        expect(loss).toBeGreaterThanOrEqual(least[problem]);
      });
    }
  });

  it("by BIC has no weaker penalty than by AIC on a real data set", async () => {
    const { choices } = await lassoModels("breastcancer", 1, run);
    const [aic, bic] = choices.map(({ chosen }) => chosen.indexOf(1));
    expect(bic).toBeLessThanOrEqual(aic);
  });
});
