import { describe, expect, it } from "vitest";
import { threadExecutor } from "vouch";
import { completeRun } from "vouch/extend";
import type { FoldCascade } from "#experiments/deep-cascades/rotation-fold.js";
import { chooseByValidation, rotateFolds, table1 } from "#experiments/deep-cascades/table-1.js";

const run = { ...completeRun({ seed: 3 }), scale: "quick" } as const;
const sizes = {
  grid: { maxDepth: 2, fixedDepths: [2], fractions: [0.5], gammas: [1e-2, 1] },
  rotations: 1,
};
const first60 = { dataset: "ionosphere", rows: { most: 60 } };

function cascade(gamma: number, depth: number, validationError: number): FoldCascade {
  const discordant = { first: 0, second: 0 };
  return {
    complexity: "vc",
    minDepth: 1,
    gamma,
    depth,
    discordant,
    trainingError: 0,
    validationError,
    testError: 0,
  };
}

describe("the choice by validation", () => {
  it("takes the smallest error, then the shortest cascade, then the largest gamma", () => {
    const better = cascade(0.01, 4, 0.1);
    expect(chooseByValidation([cascade(1, 1, 0.2), better])).toBe(better);
    const shorter = cascade(0.01, 1, 0.1);
    expect(chooseByValidation([better, cascade(1, 2, 0.1), shorter])).toBe(shorter);
    const simpler = cascade(0.1, 1, 0.1);
    expect(chooseByValidation([better, shorter, simpler])).toBe(simpler);
  });
});

describe("a rotation", () => {
  // Once for all tests: 5 folds, in each 96 machines and 6 searches.
  const rotated = rotateFolds([first60], sizes, run).then(([set]) => set);

  it("is the same on two threads", async () => {
    const executor = threadExecutor({ threads: 2 });
    try {
      expect(await rotateFolds([first60], sizes, { ...run, executor })).toEqual([await rotated]);
    } finally {
      await executor.close();
    }
  });

  it("stops when it is interrupted", async () => {
    const controller = new AbortController();
    const progress = () => controller.abort();
    await expect(
      rotateFolds([first60], sizes, { ...run, signal: controller.signal, progress }),
    ).rejects.toMatchObject({ code: "run/interrupted" });
  });

  it("tests every row once, for all learners", async () => {
    const { rows, svm, chosen, cascades, scalings } = await rotated;
    expect(rows).toBe(60);
    // Five folds of 12 rows: every error is a multiple of 1/12.
    for (const errors of [svm, ...chosen.map((variant) => variant.errors)]) {
      expect(errors).toHaveLength(5);
      for (const error of errors) expect(Math.abs(error * 12 - Math.round(error * 12))).toBeLessThan(1e-9);
    }
    expect(Object.values(scalings).reduce((sum, folds) => sum + folds)).toBe(5);
    // Three complexities, two gammas, depth up to 2 and exactly 2.
    expect(cascades).toHaveLength(3 * 2 * 2);
    for (const { depth, minDepth } of cascades) {
      expect(depth).toBeGreaterThanOrEqual(minDepth);
      expect(depth).toBeLessThanOrEqual(2);
    }
  });

  it("is rendered beside the published figures", async () => {
    const page = table1.render({
      experiment: "deep-cascades/table-1",
      scale: "quick",
      seed: 3,
      vouch: "0",
      data: { rotations: 1, sets: [await rotated], absent: ["splice"] },
    });
    expect(page).toMatch(
      /\| ionosphere \| +60 × 34 \| 0\.0971 ± 0\.0167 \| 0\.\d{4} ± 0\.\d{4} \| +0\.117 ± 0\.0229 \| +4 \|/,
    );
    expect(page).toContain("Not measured: splice.");
  });
});
