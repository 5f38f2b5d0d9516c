import { loadDataset } from "@vouch/datasets";
import { describe, expect, it, vi } from "vitest";
import { adaboost, labelled, stratifiedHoldout } from "vouch";
import { completeRun, fitEncoder, Random, Sample } from "vouch/extend";
import { boostingErrors, trainingError } from "#experiments/model-selection/training-error.js";

const run = { ...completeRun({ seed: 3 }), scale: "quick" } as const;

describe("the errors on a data set", () => {
  it("are in the order of the theorem in every round", async () => {
    const { rounds, splits, checked, violations, split } = await boostingErrors(
      "ionosphere",
      { rounds: [1, 5, 40], splits: 3 },
      run,
    );
    expect([split, splits, checked, violations]).toEqual(["random", 3, 120, 0]);
    for (const { trainingError, product, exponential } of rounds) {
      expect(trainingError).toBeLessThan(product);
      expect(product).toBeLessThan(exponential);
    }
  });

  it("after one round have closed forms of ε as bounds", async () => {
    const { rounds } = await boostingErrors("breastcancer", { rounds: [1], splits: 1 }, run);
    const [{ trainingError: epsilon, product, exponential, heldOutSd }] = rounds;
    // √(1 − 4γ²) = 2√(ε(1 − ε)) for γ = ½ − ε.
    expect(product).toBeCloseTo(2 * Math.sqrt(epsilon * (1 - epsilon)), 12);
    expect(exponential).toBeCloseTo(Math.exp(-2 * (0.5 - epsilon) ** 2), 12);
    expect(heldOutSd).toBe(0);
  });

  it("are those of a committee trained for exactly as many rounds", async () => {
    const { rounds } = await boostingErrors("ionosphere", { rounds: [7, 30], splits: 1 }, run);
    const { features, labels, ...target } = labelled((await loadDataset("ionosphere")).train, "label");
    const { train, test } = stratifiedHoldout(labels, 0.2, new Random(3).fork(0).bits());
    const training = features.select(train);
    const encoder = fitEncoder(training, target, { kind: "numeric", standardise: false });
    const { classes } = target;
    const sampleOf = (rows: Int32Array) =>
      new Sample({
        features: encoder.encode(features.select(rows)),
        labels: rows.map((row) => labels[row]),
        classes,
      });
    const model = await adaboost({ rounds: 7 }).fit(sampleOf(train));
    const errorOn = (sample: Sample) =>
      model.predict(sample.features).filter((prediction, i) => prediction !== sample.labels[i]).length /
      sample.rows;
    expect(rounds[0].trainingError).toBeCloseTo(errorOn(sampleOf(train)), 12);
    expect(rounds[0].heldOutError).toBeCloseTo(errorOn(sampleOf(test)), 12);
  });
});

describe("the experiment", () => {
  it("measures the shipped data sets with two classes", async () => {
    vi.stubEnv("VOUCH_DATA", "");
    const result = await trainingError.run(run);
    vi.unstubAllEnvs();
    expect(result.data).toMatchObject({
      absent: [],
      sets: [
        { dataset: "breastcancer", rows: 699, splits: 5, checked: 1000, violations: 0 },
        { dataset: "ionosphere", rows: 351, splits: 5, checked: 1000, violations: 0 },
      ],
    });
    const page = trainingError.render(result);
    expect(page).toContain("### ionosphere: 351 rows, mean of 5 random splits, 20% held out");
    expect(page).toContain("The theorem holds in 1,000 of 1,000 rounds.");
  });

  it("names absent data sets", () => {
    const page = trainingError.render({
      experiment: trainingError.name,
      scale: "paper",
      seed: 3,
      vouch: "0.1.0",
      data: { heldOutShare: 0.2, sets: [], absent: ["adult", "a1a"] },
    });
    expect(page).toContain("Not measured: adult, a1a.");
  });

  it("stops when it is interrupted", async () => {
    const controller = new AbortController();
    const progress = () => controller.abort();
    await expect(trainingError.run({ ...run, signal: controller.signal, progress })).rejects.toMatchObject({
      code: "run/interrupted",
    });
  });
});
