import { describe, expect, it } from "vitest";
import type { Cell, CellContent } from "#core/table/column.js";
import { contentOf } from "#core/table/column-content.js";
import { identifierColumns } from "#core/table/identifier-columns.js";
import { Table } from "#core/table/table.js";
import { labelled } from "#core/table/target.js";
import { fault } from "../fault.js";

const contentOfCells = (cells: readonly Cell[]): CellContent => {
  const column = Table.fromColumns("t", { a: cells }).column("a");
  return column.kind === "categorical" ? contentOf(column) : expect.fail("the cells are numbers");
};
const sentences = (rows: number) => Array.from({ length: rows }, (_, i) => `this is sentence number ${i}`);
const days = (rows: number) =>
  Array.from({ length: rows }, (_, i) => new Date(i * 86_400_000).toISOString().slice(0, 10));

describe("contentOf", () => {
  it("finds dates if at least 95% of the present cells are dates of one form", () => {
    expect(contentOfCells([...days(95), ...Array(5).fill("n.d.")])).toEqual({ kind: "dates", form: "iso" });
    expect(contentOfCells([...days(94), ...Array(6).fill("n.d.")])).toEqual({ kind: "categories" });
    expect(contentOfCells([...days(2), null, null, null])).toEqual({ kind: "dates", form: "iso" });
  });

  it("finds text: mostly different cells of at least three words", () => {
    expect(contentOfCells(sentences(30))).toEqual({ kind: "text" });
    expect(contentOfCells(sentences(19)).kind).toBe("categories");
    expect(contentOfCells([...sentences(30), ...Array(30).fill("the same text again")])).toEqual({
      kind: "text",
    });
    expect(contentOfCells([...sentences(30), ...Array(32).fill("the same text again")]).kind).toBe(
      "categories",
    );
    expect(contentOfCells(sentences(30).map((text) => text.slice(-2))).kind).toBe("categories");
  });

  it("finds text that repeats if the values combine the same words, and not names of categories", () => {
    const phrases = [
      "paid on time",
      "called twice",
      "asked for a refund",
      "moved",
      "late again",
      "no answer",
    ];
    const combined = Array.from({ length: 900 }, (_, i) =>
      [i % 6, (i >> 1) % 5, (i >> 2) % 4].map((k) => phrases[k]).join(". "),
    );
    expect(new Set(combined).size).toBeLessThan(300);
    expect(contentOfCells(combined)).toEqual({ kind: "text" });
    const manyRows = Array.from({ length: 30 }, () => combined).flat();
    expect(contentOfCells(manyRows).kind).toBe("categories");
    const names = Array.from({ length: 900 }, (_, i) => `shop${i % 120} street${i % 120} town${i % 60}`);
    expect(contentOfCells(names).kind).toBe("categories");
  });

  it("finds categories without present cells", () => {
    const column = { kind: "categorical", name: "a", codes: Int32Array.of(-1), levels: [] } as const;
    expect(contentOf(column)).toEqual({ kind: "categories" });
  });

  it("does not read a cell of a million letters to the end", () => {
    const began = performance.now();
    expect(contentOfCells(sentences(30).map((text) => text.padEnd(1e6, "word "))).kind).toBe("text");
    expect(performance.now() - began).toBeLessThan(2000);
  });
});

describe("Table.withKinds", () => {
  const table = Table.fromColumns("t", {
    when: ["01/02/2024", "13/02/2024", null],
    day: [20240101, 20240229, Number.NaN],
    n: ["1", "2.5", "x"],
  });

  it("declares dates, text, categories and numbers", () => {
    const kinds = table.withKinds({ when: "date", day: "date", n: "text" });
    expect(kinds.column("when")).toMatchObject({ holds: { kind: "dates", form: "day-first" } });
    expect(kinds.column("day")).toMatchObject({ holds: { kind: "dates", form: "compact" } });
    expect(kinds.column("n")).toMatchObject({ holds: { kind: "text" } });
    expect(table.withKinds({ when: "categorical" }).column("when")).toMatchObject({
      holds: { kind: "categories" },
    });
    expect(table.select([0, 1]).withKinds({ n: "numeric" }).column("n")).toMatchObject({
      values: Float64Array.of(1, 2.5),
    });
  });

  it("names the column, row and text that do not fit", () => {
    expect(fault(() => table.withKinds({ n: "numeric" }))).toMatchObject({
      code: "data/not-a-number",
      message: 't, row 3, column "n": "x" is not a number.',
    });
    expect(fault(() => table.withKinds({ n: "date" }))).toMatchObject({
      code: "data/wrong-kind",
      message: 't, row 1, column "n": "1" is not a date.',
    });
    expect(fault(() => table.select([0]).withKinds({ when: "date" })).message).toBe(
      't, column "when": it is not clear which number is the month, as in "01/02/2024".',
    );
    expect(fault(() => table.withKinds({ wen: "date" }))).toMatchObject({
      code: "data/missing-column",
      hint: expect.stringContaining('"when"'),
    });
  });

  it("reads declared kinds and Date objects of records", () => {
    const records = [
      { at: new Date(0), n: "a b" },
      { at: new Date(Number.NaN), n: null },
    ];
    const read = Table.fromRecords("r", records, { n: "text" });
    expect(read.column("at")).toMatchObject({
      levels: ["1970-01-01T00:00:00.000Z"],
      codes: Int32Array.of(0, -1),
    });
    expect(read.column("n")).toMatchObject({ holds: { kind: "text" } });
  });
});

describe("labelled", () => {
  it("marks dates and text once for all rows, so that folds agree", () => {
    const rows = 40;
    const table = Table.fromColumns("t", {
      at: days(rows),
      note: sentences(rows),
      colour: Array.from({ length: rows }, (_, i) => ["red", "blue"][i % 2]),
      y: Array.from({ length: rows }, (_, i) => ["a", "b"][i % 2]),
    });
    const { features } = labelled(table, "y");
    expect(features.columns.map((column) => column.kind === "categorical" && column.holds?.kind)).toEqual([
      "dates",
      "text",
      "categories",
    ]);
    expect(features.select([0]).column("note")).toMatchObject({ holds: { kind: "text" } });
  });
});

describe("identifierColumns", () => {
  it("keeps dates and text, and drops other columns without repeats", () => {
    const table = Table.fromColumns("t", {
      at: days(40),
      note: sentences(40),
      code: Array.from({ length: 40 }, (_, i) => `c${i}`),
    });
    expect(identifierColumns(table)).toEqual(["code"]);
  });
});
