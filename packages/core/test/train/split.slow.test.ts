import { describe, expect, it } from "vitest";
import { forest } from "#core/learners/forest/forest.js";
import { majority } from "#core/learners/majority/majority.js";
import { stump } from "#core/learners/stump/stump.js";
import { Random } from "#core/runtime/maths/random.js";
import { byRacing } from "#core/select/choose-learner.js";
import { compare } from "#core/select/compare.js";
import { findCriterion } from "#core/select/criteria.js";
import { select } from "#core/select/select.js";
import { Table } from "#core/table/table.js";
import { labelled } from "#core/table/target.js";
import { splitRows } from "#core/train/split.js";
import { trainClassifier } from "#core/train/train.js";
import type { TrainOptions } from "#core/train/train-options.js";
import { crossValidate } from "#core/validation/cross-validate.js";
import { fault } from "../fault.js";
import { blobs } from "./blobs.js";

/** 60 people with 5 nearly equal rows each; the class of a person is a coin toss, which a forest can learn by heart. */
function people(): Table {
  const random = new Random(5);
  const records = Array.from({ length: 60 }, (_, person) => {
    const [a, b, label] = [random.normal(), random.normal(), random.integer(2) === 1 ? "yes" : "no"];
    const measured = (value: number) => value + 1e-3 * random.normal();
    return Array.from({ length: 5 }, () => ({ person: `p${person}`, a: measured(a), b: measured(b), label }));
  });
  return Table.fromRecords("people", records.flat());
}

/** Rows of 40 days, of which class and features change on day 20: the past says nothing about the future. */
function days(): Table {
  const random = new Random(6);
  const records = Array.from({ length: 400 }, () => {
    const day = random.integer(40);
    const x = random.normal();
    const date = new Date(Date.UTC(2024, 0, 1 + day)).toISOString().slice(0, 10);
    return { date, x, label: x > 0 === day < 20 ? "a" : "b" };
  });
  return Table.fromRecords("days", records);
}

const learner = () => forest({ trees: 15 });

describe("splitRows", () => {
  const data = labelled(blobs(100, 1), "label");

  it("draws at random, stratified, or takes other rows", () => {
    const drawn = splitRows(data, { holdout: 0.3 }, 1);
    expect(drawn.heldOut?.drawn).toBe("random");
    expect([drawn.training.labels.length, drawn.heldOut?.rows.labels.length]).toEqual([70, 30]);
    const stratified = splitRows(data, { holdout: 0.3, stratify: true }, 1);
    expect(stratified.heldOut?.drawn).toBe("stratified");
    expect(stratified.heldOut?.rows.labels.filter((label) => label === 1)).toHaveLength(15);
    expect(splitRows(data, { test: blobs(9, 2) }, 1).heldOut?.drawn).toBe("separate");
    expect(splitRows(data, {}, 1)).toEqual({ training: data });
  });

  it("keeps groups together and tests on the future", () => {
    const grouped = splitRows(labelled(people(), "label", { group: "person" }), { holdout: 0.2 }, 3);
    expect(grouped.heldOut?.drawn).toBe("groups");
    const held = new Set(grouped.heldOut?.rows.groups);
    expect(held.size).toBe(12);
    expect(grouped.training.groups?.some((group) => held.has(group))).toBe(false);
    const timed = splitRows(labelled(days(), "label", { time: "date" }), { holdout: 0.2 }, 3);
    expect(timed.heldOut?.drawn).toBe("time");
    const { times = [] } = timed.training;
    expect(Math.max(...times)).toBeLessThan(Math.min(...(timed.heldOut?.rows.times ?? [])));
  });

  it("says if other rows have the same groups, or no groups", () => {
    const grouped = labelled(people(), "label", { group: "person" });
    const same = splitRows(grouped, { test: people().select([0, 1, 7]) }, 1).heldOut?.rows;
    expect(same?.groups).toEqual(Int32Array.of(0, 0, 1));
    expect(same?.notices).toEqual([
      "2 groups of 2 in people also have training rows and do not count as evidence.",
    ]);
    const none = splitRows(grouped, { test: people().without(["person"]) }, 1).heldOut?.rows;
    expect(none?.notices).toEqual([
      'people has no column "person": its rows prove nothing about new groups.',
    ]);
  });

  it("says if no row of a class is left to train on, and refuses if only one class is", () => {
    const label = ["a", "b", "c", ...Array.from({ length: 17 }, (_, i) => (i % 2 ? "a" : "b"))];
    const rare = labelled(Table.fromColumns("t", { x: label.map((_, i) => i), label }), "label");
    const seeds = Array.from({ length: 40 }, (_, seed) => splitRows(rare, { holdout: 0.5 }, seed));
    for (const { training, heldOut } of seeds) {
      const notice = 'All rows of class "c" are held out: the model never predicts it.';
      const isKnown = training.labels.includes(2);
      expect(training.notices).toEqual(isKnown ? [] : [notice]);
      expect(training.classes).toEqual(isKnown ? ["a", "b", "c"] : ["a", "b"]);
      expect(heldOut?.rows.labels.includes(-1)).toBe(!isKnown);
    }
    expect(new Set(seeds.map(({ training }) => training.notices.length))).toEqual(new Set([0, 1]));
    const two = labelled(Table.fromColumns("t", { x: [1, 2], label: ["a", "b"] }), "label");
    const { code, message, hint } = fault(() => splitRows(two, { holdout: 0.5 }, 1));
    expect(code).toBe("data/one-class");
    expect(message).toMatch(/^Once 1 row is held out, all training rows are of class "[ab]"\.$/);
    expect(hint).toContain("stratify");
  });
});

describe("trainClassifier with groups or times", () => {
  it("measures the error on new groups", async () => {
    const rows = await trainClassifier(people().without(["person"]), learner(), { holdout: 0.2 });
    const groups = await trainClassifier(people(), learner(), { holdout: 0.2, group: "person" });
    expect(rows.evaluation?.error).toBeLessThan(0.05);
    expect(groups.evaluation?.error).toBeGreaterThan(0.25);
    expect(groups.evaluation?.rows).toBe(60);
    const { card, encoder } = groups.classifier;
    expect(encoder.schema.columns.map(({ name }) => name)).toEqual(["a", "b"]);
    expect(card.notices).toContain('Column "person" is not used as a feature: it groups the rows.');
  });

  it("cross-validates, races, compares and selects by groups", async () => {
    const data = labelled(people(), "label", { group: "person" });
    const chance = (error: number) => expect(error).toBeGreaterThan(0.25);
    chance((await crossValidate(people(), learner(), { folds: 5, group: "person" })).mean);
    const { candidates } = await trainClassifier(people(), byRacing([learner()], { seconds: 60 }), {
      group: "person",
    });
    chance(candidates[0].validation.mean);
    chance((await compare([learner()], data, { folds: 4 })).compared[0].mean);
    const by = ["cv", "holdout", "leave-one-out"].map(findCriterion);
    const { rankings } = await select([forest({ trees: 3 })], data, by, { folds: 4 });
    for (const { scores } of rankings) chance(scores[0].value);
    expect(rankings[2].scores[0].terms.rows).toBe(300);
  });

  it("tests and validates on the future", async () => {
    const table = days();
    const late = await trainClassifier(table, stump(), { holdout: 0.25, time: "date" });
    const mixed = await trainClassifier(table.without(["date"]), stump(), { holdout: 0.25 });
    // Three quarters of the rows are learnt, of which two thirds follow the old rule: the new rows contradict it.
    expect(late.evaluation?.error).toBeGreaterThan(0.9);
    expect(mixed.evaluation?.error).toBeLessThan(0.6);
    const { errors } = await crossValidate(table, stump(), { folds: 3, time: "date" });
    expect(errors).toHaveLength(3);
    expect(errors[0]).toBeLessThan(0.05);
    expect(errors[1]).toBeGreaterThan(0.9);
    const { candidates } = await trainClassifier(table, byRacing([stump(), majority()], { seconds: 60 }), {
      time: "date",
    });
    expect(candidates[0].validation.errors.length).toBeLessThanOrEqual(5);
    const data = labelled(table, "label", { time: "date" });
    await expect(select([stump()], data, [findCriterion("leave-one-out")])).rejects.toThrow(/future/);
  });

  it.each<[string, TrainOptions, string]>([
    ["groups and times", { group: "person", time: "a" }, "Use only one of group and time."],
    ["an unknown group", { group: "persona" }, 'people has no group column "persona".'],
    [
      "the target as time",
      { target: "label", time: "label" },
      'Column "label" is the target, so it cannot be the time.',
    ],
    [
      "stratified groups",
      { group: "person", holdout: 0.2, stratify: true },
      "stratify cannot be combined with group, which decides what is held out.",
    ],
    [
      "stratified times",
      { time: "a", holdout: 0.2, stratify: true },
      "stratify cannot be combined with time, which decides what is held out.",
    ],
    ["nothing to stratify", { stratify: true }, "stratify needs held-out rows."],
    ["text as time", { time: "person" }, 'people, row 1, column "person": "p0" is not a time.'],
  ])("refuses %s", async (_, options, message) => {
    await expect(trainClassifier(people(), majority(), options)).rejects.toThrow(message);
  });

  it("trains on small tables, or says why it cannot", async () => {
    for (let rows = 2; rows <= 20; rows++) {
      const group = Array.from({ length: rows }, (_, i) => `g${i % 4}`);
      const small = blobs(rows, rows).withColumn(Table.fromColumns("g", { group }).column("group"));
      const when = small.withColumn({
        kind: "numeric",
        name: "group",
        values: Float64Array.from({ length: rows }, (_, i) => i),
      });
      const trainings = [
        trainClassifier(small.without(["group"]), stump(), { holdout: 0.2 }),
        trainClassifier(small, stump(), { holdout: 0.2, group: "group" }),
        trainClassifier(when, stump(), { holdout: 0.2, time: "group" }),
      ];
      for (const training of await Promise.allSettled(trainings)) {
        if (training.status === "rejected") expect(training.reason).toMatchObject({ code: "data/one-class" });
        else expect(training.value.evaluation?.rows).toBeGreaterThan(0);
      }
      if (rows > 4)
        expect((await Promise.allSettled(trainings)).map(({ status }) => status)).not.toContain("rejected");
    }
  });
});
