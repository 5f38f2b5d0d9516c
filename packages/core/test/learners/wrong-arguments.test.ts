import { expect, it } from "vitest";
import { binMatrix } from "#core/encode/bin-matrix.js";
import { Sample } from "#core/encode/sample.js";
import { linearSvm } from "#core/learners/linear/linear-svm.js";
import { majority } from "#core/learners/majority/majority.js";
import { Matrix } from "#core/runtime/maths/matrix.js";
import { VouchError } from "#core/runtime/vouch-error.js";
import { byCrossValidation, byRacing } from "#core/select/choose-learner.js";
import { compare } from "#core/select/compare.js";
import { select } from "#core/select/select.js";
import { Table } from "#core/table/table.js";
import { labelled } from "#core/table/target.js";
import { trainClassifier } from "#core/train/train.js";
import { crossValidate } from "#core/validation/cross-validate.js";

const table = Table.fromColumns("rows", {
  size: Array.from({ length: 12 }, (_, row) => row),
  label: Array.from({ length: 12 }, (_, row) => (row < 6 ? "small" : "large")),
});
const data = labelled(table, "label");

/** Calls a function as a program without types does. */
function call(work: (...args: never[]) => unknown, ...args: readonly unknown[]): Promise<unknown> {
  return Promise.resolve().then(() => Reflect.apply(work, undefined, args));
}

async function faultOf(work: Promise<unknown>): Promise<VouchError> {
  const error: unknown = await work.then(
    () => expect.fail("No error was thrown."),
    (error) => error,
  );
  if (error instanceof VouchError) return error;
  throw error;
}

it.each([
  ["trainClassifier", trainClassifier, [table, majority(), { hold_out: 0.2 }], "holdout"],
  ["crossValidate", crossValidate, [table, majority(), { fold: 3 }], "folds"],
  ["compare", compare, [[majority()], data, { second: 3 }], "seconds"],
  ["select", select, [[majority()], data, [{ needs: [] }], { hold_out: 0.2 }], "holdout"],
  ["byRacing", byRacing, [[majority()], { secnds: 3 }], "seconds"],
])("%s has no option of another name, and tells the nearest", async (name, work, args, meant) => {
  const error = await faultOf(call(work, ...args));
  expect(error.code).toBe("option/unknown");
  expect(error.message).toContain(name);
  expect(error.hint).toContain(`Did you mean "${meant}"?`);
});

it.each([
  ["a seed that is not a number", { seed: Number.NaN }, "option/invalid", /seed is NaN/],
  ["a number of threads for an executor", { executor: 4 }, "option/invalid", /executor of the run is 4/],
])("a run does not take %s, wherever it is given", async (_, run, code, message) => {
  for (const work of [
    call(trainClassifier, table, majority(), { run }),
    call(crossValidate, table, majority(), { folds: 3, run }),
    call(compare, [majority()], data, { run }),
  ]) {
    const error = await faultOf(work);
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
  }
});

it.each([
  ["a name", "forest", /"forest" was given/],
  ["nothing", undefined, /undefined was given/],
  ["an object of another kind", {}, /an object was given/],
  ["an unknown encoding", { name: "mine", fit() {}, encoding: { kind: "raw" } }, /mine .* "raw"/],
])("a learner is not %s", async (_, learner, message) => {
  for (const work of [
    call(trainClassifier, table, learner),
    call(crossValidate, table, learner, { folds: 3 }),
    call(compare, [learner], data),
    call(byCrossValidation, [learner], 3),
    call(byRacing, [learner], { seconds: 1 }),
  ]) {
    const error = await faultOf(work);
    expect(error.code).toBe("option/invalid");
    expect(error.message).toMatch(message);
  }
});

it("a table is not a list of records", async () => {
  const { classifier } = await trainClassifier(table, majority());
  const records = [{ size: 1, label: "small" }];
  for (const work of [
    call(trainClassifier, records, majority()),
    call(crossValidate, records, majority(), { folds: 2 }),
    call((rows) => classifier.predict(rows), records),
    call((rows) => classifier.evaluate(rows), records),
  ]) {
    expect((await faultOf(work)).hint).toContain("Table.fromRecords");
  }
});

it("there must be candidates to choose from, and time to compare", async () => {
  expect((await faultOf(call(byCrossValidation, [], 3))).message).toMatch(/no candidates/);
  expect((await faultOf(call(byRacing, [], { seconds: 1 }))).message).toMatch(/no candidates/);
  const noneForTheseRows = byRacing(() => [], { seconds: 1 });
  expect((await faultOf(trainClassifier(table, noneForTheseRows))).message).toMatch(/no candidates/);
  expect((await faultOf(call(byRacing, [majority()]))).message).toMatch(/must be an object, not undefined/);
  for (const seconds of [0, -1, Number.NaN]) {
    expect((await faultOf(compare([majority()], data, { seconds }))).message).toContain(`not ${seconds} s.`);
  }
});

it("linear-svm takes no binned columns", async () => {
  const features = binMatrix(Matrix.from([[1], [2]]), 8);
  const sample = new Sample({
    features,
    labels: Int32Array.of(0, 1),
    classes: ["a", "b"],
    featureNames: ["size"],
  });
  expect((await faultOf(call(linearSvm().fit, sample))).code).toBe("data/wrong-kind");
});
