import { afterAll, describe, expect, it } from "vitest";
import { threadExecutor } from "vouch";
import { completeRun, Random } from "vouch/extend";
import { oracleAdaBoost, oracleTrials } from "#experiments/model-selection/adaboost.js";
import { oracleProblem } from "#experiments/model-selection/oracle-committee.js";
import { oracleCriteria } from "#experiments/model-selection/oracle-trial.js";

const tiny = { points: 400, training: 80, features: 12, clouds: 4, least: 4, most: 9, folds: 4 };
const executor = threadExecutor({ threads: 2 });
afterAll(() => executor.close());

const run = { ...completeRun({ seed: 5 }), scale: "quick" } as const;

describe("an oracle problem", () => {
  const sizes = { points: 11_000, features: 12, clouds: 4, least: 10, most: 100 };

  it("has clouds of unit variance around different corners of ±½", () => {
    const { features } = oracleProblem(new Random(2), sizes);
    const centres = [0, 1, 2, 3].map((cloud) =>
      Array.from({ length: 12 }, (_, j) => {
        const values: number[] = [];
        for (let i = cloud; i < features.rows; i += 4) values.push(features.values[i * 12 + j]);
        const mean = values.reduce((a, b) => a + b) / values.length;
        const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
        // 2,750 normal values: a standard error of 0.019 of the mean and 0.027 of the variance.
        expect(Math.abs(Math.abs(mean) - 0.5)).toBeLessThan(0.1);
        expect(Math.abs(variance - 1)).toBeLessThan(0.15);
        return Math.sign(mean);
      }).join(),
    );
    expect(new Set(centres).size).toBe(4);
  });

  it("has a true size in its range, including both ends, and both labels", () => {
    const small = { ...sizes, points: 300, least: 3, most: 5 };
    const found = new Set<number>();
    for (let problem = 0; problem < 60; problem++) {
      const { trueRounds, labels } = oracleProblem(new Random(1).fork(problem), small);
      found.add(trueRounds);
      expect(new Set(labels)).toEqual(new Set([0, 1]));
    }
    expect([...found].sort()).toEqual([3, 4, 5]);
  });
});

describe("the trials", () => {
  it("are the same on any number of threads", async () => {
    const inline = await oracleTrials(tiny, 3, run);
    expect(await oracleTrials(tiny, 3, { ...run, executor })).toEqual(inline);
    for (const { trueRounds, choices, values, errors, adjustment } of inline) {
      expect(trueRounds).toBeGreaterThanOrEqual(4);
      expect([choices.length, values.length]).toEqual([oracleCriteria.length, oracleCriteria.length]);
      expect(errors.every((error) => error >= 0 && error <= 1)).toBe(true);
      expect(Math.log2(adjustment)).toBeLessThanOrEqual(0);
    }
    expect(inline[1]).not.toEqual(inline[0]);
  });

  it("choose the smallest committee by SRM, whose penalty exceeds all errors", async () => {
    const trials = await oracleTrials(tiny, 3, run);
    const srm = oracleCriteria.findIndex(({ name }) => name === "SRM");
    for (const { choices } of trials) expect(choices[srm]).toBe(0);
  });

  it("can be interrupted", async () => {
    const controller = new AbortController();
    const progress = () => controller.abort();
    const trials = oracleTrials(tiny, 50, { ...run, executor, progress, signal: controller.signal });
    await expect(trials).rejects.toMatchObject({ code: "run/interrupted" });
  });
});

it("the experiment renders both figures and Table 5.1", () => {
  const trial = (choice: number) => ({
    trueRounds: 20,
    largerClass: 0.6,
    errors: [0.4, 0.3, 0.25, 0.2, 0.15, 0.1, 0.12, 0.14],
    choices: oracleCriteria.map(() => choice),
    values: oracleCriteria.map(() => (choice === 0 ? null : 0.1)),
    adjustment: 2 ** -9,
  });
  const sizes = { ...tiny, training: 600 };
  const page = oracleAdaBoost.render({
    experiment: oracleAdaBoost.name,
    scale: "quick",
    seed: 1,
    vouch: "0.1.0",
    data: { sizes, trials: [trial(0), trial(5), trial(5)] },
  });
  const numbers = (line: RegExp) => page.match(line)?.[0].match(/\d+(\.\d+)?/g);
  // Figure 5.1: 100, 0 and 0. Figure 5.3: two of three chose 6/4.
  expect(numbers(/^\| SRM .*$/m)?.slice(0, 6)).toEqual(["0.0", "0.0", "0.0", "50.0", "100.0", "33.3"]);
  expect(page).toMatch(/^\| best +\| +0 \| +0 \| +0 \| +0 \| +0 \| +3 \|/m);
  expect(page).toMatch(/^\| holdout +\| +1 \| +0 \| +0 \| +0 \| +0 \| +2 \|/m);
  // Table 5.1: every printed figure next to the same one computed.
  for (const T of ["10", "50", "100"]) {
    const [, ...cells] = numbers(new RegExp(`^\\| ${T} .*$`, "m")) ?? [];
    expect(cells).toHaveLength(9);
    for (const i of [0, 3, 6]) expect(cells[i + 1]).toBe(cells[i]);
    for (const i of [0, 3, 6]) expect(Number(cells[i + 2])).toBeGreaterThan(Number(cells[i]));
  }
  expect(page).toContain("= 0.7133 (the thesis: 0.7133");
});
