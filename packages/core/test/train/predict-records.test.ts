import { beforeAll, describe, expect, it } from "vitest";
import { type Classifier, forest, logistic, Table, thresholdRule, trainClassifier, VouchError } from "vouch";
import { Random } from "#core/runtime/maths/random.js";

/** Customers with numbers, categories, dates and text, of which some leave. */
function customers(rows: number, seed: number) {
  const random = new Random(seed);
  return Array.from({ length: rows }, () => {
    const calls = Math.floor(8 * random.uniform());
    const leaves = random.uniform() < (calls > 4 ? 0.85 : 0.15);
    return {
      calls,
      plan: random.uniform() < 0.05 ? null : ["basic", "family", "gold"][random.integer(3)],
      since: `20${10 + random.integer(10)}-0${1 + random.integer(9)}-11`,
      note: `${["asked about the bill", "wants a refund", "likes the app"][random.integer(3)]} ${random.integer(999)} ${leaves ? "angry" : "happy"} customer`,
      left: leaves ? "yes" : "no",
    };
  });
}

const KINDS = { plan: "categorical", since: "date", note: "text" } as const;
const record = { calls: 6, plan: "gold", since: "2015-03-11", note: "wants a refund 12 angry customer" };

let plain: Classifier;
let careful: Classifier;
beforeAll(async () => {
  const table = Table.fromRecords("customers", customers(500, 1), KINDS);
  const options = { target: "left", holdout: 0.4, run: { seed: 1 } };
  plain = (await trainClassifier(table, logistic(), options)).classifier;
  const numbers = table.without(["note", "since"]);
  careful = (await trainClassifier(numbers, forest({ trees: 10 }), { ...options, abstain: 0.2, sets: 0.9 }))
    .classifier;
});

describe("predictRecords", () => {
  it("answers with the predictions, probabilities, abstentions and sets of the table, bit for bit", async () => {
    const rows = customers(100, 2);
    const { predictions, probabilities, sets } = careful.classify(Table.fromRecords("new", rows, KINDS));
    const answers = await careful.predictRecords(rows);
    expect(answers).toEqual(
      predictions.map((prediction, i) => ({
        prediction: prediction === "" ? null : prediction,
        abstained: prediction === "",
        set: sets?.[i],
        probabilities: { no: probabilities?.row(i)[0], yes: probabilities?.row(i)[1] },
      })),
    );
    expect(answers.some(({ abstained }) => abstained)).toBe(true);
    const all = await careful.predictRecords(rows, { rule: thresholdRule(careful.classes, "yes", 0.5) });
    for (const { prediction, probabilities, abstained } of all) {
      expect([prediction, abstained]).toEqual([(probabilities?.yes ?? 0) >= 0.5 ? "yes" : "no", undefined]);
    }
  });

  it("reads cells by the kinds of the training columns", async () => {
    const [expected] = await plain.predictRecords([record]);
    expect(Object.keys(expected)).toEqual(["prediction", "probabilities"]);
    expect(
      await plain.predictRecords([
        { ...record, calls: "6" },
        { ...record, calls: 6n },
      ]),
    ).toEqual([expected, expected]);
    const [missing] = await plain.predictRecords([{ ...record, calls: null }]);
    expect(await plain.predictRecords([{ ...record, calls: "NA" }])).toEqual([missing]);
    expect(missing).not.toEqual(expected);
    expect(await plain.predictRecords([])).toEqual([]);
  });

  it("explains answers on request, with contributions that sum to the score", async () => {
    const [{ reasons, prediction }] = await plain.predictRecords([record], { reasons: 10 });
    expect(reasons?.class).toBe(prediction);
    expect(reasons?.columns.map(({ column }) => column).sort()).toEqual(["calls", "note", "plan", "since"]);
    const sum = reasons?.columns.reduce((total, { contribution }) => total + contribution, reasons.base);
    expect(sum).toBeCloseTo(reasons?.score ?? Number.NaN, 9);
    const note = reasons?.columns.find(({ column }) => column === "note");
    expect(note?.words?.[0].word).toBe("angry");
    const [{ reasons: two }] = await plain.predictRecords([record], { reasons: 2 });
    expect(two?.columns).toEqual(reasons?.columns.slice(0, 2));
  });

  it("tells of unused columns and unknown categories", async () => {
    const notices: string[] = [];
    const odd = { ...record, plan: "silver", shoe: 43, left: "yes" };
    await plain.predictRecords([odd], { onNotice: (notice) => notices.push(notice) });
    expect(notices).toEqual([
      'Column "plan": 1 cell with a category not seen in training, such as "silver".',
      '1 column not used by the model: "shoe".',
    ]);
  });

  it.each<[string, unknown, string]>([
    ["a single record", record, "Expected an array of records, but got an object."],
    ["nothing", undefined, "Expected an array of records, but got undefined."],
    ["a text", "calls", "Expected an array of records, but got a string."],
    ["rows as arrays", [[6, "gold"]], "records, row 1: expected an object, but got an array."],
    ["null among rows", [record, null], "records, row 2: expected an object, but got null."],
    ["a missing column", [{ calls: 1 }], "records lacks 3 columns that the model needs"],
    [
      "text for a number",
      [record, { ...record, calls: "many" }],
      'records, row 2, column "calls": "many", but the model expects numbers in this column.',
    ],
    ["true for a number", [{ ...record, calls: true }], 'records, row 1, column "calls": true, but'],
    ["a nested cell", [{ ...record, plan: {} }], 'row 1, column "plan": the cell is an object'],
    ["an infinite number", [{ ...record, calls: Number.POSITIVE_INFINITY }], "finite"],
    ["no date", [{ ...record, since: "yesterday" }], "since"],
  ])("refuses %s in words", async (_, given, message) => {
    const call = Reflect.apply(plain.predictRecords, plain, [given]);
    const error = await call.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(VouchError);
    expect(error).toMatchObject({ message: expect.stringContaining(message), hint: expect.any(String) });
  });
});

describe("a record in place of a table", () => {
  it.each([
    "predict",
    "scores",
    "probabilities",
    "classify",
    "classifyRows",
    "evaluate",
    "evaluateRows",
    "compareRows",
  ] as const)("is refused by %s with a hint", async (method) => {
    for (const classifier of [plain, careful]) {
      for (const given of [record, [record], undefined]) {
        const call = async () => Reflect.apply(classifier[method], classifier, [given]);
        await expect(call()).rejects.toMatchObject({
          code: "option/invalid",
          message: "Expected a Table, but something else was given.",
          hint: expect.stringContaining("predictRecords([{ … }])"),
        });
      }
    }
  });
});
