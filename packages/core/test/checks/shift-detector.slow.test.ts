import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { DataShift } from "#core/checks/data-shift.js";
import { ShiftDetector } from "#core/checks/shift-detector.js";
import { fitEncoder } from "#core/encode/fit-encoder.js";
import { Random } from "#core/runtime/maths/random.js";
import { runNow } from "#core/runtime/parallel/pausable.js";
import { type Cell, numbersOf } from "#core/table/column.js";
import { Table } from "#core/table/table.js";
import { TrainingProfile } from "#core/table/training-profile.js";

const target = { target: "y", classes: ["no", "yes"] };

/** Starts a check of rows against training rows. */
function checkOf(training: Table): ShiftDetector {
  const { schema } = fitEncoder(training, target, { kind: "binned", maxBins: 255 });
  const profile = runNow(TrainingProfile.of(training, schema));
  if (!profile) throw new Error("no profile");
  return new ShiftDetector(profile, schema);
}

function findingsOf(training: Table, rows: Table): DataShift[] {
  const check = checkOf(training);
  check.add(rows);
  return check.findings();
}

type Row = Record<"age" | "income" | "score" | "city" | "plan", Cell>;

/** People; incomes are log-normal, a few scores are missing. */
function people(rows: number, seed: number): Row[] {
  const random = new Random(seed);
  return Array.from({ length: rows }, () => ({
    age: 18 + random.integer(70),
    income: Math.round(Math.exp(10 + random.normal())),
    score: random.uniform() < 0.05 ? null : random.uniform(),
    city: ["Bonn", "Kiel", "Ulm", "Trier"][Math.min(random.integer(4), random.integer(5))],
    plan: ["basic", "plus"][random.integer(2)],
  }));
}

const tableOf = (rows: readonly Row[]) => Table.fromRecords("people", rows);
const training = tableOf(people(2000, 1));
const changed = (rows: number, change: (row: Row, i: number) => Partial<Row>) =>
  tableOf(people(rows, 2).map((row, i) => ({ ...row, ...change(row, i) })));
const kindsOf = (findings: readonly DataShift[]) => findings.map(({ kind, columns }) => [kind, ...columns]);

describe("a check of new rows", () => {
  it("finds nothing in rows that were drawn like the training rows", () => {
    for (const rows of [1, 5, 50, 1000, 20_000]) {
      expect(
        findingsOf(
          training,
          changed(rows, () => ({})),
        ),
      ).toEqual([]);
    }
  });

  it("finds a number 1,000 times outside the training range, and says where it is", () => {
    const rows = changed(100, (_, i) => (i === 41 ? { age: 87_000 } : {}));
    expect(findingsOf(training, rows)).toEqual([
      {
        kind: "range",
        columns: ["age"],
        rows: 1,
        text:
          'Column "age": 1 of 100 rows is far outside the training range, 18 to 87. ' +
          "The most extreme is 87,000 in row 42.",
      },
    ]);
    const one = changed(1, () => ({ score: -500 }));
    expect(kindsOf(findingsOf(training, one))).toEqual([["range", "score"]]);
  });

  it("does not find a number that a heavy tail explains", () => {
    const rows = changed(100, (_, i) => (i === 41 ? { income: 3e6 } : {}));
    expect(findingsOf(training, rows)).toEqual([]);
  });

  it("finds many numbers a little outside the range", () => {
    const rows = changed(200, (_, i) => (i % 10 === 0 ? { age: 95 } : {}));
    expect(findingsOf(training, rows)).toMatchObject([
      { kind: "range", rows: 20, text: expect.stringContaining("20 of 200 rows are outside") },
    ]);
  });

  it("finds swapped columns of numbers and of categories", () => {
    const numbers = changed(100, ({ age, score }) => ({ age: score, score: age }));
    expect(findingsOf(training, numbers)[0]).toMatchObject({
      kind: "swapped",
      text: 'Columns "age" and "score" look swapped: each has the values that the other had in training.',
    });
    const texts = changed(100, ({ city, plan }) => ({ city: plan, plan: city }));
    expect(kindsOf(findingsOf(training, texts))).toEqual([["swapped", "city", "plan"]]);
  });

  it("finds headers that are shifted by one", () => {
    const rows = changed(300, ({ age, income, score }) => ({ age: income, income: score, score: age }));
    const found = findingsOf(training, rows).filter(({ kind }) => kind === "swapped");
    expect(found.map(({ text }) => text).sort()).toEqual([
      'Column "age" has the values that column "income" had in training: are headers mixed up?',
      'Column "income" has the values that column "score" had in training: are headers mixed up?',
      'Column "score" has the values that column "age" had in training: are headers mixed up?',
    ]);
  });

  it("finds another unit and says the factor", () => {
    const thousands = changed(100, ({ income }) => ({ income: Number(income) / 1000 }));
    expect(findingsOf(training, thousands)).toMatchObject([
      { kind: "scale", columns: ["income"], text: expect.stringContaining("divided by 1,000") },
    ]);
    const cents = changed(100, ({ age }) => ({ age: Number(age) * 100 }));
    expect(findingsOf(training, cents)).toMatchObject([
      { kind: "scale", columns: ["age"], text: expect.stringContaining("multiplied by 100") },
    ]);
  });

  it("finds rows without any value, and missing cells where there were none", () => {
    const nothing = { age: null, income: null, score: null, city: null, plan: null };
    const rows = changed(50, (_, i) => (i === 6 ? nothing : {}));
    expect(kindsOf(findingsOf(training, rows))).toContainEqual(["empty"]);
    const gaps = changed(200, (_, i) => (i < 5 ? { age: null } : {}));
    expect(findingsOf(training, gaps)).toMatchObject([
      {
        kind: "missing",
        columns: ["age"],
        rows: 5,
        text: expect.stringContaining("the training rows have none"),
      },
    ]);
    const more = changed(200, (_, i) => (i < 60 ? { score: null } : {}));
    expect(findingsOf(training, more)).toMatchObject([{ kind: "missing", columns: ["score"] }]);
    const few = changed(200, (_, i) => (i < 15 ? { score: null } : {}));
    expect(findingsOf(training, few)).toEqual([]);
  });

  it("finds unknown categories if there are more than chance explains; one is only a note", () => {
    const many = changed(200, (_, i) => (i < 40 ? { city: "Rome" } : {}));
    expect(findingsOf(training, many)).toMatchObject([
      { kind: "levels", columns: ["city"], rows: 40, text: expect.stringContaining('such as "Rome"') },
    ]);
    const check = checkOf(training);
    check.add(changed(200, (_, i) => (i === 3 ? { city: "Rome" } : {})));
    expect(check.findings()).toEqual([]);
    expect(check.notices()).toEqual([
      'Column "city": 1 cell with a category not seen in training, such as "Rome".',
    ]);
  });

  it("finds other distributions of numbers and categories, but not in a few rows", () => {
    const older = changed(200, ({ age }, i) => ({ age: i % 2 ? age : 60 + (i % 20), plan: "plus" }));
    expect(findingsOf(training, older)).toMatchObject([
      { kind: "shift", columns: ["plan"], text: expect.stringContaining("100% of the cells are") },
      {
        kind: "shift",
        columns: ["age"],
        text: expect.stringMatching(/% of the values are below 60, in training/),
      },
    ]);
    expect(
      findingsOf(
        training,
        changed(20, () => ({ age: 80, plan: "plus" })),
      ),
    ).toEqual([]);
  });

  it("gives the same result for rows in parts as for all at once", () => {
    const rows = changed(3000, ({ age, score }, i) => ({
      age: i === 2500 ? 1e6 : score,
      score: age,
      city: i % 9 === 0 ? `town ${i % 7}` : "Ulm",
    }));
    const all = findingsOf(training, rows);
    const check = checkOf(training);
    for (const [from, to] of [
      [0, 1],
      [1, 900],
      [900, 2501],
      [2501, 3000],
    ]) {
      check.add(rows.select(Array.from({ length: to - from }, (_, i) => from + i)));
    }
    expect(check.findings()).toEqual(all);
    expect(all.map(({ kind }) => kind)).toEqual(["swapped", "missing", "shift"]);
  });

  it("tells ten findings and counts the other columns", () => {
    const wide = (value: (i: number, j: number) => number) =>
      Table.fromRecords(
        "wide",
        Array.from({ length: 100 }, (_, i) =>
          Object.fromEntries(Array.from({ length: 47 }, (_, j) => [`c${j}`, value(i, j)])),
        ),
      );
    const check = checkOf(wide((i, j) => (i * (j + 3)) % 97));
    check.add(wide((i, j) => 1e9 + ((i * (j + 3)) % 97)));
    const notices = check.notices();
    expect(notices).toHaveLength(11);
    expect(notices[10]).toMatch(/^And 37 more columns look unlike the training rows: "c/);
  });
});

describe("false alarms", () => {
  it.each(["iris", "ionosphere", "breastcancer"])("are rare in random splits of %s", (name) => {
    const table = shippedTable(name);
    const random = new Random(11);
    let alarms = 0;
    for (let split = 0; split < 200; split++) {
      const order = random.shuffle(Array.from({ length: table.rows }, (_, i) => i));
      const cut = Math.floor(table.rows * [0.8, 0.5, 0.2][split % 3]);
      const size = [table.rows, 30, 3][Math.floor(split / 3) % 3];
      const rows = table.select(order.slice(cut, cut + size));
      if (findingsOf(table.select(order.slice(0, cut)), rows).length > 0) alarms++;
    }
    expect(alarms).toBeLessThan(2);
  });
});

/** Reads the features of a data set that ships with vouch. */
function shippedTable(name: string): Table {
  const path = new URL(`../../../datasets/data/${name}.csv`, import.meta.url);
  const [header, ...lines] = readFileSync(path, "utf8").trim().split("\n");
  const names = header.split(",").slice(0, -1);
  const cells = lines.map((line) => line.split(","));
  const columns = names.map((column, j) => {
    const texts = cells.map((row) => (row[j] === "?" || row[j] === "" ? null : row[j]));
    const levels = [...new Set(texts.filter((text) => text !== null))];
    const codes = Int32Array.from(texts, (text) => (text === null ? -1 : levels.indexOf(text)));
    return numbersOf(name, { kind: "categorical", name: column, codes, levels });
  });
  return new Table(name, lines.length, columns);
}
