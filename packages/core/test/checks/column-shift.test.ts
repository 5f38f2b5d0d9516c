import { describe, expect, it } from "vitest";
import { columnShifts } from "#core/checks/column-shift.js";
import { Random } from "#core/runtime/maths/random.js";
import type { Cell } from "#core/table/column.js";
import { Table } from "#core/table/table.js";
import { type LabelledRows, selectRows } from "#core/table/target.js";
import { shippedRows } from "../table/shipped-table.js";

type Rows = Pick<LabelledRows, "features" | "labels">;

/** Rows with a useless column and one more. */
function rowsWith(rows: number, random: Random, cellOf: (random: Random) => Cell): Rows {
  const labels = Int32Array.from({ length: rows }, () => random.integer(2));
  const features = Table.fromColumns("t", {
    noise: Float64Array.from(labels, () => random.normal()),
    column: Array.from(labels, () => cellOf(random)),
  });
  return { features, labels };
}

/** The columns that differ between two samples. */
function shiftsBetween(ours: (random: Random) => Cell, theirs: (random: Random) => Cell, seed: number) {
  const random = new Random(seed);
  return columnShifts(rowsWith(1600, random, ours), rowsWith(400, random, theirs), "y");
}

/** Divides rows at random. */
function divided(rows: Rows, random: Random): [Rows, Rows] {
  const order = random.shuffle(Int32Array.from(rows.labels, (_, i) => i));
  const cut = Math.round(0.75 * order.length);
  return [selectRows(rows, order.slice(0, cut).sort()), selectRows(rows, order.slice(cut).sort())];
}

const level = (random: Random, levels: number) => `level ${random.integer(levels)}`;

describe("columnShifts", () => {
  it.each<[string, string, (random: Random) => Cell, (random: Random) => Cell]>([
    ["a shifted mean", "values", (r) => r.normal(), (r) => r.normal() + 0.5],
    ["a larger spread", "values", (r) => r.normal(), (r) => 2 * r.normal()],
    ["other numbers altogether", "values", (r) => r.uniform(), (r) => 2 + r.uniform()],
    ["a rarer level", "categories", (r) => level(r, 4), (r) => level(r, 3)],
    ["a new level", "categories", (r) => level(r, 4), (r) => (r.uniform() < 0.2 ? "new" : level(r, 4))],
    ["cells that go missing", "missing", (r) => r.normal(), (r) => (r.uniform() < 0.15 ? null : r.normal())],
    [
      "categories that go missing",
      "missing",
      (r) => level(r, 4),
      (r) => (r.uniform() < 0.15 ? null : level(r, 4)),
    ],
  ])("finds %s", (_, kind, ours, theirs) => {
    for (let seed = 0; seed < 10; seed++) {
      const found = shiftsBetween(ours, theirs, seed);
      expect(found.map((shift) => [shift.column, shift.kind])).toEqual([["column", kind]]);
      expect(found[0].p).toBeLessThan(0.001 / 3);
      expect(found[0].distance).toBeGreaterThan(0.05);
    }
  });

  it("finds class shares that differ, unknown classes among them", () => {
    const rows = rowsWith(1000, new Random(1), () => 1);
    const others = rowsWith(300, new Random(2), () => 1);
    const rare = others.labels.map((label, i) => (i % 3 === 0 ? -1 : label));
    expect(columnShifts(rows, { ...others, labels: rare }, "y")).toEqual([
      { column: "y", kind: "class", distance: expect.closeTo(1 / 3, 1), p: expect.closeTo(0, 6) },
    ]);
  });

  it("measures the largest distance of distribution functions, and the total variation of shares", () => {
    const ours = {
      labels: new Int32Array(200),
      features: Table.fromColumns("t", {
        x: Array.from({ length: 200 }, (_, i) => i % 2),
        c: Array.from({ length: 200 }, (_, i) => ["a", "b", "c", "c"][i % 4]),
      }),
    };
    const theirs = {
      labels: new Int32Array(200),
      features: Table.fromColumns("t", {
        x: Array.from({ length: 200 }, (_, i) => (i % 10 === 0 ? 0 : 1)),
        c: Array.from({ length: 200 }, (_, i) => ["a", "a", "a", "c"][i % 4]),
      }),
    };
    const [categories, values] = columnShifts(ours, theirs, "y");
    expect(categories).toMatchObject({ column: "c", kind: "categories", distance: 0.5 });
    expect(values).toMatchObject({ column: "x", kind: "values", distance: 0.4 });
    // Q(√100 · 0.4) = 2e^−32.
    expect(values.p).toBeCloseTo(2 * Math.exp(-32), 20);
  });

  it("leaves negligible differences out, however certain", () => {
    const random = new Random(1);
    const rows = (share: number) => rowsWith(40_000, random, (r) => (r.uniform() < share ? "a" : "b"));
    expect(columnShifts(rows(0.5), rows(0.53), "y")).toEqual([]);
    expect(columnShifts(rows(0.5), rows(0.57), "y")).toHaveLength(1);
  });

  it.each<[string, (random: Random) => Cell]>([
    ["numbers", (r) => r.normal()],
    ["few numbers", (r) => r.integer(3)],
    ["a name for each row", (r) => `name ${r.bits()}`],
    ["rare levels", (r) => level(r, 300)],
    ["mostly one level", (r) => (r.uniform() < 0.98 ? "a" : level(r, 10))],
    ["missing cells", (r) => (r.uniform() < 0.3 ? null : r.normal())],
  ])("raises no false alarm for %s", (_, cellOf) => {
    for (let seed = 0; seed < 100; seed++) {
      const random = new Random(seed);
      expect(columnShifts(...divided(rowsWith(200, random, cellOf), random), "y")).toEqual([]);
    }
  });

  it.each(["iris", "ionosphere", "breastcancer"] as const)(
    "raises no false alarm for 200 splits of %s",
    (name) => {
      const rows = shippedRows(name);
      for (let seed = 0; seed < 200; seed++) {
        expect(columnShifts(...divided(rows, new Random(seed)), rows.target)).toEqual([]);
      }
    },
  );

  it("finds the order of a data set that is sorted by class", () => {
    const { features, labels, target } = shippedRows("iris");
    const rows = { features, labels };
    const first = Int32Array.from({ length: 100 }, (_, i) => i);
    const last = Int32Array.from({ length: 50 }, (_, i) => 100 + i);
    const found = columnShifts(selectRows(rows, first), selectRows(rows, last), target);
    expect(found[0]).toMatchObject({ column: target, kind: "class", distance: 1 });
    expect(found.map(({ column }) => column)).toContain("petal_length");
  });

  it("copes with parts that have no rows, no present cells or only one value", () => {
    const rows = rowsWith(50, new Random(1), () => null);
    expect(columnShifts(rows, selectRows(rows, new Int32Array(0)), "y")).toEqual([]);
    expect(columnShifts(rows, rows, "y")).toEqual([]);
    const present = {
      ...rows,
      features: rows.features.withColumn({ kind: "numeric", name: "column", values: new Float64Array(50) }),
    };
    const gone = {
      ...rows,
      features: rows.features.withColumn({
        kind: "numeric",
        name: "column",
        values: new Float64Array(50).fill(Number.NaN),
      }),
    };
    expect(columnShifts(present, gone, "y")).toMatchObject([
      { column: "column", kind: "missing", distance: 1 },
    ]);
  });
});
