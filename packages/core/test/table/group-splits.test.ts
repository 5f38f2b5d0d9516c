import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Random } from "#core/runtime/maths/random.js";
import { groupFolds, groupHoldout, leaveOneGroupOut } from "#core/table/group-splits.js";
import type { Split } from "#core/table/splits.js";
import { fault } from "../fault.js";

const groupsArbitrary = fc
  .array(fc.integer({ min: -3, max: 8 }), { minLength: 12, maxLength: 90 })
  .map((groups) => Int32Array.from(groups))
  .filter((groups) => new Set(groups).size >= 4);
const seeds = fc.integer();

const groupsIn = (groups: Int32Array, rows: Int32Array) => new Set(rows.map((row) => groups[row]));

function expectWhole(groups: Int32Array, { train, test }: Split): void {
  expect([...train, ...test].sort((a, b) => a - b)).toEqual([...groups.keys()]);
  const trained = groupsIn(groups, train);
  expect([...groupsIn(groups, test)].some((group) => trained.has(group))).toBe(false);
}

describe("groupHoldout", () => {
  it("draws the rounded number of groups, with all their rows", () => {
    const fraction = fc.double({ min: 0.01, max: 0.99, noNaN: true });
    fc.assert(
      fc.property(groupsArbitrary, fraction, seeds, (groups, fraction, seed) => {
        const split = groupHoldout(groups, fraction, seed);
        expectWhole(groups, split);
        const count = new Set(groups).size;
        const drawn = Math.max(1, Math.min(count - 1, Math.round(fraction * count)));
        expect(groupsIn(groups, split.test).size).toBe(drawn);
        expect(groupHoldout(groups, fraction, seed)).toEqual(split);
      }),
    );
  });

  it("draws every group equally often, whatever its size", () => {
    const groups = Int32Array.of(0, 0, 0, 0, 0, 0, 7, 7, 3, 4);
    const held = new Map<number, number>();
    for (let seed = 0; seed < 2000; seed++) {
      for (const group of groupsIn(groups, groupHoldout(groups, 0.25, seed).test)) {
        held.set(group, (held.get(group) ?? 0) + 1);
      }
    }
    // Each of 4 groups is drawn in 1/4 of the runs; the standard deviation of the count is 19.4.
    for (const group of [0, 7, 3, 4]) expect(Math.abs((held.get(group) ?? 0) - 500)).toBeLessThan(4 * 19.4);
  });

  it("needs two groups", () => {
    const { code, message } = fault(() => groupHoldout(new Int32Array(9), 0.5, 1));
    expect(code).toBe("data/too-few-rows");
    expect(message).toBe("It takes at least 2 groups to hold some out, but there is only 1.");
  });
});

describe("groupFolds", () => {
  it("tests every group in one fold, and is the same for the same seed", () => {
    fc.assert(
      fc.property(groupsArbitrary, fc.integer({ min: 2, max: 4 }), seeds, (groups, k, seed) => {
        const labels = groups.map((group, row) => (group + row) % 3);
        const made = groupFolds(groups, labels, k, seed);
        expect(made.folds).toHaveLength(k);
        for (const fold of made.folds) {
          expectWhole(groups, fold);
          expect(fold.test.length).toBeGreaterThan(0);
        }
        const tested = made.folds.flatMap(({ test }) => [...test]).sort((a, b) => a - b);
        expect(tested).toEqual([...groups.keys()]);
        const untested = [...new Set(labels)].filter((label) =>
          made.folds.some(({ test }) => !test.some((row) => labels[row] === label)),
        );
        expect(made.sparse).toEqual(untested.sort((a, b) => a - b));
        expect(groupFolds(groups, labels, k, seed)).toEqual(made);
      }),
    );
  });

  it("balances rows and classes", () => {
    // 60 groups of 1 to 20 rows, of which a third is mostly of class 1.
    const random = new Random(1);
    const rows = Array.from({ length: 60 }, (_, group) =>
      Array.from({ length: 1 + random.integer(20) }, () => ({
        group,
        label: random.uniform() < (group % 3 === 0 ? 0.8 : 0.1) ? 1 : 0,
      })),
    ).flat();
    const groups = Int32Array.from(rows, ({ group }) => group);
    const labels = Int32Array.from(rows, ({ label }) => label);
    const ones = labels.filter((label) => label === 1).length;
    for (const { test } of groupFolds(groups, labels, 5, 1).folds) {
      expect(Math.abs(test.length - rows.length / 5)).toBeLessThan(0.03 * rows.length);
      const own = test.filter((row) => labels[row] === 1).length;
      expect(Math.abs(own - ones / 5)).toBeLessThan(0.05 * ones);
    }
  });

  it("needs as many groups as folds", () => {
    expect(fault(() => groupFolds(Int32Array.of(1, 1, 2, 2), new Int32Array(4), 3, 1)).message).toBe(
      "It takes at least 3 groups to make 3 folds, but there are only 2.",
    );
    expect(fault(() => groupFolds(Int32Array.of(1, 2), new Int32Array(2), 1, 1)).code).toBe("option/invalid");
  });

  it("takes time in proportion to the rows", () => {
    const groups = Int32Array.from({ length: 200_000 }, (_, row) => row);
    const labels = groups.map((row) => row % 1000);
    const { folds, sparse } = groupFolds(groups, labels, 5, 1);
    expect(folds.map(({ test }) => test.length)).toEqual([40_000, 40_000, 40_000, 40_000, 40_000]);
    expect(sparse).toEqual([]);
  });
});

it("leaveOneGroupOut tests each group once", () => {
  const groups = Int32Array.of(5, 2, 5, 9);
  expect(leaveOneGroupOut(groups)).toEqual([
    { train: Int32Array.of(1, 3), test: Int32Array.of(0, 2) },
    { train: Int32Array.of(0, 2, 3), test: Int32Array.of(1) },
    { train: Int32Array.of(0, 1, 2), test: Int32Array.of(3) },
  ]);
});
