import { expect, it } from "vitest";
import { completeRun } from "vouch/extend";
import { z } from "zod";
import { metricsOfDecisions } from "#experiments/decisions/metrics.js";

const dataSchema = z.object({
  contests: z.array(
    z.object({
      title: z.string(),
      metrics: z.array(
        z.object({
          metric: z.string(),
          outcomes: z.array(z.object({ value: z.number(), opponentValue: z.number() })),
        }),
      ),
    }),
  ),
});

it("costs lower the realised cost, and the race by AUC does not fall behind logistic regression", async () => {
  const result = await metricsOfDecisions.run({ ...completeRun({ seed: 1 }), scale: "quick" });
  const { contests } = dataSchema.parse(result.data);
  expect(contests.map(({ title }) => title)).toEqual(["churn.csv, AUC", "churn, cost", "breastcancer"]);
  const [[auc], [cost], others] = contests.map(({ metrics }) => metrics);
  for (const { value, opponentValue } of auc.outcomes) {
    // No model has more than the AUC of the true probabilities, about 0.69.
    expect(value).toBeLessThan(0.7);
    expect(value).toBeGreaterThan(opponentValue - 0.005);
  }
  // Without costs hardly anyone is warned, and 5 × 0.206 is the cost of warning nobody.
  expect(cost.outcomes).toHaveLength(2);
  for (const { value, opponentValue } of cost.outcomes) {
    expect(opponentValue).toBeGreaterThan(0.9);
    expect(value).toBeLessThan(0.7);
  }
  expect(others.map(({ metric }) => metric)).toEqual(["balanced-error", "log-loss"]);
  const page = metricsOfDecisions.render(result);
  expect(page).toMatch(/churn +\| mean cost +\| +0\.6\d+ \| +1\.0\d* \| +-0\.3\d+ ± 0\.0\d+ \| 2 of 2/);
  expect(page).toMatch(/churn\.csv \| +1 \| (logistic|adaboost)/);
}, 60_000);
