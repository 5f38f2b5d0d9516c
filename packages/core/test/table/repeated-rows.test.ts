import { describe, expect, it } from "vitest";
import { Random } from "#core/runtime/maths/random.js";
import { runNow } from "#core/runtime/parallel/pausable.js";
import { type Column, numberAt } from "#core/table/column.js";
import { naturalRepeats } from "#core/table/duplicate-test.js";
import { repeatedRows } from "#core/table/repeated-rows.js";
import type { Schema } from "#core/table/schema.js";
import { Table } from "#core/table/table.js";
import { schemaOf } from "./schema-of.js";
import { shippedRows } from "./shipped-table.js";

const schemaFor = (features: Table): Schema => schemaOf(features, { target: "y", classes: ["no", "yes"] });
const range = (length: number) => Array.from({ length }, (_, i) => i);

/** Rows with many repeats and missing cells. */
function coarse(rows: number, random: Random): Table {
  const some = <T>(cell: T) => (random.uniform() < 0.2 ? null : cell);
  return Table.fromColumns("t", {
    n: range(rows).map(() => some(1 + random.integer(3))),
    c: range(rows).map(() => some(`level ${random.integer(3)}`)),
  });
}

/** The cells of each row as text. */
function texts({ rows, columns }: Table): string[] {
  const text = (column: Column, i: number) =>
    column.kind === "numeric" ? numberAt(column.values, i) || "" : (column.levels[column.codes[i]] ?? "");
  return range(rows).map((i) => columns.map((column) => text(column, i)).join());
}

describe("repeatedRows", () => {
  it("finds what comparing all pairs finds, for any order of columns and levels", () => {
    for (let seed = 0; seed < 50; seed++) {
      const random = new Random(seed);
      const training = coarse(1 + random.integer(12), random);
      const heldOut = coarse(random.integer(12), random);
      const schema = schemaFor(training);
      const turned = new Table("u", heldOut.rows, heldOut.columns.toReversed());
      const [known, own] = [texts(training), texts(heldOut)];
      expect(repeatedRows(training, turned, schema)).toEqual({
        repeated: Uint8Array.from(own, (row) => Number(known.includes(row))),
        firstOfKind: Uint8Array.from(own, (row, i) => Number(own.indexOf(row) === i)),
        repeatedInTraining: known.filter((row, i) => known.indexOf(row) < i).length,
      });
    }
  });

  it("takes a number as text, −0 and further columns as the same row", () => {
    const training = Table.fromColumns("t", { x: Float64Array.of(1.5, 0) });
    const heldOut = Table.fromColumns("u", { x: ["1.50", "-0", "2"], other: [1, 2, 3] });
    expect([...repeatedRows(training, heldOut, schemaFor(training)).repeated]).toEqual([1, 1, 0]);
  });

  it("sorts instead of comparing all pairs", () => {
    const random = new Random(1);
    const x = Float64Array.from({ length: 200_000 }, () => random.uniform());
    const table = Table.fromColumns("t", { x });
    const { repeated, firstOfKind, repeatedInTraining } = repeatedRows(table, table, schemaFor(table));
    expect([repeated, firstOfKind].every((flags) => flags.every((flag) => flag === 1))).toBe(true);
    expect(repeatedInTraining).toBe(0);
  });
});

/** A file of customers: whole months, charges in cents, a total, and categories. */
function customers(rows: number, random: Random): Table {
  const months = Int32Array.from({ length: rows }, () => 1 + random.integer(72));
  const charge = Float64Array.from({ length: rows }, () => Math.round(2000 + 8000 * random.uniform()) / 100);
  const total = charge.map((own, i) => Math.round(100 * own * months[i]) / 100);
  const pick = (...levels: string[]) => range(rows).map(() => levels[random.integer(levels.length)]);
  return Table.fromColumns("customers", {
    months,
    charge,
    total,
    contract: pick("monthly", "yearly", "two years"),
    payment: pick("card", "bank", "cheque"),
    senior: pick("yes", "no"),
    partner: pick("yes", "no"),
  });
}

const sensors = (rows: number, random: Random) =>
  Table.fromColumns("sensors", {
    a: Float64Array.from({ length: rows }, () => random.normal()),
    b: Float64Array.from({ length: rows }, () => random.normal()),
    c: Float64Array.from({ length: rows }, () => random.uniform()),
  });

/** Appends rows that are drawn from the table with replacement. */
const withCopies = (table: Table, copies: number, random: Random): Table =>
  table.select([...range(table.rows), ...range(copies).map(() => random.integer(table.rows))]);

const rounded = (random: Random, rows: number, decimals: number) =>
  Float64Array.from({ length: rows }, () => Math.round(random.normal() * 10 ** decimals) / 10 ** decimals);

const natural: [string, (random: Random) => Table][] = [
  ["three columns of categories", (random) => coarseCategories(2000, random)],
  ["one column with one decimal", (random) => Table.fromColumns("t", { x: rounded(random, 2000, 1) })],
  ["one column with three decimals", (random) => Table.fromColumns("t", { x: rounded(random, 2000, 3) })],
  [
    "two columns with one decimal",
    (random) => Table.fromColumns("t", { x: rounded(random, 2000, 1), y: rounded(random, 2000, 1) }),
  ],
  ["size, weight and their quotient", bodies],
  [
    "flags",
    (random) =>
      Table.fromColumns(
        "t",
        Object.fromEntries(
          range(8).map((j) => [
            `f${j}`,
            Int8Array.from({ length: 2000 }, () => Number(random.uniform() < 0.2)),
          ]),
        ),
      ),
  ],
  [
    "half of the rows zero",
    (random) =>
      Table.fromColumns("t", {
        x: Float64Array.from({ length: 1000 }, () => Math.max(0, random.normal())),
        y: new Float64Array(1000),
      }),
  ],
  ["customers", (random) => customers(2000, random)],
  ["sensors", (random) => sensors(2000, random)],
];

function coarseCategories(rows: number, random: Random): Table {
  const column = (levels: number) => range(rows).map(() => `level ${random.integer(levels)}`);
  return Table.fromColumns("t", { a: column(20), b: column(10), c: column(30) });
}

function bodies(random: Random): Table {
  const size = Float64Array.from({ length: 2000 }, () => Math.round(170 + 8 * random.normal()));
  const weight = size.map((own) => Math.round(own - 100 + 8 * random.normal()));
  return Table.fromColumns("bodies", {
    size,
    weight,
    index: size.map((own, i) => Math.round((1e5 * weight[i]) / own ** 2) / 10),
  });
}

describe("naturalRepeats", () => {
  it.each(natural)("are those of %s", (_, draw) => {
    for (let seed = 0; seed < 10; seed++) {
      const table = draw(new Random(seed));
      expect(runNow(naturalRepeats([table], schemaFor(table)))).toEqual({ natural: true });
    }
  });

  it.each(["iris", "ionosphere", "breastcancer"] as const)("are those of %s", (name) => {
    const { features } = shippedRows(name);
    expect(runNow(naturalRepeats([features], schemaFor(features)))).toEqual({ natural: true });
  });

  it("are not those of customers that were appended again", () => {
    for (let seed = 0; seed < 10; seed++) {
      const table = customers(2000, new Random(seed));
      const twice = table.select([...range(2000), ...range(1000)]);
      expect(runNow(naturalRepeats([twice], schemaFor(table)))).toMatchObject({ natural: false });
      const without = twice.without(["total"]);
      expect(runNow(naturalRepeats([without], schemaFor(without)))).toMatchObject({ natural: false });
    }
  });

  it.each([20, 200, 20_000])("are not those of 2000 sensor rows and %d copies", (copies) => {
    for (let seed = 0; seed < 10; seed++) {
      const random = new Random(seed);
      const table = withCopies(sensors(2000, random), copies, random);
      expect(runNow(naturalRepeats([table], schemaFor(table))).natural).toBe(false);
    }
  });

  it("counts repeats across tables", () => {
    const table = sensors(500, new Random(1));
    const schema = schemaFor(table);
    const others = sensors(500, new Random(2));
    expect(runNow(naturalRepeats([table, table.select(range(50))], schema)).natural).toBe(false);
    expect(runNow(naturalRepeats([table, others], schema)).natural).toBe(true);
  });

  it("samples long and wide tables", () => {
    const random = new Random(3);
    const long = sensors(100_000, random);
    const schema = schemaFor(long);
    expect(runNow(naturalRepeats([long], schema)).natural).toBe(true);
    expect(runNow(naturalRepeats([withCopies(long, 10_000, random)], schema)).natural).toBe(false);
    const wide = Table.fromColumns(
      "wide",
      Object.fromEntries(
        range(1000).map((j) => [`x${j}`, Float64Array.from({ length: 300 }, () => random.normal())]),
      ),
    );
    expect(runNow(naturalRepeats([withCopies(wide, 50, random)], schemaFor(wide))).natural).toBe(false);
  });
});
