import { describe, expect, it } from "vitest";
import { prepareRows } from "vouch/command";
import { Table } from "vouch/data";

const ROWS = 60;
const cells = <T>(value: (i: number) => T) => Array.from({ length: ROWS }, (_, i) => value(i));
const size = Float64Array.from({ length: ROWS }, (_, i) => i % 7);
const id = Float64Array.from({ length: ROWS }, (_, i) => i + 1);

/** Prepares a table with these classes in turn. */
const withClasses = (...classes: string[]) =>
  prepareRows(Table.fromColumns("t", { size, y: cells((i) => classes[i % classes.length]) })).notices;

describe("prepareRows", () => {
  it("warns about classes that look like one", () => {
    const notice = (named: string) => [
      `Classes whose names differ only in spaces, case or encoding are different classes: ${named}. Write them alike if they mean the same.`,
    ];
    expect(withClasses("no", "yes", "Yes")).toEqual(notice('"yes" and "Yes"'));
    expect(withClasses("x", "x ", " x", "z")).toEqual(notice('"x" and "x " and " x"'));
    expect(withClasses("new york", "new  york", "z")).toEqual(notice('"new york" and "new  york"'));
    expect(withClasses("caf\u00e9", "cafe\u0301", "z")).toEqual(notice('"caf\u00e9" and "cafe\u0301"'));
    const many = cells((i) => `${i % 2 ? "class" : "Class"} ${Math.floor(i / 2) % 5}`);
    expect(withClasses(...many)[0]).toContain('"Class 2" and "class 2" and 2 more.');
    expect(withClasses("a", "A", "b", "B")).toEqual([]);
    expect(withClasses("ja", "nein", "1", "10", "-1")).toEqual([]);
  });

  it("drops identifiers, unless there is nothing else", () => {
    const y = cells((i) => (i % 2 ? "a" : "b"));
    const both = prepareRows(Table.fromColumns("t", { id, size, y }));
    expect(both.identifiers).toEqual(["id"]);
    expect(both.table.columns.map(({ name }) => name)).toEqual(["size", "y"]);
    expect(both.notices[0]).toMatch(/^1 identifier column dropped, .*: "id"\. Keep a column with --numeric/);
    const alone = prepareRows(Table.fromColumns("t", { id, y }));
    expect(alone.identifiers).toEqual([]);
    expect(alone.notices).toEqual([
      'There is nothing to learn from but 1 identifier column, with a different value in every row: "id". Such a model says nothing about new rows.',
    ]);
    expect(prepareRows(Table.fromColumns("t", { id, y }), { numeric: ["id"] }).notices).toEqual([]);
  });

  it("sets ignored columns aside", () => {
    const y = cells((i) => (i % 2 ? "a" : "b"));
    const patient = cells((i) => `p${i % 6}`);
    const read = Table.fromColumns("t", { patient, size, y });
    const { aside, table, whole } = prepareRows(read, { ignore: ["patient", "gone"] });
    expect(aside?.columns).toEqual([read.column("patient")]);
    for (const left of [table, whole]) expect(left.columns.map(({ name }) => name)).toEqual(["size", "y"]);
    expect(prepareRows(read, { ignore: ["gone"] }).aside).toBeUndefined();
  });
});
