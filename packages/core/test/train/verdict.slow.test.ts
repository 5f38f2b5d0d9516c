import { describe, expect, it } from "vitest";
import { forest } from "#core/learners/forest/forest.js";
import type { Learner } from "#core/learners/learner.js";
import { majority } from "#core/learners/majority/majority.js";
import { stump } from "#core/learners/stump/stump.js";
import { svm } from "#core/learners/svm/svm.js";
import { Random } from "#core/runtime/maths/random.js";
import { Table } from "#core/table/table.js";
import { certify } from "#core/train/certify.js";
import { collectEvidence, evaluateClassifier } from "#core/train/evaluate-classifier.js";
import { deserialise, serialise } from "#core/train/model-file.js";
import { trainClassifier } from "#core/train/train.js";
import type { TrainOptions } from "#core/train/train-options.js";
import { betterBy, describeVerdict, type Verdict } from "#core/train/verdict.js";

/** Rows of two numeric columns whose class, "yes" with the given probability, follows the first of them. */
function rows(count: number, seed: number, yes: (x: number, random: Random) => boolean): Table {
  const random = new Random(seed);
  const x = Array.from({ length: count }, () => random.uniform());
  const z = Array.from({ length: count }, () => random.uniform());
  const label = x.map((value) => (yes(value, random) ? "yes" : "no"));
  return Table.fromColumns("rows", { x, z, label });
}

function noise(share: number, seed: number, count = 150): Table {
  return rows(count, seed, (_, random) => random.uniform() < share);
}

async function verdictOn(table: Table, learner: Learner, options: TrainOptions): Promise<Verdict> {
  const { verdict } = await trainClassifier(table, learner, { calibrate: false, ...options });
  if (!verdict) throw new Error("no verdict");
  return verdict;
}

/** Seeds that are tried; `npm run nightly` tries more. */
const SEEDS = process.env.VOUCH_NIGHTLY ? 400 : 120;

describe("the verdict on pure noise", () => {
  it.each([
    { name: "stump", learner: stump(), share: 0.5, options: { holdout: 0.3 } },
    { name: "stump, rare class", learner: stump(), share: 0.2, options: { holdout: 0.3 } },
    { name: "forest", learner: forest({ trees: 5 }), share: 0.5, options: { holdout: 0.3 } },
    { name: "stump in folds", learner: stump(), share: 0.5, options: { folds: 3 } },
  ])("of $name is better in at most 5% of the seeds", async ({ learner, share, options }) => {
    let better = 0;
    for (let seed = 1; seed <= SEEDS; seed++) {
      const verdict = await verdictOn(noise(share, seed), learner, { ...options, run: { seed } });
      if (verdict.better === "yes") better++;
    }
    expect(better).toBeLessThanOrEqual(SEEDS / 20);
  });

  it("is never better for the majority learner, which is the baseline", async () => {
    for (let seed = 1; seed <= 20; seed++) {
      const verdict = await verdictOn(noise(0.5, seed), majority(), { holdout: 0.5, run: { seed } });
      expect(verdict).toMatchObject({ better: "no", gain: 0, p: 1 });
    }
  });
});

describe("the verdict on a signal", () => {
  const table = rows(400, 3, (x, random) => x + 0.1 * (random.uniform() - 0.5) > 0.6);

  it("says by how much, what is found, and survives saving", async () => {
    const { classifier, verdict, evaluation } = await trainClassifier(table, stump(), { holdout: 0.25 });
    expect(verdict).toMatchObject({ better: "yes", measuredOn: "held-out rows", warnings: [] });
    if (!verdict || !evaluation) throw new Error("no verdict");
    expect(verdict.error).toBe(evaluation.error);
    expect(verdict.gain).toBeCloseTo(verdict.baseline.error - verdict.error, 12);
    expect(verdict.baseline.class).toBe("no");
    for (const { class: name, rows, found } of verdict.classes ?? []) {
      const k = evaluation.confusion.classes.indexOf(name);
      expect(found).toBe(evaluation.confusion.matrix[k][k]);
      expect(rows).toBe(evaluation.confusion.matrix[k].reduce((sum, count) => sum + count));
    }
    expect(describeVerdict(verdict).verdict).toMatch(
      /^Better than always answering "no": [\d.]+% errors on held-out rows instead of [\d.]+% \(p < 0\.001\)\.$/,
    );
    const restored = await deserialise(await serialise(classifier));
    expect(restored.card.verdict).toEqual(JSON.parse(JSON.stringify(verdict)));
    const again = await evaluateClassifier(
      restored,
      rows(300, 9, (x) => x > 0.6),
    );
    expect(again.verdict).toMatchObject({ better: "yes", measuredOn: "rows", baseline: { class: "no" } });
  });

  it("compares folds with the baseline of each fold", async () => {
    const verdict = await verdictOn(table, stump(), { folds: 4 });
    expect(verdict).toMatchObject({ better: "yes", measuredOn: "folds" });
    expect(verdict.classes).toBeUndefined();
    expect(describeVerdict(verdict).verdict).toContain("errors in cross-validation instead of");
  });

  it("is absent if nothing measured the error on new rows", async () => {
    expect((await trainClassifier(table, stump())).verdict).toBeUndefined();
  });
});

describe("the warnings", () => {
  const codes = ({ warnings }: Verdict) => warnings.map(({ code }) => code);

  it("tell repeated rows apart, and the verdict is about new rows", async () => {
    const base = rows(400, 5, (x, random) => random.uniform() < 0.3 + 0.1 * x);
    const copies = base.select(Int32Array.from({ length: 600 }, (_, i) => (i < 400 ? i : i - 400)));
    const { verdict, evidence, certificates } = await trainClassifier(copies, forest({ trees: 20 }), {
      holdout: 0.3,
    });
    if (!verdict || !evidence?.repeats) throw new Error("no repeats");
    expect(evidence.repeats.natural).toBe(false);
    expect(evidence.repeats.rows).toBeGreaterThan(40);
    expect(verdict).toMatchObject({ measuredOn: "new rows" });
    expect(codes(verdict)[0]).toBe("repeated-rows");
    expect(verdict.error).toBeCloseTo(evidence.repeats.newErrors / evidence.repeats.newRows, 12);
    expect(certificates[0].name).toBe("held-out-new-rows");
    expect(certificates.find(({ name }) => name === "held-out-binomial")?.holds).toBe(false);
    // Training rows that repeat are not independent draws either.
    const training = certificates.filter(({ name }) => name.startsWith("forest"));
    expect(training.length).toBeGreaterThan(0);
    for (const { holds, reason } of training) {
      expect(holds).toBe(false);
      expect(reason).toContain("may be copies");
    }
  });

  it("tell copies apart within test rows from elsewhere, which count once", async () => {
    const table = rows(200, 5, (x) => x > 0.5);
    const fresh = rows(100, 6, (x, random) => x > 0.5 || random.uniform() < 0.2);
    const copied = fresh.select(Int32Array.from({ length: 1000 }, (_, i) => i % 100));
    const once = await trainClassifier(table, stump(), { test: fresh });
    const { verdict, certificates, classifier } = await trainClassifier(table, stump(), { test: copied });
    if (!verdict) throw new Error("no verdict");
    expect(verdict.error).toBe(once.verdict?.error);
    expect(codes(verdict)[0]).toBe("repeated-rows");
    expect(verdict.warnings[0].message).toContain("900 of 1,000 held-out rows repeat others");
    expect(certificates[0].name).toBe("held-out-new-rows");
    expect(certificates[0].value).toBe(once.certificates[0].value);
    expect(certificates.find(({ name }) => name === "held-out-binomial")?.holds).toBe(false);
    expect(certify(classifier, { heldOut: await collectEvidence(classifier, copied) })[0]).toEqual(
      certificates[0],
    );
    expect((await evaluateClassifier(classifier, copied)).verdict?.error).toBe(verdict.error);
  });

  it("do not call it checked that test rows are new if only a sample of the training rows is kept", async () => {
    const statusOf = async (count: number) => {
      const table = rows(count, 5, (x) => x > 0.5);
      const test = rows(50, 6, (x) => x > 0.5);
      const { certificates, classifier } = await trainClassifier(table, majority(), { test });
      const restored = await deserialise(await serialise(classifier));
      const later = certify(classifier, { heldOut: await collectEvidence(classifier, test) });
      return [certificates, certify(restored), later].map(([{ premises }]) => premises[0].status);
    };
    expect(await statusOf(200)).toEqual(["checked", "checked", "checked"]);
    // The training itself has compared all rows with each other; the model file keeps a sample of the training rows.
    expect(await statusOf(6000)).toEqual(["checked", "checked", "assumed"]);
  });

  it("name repeated rows in folds, which test models on rows that they know", async () => {
    const base = rows(200, 5, (x, random) => random.uniform() < 0.3 + 0.1 * x);
    const copies = base.select(Int32Array.from({ length: 400 }, (_, i) => i % 200));
    const verdict = await verdictOn(copies, forest({ trees: 5 }), { folds: 3 });
    expect(verdict.warnings[0]).toMatchObject({ code: "repeated-rows" });
    expect(verdict.warnings[0].message).toContain("200 rows repeat others");
    expect(codes(await verdictOn(base, forest({ trees: 5 }), { folds: 3 }))).toEqual([]);
  });

  it("name classes without held-out rows", async () => {
    const x = Array.from({ length: 200 }, (_, i) => i / 200);
    const label = x.map((value, i) => (i === 10 ? "rare" : value > 0.5 ? "yes" : "no"));
    const test = rows(100, 4, (value) => value > 0.5);
    const table = Table.fromColumns("rare", { x, z: x.map((value) => 1 - value), label });
    const verdict = await verdictOn(table, stump(), { test });
    expect(verdict.warnings.map(({ message }) => message)).toContain(
      'There are no held-out rows of "rare": how well it is found is not known.',
    );
  });

  it("leave the verdict open if no new row is left", async () => {
    const base = rows(60, 5, (x) => x > 0.5);
    const copies = base.select(Int32Array.from({ length: 1200 }, (_, i) => i % 60));
    const training = await trainClassifier(copies, forest({ trees: 5 }), { holdout: 0.2 });
    const { verdict, evidence, certificates } = training;
    expect(evidence?.repeats).toMatchObject({ rows: 240, newRows: 0, natural: false });
    expect(verdict).toMatchObject({ better: "unclear", p: 1, measuredOn: "held-out rows" });
    expect(verdict?.warnings[0].message).toContain("no new row is left");
    expect(certificates.every(({ holds, reason }) => !holds || reason !== undefined)).toBe(true);
    expect(JSON.stringify([verdict, certificates.map(({ terms }) => terms)])).not.toContain("null");
  });

  it("name a column that leaks, and classes that are never predicted", async () => {
    const random = new Random(6);
    const label = Array.from({ length: 400 }, () => (random.uniform() < 0.3 ? "yes" : "no"));
    const x = label.map(() => random.uniform());
    const status = label.map((name) => (name === "yes" ? "closed" : "open"));
    const verdict = await verdictOn(Table.fromColumns("leak", { x, status, label }), stump(), {
      holdout: 0.3,
    });
    expect(codes(verdict)).toContain("leaking-column");
    expect(describeVerdict(verdict).warnings).toEqual(verdict.warnings.map(({ message }) => message));
    expect(verdict.warnings[0].message).toContain('"status"');
    const table = Table.fromColumns("noise", { x, label });
    const constant = await verdictOn(table, majority(), { holdout: 0.3 });
    expect(codes(constant)).toEqual(["class-never-predicted"]);
    expect(constant.warnings[0].message).toContain('never predicts "yes"');
  });

  it("say that rows are too few, and that a solver did not converge", async () => {
    const few = await verdictOn(
      rows(40, 7, (x) => x > 0.5),
      stump(),
      { holdout: 0.2 },
    );
    expect(codes(few)).toContain("too-few-rows");
    const table = rows(300, 8, (x) => x > 0.5);
    const early = await verdictOn(table, svm({ maxIterations: 1 }), { holdout: 0.2 });
    expect(codes(early)).toContain("not-converged");
  });

  it("say that rows may have been read wrongly; other notices of the reader stand on the card", async () => {
    const doubtful = { message: 'Column "x" may be text.', columns: ["x"], isDoubtful: true };
    const sure = { message: 'Column "z": 3 values read as missing.', columns: ["z"] };
    const table = rows(300, 9, (x) => x > 0.5).withNotices([doubtful, sure]);
    for (const options of [{ holdout: 0.2 }, { folds: 3 }]) {
      const { verdict, classifier } = await trainClassifier(table, stump(), { calibrate: false, ...options });
      const warning = { code: "doubtful-reading", message: doubtful.message };
      expect(verdict?.warnings).toContainEqual(warning);
      expect(classifier.card.notices).toContain(sure.message);
      expect(classifier.card.notices).not.toContain(doubtful.message);
    }
    const unjudged = await trainClassifier(table, stump(), { calibrate: false });
    expect(unjudged.classifier.card.notices).toEqual(
      expect.arrayContaining([doubtful.message, sure.message]),
    );
  });

  it("say that test rows come from elsewhere", async () => {
    const table = rows(300, 10, (x) => x > 0.5);
    const shifted = rows(300, 11, (x) => x > 0.5);
    const test = Table.fromColumns("test", {
      x: Array.from({ length: shifted.rows }, (_, i) => i / shifted.rows / 4 + 0.4),
      z: Array.from({ length: shifted.rows }, (_, i) => 0.3 * ((i * 7) % 10)),
      label: Array.from({ length: shifted.rows }, (_, i) => (i % 2 ? "yes" : "no")),
    });
    const verdict = await verdictOn(table, stump(), { test });
    expect(codes(verdict)).toContain("different-columns");
  });
});

describe("a verdict in words", () => {
  const verdict: Verdict = {
    better: "unclear",
    baseline: { class: "No", error: 0.205 },
    error: 0.2,
    gain: 0.005,
    p: 0.36,
    measuredOn: "held-out rows",
    classes: [
      { class: "No", rows: 318, found: 316, predicted: 394 },
      { class: "Yes", rows: 82, found: 4, predicted: 6 },
    ],
    warnings: [],
  };

  it("claims no more than the test shows", () => {
    expect(betterBy(0.1, 0.04, 0.05)).toBe("yes");
    expect(betterBy(0.1, 0.06, 0.05)).toBe("unclear");
    expect(betterBy(0, 0.01, 0.05)).toBe("no");
    expect(describeVerdict(verdict)).toEqual({
      verdict:
        'Not shown to be better than always answering "No": 20.0% errors on held-out rows instead of 20.5% (p = 0.36).',
      found: 'It finds 316 of 318 "No" and 4 of 82 "Yes".',
      warnings: [],
    });
    const worse = { ...verdict, better: "no", gain: -0.01, error: 0.215 } as const;
    expect(describeVerdict(worse).verdict).toBe(
      'No better than always answering "No": 21.5% errors on held-out rows instead of 20.5%.',
    );
  });

  it("is in doubt if a warning puts the measured error in doubt", () => {
    const warnings = [{ code: "leaking-column", message: "The column tells all." }] as const;
    const doubtful = { ...verdict, better: "yes", p: 0.001, warnings } as const;
    expect(describeVerdict(doubtful).verdict).toMatch(/^In doubt: better than always answering "No": /);
    const small = [{ code: "too-few-rows", message: "There are few rows." }] as const;
    expect(describeVerdict({ ...doubtful, warnings: small }).verdict).toMatch(/^Better than /);
    expect(describeVerdict({ ...verdict, warnings }).verdict).toMatch(/^Not shown to be better/);
  });

  it("says that scores may rank although predictions are no better", () => {
    const auc = { model: 0.69, baseline: 0.5, gain: 0.19, p: 0.0001 };
    expect(describeVerdict({ ...verdict, auc }).ranking).toContain("AUC 0.69, p < 0.001");
    expect(describeVerdict({ ...verdict, auc: { ...auc, p: 0.2 } }).ranking).toBeUndefined();
    expect(describeVerdict({ ...verdict, auc, better: "yes" }).ranking).toBeUndefined();
  });

  it("counts a rare class in folds, too, and advises without abstention there", async () => {
    const y = Array.from({ length: 120 }, (_, i) => (i % 40 === 0 ? "yes" : "no"));
    const table = Table.fromColumns("t", { x: y.map((_, i) => (i * 7) % 11), y });
    const { verdict, classifier } = await trainClassifier(table, majority(), { target: "y", folds: 3 });
    expect(verdict?.rare).toEqual({ class: "yes", rows: 3, found: 0, share: 0.025, other: "no" });
    expect(classifier.card.verdict?.rare).toEqual(verdict?.rare);
    expect(verdict && describeVerdict(verdict)).toMatchObject({
      rare: 'Class "yes" has only 2.5% of the rows: the model finds 0 of 3.',
      advice: 'To rank rows, train for the AUC; to find more of "yes", give a missed one the cost 39.',
    });
    const ranked = await trainClassifier(table, majority(), { target: "y", folds: 3, metric: "auc" });
    expect(ranked.verdict && describeVerdict(ranked.verdict).advice).toBeUndefined();
  });

  it("gives the range if there are many classes", () => {
    const classes = ["a", "b", "c", "d", "e"].map((name, i) => ({
      class: name,
      rows: 10,
      found: 2 * i,
      predicted: 10,
    }));
    expect(describeVerdict({ ...verdict, classes }).found).toBe(
      'It finds between 0% (class "a") and 80.0% ("e") of the rows of a class.',
    );
  });
});
