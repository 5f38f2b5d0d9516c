import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { adaboost } from "#core/learners/adaboost/adaboost.js";
import { majority } from "#core/learners/majority/majority.js";
import { perceptron } from "#core/learners/perceptron/perceptron.js";
import { stump } from "#core/learners/stump/stump.js";
import { completeRun } from "#core/runtime/parallel/run.js";
import { compare } from "#core/select/compare.js";
import { correctedTTest } from "#core/select/corrected-t-test.js";
import { stratifiedHoldout } from "#core/table/splits.js";
import { type Labelled, labelled, selectRows } from "#core/table/target.js";
import { heldOutBinomial } from "#core/theory/held-out/held-out.js";
import { holm } from "#core/theory/multiple-testing.js";
import { studentTail } from "#core/theory/test-tails.js";
import { crossValidateRows } from "#core/validation/cross-validate.js";
import { blobs } from "../train/blobs.js";

const data = (rows: number, classes?: readonly string[]): Labelled =>
  labelled(blobs(rows, 3, classes), "label");

describe("the corrected t-test", () => {
  it("is Student's with a variance corrected for the overlap of folds", () => {
    // Differences 1, 2, 3, 4, 5 in five folds: mean 3, variance 2.5, t = 3 / √((1/5 + 1/4) · 2.5).
    const p = correctedTTest([2, 3, 4, 5, 6], [1, 1, 1, 1, 1]);
    expect(p).toBeCloseTo(2 * studentTail(3 / Math.sqrt(0.45 * 2.5), 4), 14);
    expect(correctedTTest([1, 1, 1, 1, 1], [2, 3, 4, 5, 6])).toBe(p);
  });

  it("is finite if nothing varies", () => {
    expect(correctedTTest([0.1, 0.2], [0.1, 0.2])).toBe(1);
    expect(correctedTTest([0.5, 0.5], [0.25, 0.25])).toBe(0);
  });

  it("does not take equal differences in few rows for certainty", () => {
    // Two folds of four rows differ by one row each: s² = 1/(12 · 16), and Student's t with one degree of freedom is Cauchy's.
    const t = 0.25 / Math.sqrt((1 / 2 + 1) / (12 * 16));
    const p = correctedTTest([0.5, 0.5], [0.25, 0.25], 1 / 4);
    expect(p).toBeCloseTo(1 - (2 / Math.PI) * Math.atan(t), 12);
    expect(p).toBeGreaterThan(0.2);
  });
});

describe("Holm's correction", () => {
  it("agrees with his example", () => {
    expect(holm([0.01, 0.04, 0.03, 0.005])).toEqual([0.03, 0.06, 0.06, 0.02]);
    expect(holm([])).toEqual([]);
  });

  it("keeps the order, is between p and m·p, and at most 1", () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 9 }), (values) => {
        const adjusted = holm(values);
        values.forEach((value, i) => {
          expect(adjusted[i]).toBeGreaterThanOrEqual(value);
          expect(adjusted[i]).toBeLessThanOrEqual(Math.min(1, values.length * value));
          values.forEach((other, j) => {
            if (value < other) expect(adjusted[i]).toBeLessThanOrEqual(adjusted[j]);
          });
        });
      }),
    );
  });
});

describe("compare", () => {
  it("gives every learner the errors of its cross-validation, the best first, and tests the others against it", async () => {
    const rows = data(150);
    const learners = [majority(), stump(), adaboost({ rounds: 30 })];
    const run = { seed: 4 };
    const { compared, failed, folds } = await compare(learners, rows, { folds: 4, run });
    expect(failed).toEqual([]);
    expect(folds).toBe(4);
    for (const { learner, errors, mean, sd } of compared) {
      const alone = await crossValidateRows(rows, learner, 4, completeRun(run));
      expect({ errors, mean, sd }).toEqual({ errors: alone.errors, mean: alone.mean, sd: alone.sd });
    }
    const means = compared.map(({ mean }) => mean);
    expect(means).toEqual([...means].sort((a, b) => a - b));
    const [best, ...others] = compared;
    expect(best.p).toBeUndefined();
    expect(others.map(({ p }) => p)).toEqual(
      holm(others.map(({ errors }) => correctedTTest(errors, best.errors))),
    );
    for (const { seconds, bytes } of compared) {
      expect(seconds.fit).toBeGreaterThanOrEqual(0);
      expect(seconds.row).toBeGreaterThanOrEqual(0);
      expect(bytes).toBeGreaterThan(10);
    }
  });

  it("divides δ of the certificates among all requested learners", async () => {
    const all = data(200);
    const { train, test } = stratifiedHoldout(all.labels, 0.25, 1);
    const rows = { ...all, ...selectRows(all, train) };
    const heldOut = { rows: selectRows(all, test), drawn: "stratified" as const };
    const { compared } = await compare([majority(), stump()], rows, { folds: 3, heldOut });
    for (const { heldOut, certificate } of compared) {
      expect(heldOut?.rows).toBe(50);
      if (!heldOut) continue;
      expect(certificate?.value).toBe(heldOutBinomial({ ...heldOut, confidence: 1 - 0.05 / 2 }).value);
    }
  });

  it("says why a learner failed, and compares the others", async () => {
    const rows = data(90, ["a", "b", "c"]);
    const { compared, failed } = await compare([perceptron(), stump()], rows, { folds: 3 });
    expect(compared.map(({ name }) => name)).toEqual(["stump"]);
    expect(failed).toMatchObject([{ name: "perceptron", reason: expect.stringContaining("two classes") }]);
    await expect(compare([perceptron()], rows)).rejects.toThrow("No learner can be compared; perceptron:");
  });

  it("stops a fit that takes longer than the time limit", async () => {
    const long = adaboost({ rounds: 100_000 });
    const { compared, failed, outOfTime } = await compare([stump(), long], data(400), {
      folds: 3,
      seconds: 0.8,
    });
    expect(compared.map(({ name }) => name)).toEqual(["stump"]);
    expect(outOfTime).toEqual([{ name: "adaboost rounds=100000", folds: 0 }]);
    expect(failed).toEqual([]);
  });

  it("stops when it is aborted", async () => {
    const abort = new AbortController();
    const run = { signal: abort.signal, progress: () => abort.abort() };
    await expect(compare([stump(), majority()], data(60), { run })).rejects.toMatchObject({
      code: "run/interrupted",
    });
  });

  it("rejects the same learner twice, and no learner", async () => {
    await expect(compare([stump(), stump()], data(60))).rejects.toThrow(
      "The candidate stump is named twice.",
    );
    await expect(compare([], data(60))).rejects.toThrow("There are no learners to compare.");
  });
});
