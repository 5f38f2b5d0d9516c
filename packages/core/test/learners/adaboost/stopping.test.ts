import { describe, expect, test } from "vitest";
import { adaboost } from "#core/learners/adaboost/adaboost.js";
import { Matrix } from "#core/runtime/maths/matrix.js";
import type { Progress } from "#core/runtime/parallel/run.js";
import { stratifiedHoldout } from "#core/table/splits.js";
import { sampleOf } from "../small-samples.js";
import { noisySample } from "./noisy-sample.js";
import { boundsOf, stumpsOf } from "./voters.js";

describe("the end of boosting", () => {
  test("a perfect stump decides alone, with a finite vote", async () => {
    const model = await adaboost().fit(sampleOf([[0], [1], [2]], [1, 1, 0]));
    expect(model.stop).toBe("perfect stump");
    expect(model.rounds).toMatchObject([{ alpha: 1, error: 0, trainingError: 0 }]);
    expect(boundsOf(model)[0]).toBe(0);
    expect([...model.margins(sampleOf([[0], [2], [2]], [1, 0, 1]))]).toEqual([1, 1, -1]);
  });

  test("when the first stump is no better than chance, it is the model", async () => {
    const rows = [
      [0, 0],
      [0, 1],
      [1, 0],
      [1, 1],
    ];
    const xor = sampleOf(rows, [0, 1, 1, 0]);
    const model = await adaboost().fit(xor);
    expect(model.stop).toBe("no better than chance");
    expect(model.rounds).toMatchObject([{ alpha: 1, error: 0.5 }]);
    expect(stumpsOf(model)).toEqual([{ split: undefined, left: 0, right: 0 }]);
    expect([...model.predict(xor.features)]).toEqual([0, 0, 0, 0]);
    expect([...model.scores(xor.features).values].every(Number.isFinite)).toBe(true);
  });

  test("a later stump that is no better than chance ends boosting and is left out", async () => {
    // The constant is right on 3 of 4 rows; afterwards both classes weigh the same and no feature tells them apart.
    const model = await adaboost().fit(sampleOf([[1], [1], [1], [1]], [0, 0, 0, 1]));
    expect(model.stop).toBe("no better than chance");
    expect(model.rounds.length).toBe(1);
    expect(model.rounds[0].error).toBeCloseTo(0.25, 14);
    expect(model.describe().sections[1]).toMatchObject({
      rows: [["(constant)", "", "ant", "ant", expect.any(Number), expect.closeTo(0.25, 14)]],
    });
  });

  test("thousands of rounds on separable data stay finite", async () => {
    const sample = sampleOf(
      [
        [0, 1],
        [1, 0],
        [2, 2],
        [3, 1],
        [4, 0],
      ],
      [0, 1, 0, 1, 0],
    );
    const model = await adaboost({ rounds: 3000 }).fit(sample);
    expect(model.rounds.at(-1)?.trainingError).toBe(0);
    for (const { alpha, error } of model.rounds) {
      expect(Number.isFinite(alpha) && alpha > 0).toBe(true);
      expect(error > 0 && error < 0.5).toBe(true);
    }
    expect(boundsOf(model).every((bound) => bound >= 0)).toBe(true);
  });

  test("weights of very different size stay finite", async () => {
    const weights = [1, 1e-300, 1e-310, 1e-5, 1e-160, 1e200];
    const rows = [[0], [1], [2], [3], [4], [5]];
    const model = await adaboost({ rounds: 50 }).fit(sampleOf(rows, [0, 1, 0, 1, 0, 1], weights));
    expect([...model.scores(Matrix.from(rows)).values].every((score) => score >= 0 && score <= 1)).toBe(true);
    expect(model.rounds.every(({ alpha }) => Number.isFinite(alpha))).toBe(true);
  });
});

describe("early stopping", () => {
  const weights = Float64Array.from({ length: 200 }, (_, i) => 1 + (i % 3));
  const sample = noisySample(200, 4, 2, 12).weighted(weights);
  const { train, test: heldOut } = stratifiedHoldout(sample.labels, 0.25, 5);
  /** The held-out error after each round of a committee that was trained on the other rows. */
  async function validationErrors(rounds: number): Promise<number[]> {
    const model = await adaboost({ rounds }).fit(sample.select(train));
    const { features, labels } = sample.select(heldOut);
    const weighted = (wrong: boolean, i: number) => (wrong ? weights[heldOut[i]] : 0);
    return Array.from(model.stagedPredictions?.(features) ?? [], (predictions) =>
      predictions.reduce((sum, k, i) => sum + weighted(k !== labels[i], i), 0),
    );
  }

  test("ends `patience` rounds after the lowest held-out error, and keeps the rounds up to it", async () => {
    const errors = await validationErrors(120);
    for (const patience of [1, 4, 15]) {
      const stop = errors.findIndex(
        (_, t) =>
          t >= patience &&
          Math.min(...errors.slice(0, t - patience + 1)) <= Math.min(...errors.slice(0, t + 1)),
      );
      const seen = errors.slice(0, stop < 0 ? 120 : stop + 1);
      const best = seen.indexOf(Math.min(...seen)) + 1;
      const rounds: number[] = [];
      const progress = ({ stage, done }: Progress) => void (stage === "boosting" && rounds.push(done));
      const model = await adaboost({ rounds: 120, patience, validation: 0.25 }).fit(sample, {
        seed: 5,
        progress,
      });
      expect(model.rounds.length).toBe(best);
      expect(rounds.length).toBe(seen.length);
      expect(model.stop).toBe("validation error no longer falls");
      const plain = await adaboost({ rounds: best }).fit(sample.select(train));
      expect(model.rounds).toEqual(plain.rounds);
    }
  });

  test("needs rows of two classes to train on", async () => {
    const few = sampleOf([[0], [1]], [0, 1]);
    await expect(adaboost({ patience: 2 }).fit(few)).rejects.toMatchObject({
      code: "data/too-few-rows",
      hint: expect.stringContaining("patience=0"),
    });
  });
});

test("progress is reported in every round", async () => {
  const seen: Progress[] = [];
  await adaboost({ rounds: 5 }).fit(noisySample(50, 3, 2, 1), {
    progress: (progress) => seen.push(progress),
  });
  const boosting = seen.filter(({ stage }) => stage === "boosting");
  expect(boosting.map(({ done, total }) => [done, total])).toEqual([1, 2, 3, 4, 5].map((done) => [done, 5]));
  expect(boosting[0].note).toMatch(/^training error \d+\.\d%$/);
});
