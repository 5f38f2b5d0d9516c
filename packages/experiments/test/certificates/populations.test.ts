import { denseValues } from "@vouch/core/internal/table/column";
import { describe, expect, it } from "vitest";
import { Random } from "vouch/extend";
import { conditionedOnNew, mixture, withClassShares } from "#experiments/certificates/laws.js";
import {
  drawRows,
  type Population,
  populationNames,
  populations,
} from "#experiments/certificates/populations.js";

const sum = (values: Iterable<number>) => [...values].reduce((total, value) => total + value, 0);

describe.each(populationNames)("the population %s", (name) => {
  const population: Population = populations[name];
  const { laws, shares, support, classes } = population;

  it("has laws that are probabilities on its support", () => {
    expect(sum(shares)).toBeCloseTo(1, 12);
    expect(shares.length).toBe(laws.length);
    for (const law of laws) {
      expect(law.length).toBe(support.rows * classes.length);
      expect(Math.min(...law)).toBeGreaterThanOrEqual(0);
      expect(sum(law)).toBeCloseTo(1, 10);
    }
  });

  it("draws each class of each law as often as the law says", () => {
    const { table, lawOf } = drawRows(population, 20_000, new Random(3));
    const label = table.column("label");
    if (label.kind !== "categorical") throw new Error("the label is not a category");
    laws.forEach((law, k) => {
      const own = label.codes.filter((_, row) => lawOf[row] === k);
      classes.forEach((_, c) => {
        const expected = sum(law.filter((_, i) => i % classes.length === c));
        const found = own.filter((code) => code === c).length / own.length;
        expect(Math.abs(found - expected)).toBeLessThan(5 * Math.sqrt(0.25 / own.length));
      });
    });
  });

  it("says which row of the support each row has", () => {
    const { table, supportRow } = drawRows(population, 200, new Random(4));
    const chosen = support.select(supportRow);
    for (const { name } of support.columns) expect(table.column(name)).toEqual(chosen.column(name));
  });
});

describe("rows that are not independent", () => {
  it("come in whole groups of one law", () => {
    const { table, lawOf } = drawRows(populations.clusters, 200, new Random(5));
    const group = table.column("group");
    if (group.kind !== "numeric") throw new Error("groups are not numbers");
    const sizes = new Map<number, number>();
    const values = denseValues(group.values);
    values.forEach((value, row) => {
      sizes.set(value, (sizes.get(value) ?? 0) + 1);
      expect(lawOf[row]).toBe(lawOf[values.indexOf(value)]);
    });
    expect(new Set(sizes.values())).toEqual(new Set([4, 8]));
  });

  it("are copies for a third", () => {
    const { supportRow } = drawRows(populations["repeated rows"], 300, new Random(6));
    // About 200²/2/4096 = 5 pairs of the 200 independent rows are the same.
    expect(Math.abs(new Set(supportRow).size - 195)).toBeLessThan(10);
  });

  it("have ascending periods", () => {
    const { lawOf } = drawRows(populations.drift, 200, new Random(7));
    expect(Array.from(lawOf)).toEqual(Array.from({ length: 200 }, (_, row) => Math.floor(row / 10)));
  });
});

describe("laws", () => {
  const law = Float64Array.of(0.1, 0.2, 0.3, 0.4);
  const near = (expected: readonly number[]) => expected.map((value) => expect.closeTo(value, 12));

  it("are mixed by weights", () => {
    expect(Array.from(mixture([law, Float64Array.of(1, 0, 0, 0)], [1, 3]))).toEqual(
      near([0.775, 0.05, 0.075, 0.1]),
    );
  });

  it("get other class proportions without a change within the classes", () => {
    expect(Array.from(withClassShares(law, [0.5, 0.5]))).toEqual(near([0.125, 1 / 6, 0.375, 1 / 3]));
  });

  it("are conditioned on rows that are not known", () => {
    expect(Array.from(conditionedOnNew(law, new Set([0]), 2) ?? [])).toEqual(near([0, 0, 3 / 7, 4 / 7]));
    expect(conditionedOnNew(law, new Set([0, 1]), 2)).toBeUndefined();
  });
});
