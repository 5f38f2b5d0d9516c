import { afterAll, describe, expect, it, vi } from "vitest";
import { adaboost } from "#core/learners/adaboost/adaboost.js";
import type { Learner } from "#core/learners/learner.js";
import { majority } from "#core/learners/majority/majority.js";
import { stump } from "#core/learners/stump/stump.js";
import { svm } from "#core/learners/svm/svm.js";
import { Random } from "#core/runtime/maths/random.js";
import { completeRun } from "#core/runtime/parallel/run.js";
import { threadExecutor } from "#core/runtime/parallel/threads.js";
import { criteria, findCriterion } from "#core/select/criteria.js";
import { type Ranking, select } from "#core/select/select.js";
import { stratifiedHoldout } from "#core/table/splits.js";
import { Table } from "#core/table/table.js";
import { type Labelled, labelled } from "#core/table/target.js";
import { trainClassifier } from "#core/train/train.js";
import { crossValidateRows } from "#core/validation/cross-validate.js";

const executors = [1, 2, 3].map((threads) => threadExecutor({ threads }));
afterAll(async () => {
  await Promise.all(executors.map((executor) => executor.close()));
});

/** Rows with two numbers and a category of which the class depends, with some labels wrong. */
function table(rows: number, seed: number): Table {
  const random = new Random(seed);
  const x = Array.from({ length: rows }, () => random.normal());
  const y = x.map(() => random.normal());
  const colour = x.map(() => ["red", "white"][random.integer(2)]);
  const label = x.map((_, i) =>
    x[i] + y[i] * y[i] - (colour[i] === "red" ? 0.5 : 0) + 0.4 * random.normal() > 0.6 ? "yes" : "no",
  );
  return Table.fromColumns("t", { x, y, colour, label });
}

const data = (rows: number, seed = 1): Labelled => labelled(table(rows, seed), "label");
const rounds = [1, 3, 8, 20].map((rounds) => adaboost({ rounds }));
const values = ({ scores }: Ranking) =>
  [...scores].sort((a, b) => a.candidate - b.candidate).map(({ value }) => value);

describe("error estimates", () => {
  it("cv is the error of models that did not see the fold, each candidate fitted on its own", async () => {
    const rows = data(90);
    const candidates = [majority(), stump(), ...rounds];
    const run = { seed: 7 };
    const { rankings } = await select(candidates, rows, [findCriterion("cv")], { folds: 5, run });
    const byHand: number[] = [];
    for (const candidate of candidates) {
      byHand.push((await crossValidateRows(rows, candidate, 5, completeRun(run))).mean);
    }
    for (const [i, value] of values(rankings[0]).entries()) expect(value).toBeCloseTo(byHand[i], 12);
    expect(rankings[0].scores[0].terms).toMatchObject({ rows: 90, sd: expect.any(Number) });
  });

  it("cv counts every row once if folds differ in size", async () => {
    // 7 rows in 2 folds of 4 and 3; a model that predicts the frequent class errs on the two others.
    const label = ["a", "a", "a", "a", "a", "b", "b"];
    const rows = labelled(Table.fromColumns("t", { x: [1, 2, 3, 4, 5, 6, 7], label }), "label");
    const { rankings } = await select([majority()], rows, [findCriterion("cv")], { folds: 2 });
    expect(rankings[0].scores[0]).toMatchObject({ value: 2 / 7, terms: { errors: 2, rows: 7 } });
  });

  it("holdout is the error of a model trained on the other rows", async () => {
    const whole = table(120, 3);
    const { rankings } = await select(rounds, labelled(whole, "label"), [findCriterion("holdout")], {
      holdout: 0.3,
      run: { seed: 4 },
    });
    const byHand: number[] = [];
    for (const learner of rounds) {
      const options = { holdout: 0.3, stratify: true, run: { seed: 4 } };
      const { evaluation } = await trainClassifier(whole, learner, options);
      byHand.push(evaluation?.error ?? Number.NaN);
    }
    expect(values(rankings[0])).toEqual(byHand);
  });

  it("leave-one-out tries every row on a model of the others", async () => {
    const rows = data(25, 5);
    const { rankings } = await select([stump()], rows, [findCriterion("leave-one-out")]);
    let errors = 0;
    for (let left = 0; left < 25; left++) {
      const others = Int32Array.from({ length: 24 }, (_, i) => (i < left ? i : i + 1));
      const whole = table(25, 5);
      const { classifier } = await trainClassifier(whole.select(others), stump());
      errors += classifier.evaluate(whole.select([left])).error;
    }
    expect(rankings[0].scores[0].value).toBeCloseTo(errors / 25, 12);
  });
});

describe("work that is shared", () => {
  it("sizes of one growing learner take one fit per fold, and equal encodings one sample", async () => {
    const fits: unknown[] = [];
    const counted = (learner: Learner): Learner => ({
      ...learner,
      name: `my-${learner.name}`,
      fit: (sample, run) => {
        fits.push(sample);
        return learner.fit(sample, run);
      },
    });
    const candidates = [...rounds.map(counted), counted(stump()), counted(svm())];
    const by = [findCriterion("cv"), findCriterion("holdout")];
    const { rankings } = await select(candidates, data(60), by, { folds: 4 });
    // Four folds and the holdout, in each of which all of adaboost, stump and svm are fitted once.
    expect(fits.length).toBe(5 * 3);
    // stump takes the features as adaboost does, svm takes them standardised.
    expect(new Set(fits).size).toBe(5 * 2);
    const alone = await select([...rounds, stump(), svm()], data(60), by, { folds: 4 });
    expect(rankings.map(values)).toEqual(alone.rankings.map(values));
  });

  it("gives the same bits on any number of threads", async () => {
    const candidates = [stump(), ...rounds, svm({ C: 1 }), svm({ C: 10 })];
    const by = criteria.filter(
      ({ name }) => !["aic", "bic", "leave-one-out", "margin", "reconstruction"].includes(name),
    );
    const results = await Promise.all(
      executors.map((executor) => select(candidates, data(80), by, { folds: 6, run: { seed: 2, executor } })),
    );
    const plain = results.map(({ rankings }) => rankings.map(({ scores, facts }) => ({ scores, facts })));
    expect(plain[1]).toEqual(plain[0]);
    expect(plain[2]).toEqual(plain[0]);
  });
});

describe("rankings", () => {
  it("order by value, keep the order of candidates in a tie, and give ties the same rank", async () => {
    const xor = Table.fromColumns("t", {
      x: [0, 0, 1, 1, 0, 0, 1, 1, 0, 0],
      y: [0, 1, 0, 1, 0, 1, 0, 1, 0, 1],
      label: ["a", "b", "b", "a", "a", "b", "b", "a", "a", "a"],
    });
    const my = findCriterion("srm");
    const by = { ...my, score: () => ({ scores: [3, 1, 3, 2].map((value) => ({ value, terms: {} })) }) };
    const { rankings } = await select(rounds, labelled(xor, "label"), [by]);
    expect(rankings[0].scores.map(({ candidate, rank }) => [candidate, rank])).toEqual([
      [1, 1],
      [3, 2],
      [0, 3],
      [2, 3],
    ]);
  });

  it("name candidates by the options in which they differ", async () => {
    const candidates = [majority(), svm({ C: 0.5 }), svm({ C: 2 }), adaboost({ rounds: 9 })];
    const selection = await select(candidates, data(40), [findCriterion("holdout")]);
    expect(selection.candidates.map(({ name }) => name)).toEqual([
      "majority",
      "svm C=0.5",
      "svm C=2",
      "adaboost",
    ]);
    expect(selection.candidates[1].learner).toBe(candidates[1]);
  });

  it("warn about rare classes", async () => {
    const label = Array.from({ length: 40 }, (_, i) => (i < 3 ? "rare" : i % 2 ? "a" : "b"));
    const rows = labelled(Table.fromColumns("t", { x: label.map((_, i) => i), label }), "label");
    const { notices } = await select([majority()], rows, [findCriterion("cv")], { folds: 5 });
    expect(notices).toEqual(['Class "rare" has fewer rows than there are folds: some folds do not test it.']);
  });
});

describe("a selection fails", () => {
  const cv = findCriterion("cv");
  const faultOf = (candidates: readonly Learner[], rows: Labelled, by = [cv], options = {}) =>
    select(candidates, rows, by, options).then(
      () => expect.unreachable(),
      (error) => error,
    );

  it("from nothing, by nothing, by the same twice, the same twice", async () => {
    expect(await faultOf([], data(20))).toMatchObject({ message: "No candidates to select from." });
    expect(await faultOf([stump()], data(20), [])).toMatchObject({ hint: expect.stringContaining("cv") });
    expect(await faultOf([stump()], data(20), [cv, cv])).toMatchObject({
      message: "The criterion cv is named twice.",
    });
    expect(await faultOf([svm(), stump(), svm()], data(20))).toMatchObject({
      message: "The candidate svm is named twice.",
    });
  });

  it("with fewer rows than folds, before any fit", async () => {
    const fit = vi.fn();
    const fault = await faultOf([{ ...stump(), fit }], data(9));
    expect(fault).toMatchObject({ code: "data/too-few-rows", message: expect.stringContaining("10 folds") });
    expect(fit).not.toHaveBeenCalled();
  });

  it("with settings out of range", async () => {
    for (const options of [{ folds: 1 }, { folds: 2.5 }]) {
      expect(await faultOf([stump()], data(30), [cv], options)).toMatchObject({ code: "option/invalid" });
    }
    const by = [findCriterion("holdout")];
    expect(await faultOf([stump()], data(30), by, { holdout: 1 })).toMatchObject({ code: "option/invalid" });
    expect(await faultOf([stump()], data(30), by, { confidence: 1 })).toMatchObject({
      code: "option/invalid",
    });
  });

  it("when held-out rows leave a single class", async () => {
    const label = Array.from({ length: 12 }, (_, i) => (i === 5 ? "rare" : "usual"));
    const rows = labelled(Table.fromColumns("t", { x: label.map((_, i) => i), label }), "label");
    for (const by of ["cv", "leave-one-out"]) {
      const fault = await faultOf([stump()], rows, [findCriterion(by)], { folds: 3 });
      expect(fault).toMatchObject({ code: "data/too-few-rows", message: expect.stringContaining('"usual"') });
    }
    // Of the holdout one row of each class stays in training.
    const { rankings } = await select([stump()], rows, [findCriterion("holdout")]);
    expect(rankings[0].scores.length).toBe(1);
  });

  it("for a criterion that can judge no candidate, before rows are split", async () => {
    const stages = new Set<string>();
    const run = { progress: ({ stage }: { stage: string }) => void stages.add(stage) };
    const by = [cv, findCriterion("aic")];
    expect(await faultOf(rounds, data(50), by, { run })).toMatchObject({
      code: "learner/unsupported",
      message: expect.stringContaining("aic cannot judge adaboost: such models are not fitted by maximising"),
    });
    expect([...stages]).toEqual(["fitting to all rows"]);
  });

  it("when interrupted, on one thread or several", async () => {
    for (const executor of executors) {
      const controller = new AbortController();
      const progress = () => controller.abort();
      const run = { executor, progress, signal: controller.signal };
      expect(await faultOf(rounds, data(60), [cv], { run })).toMatchObject({ code: "run/interrupted" });
    }
  });
});

it("a criterion ranks the candidates that it can judge and says why not the others", async () => {
  const by = [findCriterion("srm"), findCriterion("margin")];
  const { rankings } = await select([majority(), svm({ kernel: "rbf" }), ...rounds], data(60), by);
  expect(rankings[0].refused).toEqual([
    { candidate: 1, reason: "the VC dimension of the family is infinite or unknown" },
  ]);
  expect(rankings[0].scores.map(({ candidate }) => candidate).sort()).toEqual([0, 2, 3, 4, 5]);
  expect(rankings[1].refused.map(({ candidate }) => candidate)).toEqual([0, 1]);
});

it("the hold-out split is that of training with a holdout", async () => {
  const rows = data(50);
  const { rankings } = await select([stump()], rows, [findCriterion("holdout")], { run: { seed: 3 } });
  expect(rankings[0].scores[0].terms.rows).toBe(stratifiedHoldout(rows.labels, 0.2, 3).test.length);
});
