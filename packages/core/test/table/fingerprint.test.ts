import { describe, expect, it } from "vitest";
import type { State } from "#core/runtime/codec/state.js";
import { Random } from "#core/runtime/maths/random.js";
import { Fingerprint } from "#core/table/fingerprint.js";
import type { Schema } from "#core/table/schema.js";
import { Table } from "#core/table/table.js";
import type { LabelledRows } from "#core/table/target.js";
import { fault } from "../fault.js";
import { schemaOf } from "./schema-of.js";

type Rows = Pick<LabelledRows, "features" | "labels">;

const classes = ["no", "yes"];

/** Rows of two numbers and a category, missing cells among them; all different. */
function drawn(rows: number, seed: number): Rows {
  const random = new Random(seed);
  const labels = Int32Array.from({ length: rows }, () => random.integer(2));
  const features = Table.fromColumns("t", {
    x: Float64Array.from({ length: rows }, () => random.normal()),
    z: Float64Array.from({ length: rows }, () => (random.uniform() < 0.1 ? Number.NaN : random.integer(5))),
    c: Array.from({ length: rows }, () => (random.uniform() < 0.1 ? null : `level ${random.integer(3)}`)),
  });
  return { features, labels };
}

const select = ({ features, labels }: Rows, rows: number[]): Rows => ({
  features: features.select(rows),
  labels: Int32Array.from(rows, (row) => labels[row]),
});
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);
const schemaFor = ({ features }: Rows): Schema => schemaOf(features, { target: "y", classes });

describe("Fingerprint", () => {
  it.each([100, 4096, 20_000])("recognises its own %d rows, in any order of rows and columns", (count) => {
    const rows = drawn(count, 1);
    const schema = schemaFor(rows);
    const fingerprint = Fingerprint.of(rows, schema);
    const shuffled = select(rows, new Random(2).shuffle(range(0, count)));
    const reordered = {
      features: new Table("u", count, shuffled.features.columns.toReversed()),
      labels: shuffled.labels,
    };
    for (const same of [rows, shuffled, reordered]) {
      expect(fingerprint.overlap(same, schema)).toEqual({
        rows: Math.min(count, 4096),
        share: 1,
        chance: expect.closeTo(0, 12),
      });
    }
  });

  it("ignores columns that the schema does not have, and needs those that it has", () => {
    const rows = drawn(50, 1);
    const schema = schemaFor(rows);
    const fingerprint = Fingerprint.of(rows, schema);
    const more = rows.features.withColumn({ kind: "numeric", name: "id", values: new Float64Array(50) });
    expect(fingerprint.overlap({ ...rows, features: more }, schema).share).toBe(1);
    const fewer = { ...rows, features: rows.features.without(["x"]) };
    expect(fault(() => fingerprint.overlap(fewer, schema)).code).toBe("data/missing-column");
  });

  it("finds no other rows, exactly half if half are training rows, and only rows with the same label", () => {
    const rows = drawn(2000, 1);
    const schema = schemaFor(rows);
    const fingerprint = Fingerprint.of(select(rows, range(0, 1000)), schema);
    expect(fingerprint.overlap(select(rows, range(1000, 2000)), schema)).toMatchObject({
      rows: 1000,
      share: 0,
    });
    expect(fingerprint.overlap(select(rows, range(500, 1500)), schema)).toMatchObject({
      rows: 1000,
      share: 0.5,
    });
    const flipped = rows.labels.map((label) => 1 - label);
    expect(fingerprint.overlap({ ...rows, labels: flipped }, schema).share).toBe(0);
    const unknown = rows.labels.map(() => -1);
    expect(fingerprint.overlap({ ...rows, labels: unknown }, schema).share).toBe(0);
  });

  it("estimates the share from a sample if there are many rows", () => {
    const rows = drawn(60_000, 3);
    const schema = schemaFor(rows);
    const fingerprint = Fingerprint.of(select(rows, range(0, 40_000)), schema);
    const half = fingerprint.overlap(select(rows, range(20_000, 60_000)), schema);
    // About 4096 rows are compared: the deviation of the share is 0.008.
    expect(half.rows).toBeGreaterThan(3700);
    expect(Math.abs(half.share - 0.5)).toBeLessThan(0.04);
    expect(fingerprint.overlap(select(rows, range(40_000, 60_000)), schema).share).toBe(0);
  });

  it("counts a training row as often as it occurred", () => {
    const rows = drawn(3, 1);
    const schema = schemaFor(rows);
    const fingerprint = Fingerprint.of(select(rows, [0, 1, 1]), schema);
    const overlap = (...picked: number[]) => fingerprint.overlap(select(rows, picked), schema).share;
    expect(overlap(1, 1)).toBe(1);
    expect(overlap(1, 1, 1, 1)).toBe(0.5);
    expect(overlap(0, 0, 2, 1)).toBe(0.5);
  });

  it("computes how likely fresh rows have as much in common", () => {
    const rows = drawn(5, 1);
    const schema = schemaFor(rows);
    const chance = (train: number[], others: number[]) =>
      Fingerprint.of(select(rows, train), schema).overlap(select(rows, others), schema).chance;
    // Rows 0 and 1 occur twice, row 2 three times; each occurrence is one of the 3 in 8 others by chance.
    const twice = 1 - (3 / 8) ** 2 - (5 / 8) ** 2;
    const thrice = 1 - (3 / 8) ** 3 - (5 / 8) ** 3;
    expect(chance([0, 1, 2, 2, 3], [0, 1, 2])).toBeCloseTo(twice * twice * thrice, 12);
    const none = (1 - twice) ** 2 * (1 - thrice);
    expect(chance([0, 0, 1, 1, 2], [2, 2, 4])).toBeCloseTo(1 - none, 12);
    expect(chance([0, 1, 2], [3, 4])).toBe(1);
    expect(chance([0, 1, 2], [])).toBe(1);
  });

  it("attributes the overlap of coarse rows to chance", () => {
    const random = new Random(5);
    const coarse = (count: number): Rows => ({
      features: Table.fromColumns("t", { x: Int8Array.from({ length: count }, () => random.integer(4)) }),
      labels: Int32Array.from({ length: count }, () => random.integer(2)),
    });
    const train = coarse(1000);
    const schema = schemaFor(train);
    const { share, chance } = Fingerprint.of(train, schema).overlap(coarse(200), schema);
    expect(share).toBe(1);
    expect(chance).toBeGreaterThan(0.999);
  });

  it("is the same for numbers and numbers as text", () => {
    const labels = Int32Array.of(0, 1, 0);
    const numbers = { features: Table.fromColumns("t", { x: [1.5, -0, null] }), labels };
    const text = { features: Table.fromColumns("t", { x: ["+1.50", "0", null] }), labels };
    const singles = { features: Table.fromColumns("t", { x: Float32Array.of(1.5, 0, Number.NaN) }), labels };
    const schema = schemaFor(numbers);
    const fingerprint = Fingerprint.of(numbers, schema);
    for (const same of [text, singles]) expect(fingerprint.overlap(same, schema).share).toBe(1);
    const numeric = { ...schema, classes: ["0", "1"] };
    const spelled = { ...schema, classes: ["0.0", "1.0"] };
    expect(Fingerprint.of(numbers, numeric).overlap(numbers, spelled).share).toBe(1);
  });

  it("distinguishes columns and cells", () => {
    const labels = Int32Array.of(0);
    const row = (a: number | null, b: number | null): Rows => ({
      features: Table.fromColumns("t", { a: [a], b: [b] }),
      labels,
    });
    const schema = schemaFor(row(1, 2));
    const fingerprint = Fingerprint.of(row(1, 2), schema);
    for (const other of [row(2, 1), row(1, 1), row(1, null), row(null, 2), row(null, null)]) {
      expect(fingerprint.overlap(other, schema).share).toBe(0);
    }
  });

  it("survives a round trip through its state", () => {
    const rows = drawn(6000, 1);
    const schema = schemaFor(rows);
    const fingerprint = Fingerprint.of(rows, schema);
    const restored = Fingerprint.restore(fingerprint.toState());
    expect(restored.rows).toBe(6000);
    expect(restored.toState()).toEqual(fingerprint.toState());
    expect(restored.overlap(rows, schema)).toEqual(fingerprint.overlap(rows, schema));
  });

  it("rejects a damaged state", () => {
    const { json, tensors } = Fingerprint.of(drawn(3, 1), schemaFor(drawn(3, 1))).toState();
    const state = (hashes: Float64Array, counts: Int32Array, structure = json): State => ({
      json: structure,
      tensors: {
        hashes: { shape: [hashes.length], data: hashes },
        counts: { shape: [counts.length], data: counts },
      },
    });
    const three = Int32Array.of(1, 1, 1);
    for (const damaged of [
      state(Float64Array.of(1, 2, 3), three, { kind: "fingerprint", rows: -1 }),
      state(Float64Array.of(1, 2, 3), three, { kind: "fingerprint", rows: 4 }),
      state(Float64Array.of(1, 2, 3), three, null),
      state(Float64Array.of(1, 3, 2), three),
      state(Float64Array.of(1, 2, Number.NaN), three),
      state(Float64Array.of(1, 2, 2 ** 60), three),
      state(Float64Array.of(-1, 2, 3), three),
      state(Float64Array.of(1, 2, 3), Int32Array.of(1, 1, 2)),
      state(Float64Array.of(1, 2, 3), Int32Array.of(0, 1, 2)),
      state(Float64Array.of(1, 2, 3), Int32Array.of(1, 2)),
      state(Float64Array.from(range(0, 5000)), new Int32Array(5000).fill(1), {
        kind: "fingerprint",
        rows: 5000,
      }),
      { json, tensors: { hashes: tensors.hashes } },
    ]) {
      expect(fault(() => Fingerprint.restore(damaged)).code).toBe("model/corrupt");
    }
  });
});
