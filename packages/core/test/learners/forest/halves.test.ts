import { afterAll, describe, expect, it } from "vitest";
import { forest, randomTrees } from "#core/learners/forest/forest.js";
import { threadExecutor } from "#core/runtime/parallel/threads.js";
import { isOdd, noiseRows } from "./binned-samples.js";

const executors = [2, 3, 7].map((threads) => threadExecutor({ threads }));
afterAll(() => Promise.all(executors.map((executor) => executor.close())));

const noisy = (row: readonly number[], random: { uniform(): number }) =>
  random.uniform() < 0.1 ? 1 - isOdd(row) : isOdd(row);

describe("a forest of two halves", () => {
  const sample = noiseRows(600, 3, noisy);

  it("tests each half of the trees on rows that it has not seen", async () => {
    // Trees fit their own rows, but on rows that they have not seen a class of pure noise is a guess.
    const noise = noiseRows(600, 3, (_, random) => random.integer(2));
    const model = await forest({ trees: 40, halves: true }).fit(noise, { seed: 3 });
    const wrong = model.predict(noise.features).filter((label, i) => label !== noise.labels[i]).length;
    expect(wrong / 600).toBeLessThan(0.1);
    for (const { rows, errors } of Object.values(model.halves ?? {})) {
      expect(rows).toBe(300);
      expect(Math.abs(errors - 150)).toBeLessThan(4 * Math.sqrt(75));
    }
    expect(model.certificates?.({ confidence: 0.95 })?.map(({ name }) => name)).toEqual(["tested-halves"]);
    expect(model.outOfBag?.rows).toBe(600);
  });

  it("has a far smaller certificate than bags, and predicts about as well", async () => {
    const test = noiseRows(4000, 3, noisy, { seed: 2, like: sample });
    const [halves, bags] = [await forest({ halves: true }).fit(sample), await forest().fit(sample)];
    const smallest = (model: typeof bags) =>
      Math.min(...(model.certificates?.({ confidence: 0.95 }) ?? []).map(({ value }) => value));
    const errorOf = (model: typeof bags) =>
      model.predict(test.features).filter((label, i) => label !== test.labels[i]).length / 4000;
    expect(smallest(halves)).toBeLessThan(0.75 * smallest(bags));
    expect(smallest(halves)).toBeGreaterThan(errorOf(halves));
    expect(errorOf(halves)).toBeLessThan(errorOf(bags) + 0.03);
  });

  it("is the same for any number of threads", async () => {
    const fit = async (run: { executor?: (typeof executors)[number] }) => {
      const model = await randomTrees({ trees: 20, halves: true }).fit(sample, { seed: 1, ...run });
      return { scores: model.scores(sample.features).values, halves: model.halves };
    };
    const alone = await fit({});
    for (const executor of executors) expect(await fit({ executor })).toEqual(alone);
  });

  it("has no certificate if rows have weights", async () => {
    const model = await forest({ trees: 10, halves: true, classWeights: "balanced" }).fit(
      noiseRows(100, 2, ([x]) => Number(x > 0.8)),
    );
    expect(model.certificates?.({ confidence: 0.95 })).toEqual([]);
  });

  it("needs an even number of trees", async () => {
    const fitting = forest({ trees: 5, halves: true }).fit(sample);
    await expect(fitting).rejects.toMatchObject({ code: "option/invalid" });
  });
});
