import { describe, expect, it } from "vitest";
import { majority } from "#core/learners/majority/majority.js";
import { stump } from "#core/learners/stump/stump.js";
import { kFold } from "#core/table/splits.js";
import { Table } from "#core/table/table.js";
import { trainClassifier } from "#core/train/train.js";
import { crossValidate } from "#core/validation/cross-validate.js";
import { blobs } from "../train/blobs.js";

describe("crossValidate", () => {
  it("gives the majority learner the share of the minority in each fold", async () => {
    const label = Array.from({ length: 100 }, (_, i) => (i < 30 ? "rare" : "frequent"));
    const table = Table.fromColumns("t", { x: label.map((_, i) => i), label });
    const { errors, mean, sd } = await crossValidate(table, majority(), { folds: 5, run: { seed: 3 } });
    expect(errors).toEqual([0.3, 0.3, 0.3, 0.3, 0.3]);
    expect(mean).toBeCloseTo(0.3, 15);
    expect(sd).toBeCloseTo(0, 15);
  });

  it("equals mean and standard deviation of models fitted by hand to the other folds", async () => {
    const table = blobs(90, 4);
    const given = await crossValidate(table, stump(), { folds: 3, run: { seed: 11 } });
    const labels = Int32Array.from({ length: 90 }, (_, i) => i % 2);
    const byHand: number[] = [];
    for (const { train, test } of kFold(labels, 3, 11).folds) {
      const { classifier } = await trainClassifier(table.select(train), stump());
      byHand.push(classifier.evaluate(table.select(test)).error);
    }
    expect(given.errors).toEqual(byHand);
    const mean = (byHand[0] + byHand[1] + byHand[2]) / 3;
    const variance = byHand.reduce((sum, error) => sum + (error - mean) ** 2, 0) / 2;
    expect(given.mean).toBeCloseTo(mean, 15);
    expect(given.sd).toBeCloseTo(Math.sqrt(variance), 15);
  });

  it("warns about classes with fewer rows than folds", async () => {
    const label = Array.from({ length: 50 }, (_, i) => (i < 3 ? "few" : i % 2 ? "a" : "b"));
    const table = Table.fromColumns("t", { x: label.map((_, i) => i), label });
    const { notices } = await crossValidate(table, majority(), { folds: 5 });
    expect(notices).toHaveLength(1);
    expect(notices[0]).toContain('"few"');
  });

  it("stops between folds when it is aborted", async () => {
    const controller = new AbortController();
    let folds = 0;
    const run = {
      signal: controller.signal,
      progress: () => {
        folds++;
        controller.abort();
      },
    };
    const validation = crossValidate(blobs(60, 1), majority(), { folds: 5, run });
    await expect(validation).rejects.toMatchObject({ code: "run/interrupted" });
    expect(folds).toBe(1);
  });
});
