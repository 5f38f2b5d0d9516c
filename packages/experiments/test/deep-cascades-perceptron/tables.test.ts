import { describe, expect, it } from "vitest";
import { threadExecutor } from "vouch";
import { completeRun } from "vouch/learning";
import { contenderNames, reportSplits } from "#experiments/deep-cascades-perceptron/report-split.js";
import { reportSet } from "#experiments/deep-cascades-perceptron/report-table.js";
import { table41, validationTable } from "#experiments/deep-cascades-perceptron/table-4-1.js";
import { table42, testTable } from "#experiments/deep-cascades-perceptron/table-4-2.js";

const run = { ...completeRun({ seed: 3 }), scale: "quick" } as const;

describe("the report's splits", () => {
  // Once for all tests.
  const splits = reportSplits("ionosphere", 2, run);

  it("are the same on two threads", async () => {
    const inline = await splits;
    const executor = threadExecutor({ threads: 2 });
    try {
      expect(await reportSplits("ionosphere", 2, { ...run, executor })).toEqual(inline);
    } finally {
      await executor.close();
    }
    expect(inline[0]).not.toEqual(inline[1]);
  }, 60_000);

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
  }, 60_000);
});

describe("the tables", () => {
  it("show the published figures beside ours", async () => {
    const parts = { scale: "quick", seed: 3, vouch: "0" } as const;
    const validated = table41.render({
      ...parts,
      experiment: table41.name,
      data: { splits: 1, sets: [await reportSet(validationTable, "ionosphere", 1, run)], absent: [] },
    });
    expect(validated).toMatch(
      /\| ionosphere \| +0\.071 ± 0\.032 \| +0\.093 ± 0\.033 \| +0\.\d{4} ± 0\.\d{4} \|/,
    );
    const tested = table42.render({
      ...parts,
      experiment: table42.name,
      data: { splits: 1, sets: [await reportSet(testTable, "ionosphere", 1, run)], absent: ["german"] },
    });
    expect(tested).toMatch(/\| ionosphere \| +perceptron +\| +0\.112 \| 0\.\d{4} ± 0\.0000 \| +[01] of 1 \|/);
    expect(tested).toContain("Not measured: german.");
  }, 60_000);
});
