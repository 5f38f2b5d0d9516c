import { afterAll, expect, it } from "vitest";
import { threadExecutor } from "vouch";
import { completeRun } from "vouch/extend";
import { loadRows } from "#experiments/datasets.js";
import { compareContenders } from "#experiments/deep-cascades/best.js";
import { bestPage, type ComparedSet } from "#experiments/deep-cascades/best-page.js";

const executor = threadExecutor({ threads: 2 });
afterAll(() => executor.close());

it("measures every contender in the same folds, the same for any number of threads", async () => {
  const rows = await loadRows("iris", { most: 150 });
  const options = { topology: "tree", leaves: ["constant"], gammas: [0.01], fractions: [0.3, 0.5] };
  const contenders = [
    { name: "tree", kind: "single", learner: "tree", settings: [{ maxDepth: 1 }, { maxDepth: 3 }] },
    { name: "cascade", kind: "cascade", learner: "deep-cascade", settings: [options] },
  ] as const;
  const run = completeRun({ seed: 2 });
  const compared = await compareContenders(rows, contenders, 1, run);
  expect(compared).toMatchObject({ dataset: "iris", rows: 150, features: 4, classes: 3 });
  for (const { errors, leaves } of compared.contenders) {
    expect(errors).toHaveLength(5);
    expect(errors.every((error) => error < 0.5)).toBe(true);
    expect(leaves.every((count) => count >= 1)).toBe(true);
  }
  expect(await compareContenders(rows, contenders, 1, { ...run, executor })).toEqual(compared);
});

it("says where a cascade is best, and whether that is significant", () => {
  const set = (dataset: string, single: number[], cascade: number[]): ComparedSet => ({
    dataset,
    rows: 500,
    features: 3,
    classes: 2,
    contenders: [
      { name: "forest", kind: "single", errors: single, leaves: [1, 1, 1, 1, 1] },
      { name: "tree of svm", kind: "cascade", errors: cascade, leaves: [2, 3, 2, 3, 2] },
    ],
  });
  const clear = set("clear", [0.2, 0.21, 0.19, 0.2, 0.2], [0.1, 0.1, 0.1, 0.11, 0.1]);
  const slight = set("slight", [0.2, 0.1, 0.15, 0.1, 0.2], [0.1, 0.2, 0.1, 0.1, 0.2]);
  const worse = set("worse", [0.1, 0.1, 0.1, 0.1, 0.1], [0.2, 0.2, 0.2, 0.2, 0.21]);
  const facts = { repetitions: 1, folds: 5, absent: [] };
  const page = bestPage({ ...facts, sets: [clear, slight, worse] });
  expect(page).toContain("on 2 of 3 data sets (clear, slight)");
  expect(page).toContain("The gain on clear is significant");
  expect(page).toMatch(/clear .*forest .*20\.00 ± .*tree of svm .*10\.20 ± .* 2\.4 .* 9\.80 /);
  expect(bestPage({ ...facts, sets: [worse] })).toContain("No gain is significant");
});
