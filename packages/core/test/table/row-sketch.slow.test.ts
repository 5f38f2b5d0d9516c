import { describe, expect, it } from "vitest";
import type { State, TensorData } from "#core/runtime/codec/state.js";
import { Random } from "#core/runtime/maths/random.js";
import { runNow } from "#core/runtime/parallel/pausable.js";
import { RowSketch } from "#core/table/row-sketch.js";
import type { Schema } from "#core/table/schema.js";
import { findNearRows, sketchRows } from "#core/table/sketch-rows.js";
import { Table } from "#core/table/table.js";
import { fault } from "../fault.js";
import { schemaOf } from "./schema-of.js";

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);
const schemaFor = (table: Table): Schema => schemaOf(table, { target: "y", classes: ["no", "yes"] });
const sum = (flags: Uint8Array) => flags.reduce((total, one) => total + one, 0);

/** Rows of numbers, whole numbers and categories; missing ones among them. */
function drawn(rows: number, seed: number): Table {
  const random = new Random(seed);
  return Table.fromColumns("t", {
    a: Float64Array.from({ length: rows }, () => random.normal()),
    b: Float64Array.from({ length: rows }, () => 100 + 20 * random.normal()),
    c: Float64Array.from({ length: rows }, () => (random.uniform() < 0.1 ? Number.NaN : random.uniform())),
    d: Float64Array.from({ length: rows }, () => random.integer(5)),
    e: Array.from({ length: rows }, () => (random.uniform() < 0.1 ? null : `level ${random.integer(3)}`)),
  });
}

/** Changes the numbers of a table. */
function changed(table: Table, change: (value: number, name: string) => number): Table {
  const columns = table.columns.map((column) =>
    column.kind === "numeric"
      ? { ...column, values: Float64Array.from(column.values, (value) => change(value, column.name)) }
      : column,
  );
  return new Table(table.name, table.rows, columns);
}

const near = (sketch: RowSketch, table: Table, schema: Schema) => runNow(findNearRows(sketch, table, schema));

function sketchOf(table: Table, schema: Schema): RowSketch {
  const sketch = runNow(sketchRows(table, schema));
  if (!sketch) throw new TypeError("There is nothing to compare.");
  return sketch;
}

const jitter = new Random(5);
const changes: [string, (value: number, name: string) => number][] = [
  ["not at all", (value) => value],
  ["rounded to three decimals", (value) => Math.round(1000 * value) / 1000],
  ["rounded to two decimals", (value) => Math.round(100 * value) / 100],
  ["with noise", (value, name) => (name === "d" ? value : value + 1e-4 * jitter.normal())],
  ["changed in one column", (value, name) => (name === "b" ? 100 + 20 * jitter.normal() : value)],
];

describe("RowSketch", () => {
  it.each(changes)("recognises training rows %s, all or a third of the rows", (_, change) => {
    const training = drawn(1000, 1);
    const schema = schemaFor(training);
    const sketch = sketchOf(training, schema);
    const copies = changed(training, change);
    const all = near(sketch, copies, schema);
    expect(all.chance).toBeLessThan(1e-9);
    expect(sum(all.near)).toBeGreaterThan(850);
    const fresh = drawn(700, 2);
    const both = Table.fromColumns("both", {
      ...Object.fromEntries(
        copies.columns.flatMap((column, j) => {
          const other = fresh.columns[j];
          if (column.kind !== "numeric" || other.kind !== "numeric") return [];
          return [[column.name, Float64Array.from([...column.values].slice(0, 300).concat(...other.values))]];
        }),
      ),
      e: [copies.select(range(0, 300)), fresh].flatMap((table) => {
        const column = table.column("e");
        return column.kind === "numeric"
          ? []
          : Array.from(column.codes, (code) => column.levels[code] ?? null);
      }),
    });
    const some = near(sketch, both, schema);
    expect(some.chance).toBeLessThan(1e-9);
    expect(sum(some.near.subarray(0, 300))).toBeGreaterThan(250);
    expect(sum(some.near.subarray(300))).toBeLessThan(100);
  });

  it("finds fresh rows near with the probability that it says, at most", () => {
    const chances: number[] = [];
    const sources: ((rows: number, random: Random) => Table)[] = [
      (rows, random) => drawn(rows, random.bits()),
      (rows, random) =>
        Table.fromColumns("t", {
          x: Float64Array.from({ length: rows }, () => random.normal()),
          y: Float64Array.from({ length: rows }, () => Math.round(10 * random.normal()) / 10),
        }),
      (rows, random) =>
        Table.fromColumns("t", {
          p: Array.from({ length: rows }, () => "abcdefgh"[Math.floor(8 * random.uniform() ** 2)]),
          q: Array.from({ length: rows }, () => "abcdefgh"[random.integer(8)]),
          r: Float64Array.from({ length: rows }, () => random.integer(4)),
        }),
    ];
    for (let seed = 1; seed <= 300; seed++) {
      const random = new Random(seed);
      const table = sources[seed % 3](random.integer(2) === 0 ? 120 : 400, random);
      const schema = schemaFor(table);
      const half = table.rows >> 1;
      const sketch = sketchOf(table.slice(0, half), schema);
      const { near: found, chance } = near(sketch, table.slice(half, table.rows), schema);
      chances.push(chance);
      if (chance >= 1e-3) expect(sum(found)).toBe(0);
    }
    const below = (limit: number) => chances.filter((chance) => chance < limit).length;
    expect(below(0.1)).toBeLessThan(45);
    expect(below(0.01)).toBeLessThanOrEqual(8);
    expect(below(0.001)).toBeLessThanOrEqual(1);
  });

  it("samples long tables, in 32 kB", () => {
    const training = drawn(20_000, 1);
    const schema = schemaFor(training);
    const sketch = sketchOf(training, schema);
    const bytes = Object.values(sketch.toState().tensors).reduce(
      (total, { data }) => total + data.byteLength,
      0,
    );
    expect(bytes).toBeLessThan(32_768);
    const { near: found, chance } = near(
      sketch,
      changed(training, (value) => Math.round(1000 * value) / 1000),
      schema,
    );
    expect(chance).toBeLessThan(1e-9);
    expect(sum(found)).toBeGreaterThan(1500);
    expect(near(sketch, drawn(20_000, 2), schema).chance).toBeGreaterThan(1e-3);
  });

  it("has nothing to compare without rows or without a column that varies", () => {
    const one = Table.fromColumns("t", { x: new Float64Array(10) });
    expect(runNow(sketchRows(one, schemaFor(one)))).toBeUndefined();
    const table = drawn(10, 1);
    expect(runNow(sketchRows(table.select([]), schemaFor(table)))).toBeUndefined();
  });

  it("is the same after it was stored, and refuses damage", () => {
    const training = drawn(300, 1);
    const schema = schemaFor(training);
    const sketch = sketchOf(training, schema);
    const state = sketch.toState();
    const restored = RowSketch.restore(state, schema);
    expect(restored.toState()).toEqual(state);
    const others = drawn(200, 2);
    expect(near(restored, others, schema)).toEqual(near(sketch, others, schema));
    const { json, tensors } = state;
    const withData = (name: string, data: TensorData): State => ({
      json,
      tensors: { ...tensors, [name]: { shape: [data.length], data } },
    });
    const hashes = tensors.hashes.data.length;
    const damaged: State[] = [
      { json: {}, tensors },
      { json, tensors: {} },
      { json: { rows: 3, columns: [0, 1, 2, 3, 4] }, tensors },
      { json: { rows: 300, columns: [0, 1, 2, 3, 9] }, tensors },
      { json: { rows: 300, columns: [0, 1, 2, 3, 3] }, tensors },
      { json: { rows: 300, columns: [0, 1, 2, 3] }, tensors },
      withData(
        "hashes",
        Int32Array.from(range(0, hashes), (i) => hashes - i),
      ),
      withData("hashes", new Int32Array(hashes).fill(-1)),
      withData("widths", new Float64Array(4)),
      withData("widths", Float64Array.of(1, 1, 1)),
      withData("scales", new Float64Array(5)),
      withData("counts", new Uint8Array(hashes)),
      withData("counts", new Uint8Array(hashes).fill(2)),
      withData("sizes", Int32Array.of(1, 1, 1, 1)),
    ];
    for (const each of damaged)
      expect(fault(() => RowSketch.restore(each, schema)).code).toBe("model/corrupt");
  });
});
