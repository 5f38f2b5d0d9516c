import { describe, expect, it } from "vitest";
import { threadExecutor } from "vouch";
import { completeRun, Random } from "vouch/extend";
import {
  exactCoverage,
  heldOutCoverage,
  measuredCoverage,
} from "#experiments/model-selection/held-out-coverage.js";

const run = { ...completeRun({ seed: 3 }), scale: "quick" } as const;

describe("coverage in theory", () => {
  it("is at least 95% for both certificates, and never smaller for Hoeffding", async () => {
    for (const rows of [1, 20, 140]) {
      const { lowest, errors } = await exactCoverage(rows, run);
      expect(lowest.binomial).toBeGreaterThanOrEqual(0.95 - 1e-12);
      expect(lowest.hoeffding).toBeGreaterThanOrEqual(lowest.binomial);
      for (const { coverage, excess } of errors) {
        expect(coverage.binomial).toBeGreaterThanOrEqual(0.95);
        expect(coverage.hoeffding).toBeGreaterThanOrEqual(coverage.binomial);
        expect(excess.hoeffding).toBeGreaterThanOrEqual(excess.binomial);
      }
    }
  });

  it("agrees with closed forms for 20 rows", async () => {
    const { errors } = await exactCoverage(20, run);
    const [, , tenth, fifth] = errors;
    // No error gives 1 − 0.05^(1/20) = 0.139: below 0.1 nothing is missed, at 0.2 exactly the rows without error.
    expect(tenth.coverage.binomial).toBeCloseTo(1, 12);
    expect(fifth.coverage.binomial).toBeCloseTo(1 - 0.8 ** 20, 12);
    // Hoeffding adds √(ln 20 / 40) to the error, whose mean is the true one, as long as it stays below 1.
    expect(tenth.excess.hoeffding).toBeCloseTo(Math.sqrt(Math.log(20) / 40), 9);
  });

  it("agrees with a simulation", async () => {
    const { errors } = await exactCoverage(50, run);
    const { error, coverage } = errors[3];
    // The smallest number of errors whose certificate covers 0.2, found by summing the tail: P(X ≤ k | 0.2) ≥ 0.05.
    const random = new Random(5);
    const draws = Array.from({ length: 40_000 }, () => {
      let wrong = 0;
      for (let i = 0; i < 50; i++) if (random.uniform() < error) wrong++;
      return wrong;
    });
    const atMost = (k: number) => draws.filter((wrong) => wrong <= k).length / draws.length;
    let least = 0;
    while (atMost(least) < 0.05) least++;
    // Three standard errors of a share of 40,000 draws.
    expect(Math.abs(1 - atMost(least - 1) - coverage.binomial)).toBeLessThan(0.0035);
  });
});

describe("coverage on data", () => {
  it("is the same on two threads, and depends on the seed", async () => {
    const inline = await measuredCoverage("ionosphere", 6, run);
    const executor = threadExecutor({ threads: 2 });
    try {
      expect(await measuredCoverage("ionosphere", 6, { ...run, executor })).toEqual(inline);
      expect(executor.running).toBe(2);
    } finally {
      await executor.close();
    }
    expect(await measuredCoverage("ionosphere", 6, { ...run, seed: 4 })).not.toEqual(inline);
  });

  it("uses every row once and is near its expected value", async () => {
    const measured = await measuredCoverage("breastcancer", 60, run);
    const { trainingRows, heldOutRows, freshRows, error, bound, coverage, expected } = measured;
    expect([trainingRows, heldOutRows, freshRows]).toEqual([350, 139, 210]);
    expect(error).toBeGreaterThan(0.02);
    expect(error).toBeLessThan(0.08);
    expect(bound.binomial).toBeGreaterThan(error);
    // Hoeffding's certificate is the held-out error and a constant.
    const heldOutError = bound.hoeffding - Math.sqrt(Math.log(20) / (2 * heldOutRows));
    expect(Math.abs(heldOutError - error)).toBeLessThan(0.01);
    // Four standard errors of a share of 60 splits.
    expect(Math.abs(coverage.binomial - expected.binomial)).toBeLessThan(0.13);
    expect(expected.hoeffding).toBeGreaterThan(0.99);
  });

  it("stops when it is interrupted", async () => {
    const controller = new AbortController();
    const progress = () => controller.abort();
    await expect(
      heldOutCoverage.run({ ...run, scale: "paper", signal: controller.signal, progress }),
    ).rejects.toMatchObject({ code: "run/interrupted" });
  });
});

it("renders both parts", async () => {
  const data = {
    confidence: 0.95,
    promised: [await exactCoverage(20, run)],
    measured: [await measuredCoverage("ionosphere", 2, run)],
  };
  const page = heldOutCoverage.render({
    experiment: heldOutCoverage.name,
    scale: "quick",
    seed: 3,
    vouch: "0",
    data,
  });
  expect(page).toMatch(/\| 20 +\| +0\.2 \| +0\.9885 \| /);
  expect(page).toMatch(/\| ionosphere +\| +Hoeffding +\| +2 \| +50 \| +176, 70, 105 \|/);
});
