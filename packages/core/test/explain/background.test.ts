import { describe, expect, it } from "vitest";
import { fitEncoder } from "#core/encode/fit-encoder.js";
import { Background } from "#core/explain/background.js";
import { Random } from "#core/runtime/maths/random.js";
import type { Schema } from "#core/table/schema.js";
import { Table } from "#core/table/table.js";

const random = new Random(2);
const records = Array.from({ length: 500 }, (_, i) => ({
  id: i,
  same: i,
  gap: i % 4 === 0 ? null : i,
  colour: i < 3 ? `rare ${i}` : ["red", "green"][random.integer(2)],
}));
const training = Table.fromRecords("training", records);
const target = { target: "y", classes: ["no", "yes"] };
const schema: Schema = {
  ...target,
  columns: [
    { kind: "numeric", name: "gap" },
    { kind: "categorical", name: "colour", levels: ["green", "red"] },
    { kind: "numeric", name: "id" },
    { kind: "numeric", name: "same" },
  ],
};

function made(table = training, seed = 1): Background {
  const background = Background.of(table, schema, seed);
  if (!background) throw new Error("no background");
  return background;
}

function numbers(table: Table, name: string): number[] {
  const column = table.column(name);
  if (column.kind !== "numeric") throw new Error("not numbers");
  return [...column.values];
}

describe("background rows", () => {
  it("are 64 draws of each column on its own, so that no training row is among them", () => {
    const { table } = made();
    expect(table.rows).toBe(64);
    expect(table.columns.map(({ name }) => name)).toEqual(["gap", "colour", "id", "same"]);
    const ids = numbers(table, "id");
    expect(new Set(ids).size).toBe(64);
    // In the training rows both are equal; by chance one in 500 is.
    const equal = numbers(table, "same").filter((value, i) => value === ids[i]).length;
    expect(equal).toBeLessThan(3);
    // The mean of 64 of the numbers 0 … 499 has a standard error of 18.
    expect(Math.abs(ids.reduce((sum, id) => sum + id, 0) / 64 - 249.5)).toBeLessThan(72);
    const missing = numbers(table, "gap").filter(Number.isNaN).length;
    expect(Math.abs(missing - 16)).toBeLessThan(14);
  });

  it("are the same for the same seed; all rows of a small table are used", () => {
    expect(made(training, 5).table).toEqual(made(training, 5).table);
    expect(made(training, 6).table).not.toEqual(made(training, 5).table);
    const small = training.select([7, 8, 9]);
    expect(numbers(made(small).table, "id").sort()).toEqual([7, 8, 9]);
  });

  it("name no category that the model does not know", () => {
    const column = made(training.select([0, 1, 2, 3])).table.column("colour");
    if (column.kind !== "categorical") throw new Error("not categories");
    expect(column.levels).toEqual(["green", "red", "(other)"]);
    expect([...column.codes].filter((code) => code === 2)).toHaveLength(3);
  });

  it("are absent without rows and with more than 1000 columns", () => {
    expect(Background.of(training.select([]), schema, 1)).toBeUndefined();
    const names = Array.from({ length: 1001 }, (_, j) => `x${j}`);
    const wide = Table.fromColumns("wide", Object.fromEntries(names.map((name) => [name, [1, 2]])));
    const columns = names.map((name) => ({ kind: "numeric" as const, name }));
    expect(Background.of(wide, { ...target, columns }, 1)).toBeUndefined();
    expect(Background.of(wide, { ...target, columns: columns.slice(1) }, 1)).toBeDefined();
  });

  it("survive a model file, and can be encoded", () => {
    const background = made();
    const restored = Background.restore(background.toState(), schema);
    expect(restored.table).toEqual(background.table);
    const encoder = fitEncoder(training, target, { kind: "binned", maxBins: 9 });
    const own = Background.of(training, encoder.schema, 1);
    expect(encoder.encode(own?.table ?? training).rows).toBe(64);
  });

  it("of another model or damaged are rejected", () => {
    const state = made().toState();
    const damaged = (json: object, tensors: object = {}) =>
      expect(() =>
        Background.restore(
          { json: { ...Object(state.json), ...json }, tensors: { ...state.tensors, ...tensors } },
          schema,
        ),
      );
    damaged({ rows: 65 }).toThrow(/background/);
    damaged({ rows: 32 }).toThrow(/background/);
    damaged({ kinds: ["numeric", "numeric", "numeric", "numeric"] }).toThrow("do not match the model");
    damaged({ kinds: ["numeric"] }).toThrow("do not match the model");
    damaged({ extra: 1 }).toThrow(/extra/);
    const codes = (code: number) => ({ shape: [1, 64], data: new Int32Array(64).fill(code) });
    damaged({}, { codes: codes(3) }).toThrow("unknown category");
    damaged({}, { codes: codes(-2) }).toThrow(/codes/);
    const infinite = { shape: [3, 64], data: new Float64Array(192).fill(Number.POSITIVE_INFINITY) };
    damaged({}, { numbers: infinite }).toThrow(/numbers/);
    const others = { ...schema, columns: schema.columns.slice(1) };
    expect(() => Background.restore(state, others)).toThrow("do not match the model");
  });
});
