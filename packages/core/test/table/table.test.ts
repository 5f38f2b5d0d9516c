import { describe, expect, it } from "vitest";
import type { Column, NumericValues } from "#core/table/column.js";
import { Table } from "#core/table/table.js";
import { fault } from "../fault.js";

const numbers = (name: string, ...values: number[]): Column => ({
  kind: "numeric",
  name,
  values: Float64Array.from(values),
});

const pets = new Table("pets.csv", 3, [
  numbers("weight", 4, 30, Number.NaN),
  { kind: "categorical", name: "kind", codes: Int32Array.of(0, 1, -1), levels: ["cat", "dog"] },
]);

describe("Table", () => {
  it("finds columns by name and suggests the nearest one", () => {
    expect(pets.column("kind").name).toBe("kind");
    expect(pets.has("weight")).toBe(true);
    expect(pets.has("wait")).toBe(false);
    const error = fault(() => pets.column("wieght"));
    expect(error.code).toBe("data/missing-column");
    expect(error.message).toContain("pets.csv");
    expect(error.message).toContain('"wieght"');
    expect(error.hint).toContain('"weight"');
  });

  it("keeps the notices about the columns that it has", () => {
    const of = (table: Table) => table.notices.map(({ message }) => message);
    const read = pets.withNotices([
      { message: "Encoding: UTF-16." },
      { message: 'Column "weight": 1 value read as missing.', columns: ["weight"], isDoubtful: true },
    ]);
    expect(of(pets)).toEqual([]);
    expect(of(read.withContents().slice(0, 2).select([1]).withKinds({ kind: "text" }))).toEqual(of(read));
    expect(of(read.without(["kind"]))).toEqual(of(read));
    expect(of(read.without(["weight"]))).toEqual(["Encoding: UTF-16."]);
  });

  it("rejects columns of another length, and names them", () => {
    const error = fault(() => new Table("t", 3, [numbers("a", 1, 2, 3), numbers("b", 1, 2)]));
    expect(error.code).toBe("data/ragged");
    expect(error.message).toContain('"b"');
  });

  it("rejects duplicate names, and says where they are", () => {
    const error = fault(() => new Table("t", 1, [numbers("a", 1), numbers("b", 1), numbers("a", 2)]));
    expect(error.code).toBe("data/duplicate-column");
    expect(error.message).toContain('columns 1 and 3 are both called "a"');
  });

  it.each([-2, 2])("rejects code %d of two levels", (code) => {
    const column: Column = {
      kind: "categorical",
      name: "c",
      codes: Int32Array.of(0, code),
      levels: ["x", "y"],
    };
    const error = fault(() => new Table("t", 2, [column]));
    expect(error.code).toBe("data/malformed");
    expect(error.message).toContain("row 2");
  });

  it("selects rows in any order, with repeats", () => {
    const selected = pets.select([2, 0, 0]);
    expect(selected.rows).toBe(3);
    expect(selected.column("weight")).toEqual(numbers("weight", Number.NaN, 4, 4));
    expect(selected.column("kind")).toMatchObject({ codes: Int32Array.of(-1, 0, 0), levels: ["cat", "dog"] });
  });

  const arrays: NumericValues[] = [
    Float64Array.of(1, 2),
    Float32Array.of(1, 2),
    Int32Array.of(1, 2),
    Int16Array.of(1, 2),
    Uint16Array.of(1, 2),
    Int8Array.of(1, 2),
    Uint8Array.of(1, 2),
  ];
  it.each(arrays.map((values) => [values.constructor.name, values] as const))("keeps a %s", (_, values) => {
    const selected = new Table("t", 2, [{ kind: "numeric", name: "a", values }]).select([1]).column("a");
    expect(selected.kind === "numeric" && selected.values.constructor).toBe(values.constructor);
    expect(selected.kind === "numeric" && Array.from(selected.values)).toEqual([2]);
  });

  it("drops, replaces and appends columns", () => {
    expect(pets.without(["weight"]).columns.map((column) => column.name)).toEqual(["kind"]);
    expect(fault(() => pets.without(["none"])).code).toBe("data/missing-column");
    const replaced = pets.withColumn(numbers("weight", 1, 2, 3));
    expect(replaced.columns.map((column) => column.name)).toEqual(["weight", "kind"]);
    expect(replaced.column("weight")).toEqual(numbers("weight", 1, 2, 3));
    expect(pets.withColumn(numbers("age", 1, 2, 3)).columns.map((column) => column.name)).toEqual([
      "weight",
      "kind",
      "age",
    ]);
  });

  it("accepts 100,000 columns", () => {
    const wide = new Table(
      "wide",
      1,
      Array.from({ length: 100_000 }, (_, j) => numbers(`c${j}`, j)),
    );
    expect(wide.column("c99999")).toEqual(numbers("c99999", 99_999));
    expect(wide.without(["c5"]).has("c5")).toBe(false);
  });
});

describe("Table.fromRecords", () => {
  it("infers kinds; absent keys, null, NaN and empty text are missing cells", () => {
    const table = Table.fromRecords("r", [
      { a: 1, b: "x", c: true },
      { a: null, b: "", c: false, d: "late" },
      { a: Number.NaN, b: "y" },
    ]);
    expect(table.columns.map((column) => column.name)).toEqual(["a", "b", "c", "d"]);
    expect(table.column("a")).toEqual(numbers("a", 1, Number.NaN, Number.NaN));
    expect(table.column("b")).toMatchObject({ codes: Int32Array.of(0, -1, 1), levels: ["x", "y"] });
    expect(table.column("c")).toMatchObject({ codes: Int32Array.of(0, 1, -1), levels: ["true", "false"] });
    expect(table.column("d")).toMatchObject({ codes: Int32Array.of(-1, 0, -1), levels: ["late"] });
  });

  it("rejects a mixture of numbers and text unless its kind is declared", () => {
    const records = [{ a: 1 }, { a: "2" }, { a: "two" }];
    const error = fault(() => Table.fromRecords("r", records));
    expect(error.code).toBe("data/wrong-kind");
    expect(error.message).toMatch(/"a".*1 in row 1.*"2" in row 2/);
    expect(Table.fromRecords("r", records, { a: "categorical" }).column("a")).toMatchObject({
      levels: ["1", "2", "two"],
    });
    const notANumber = fault(() => Table.fromRecords("r", records, { a: "numeric" }));
    expect(notANumber.code).toBe("data/not-a-number");
    expect(notANumber.message).toMatch(/row 3, column "a": "two"/);
    expect(Table.fromRecords("r", records.slice(0, 2), { a: "numeric" }).column("a")).toEqual(
      numbers("a", 1, 2),
    );
  });

  it("accepts columns named like properties of objects", () => {
    const table = Table.fromRecords("r", [{ constructor: 1, toString: 2 }]);
    expect(table.column("constructor").kind).toBe("numeric");
    const sparse = Table.fromRecords("r", [{ constructor: 1 }, {}]);
    expect(sparse.column("constructor")).toEqual(numbers("constructor", 1, Number.NaN));
  });

  it("makes an empty table without records", () => {
    const table = Table.fromRecords("r", []);
    expect([table.rows, table.columns.length]).toEqual([0, 0]);
  });
});

describe("Table.fromColumns", () => {
  it("uses typed arrays as they are and reads other arrays", () => {
    const pixels = Uint8Array.of(1, 255);
    const table = Table.fromColumns("c", { pixels, name: ["a", "b"], zip: [1, 2] }, { zip: "categorical" });
    const column = table.column("pixels");
    expect(column.kind === "numeric" && column.values).toBe(pixels);
    expect(table.column("zip")).toMatchObject({ levels: ["1", "2"] });
    expect(fault(() => Table.fromColumns("c", { a: [1], b: [1, 2] })).code).toBe("data/ragged");
  });
});

describe("Table, called from JavaScript", () => {
  const made = (records: unknown, kinds: unknown = {}) =>
    fault(() => Reflect.apply(Table.fromRecords, Table, ["r", records, kinds]));
  const ofColumn = (cells: unknown) =>
    fault(() => Reflect.apply(Table.fromColumns, Table, ["c", { a: cells }]));

  it("rejects records that are not objects, and names the row", () => {
    expect(made(null).message).toMatch(/^r: the records are not a list/);
    expect(made([{ a: 1 }, null]).message).toMatch(/^r, row 2: expected an object, but got null/);
    expect(made([[1, 2]]).message).toMatch(/^r, row 1: expected an object, but got a list/);
    expect(made(["text"]).message).toMatch(/^r, row 1: expected an object, but got string/);
  });

  it("rejects cells that are neither numbers nor text, and names them", () => {
    for (const cell of [{ nested: 1 }, [1], new Map(), 10n, () => 1, Symbol("a")]) {
      const error = made([{ a: 1 }, { a: cell }]);
      expect(error.code).toBe("data/wrong-kind");
      expect(error.message).toContain('r, row 2, column "a"');
    }
    expect(ofColumn(BigInt64Array.of(1n)).message).toMatch(/column "a": the cells are a BigInt64Array/);
    expect(ofColumn("text").code).toBe("data/malformed");
  });

  it("rejects an unknown kind", () => {
    expect(made([{ a: 1 }], { a: "number" }).message).toContain('"number"');
  });

  it("rejects rows that do not exist", () => {
    for (const row of [-1, 3, 0.5, Number.NaN]) {
      const error = fault(() => pets.select([0, row]));
      expect(error.code).toBe("option/invalid");
      expect(error.message).toContain(`row ${row} cannot`);
    }
  });
});
