import { describe, expect, it, vi } from "vitest";
import { completeRun } from "vouch/learning";
import { certificates, certifiedOn, premisesOf } from "#experiments/model-selection/certificates.js";
import { certifyingLearners } from "#experiments/model-selection/certified-models.js";

const run = { ...completeRun({ seed: 2 }), scale: "quick" } as const;

describe("training certificates", () => {
  it("are above the test error, and not vacuous on breastcancer, unlike the bounds of the papers", async () => {
    const { rows, testRows, models } = await certifiedOn("breastcancer", run);
    expect([rows, testRows]).toEqual([559, 140]);
    expect(models.map(({ learner }) => learner)).toEqual([...certifyingLearners]);
    for (const { learner, bounds, trainingError, testError } of models) {
      const [quoted] = bounds;
      expect(quoted.value, learner).toBeGreaterThan(Math.max(trainingError, testError));
      expect(quoted.value, learner).toBeLessThan(1);
      for (const { name, value } of bounds) {
        if (["vc", "adaboost-vc", "deep-cascade-theorem-1"].includes(name)) expect(value).toBe(1);
      }
    }
  });
});

describe("the experiment", () => {
  it("counts the bounds whose premises are violated, and names the premises", () => {
    const model = { learner: "stump", trainingError: 0, testError: 0 } as const;
    const bound = (...violated: string[]) => ({ name: "vc", value: 0.5, violated });
    const set = (...bounds: ReturnType<typeof bound>[]) => [
      { dataset: "x", rows: 1, testRows: 1, models: [{ ...model, bounds }] },
    ];
    expect(premisesOf(set(bound(), bound()))).toMatch(/^No premise of the 2 bounds is violated/);
    expect(premisesOf(set(bound("A."), bound("A.", "B."), bound()))).toMatch(
      /^A premise of 2 of the 3 bounds is violated: "A\." \(2\), "B\." \(1\)\. These are in parentheses/,
    );
  });

  it("has a bound below ½ for every shipped data set with two classes", async () => {
    vi.stubEnv("VOUCH_DATA", "");
    const result = await certificates.run(run);
    vi.unstubAllEnvs();
    const page = certificates.render(result);
    const lines = page.split("\n");
    for (const name of ["breastcancer", "ionosphere"]) {
      expect(lines.find((line) => line.startsWith(`| ${name} `))).toMatch(/\*\*0\.\d{3}\*\*/);
    }
    expect(page).toContain("### The bound to quote, at 95 %");
  });
});
