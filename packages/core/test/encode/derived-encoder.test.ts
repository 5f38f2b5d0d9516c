import { describe, expect, it } from "vitest";
import { fitEncoder } from "#core/encode/fit-encoder.js";
import { encodingPremise } from "#core/encode/learned-encoding.js";
import { featuresByColumn, importanceByColumn } from "#core/explain/feature-groups.js";
import { SparseRows } from "#core/runtime/maths/sparse-rows.js";
import { Table } from "#core/table/table.js";
import { fault } from "../fault.js";

const target = { target: "y", classes: ["a", "b"] };
const raw = { kind: "numeric", standardise: false } as const;
const sparse = { ...raw, sparse: true } as const;
const binned = { kind: "binned", maxBins: 255 } as const;

const dates = Table.fromColumns(
  "t",
  {
    at: ["2024-02-28", "2024-02-29", "2024-03-01", null, "soon"],
    n: [1, 2, 3, 4, 5],
  },
  // Not all cells are dates, so this one is declared by hand.
).withColumn({
  kind: "categorical",
  name: "at",
  codes: Int32Array.of(0, 1, 2, -1, 3),
  levels: ["2024-02-28", "2024-02-29", "2024-03-01", "soon"],
  holds: { kind: "dates", form: "iso" },
});

const texts = Table.fromColumns(
  "t",
  { note: ["good good cat", "bad cat", "good dog", null, ""], n: [0, 0, 0, 0, 7] },
  { note: "text" },
);

describe("an encoder of dates", () => {
  it("makes days and the parts that vary; other cells are missing", () => {
    const encoder = fitEncoder(dates, target, raw);
    expect(encoder.featureNames).toEqual([
      "at (days since 2024-02-28)",
      "at (days since 2024-02-28) is missing",
      "at (month)",
      "at (month) is missing",
      "at (weekday)",
      "at (weekday) is missing",
      "n",
    ]);
    const { values } = encoder.encode(dates);
    const mean = (2 + 2 + 3) / 3;
    expect(Array.from(values.subarray(0, 7))).toEqual([0, 0, 2, 0, 3, 0, 1]);
    expect(Array.from(values.subarray(14, 21))).toEqual([2, 0, 3, 0, 5, 0, 3]);
    expect(Array.from(values.subarray(28, 35))).toEqual([1, 1, mean, 1, 4, 1, 5]);
    expect(encoder.schema.columns).toEqual([
      { kind: "date", name: "at", form: "iso" },
      { kind: "numeric", name: "n" },
    ]);
    expect(featuresByColumn(encoder)).toEqual([
      { name: "at", features: [0, 1, 2, 3, 4, 5] },
      { name: "n", features: [6] },
    ]);
    expect(encoder.notices).toEqual([
      'Column "at" is a date: used as days, month and weekday.',
      'Column "at": 1 cell is not a date and counted as missing, such as "soon".',
    ]);
    expect(encodingPremise(encoder)).toEqual({
      holds: false,
      categories: [],
      filled: ["at"],
      words: [],
      dates: ["at"],
    });
  });

  it("reads new rows in any notation of the form, and reports cells that are not dates", () => {
    const encoder = fitEncoder(dates, target, raw);
    const fresh = Table.fromColumns("new", {
      n: [1, 1, 1],
      extra: [1, 2, 3],
      at: ["2024-03-09T12:00:00+12:00", "later", "2020-02-29"],
    });
    const notices: string[] = [];
    const { values } = encoder.encode(fresh, (notice) => notices.push(notice));
    expect([values[0], values[2], values[4]]).toEqual([10, 3, 6]);
    expect(values[14]).toBe(-1460);
    expect(notices).toEqual([
      'Column "at": 1 cell is not a date and counted as missing, such as "later".',
      '1 column not used by the model: "extra".',
    ]);
  });

  it("says which column is missing or of another kind", () => {
    const encoder = fitEncoder(dates, target, binned);
    expect(fault(() => encoder.encode(Table.fromColumns("new", { n: [1] })))).toMatchObject({
      code: "data/missing-column",
      message: 'new lacks 1 column that the model needs: "at".',
    });
    for (const at of [[3], ["red"]]) {
      expect(fault(() => encoder.encode(Table.fromColumns("new", { n: [1], at })))).toMatchObject({
        code: "data/wrong-kind",
        message: `new, row 1, column "at": "${at[0]}", but the model expects dates such as 2024-12-31 in this column.`,
      });
    }
    expect(encoder.encode(Table.fromColumns("new", { n: [1], at: [null] })).bins[0]).toBe(255);
  });

  it("leaves a constant date out, and keeps names apart", () => {
    const table = Table.fromColumns(
      "t",
      { at: ["2024-01-01", "2024-01-01"], b: ["2023-01-01", "2024-02-01"], "b (year)": [1, 2] },
      { at: "date", b: "date" },
    );
    const encoder = fitEncoder(table, target, raw);
    expect(encoder.schema.columns.map(({ name }) => name)).toEqual(["b", "b (year)"]);
    expect(encoder.featureNames).toEqual([
      "b (days since 2023-01-01)",
      "b (year) 2",
      "b (month)",
      "b (weekday)",
      "b (year)",
    ]);
    expect(encoder.notices).toContain('1 constant column left out: "at (days since 2024-01-01)".');
  });
});

describe("an encoder of text", () => {
  it("counts n-grams in columns for learners that take matrices or bins", () => {
    const encoder = fitEncoder(texts, target, raw);
    expect(encoder.featureNames).toEqual([
      "note (log of words)",
      "note (log of words) is missing",
      'note "cat"',
      'note "good"',
      "n",
    ]);
    const rows = Array.from({ length: 5 }, (_, i) => Array.from(encoder.encode(texts).row(i)));
    expect(rows.map((row) => row.slice(2, 4))).toEqual([
      [1, 2],
      [1, 0],
      [0, 1],
      [0, 0],
      [0, 0],
    ]);
    expect(rows[0][0]).toBeCloseTo(Math.log(4), 12);
    expect(encoder.encode(Table.fromColumns("new", { note: ["unseen words 😀"], n: [1] })).values).toEqual(
      Float64Array.of(Math.log(4), 0, 0, 0, 1),
    );
    expect(encoder.learned.words).toEqual(["note"]);
    expect(fitEncoder(texts, target, binned).encode(texts).columns).toBe(4);
  });

  it("makes sparse rows of tf-idf for learners that take them", () => {
    const encoder = fitEncoder(texts, target, sparse);
    const features = encoder.encode(texts);
    if (!(features instanceof SparseRows)) return expect.fail("the rows are not sparse");
    expect(features.columns).toBe(encoder.featureNames.length);
    const [cat, good] = [
      encoder.featureNames.indexOf('note "cat"'),
      encoder.featureNames.indexOf('note "good"'),
    ];
    const dense = features.toMatrix();
    const [once, twice] = [1, 1 + Math.log(2)];
    // Both occur in two of three texts, so their weights cancel.
    expect(dense.row(0)[cat]).toBeCloseTo((4 * once) / Math.hypot(once, twice), 12);
    expect(dense.row(0)[good]).toBeCloseTo((4 * twice) / Math.hypot(once, twice), 12);
    expect(Array.from(dense.row(3).subarray(cat))).toEqual([0, 0]);
    expect(featuresByColumn(encoder).map(({ features }) => features.length)).toEqual([4, 1]);
    const shares = encoder.featureNames.map((name, j) => ({
      name,
      share: encoder.featureColumns[j] === 0 ? 0.1 : 0.6,
    }));
    const section = { kind: "importance" as const, title: "feature importance", features: shares };
    const { title, features: columns } = importanceByColumn(section, encoder);
    expect(title).toBe("column importance");
    expect(columns.map(({ name }) => name)).toEqual(encoder.schema.columns.map(({ name }) => name).reverse());
    expect(columns.map(({ share }) => share)).toEqual([0.6, expect.closeTo(0.4, 12)]);
  });

  it("does with texts alone, all of the same length", () => {
    const table = Table.fromColumns("t", { note: ["a b", "b a", "a c", "c a"] }, { note: "text" });
    const encoder = fitEncoder(table, target, sparse);
    expect(encoder.featureNames).toEqual(['note "b"', 'note "c"']);
    expect(encoder.encode(table).rows).toBe(4);
  });

  it("says so if no two texts share a word", () => {
    const table = Table.fromColumns("t", { note: ["a", "b c", "d e f"] }, { note: "text" });
    const encoder = fitEncoder(table, target, sparse);
    expect(encoder.featureNames).toEqual(["note (log of words)"]);
    expect(encoder.notices).toEqual([
      'Column "note" is text, but no two rows share a word: used as its length.',
    ]);
  });

  it("reads numbers as text", () => {
    const encoder = fitEncoder(
      Table.fromColumns("t", { note: ["1 2", "1 3", "4"] }, { note: "text" }),
      target,
      raw,
    );
    expect(encoder.encode(Table.fromColumns("new", { note: [1] })).values.at(-1)).toBe(1);
  });
});
