import { describe, expect, it } from "vitest";
import { adaboost } from "#core/learners/adaboost/adaboost.js";
import { ensemble } from "#core/learners/ensemble/ensemble.js";
import type { Learner } from "#core/learners/learner.js";
import { majority } from "#core/learners/majority/majority.js";
import { stump } from "#core/learners/stump/stump.js";
import type { Progress } from "#core/runtime/parallel/run.js";
import { threadExecutor } from "#core/runtime/parallel/threads.js";
import { VERSION } from "#core/runtime/version.js";
import { VouchError } from "#core/runtime/vouch-error.js";
import { Table } from "#core/table/table.js";
import type { Certificate } from "#core/theory/certificate.js";
import { heldOutBinomial } from "#core/theory/held-out/held-out.js";
import { collectEvidence } from "#core/train/evaluate-classifier.js";
import { serialise } from "#core/train/model-file.js";
import { trainClassifier } from "#core/train/train.js";
import type { TrainOptions } from "#core/train/train-options.js";
import manifest from "../../package.json" with { type: "json" };
import { blobs } from "./blobs.js";

const TABLE = blobs(300, 1);

/** Remembers what it was fitted to. */
function spy(learner: Learner): Learner & { readonly rows: number[]; readonly features: string[][] } {
  const rows: number[] = [];
  const features: string[][] = [];
  return {
    ...learner,
    rows,
    features,
    fit(sample, run) {
      rows.push(sample.rows);
      features.push([...sample.featureNames]);
      return learner.fit(sample, run);
    },
  };
}

describe("trainClassifier with a holdout", () => {
  it("trains on the other rows only, and tests exactly the model that it returns", async () => {
    const learner = spy(stump());
    const { classifier, certificates, evaluation } = await trainClassifier(TABLE, learner, { holdout: 0.2 });
    // One fit to all other rows, and five to calibrate.
    expect(learner.rows).toEqual([240, 192, 192, 192, 192, 192]);
    const { card } = classifier;
    expect(card.data).toMatchObject({ name: "blobs", rows: 240, features: 5, classes: 2 });
    expect(card.data.counts?.reduce((sum, count) => sum + count)).toBe(240);
    expect(card.heldOut?.rows).toBe(60);
    expect(evaluation?.rows).toBe(60);
    expect(card.error.test).toBe(evaluation?.error);
    const errors = card.heldOut?.errors ?? Number.NaN;
    expect(errors / 60).toBe(card.error.test);
    // Training and held-out rows together are the table, so their errors add up to those on the table.
    const all = classifier.evaluate(TABLE);
    expect(await classifier.evaluateRows(TABLE)).toEqual(all);
    expect(all.error * 300).toBeCloseTo(card.error.train * 240 + errors, 9);
    const evidence = { rows: 60, errors, confidence: 0.95, drawn: "random" as const };
    expect(certificates[0]).toMatchObject({ ...heldOutBinomial(evidence) });
    expect(certificates.map(({ name }) => name)).toContain("held-out-hoeffding");
    // Categories come from the training rows, so that bounds which count the family do not hold.
    const violated = certificates.filter(({ holds }) => !holds);
    expect(violated.map(({ name }) => name)).toContain("growth-function-exact");
    for (const { reason } of violated) expect(reason).toContain("categories of 2 columns");
    const assumed = (list: readonly Certificate[]) => list[0].premises.map(({ text }) => text).join(" ");
    expect(assumed(certificates)).not.toContain("class proportions");
    const stratified = await trainClassifier(TABLE, stump(), { holdout: 0.2, stratify: true });
    expect(assumed(stratified.certificates)).toContain("class proportions");
  });

  it("fits the encoder to the training part only", async () => {
    // The category "rare" is in one row: where that row is held out, the encoder must not know it.
    const words = Array.from({ length: 40 }, (_, i) => (i === 7 ? "rare" : ["a", "b", "c"][i % 3]));
    const label = Array.from({ length: 40 }, (_, i) => (i % 2 ? "x" : "y"));
    const table = Table.fromColumns("words", { words, number: label.map((_, i) => i), label });
    const known: boolean[] = [];
    for (let seed = 0; seed < 20; seed++) {
      const { classifier } = await trainClassifier(table, majority(), { holdout: 0.4, run: { seed } });
      const column = classifier.encoder.schema.columns.find(({ name }) => name === "words");
      known.push(column?.kind === "categorical" && column.levels.includes("rare"));
    }
    expect(new Set(known)).toEqual(new Set([true, false]));
  });

  it("summarises the margins of the training rows by ascending quantiles", async () => {
    const { classifier } = await trainClassifier(TABLE, adaboost({ rounds: 20 }));
    const { margins } = classifier.card;
    expect(margins).toHaveLength(101);
    expect([...margins].sort((a, b) => a - b)).toEqual(margins);
    const negative = margins.filter((margin) => margin < 0).length / 101;
    expect(Math.abs(negative - classifier.card.error.train)).toBeLessThan(0.02);
  });
});

describe("trainClassifier with a test table", () => {
  it("trains on all rows and certifies by the other table", async () => {
    const learner = spy(stump());
    const { classifier, certificates } = await trainClassifier(TABLE, learner, { test: blobs(200, 2) });
    expect(learner.rows).toEqual([300, 240, 240, 240, 240, 240]);
    expect(classifier.card.heldOut?.rows).toBe(200);
    expect(certificates[0].holds).toBe(true);
    expect(certificates[0].premises).toHaveLength(3);
  });

  it("gives no held-out certificate that holds when the test rows are training rows", async () => {
    const { classifier, certificates } = await trainClassifier(TABLE, stump(), { test: TABLE });
    const heldOut = certificates.filter(({ name }) => name.startsWith("held-out"));
    expect(heldOut).toHaveLength(2);
    expect(certificates[0].reason).toContain("trained on");
    for (const { holds, reason } of heldOut) {
      expect(holds).toBe(false);
      expect(reason).toContain("trained on");
    }
    expect(classifier.card.heldOut).toBeUndefined();
    expect(classifier.card.error.test).toBe(classifier.card.error.train);
  });

  it("rejects an unsuitable test table before the fit", async () => {
    const learner = spy(stump());
    const test = blobs(50, 3).without(["weight"]);
    await expect(trainClassifier(TABLE, learner, { test })).rejects.toMatchObject({
      code: "data/missing-column",
      message: expect.stringContaining("weight"),
    });
    expect(learner.rows).toEqual([]);
  });
});

describe("trainClassifier with folds", () => {
  it("cross-validates, then trains on all rows and has certificates from those alone", async () => {
    const learner = spy(stump());
    const { classifier, certificates, evaluation } = await trainClassifier(TABLE, learner, { folds: 5 });
    expect(learner.rows).toEqual([240, 240, 240, 240, 240, 300]);
    expect(classifier.card.error.folds).toHaveLength(5);
    expect(certificates.map(({ name }) => name)).toEqual(["growth-function-exact", "vc"]);
    expect(certificates[0].terms).toMatchObject({
      rows: 300,
      errors: Math.round(300 * classifier.card.error.train),
    });
    expect(evaluation).toBeUndefined();
    expect(classifier.card.heldOut).toBeUndefined();
  });
});

describe("trainClassifier", () => {
  it("measures an ensemble on 20,000 of its training rows, spread evenly, if there are more", async () => {
    const rows = 30_000;
    const x = Float64Array.from({ length: rows }, (_, i) => (i % 2) + (i % 7) / 100);
    // A stump gets every ninth row wrong. Two of three rows are measured, those among them.
    const label = Array.from(x, (value, i) => (value > 0.5 !== (i % 9 === 0) ? "high" : "low"));
    const learner = ensemble({ members: [{ learner: "stump", weight: 1 }] });
    const { classifier } = await trainClassifier(Table.fromColumns("t", { x, label }), learner, {
      calibrate: false,
    });
    const wrong = Math.ceil(rows / 9);
    expect(classifier.card.error.train).toBeCloseTo(wrong / 20_000, 12);
    expect(classifier.card.data.rows).toBe(rows);
  });

  it("carries the notices of data and encoder", async () => {
    const label = Array.from({ length: 30 }, (_, i) => (i === 0 ? null : ["a", "b"][i % 2]));
    const x = Array.from({ length: 30 }, (_, i) => i);
    const table = Table.fromColumns("t", { x, same: x.map(() => 5), label });
    const { classifier } = await trainClassifier(table, stump());
    expect(classifier.card.notices.join("\n")).toMatch(/without a label/);
    expect(classifier.card.notices.join("\n")).toMatch(/same/);
  });

  it.each<[string, TrainOptions, string]>([
    ["two ways to test", { holdout: 0.2, folds: 5 }, "Use only one of"],
    ["a confidence above 1", { holdout: 0.2, confidence: 95 }, "95"],
    ["a holdout above 1", { holdout: 20 }, "20"],
    ["one fold", { folds: 1 }, "1"],
    ["a seed that is not a number", { run: { seed: Number.NaN } }, "seed"],
    ["an unknown target", { target: "lable" }, "lable"],
  ])("rejects %s before any work", async (_, options, message) => {
    const learner = spy(stump());
    const failure = await trainClassifier(TABLE, learner, options).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(VouchError);
    expect(failure).toMatchObject({ message: expect.stringContaining(message) });
    expect(learner.rows).toEqual([]);
  });

  it("rejects 0 folds", async () => {
    await expect(trainClassifier(TABLE, stump(), { folds: 0 })).rejects.toMatchObject({
      code: "option/invalid",
    });
  });

  it("stops when it is aborted", async () => {
    const signal = AbortSignal.abort();
    const training = trainClassifier(TABLE, adaboost({ rounds: 50 }), { folds: 3, run: { signal } });
    await expect(training).rejects.toMatchObject({ code: "run/interrupted" });
  });

  it("reports progress of folds", async () => {
    const seen: Progress[] = [];
    const progress = (step: Progress) => seen.push(step);
    await trainClassifier(TABLE, stump(), { folds: 3, run: { progress } });
    const folds = seen.filter(({ stage }) => stage === "folds");
    expect(folds.every(({ total }) => total === 3)).toBe(true);
    const done = folds.map((step) => step.done);
    expect(done).toEqual([...done].sort((a, b) => a - b));
    expect(done).toEqual(expect.arrayContaining([1, 2, 3]));
  });

  it("writes the same bytes for any number of threads, and other bytes for another seed", async () => {
    const files: Uint8Array[] = [];
    for (const threads of [1, 2, 3]) {
      const executor = threadExecutor({ threads });
      const run = { seed: 7, executor };
      const { classifier } = await trainClassifier(TABLE, adaboost({ rounds: 30 }), { holdout: 0.2, run });
      files.push(await serialise(classifier));
      await executor.close();
    }
    expect(files[1]).toEqual(files[0]);
    expect(files[2]).toEqual(files[0]);
    const other = await trainClassifier(TABLE, adaboost({ rounds: 30 }), { holdout: 0.2, run: { seed: 8 } });
    expect(await serialise(other.classifier)).not.toEqual(files[0]);
  });

  it("has the version of its package.json", () => {
    expect(VERSION).toBe(manifest.version);
  });
});

describe("heldOutTest", () => {
  it("accepts fresh rows and reports training rows, all or some of them", async () => {
    const { classifier } = await trainClassifier(TABLE, stump());
    const fresh = await collectEvidence(classifier, blobs(100, 9));
    expect(fresh.dependence).toBeUndefined();
    expect(fresh.rows).toBe(100);
    expect(fresh.errors).toBe(Math.round(classifier.evaluate(blobs(100, 9)).error * 100));
    expect((await collectEvidence(classifier, TABLE)).dependence).toContain("100%");
    expect((await collectEvidence(classifier, TABLE.select([3, 4, 5]))).dependence).toContain("100%");
  });

  it("does not mistake rows of a few coarse columns for training rows", async () => {
    const coarse = (seed: number) => {
      const { columns, rows } = blobs(400, seed);
      const kept = columns.filter(({ kind, name }) => kind === "categorical" && name !== "constant");
      return new Table("coarse", rows, kept);
    };
    const { classifier } = await trainClassifier(coarse(1), stump());
    expect((await collectEvidence(classifier, coarse(2))).dependence).toBeUndefined();
  });
});
