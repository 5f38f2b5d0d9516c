import { describe, expect, it } from "vitest";
import { threadExecutor } from "vouch";
import { completeRun } from "vouch/extend";
import { contenderNames, reportSplits } from "#experiments/deep-cascades-perceptron/report-split.js";
import { table41 } from "#experiments/deep-cascades-perceptron/table-4-1.js";
import { table42 } from "#experiments/deep-cascades-perceptron/table-4-2.js";

const run = { ...completeRun({ seed: 3 }), scale: "quick" } as const;

describe("the report's splits", () => {
  // Once for all tests.
  const splits = reportSplits(["ionosphere"], 2, run).then(([set]) => set);

  it("are the same on two threads", async () => {
    const inline = await splits;
    const executor = threadExecutor({ threads: 2 });
    try {
      expect(await reportSplits(["ionosphere"], 2, { ...run, executor })).toEqual([inline]);
    } finally {
      await executor.close();
    }
    expect(inline[0]).not.toEqual(inline[1]);
  });

  it("have three folds, 70 test rows, and depths within the limits", async () => {
    const [outcome] = await splits;
    expect(outcome.map(({ name }) => name)).toEqual([...contenderNames]);
    for (const { name, validation, test, depth } of outcome) {
      expect(validation).toHaveLength(3);
      expect(Math.abs(test * 70 - Math.round(test * 70))).toBeLessThan(1e-9);
      expect(depth).toBeGreaterThanOrEqual(name === "cascade, as they ran it" ? 2 : 1);
      expect(depth).toBeLessThanOrEqual(4);
      // Guessing the larger class is wrong in 126 of 351 rows.
      expect(test).toBeLessThan(0.3);
    }
  });
});

describe("the tables", () => {
  it("4.1 shows the published errors beside ours", () => {
    const contenders = contenderNames.map((name) => ({
      name,
      errors: [0.07, 0.18],
      deviations: [0.5, 0.5],
    }));
    const page = table41.render({
      experiment: table41.name,
      scale: "quick",
      seed: 3,
      vouch: "0",
      data: { splits: 2, sets: [{ dataset: "ionosphere", contenders }], absent: ["german"] },
    });
    expect(page).toMatch(/SVM +\| 0\.093 ± 0\.033 \| 0\.1250 ± 0\.5000 \| -0\.7\d+ to 0\.9\d+ \| +1 of 2 \|/);
    expect(page).toContain("Not measured: german.");
  });

  it("4.2 shows the published errors beside ours", async () => {
    const page = table42.render(await table42.run(run)).replace(/ +/g, " ");
    // A single split has no interval of the mean.
    expect(page).toMatch(/\| ionosphere \| perceptron \| 0\.112 \| 0\.\d{4} \| – \| .* \| [01] of 1 \|/);
  });

  it("4.2 says how likely the published error on breastcancer is, by one split, by several and by chosen ties", () => {
    const contenders = contenderNames.map((name) => ({
      name,
      errors: [...new Array<number>(98).fill(0.05), 0.02, 0.02],
      bestErrors: [...new Array<number>(90).fill(0.05), ...new Array<number>(10).fill(0.01)],
      tied: new Array<number[]>(100).fill([0.05, 0.05, 0.05, 0.02]),
      depths: new Array<number>(100).fill(2),
    }));
    const page = table42.render({
      experiment: table42.name,
      scale: "paper",
      seed: 3,
      vouch: "0",
      data: { splits: 100, sets: [{ dataset: "breastcancer", contenders }], absent: [] },
    });
    expect(page).toContain("3 are 0.0214, which is taken for the published error, 2 are 0.0143");
    expect(page).toContain(
      "not within the central 95% of ours, 0.0500 to 0.0500: 2% of the splits are as low, 0% have at most 2 errors",
    );
    // 0.98³⁵ is the first power below one half.
    expect(page).toContain("The best of 35 random splits is as low");
    expect(page).toContain("If the test rows choose γ, 10% of the splits are as low");
    expect(page).toContain("25% are as low; if the test rows choose among these, 100% of the splits are");
  });
});
