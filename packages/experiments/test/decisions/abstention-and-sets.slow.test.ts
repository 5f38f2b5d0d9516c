import { expect, it } from "vitest";
import { completeRun } from "vouch/extend";
import { abstentionAndSets } from "#experiments/decisions/abstention-and-sets.js";
import { judged } from "#experiments/decisions/judged-promises.js";

it("promises of abstention and sets are judged on fresh rows of a shipped data set", async () => {
  const result = await abstentionAndSets.run({ ...completeRun({ seed: 1 }), scale: "quick" });
  expect(result.data).toMatchObject({
    parts: [
      {
        dataset: "breastcancer",
        fresh: 299,
        answers: [{ target: 0.02 }, { target: 0.05 }, { target: 0.1, seeds: 3, met: 3, significantly: 0 }],
        sets: [
          { level: 0.9, perClass: false, met: 3, significantly: 0 },
          { level: 0.95, perClass: false, met: 3, significantly: 0 },
          { level: 0.95, perClass: true, met: 3, significantly: 0 },
        ],
      },
    ],
  });
  const page = abstentionAndSets.render(result);
  expect(page).toMatch(/breastcancer \| +10% \| +3 of 3/);
  expect(page).toContain("every class");
});

it("a promise is missed by any amount, and significantly by more than chance explains", () => {
  expect(judged(20, 1000, 0.02)).toEqual({ missed: false, significantly: false });
  expect(judged(21, 1000, 0.02)).toEqual({ missed: true, significantly: false });
  // P(Binomial(1000, 0.02) ≥ 28) = 0.051 and P(… ≥ 29) = 0.033.
  expect(judged(28, 1000, 0.02)).toEqual({ missed: true, significantly: false });
  expect(judged(29, 1000, 0.02)).toEqual({ missed: true, significantly: true });
  expect(judged(29, 1000, 0.02, 2)).toEqual({ missed: true, significantly: false });
  expect(judged(0, 0, 0.02)).toEqual({ missed: false, significantly: false });
});
