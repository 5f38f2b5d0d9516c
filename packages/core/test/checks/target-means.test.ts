import { describe, expect, it } from "vitest";
import { type TargetMean, targetMeans } from "#core/checks/target-means.js";
import { Random } from "#core/runtime/maths/random.js";
import { Table } from "#core/table/table.js";
import { type Labelled, labelled, selectRows } from "#core/table/target.js";

interface Category {
  readonly rows: number;
  readonly sum: number;
}

interface Encoding {
  readonly rows?: number;
  readonly categories?: number;
  readonly classes?: readonly string[];
  readonly decimals?: number;
  /** Whether the column of categories stays. */
  readonly keeps?: boolean;
  /** Share of the rows that are lost after the encoding. */
  readonly lost?: number;
  /** The number of each class; by default 1 for the second class only. */
  readonly numbers?: readonly number[];
}

/** Rows of random categories and classes, with a column that encodes the category by its target. */
function encoded(
  seed: number,
  encode: (category: Category, own: number) => number,
  {
    rows = 800,
    categories = 100,
    classes = ["no", "yes"],
    decimals,
    keeps = false,
    lost = 0,
    numbers,
  }: Encoding = {},
): Labelled {
  const random = new Random(seed);
  const category = Array.from({ length: rows }, () => random.integer(categories));
  const label = category.map(() => random.integer(classes.length));
  const value = (row: number) => numbers?.[label[row]] ?? Number(label[row] === 1);
  const all = Array.from({ length: categories }, (_, c) => {
    const own = category.flatMap((other, row) => (other === c ? [row] : []));
    return { rows: own.length, sum: own.reduce((sum, row) => sum + value(row), 0) };
  });
  const table = Table.fromColumns("t", {
    ...(keeps && { category: category.map((c) => `c${c}`) }),
    encoded: category.map((c, row) => {
      const mean = encode(all[c], value(row));
      return decimals === undefined ? mean : Number(mean.toFixed(decimals));
    }),
    noise: category.map(() => Math.round(100 * random.uniform()) / 100),
    y: label.map((own) => classes[own]),
  });
  const data = labelled(table, "y");
  const left = Int32Array.from(category.keys()).filter(() => random.uniform() >= lost);
  return selectRows(data, left);
}

/** Finds means in rows of which a fifth is held out. */
function meansIn(data: Labelled): TargetMean[] {
  const rows = Int32Array.from(data.labels.keys());
  const parts = [rows.filter((row) => row % 5 > 0), rows.filter((row) => row % 5 === 0)];
  return targetMeans(
    parts.map((part) => selectRows(data, part)),
    data.classes,
  );
}

const mean = ({ rows, sum }: Category) => sum / rows;
const smoothed = ({ rows, sum }: Category) => (sum + 4) / (rows + 10);
const others = ({ rows, sum }: Category, own: number) => (rows > 1 ? (sum - own) / (rows - 1) : 0.5);
const SEEDS = [1, 2, 3];

describe("targetMeans", () => {
  it.each<[string, Encoding]>([
    ["exact", {}],
    ["of two decimals", { decimals: 2 }],
    ["of few rows each", { categories: 400 }],
    ["of few rows", { rows: 200, categories: 40 }],
  ])("finds means %s, without the categories", (_, options) => {
    for (const seed of SEEDS) {
      expect(meansIn(encoded(seed, mean, options))).toEqual([
        { column: "encoded", class: "yes", kind: "mean" },
      ]);
    }
  });

  it("finds means of one class of several, and of classes that are numbers", () => {
    const several = encoded(1, mean, { classes: ["a", "b", "c", "d"] });
    expect(meansIn(several)).toEqual([{ column: "encoded", class: "b", kind: "mean" }]);
    const numbers = encoded(1, mean, { classes: ["1", "2", "5"], numbers: [1, 2, 5] });
    expect(meansIn(numbers)).toEqual([{ column: "encoded", kind: "mean" }]);
  });

  it.each([undefined, 4])("finds smoothed means of %s decimals by their categories", (decimals) => {
    const options = { keeps: true, ...(decimals !== undefined && { decimals }) };
    for (const seed of SEEDS) {
      expect(meansIn(encoded(seed, smoothed, options))).toEqual([
        { column: "encoded", class: "yes", kind: "smoothed", of: "category" },
      ]);
    }
  });

  it("finds means of the other rows of a category", () => {
    for (const seed of SEEDS) {
      expect(meansIn(encoded(seed, others, { keeps: true }))).toEqual([
        { column: "encoded", class: "yes", kind: "leave-one-out", of: "category" },
      ]);
    }
  });

  it("does not find means of other rows", () => {
    for (const seed of SEEDS) {
      for (const keeps of [false, true]) {
        expect(meansIn(encoded(seed, mean, { lost: 0.5, keeps }))).toEqual([]);
        expect(meansIn(encoded(seed, smoothed, { lost: 0.5, keeps }))).toEqual([]);
        expect(meansIn(encoded(seed, others, { lost: 0.5, keeps }))).toEqual([]);
      }
    }
  });

  it("does not take a calibrated probability, or the class itself, for a mean", () => {
    for (const seed of SEEDS) {
      const random = new Random(seed);
      const probability = Array.from({ length: 20_000 }, () => random.integer(101) / 100);
      const y = probability.map((p) => (random.uniform() < p ? "yes" : "no"));
      expect(meansIn(labelled(Table.fromColumns("t", { probability, y }), "y"))).toEqual([]);
      const copy = y.map((own) => (own === "yes" ? 1 : 0.5));
      expect(meansIn(labelled(Table.fromColumns("t", { copy, y }), "y"))).toEqual([]);
    }
  });
});
