import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stump, Table, trainClassifier } from "vouch";
import { Random } from "vouch/extend";
import { columnImportance, importancePlan, REPEATS } from "#views/facts/columns/column-importance.js";

describe("the plan of what is shuffled", () => {
  it("has all columns and rows where that is affordable, otherwise all columns on fewer rows", () => {
    expect(importancePlan(10, 500, 250_000)).toEqual({ columns: 10, rows: 500 });
    expect(importancePlan(14, 16_281, 250_000)).toEqual({ columns: 14, rows: 3571 });
    expect(importancePlan(300, 60, 250_000)).toEqual({ columns: 300, rows: 60 });
  });

  it("looks for the columns that matter where there are too many", () => {
    expect(importancePlan(784, 10_000, 250_000)).toEqual({
      screening: { columns: 784, rows: 159 },
      columns: 20,
      rows: 1250,
    });
    expect(importancePlan(20_000, 10_000, 250_000)).toEqual({
      screening: { columns: 2500, rows: 50 },
      columns: 20,
      rows: 1250,
    });
  });

  it("measures fewer columns with a slow model, and none with one that is too slow", () => {
    expect(importancePlan(784, 10_000, 7500)).toMatchObject({ columns: 7, rows: 107 });
    // A few of many columns would say nothing of the others.
    expect(importancePlan(784, 10_000, 2500)).toBeUndefined();
    expect(importancePlan(3, 10_000, 1500)).toEqual({ columns: 3, rows: 100 });
    expect(importancePlan(10, 1000, 100)).toBeUndefined();
    expect(importancePlan(0, 1000, 1e6)).toBeUndefined();
    expect(importancePlan(3, 0, 1e6)).toBeUndefined();
  });

  it("never predicts more rows than it may, nor plans more than there is", () => {
    const whole = (max: number) => fc.integer({ min: 1, max });
    fc.assert(
      fc.property(whole(1e5), whole(1e6), whole(1e6), (columns, rows, predictions) => {
        const plan = importancePlan(columns, rows, predictions);
        if (!plan) return;
        const { screening = { columns: 0, rows: 0 } } = plan;
        const spent = screening.columns * screening.rows + plan.columns * plan.rows * REPEATS;
        expect(spent).toBeLessThanOrEqual(predictions);
        expect(Math.max(plan.columns, screening.columns)).toBeLessThanOrEqual(columns);
        expect(Math.max(plan.rows, screening.rows)).toBeLessThanOrEqual(rows);
        expect(plan.rows).toBeGreaterThanOrEqual(Math.min(rows, 100));
      }),
    );
  });
});

describe("the importance of very many columns", () => {
  it("is measured of those that change predictions, the same for the same seed", async () => {
    const random = new Random(5);
    const rows = 400;
    const columns = Array.from({ length: 900 }, (_, j) => ({
      kind: "numeric" as const,
      name: `x${j}`,
      values: Float64Array.from({ length: rows }, () => random.normal()),
    }));
    const decisive = columns[777].values;
    const kind = Array.from(decisive, (value) => Number(value > 0));
    const label = {
      kind: "categorical" as const,
      name: "y",
      codes: Int32Array.from(kind),
      levels: ["no", "yes"],
    };
    const table = new Table("wide", rows, [...columns, label]);
    const training = await trainClassifier(table, stump(), { holdout: 0.5, run: { seed: 7 } });
    const measure = () => columnImportance(training, {});
    const measured = await measure();
    if ("reason" in measured) throw new Error(measured.reason);
    expect(measured.screening).toEqual({ of: 900, columns: 900, rows: 138 });
    expect(measured.features).toHaveLength(20);
    const [first, ...others] = measured.features;
    expect(first.feature).toBe("x777");
    expect(first.mean).toBeGreaterThan(0.4);
    for (const { mean, sd } of others) expect([mean, sd]).toEqual([0, 0]);
    expect(await measure()).toEqual(measured);
  });
});
