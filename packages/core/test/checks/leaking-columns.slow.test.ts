import { describe, expect, it } from "vitest";
import { cutRule, valueRule } from "#core/checks/column-rule.js";
import { leakingColumns } from "#core/checks/leaking-columns.js";
import { commonestClass } from "#core/metrics/baseline.js";
import { Random } from "#core/runtime/maths/random.js";
import { type Cell, numberAt } from "#core/table/column.js";
import { stratifiedHoldout } from "#core/table/splits.js";
import { Table } from "#core/table/table.js";
import { type LabelledRows, selectRows } from "#core/table/target.js";
import { shippedRows } from "../table/shipped-table.js";

type Rows = Pick<LabelledRows, "features" | "labels">;

/** Rows of a class that one in five has, with a useless column and one more. */
function rowsWith(rows: number, seed: number, cellOf: (label: number, random: Random) => Cell): Rows {
  const random = new Random(seed);
  const labels = Int32Array.from({ length: rows }, () => Number(random.uniform() < 0.2));
  const features = Table.fromColumns("t", {
    noise: Float64Array.from(labels, () => random.normal()),
    column: Array.from(labels, (label) => cellOf(label, random)),
  });
  return { features, labels };
}

/** Leaks of the rows alone, and of the rows with a fifth of them held out. */
function leaksOf(rows: Rows, classes = 2): string[][] {
  const { train, test } = stratifiedHoldout(rows.labels, 0.2, 1);
  const parts = { train: selectRows(rows, train), test: selectRows(rows, test) };
  return [leakingColumns(rows, classes), leakingColumns(parts.train, classes, parts.test)].map((found) =>
    found.map(({ column }) => column),
  );
}

const flipped = (label: number, share: number, random: Random) =>
  random.uniform() < share ? 1 - label : label;

const leaks: [string, (label: number, random: Random) => Cell][] = [
  ["a copy of the class", (label) => label],
  ["its inverse", (label) => -label],
  ["a renamed copy", (label) => (label === 1 ? "churned" : "stayed")],
  ["a column that is missing for one class", (label, random) => (label === 1 ? null : random.normal())],
  ["a column that is missing for the other", (label, random) => (label === 0 ? null : random.normal())],
  ["names that only one class has", (label, random) => (label === 0 ? null : `name ${random.bits()}`)],
  ["a copy with 0.5% noise", (label, random) => flipped(label, 0.005, random)],
  ["a number with a threshold", (label, random) => label + random.uniform()],
  [
    "a class between two thresholds",
    (label, random) => (label ? 0.4 : random.integer(2)) + 0.3 * random.uniform(),
  ],
];

describe("leakingColumns", () => {
  it.each(leaks)("finds %s", (_, cellOf) => {
    for (let seed = 0; seed < 5; seed++) {
      expect(leaksOf(rowsWith(2000, seed, cellOf))).toEqual([["column"], ["column"]]);
    }
  });

  it.each<[string, (label: number, random: Random) => Cell]>([
    ["a copy with 3% noise", (label, random) => flipped(label, 0.03, random)],
    ["a number that overlaps", (label, random) => 3 * label + random.normal()],
    ["a name for each row", (_, random) => `name ${random.bits()}`],
    ["a name for each three rows", (_, random) => `name ${random.integer(700)}`],
    ["many numbers", (_, random) => random.bits()],
    ["a constant", () => 1],
    ["nothing but missing cells", () => null],
  ])("does not take %s for a leak", (_, cellOf) => {
    for (let seed = 0; seed < 5; seed++) {
      expect(leaksOf(rowsWith(2000, seed, cellOf))).toEqual([[], []]);
    }
  });

  it("measures the error on rows that the rule was not fitted to", () => {
    const rows = rowsWith(4000, 1, (label, random) => flipped(label, 0.005, random));
    const { column } = { column: rows.features.column("column") };
    if (column.kind !== "numeric") return expect.fail("The column holds numbers.");
    const wrong = rows.labels.filter((label, i) => label !== numberAt(column.values, i)).length;
    const yes = rows.labels.filter((label) => label === 1).length;
    expect(leakingColumns(rows, 2)).toEqual([
      { column: "column", error: wrong / 4000, baseline: yes / 4000 },
    ]);
  });

  it("needs rows enough: 46 errors of the most common class if the column makes none", () => {
    const copy = (yes: number) => {
      const labels = Int32Array.from({ length: 1000 }, (_, i) => Number(i < yes));
      return { features: Table.fromColumns("t", { copy: Array.from(labels, String) }), labels };
    };
    // (1 − p)^1000 = 0.01 at p = 0.00459.
    expect(leakingColumns(copy(45), 2)).toEqual([]);
    expect(leakingColumns(copy(46), 2)).toEqual([{ column: "copy", error: 0, baseline: 0.046 }]);
    const few = { features: Table.fromColumns("t", { copy: ["a", "b"] }), labels: Int32Array.of(0, 1) };
    expect(leakingColumns(few, 2)).toEqual([]);
    expect(leakingColumns({ ...few, labels: Int32Array.of(0, 0) }, 2)).toEqual([]);
  });

  it.each(["iris", "ionosphere", "breastcancer"] as const)("finds no leak in %s", (name) => {
    const rows = shippedRows(name);
    for (let seed = 0; seed < 20; seed++) {
      const { train, test } = stratifiedHoldout(rows.labels, 0.3, seed);
      const found = leakingColumns(selectRows(rows, train), rows.classes.length, selectRows(rows, test));
      expect(found).toEqual([]);
    }
  });

  it("finds leaks of many classes, as numbers and as names, with unseen names and classes", () => {
    const random = new Random(3);
    const labels = Int32Array.from({ length: 3000 }, () => random.integer(30));
    const features = Table.fromColumns("t", {
      code: Float64Array.from(labels, (label) => 7 * label),
      position: Float64Array.from(labels, (label) => label + 0.5 * random.uniform()),
      name: Array.from(labels, (label) => `class ${label}`),
    });
    const rows = { features, labels };
    const others = { features: features.select([0, 1]), labels: Int32Array.of(-1, -1) };
    const found = leakingColumns(rows, 30, {
      ...others,
      features: others.features.withColumn({
        kind: "categorical",
        name: "name",
        levels: ["new"],
        codes: Int32Array.of(0, 0),
      }),
    });
    expect(found.map(({ column }) => column)).toEqual(["code", "position", "name"]);
    expect(found[0].error).toBe(2 / 3002);
  });

  it("samples long and wide tables", () => {
    const long = rowsWith(300_000, 1, (label) => label);
    expect(leakingColumns(long, 2)).toHaveLength(1);
    const random = new Random(2);
    const labels = Int32Array.from({ length: 400 }, () => random.integer(2));
    const columns = Array.from({ length: 2000 }, (_, j): [string, Float64Array] => [
      `x${j}`,
      Float64Array.from(labels, () => random.normal()),
    ]);
    const features = Table.fromColumns("wide", {
      ...Object.fromEntries(columns),
      copy: Array.from(labels, String),
    });
    expect(leakingColumns({ features, labels }, 2).map(({ column }) => column)).toEqual(["copy"]);
  });
});

describe("cutRule", () => {
  it("finds the best of all cuts into two segments by Gini impurity", () => {
    for (let seed = 0; seed < 50; seed++) {
      const random = new Random(seed);
      const cells = Float64Array.from({ length: 30 }, () => random.integer(12));
      const labels = Int32Array.from(cells, (cell) => Number(cell > 5) ^ Number(random.uniform() < 0.2));
      const impurity = (rows: Int32Array) => {
        const ones = rows.filter((label) => label === 1).length;
        return rows.length === 0 ? 0 : (2 * ones * (rows.length - ones)) / rows.length;
      };
      const side = (cut: number, above: boolean) => labels.filter((_, i) => cells[i] > cut === above);
      let best = Number.POSITIVE_INFINITY;
      for (let cut = 0; cut < 12; cut++) {
        if (side(cut, true).length < 5 || side(cut, false).length < 5) continue;
        best = Math.min(best, impurity(side(cut, true)) + impurity(side(cut, false)));
      }
      const rule = cutRule({ cells, labels }, 2, 2);
      const found = [...Array(12).keys()]
        .map((cut) => [cut, impurity(side(cut, true)) + impurity(side(cut, false))] as const)
        .filter(
          ([cut, value]) =>
            value <= best + 1e-9 && side(cut, true).length >= 5 && side(cut, false).length >= 5,
        )
        .map(([cut]) => Array.from(cells, (cell) => commonestClass(side(cut, cell > cut), 2)).join());
      expect(found).toContain(Array.from(cells, rule).join());
    }
  });

  it("gives missing cells a class of their own", () => {
    const cells = Float64Array.of(1, 2, 3, Number.NaN, Number.NaN);
    const rule = cutRule({ cells, labels: Int32Array.of(0, 0, 0, 1, 1) }, 2, 4);
    expect([1, 99, Number.NaN].map(rule)).toEqual([0, 0, 1]);
    expect(cutRule({ cells: cells.slice(3), labels: Int32Array.of(1, 1) }, 2, 4)(5)).toBe(1);
  });
});

describe("valueRule", () => {
  it("predicts the most common class of a value, and that of all rare values for those of fewer than five rows", () => {
    const cells = Float64Array.from([...Array(5).fill(1), ...Array(5).fill(Number.NaN), 2, 2, 3, 4]);
    const labels = Int32Array.from([0, 0, 0, 1, 1, 2, 2, 2, 2, 0, 1, 1, 1, 0]);
    expect([1, Number.NaN, 2, 4, 77].map(valueRule({ cells, labels }, 3))).toEqual([0, 2, 1, 1, 1]);
  });
});
