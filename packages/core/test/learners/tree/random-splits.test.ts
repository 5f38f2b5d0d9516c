import { describe, expect, it } from "vitest";
import { Random } from "#core/runtime/maths/random.js";
import type { Data, PlainTree } from "./brute-force-tree.js";
import { columnsOf, grow, randomData, range } from "./grow.js";
import { plainTree } from "./plain-tree.js";

const TRIES = 2000;

/** Counts the first splits of many trees by name. */
function tally(
  data: Data,
  nameOf: (split: Exclude<PlainTree, { shares: unknown }>) => string,
): Map<string, number> {
  const counts = new Map<string, number>();
  for (let seed = 0; seed < TRIES; seed++) {
    const tree = plainTree(grow(data, { growth: { splits: "random", maxDepth: 1 }, seed }).tree);
    if ("shares" in tree) return expect.fail("The tree is a leaf.");
    const name = nameOf(tree);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

/** Checks that all outcomes come up equally often, up to 5 standard deviations. */
function expectUniform(counts: Map<string, number>, outcomes: number): void {
  expect(counts.size).toBe(outcomes);
  const expected = TRIES / outcomes;
  for (const count of counts.values())
    expect(Math.abs(count - expected)).toBeLessThan(5 * Math.sqrt(expected));
}

const labels = Int32Array.of(0, 1, 0, 1);

describe("random splits", () => {
  it("cut numbers anywhere between the smallest and the largest", () => {
    const data = { features: columnsOf([[3, 9, 9, 3]]), labels, classes: 2 };
    expectUniform(
      tally(data, ({ sides }) => sides.slice(0, 255)),
      6,
    );
  });

  it("take every feature that varies equally often", () => {
    const features = columnsOf([
      [1, 1, 1, 1],
      [0, 1, 2, 3],
      [255, 255, 255, 255],
      [0, 255, 0, 0],
      [9, 9, 9, 200],
    ]);
    const counts = tally({ features, labels, classes: 2 }, ({ feature }) => String(feature));
    expectUniform(counts, 3);
  });

  it("send missing cells to either side, or apart from all others if nothing else varies", () => {
    const both = tally({ features: columnsOf([[3, 4, 255, 4]]), labels, classes: 2 }, ({ sides }) => sides);
    expectUniform(both, 2);
    const apart = tally({ features: columnsOf([[3, 3, 255, 3]]), labels, classes: 2 }, ({ sides }) => sides);
    expect([...apart.keys()]).toEqual([`${"L".repeat(255)}R`]);
  });

  it("take every set of categories except the empty one and all", () => {
    const data = { features: columnsOf([[3, 7, 255, 7]], true), labels, classes: 2 };
    expectUniform(
      tally(data, ({ sides }) => sides[3] + sides[7] + sides[255]),
      6,
    );
  });

  it("grow until leaves are pure, and leave enough rows on both sides", () => {
    for (const categorical of [false, true]) {
      const shape = { rows: 500, columns: 3, bins: 30, classes: 3, missing: 0.05, categorical };
      const data = randomData(new Random(3), shape);
      const weights = Float64Array.from(data.labels, (_, i) => 1 + (i % 2));
      for (const sample of [data, { ...data, weights }]) {
        const { tree } = grow(sample, { growth: { splits: "random", minLeafRows: 10, minSplitRows: 40 } });
        const sizes = new Map<number, number>();
        for (const row of range(500)) {
          const leaf = tree.leafOf(0, data.features, row);
          sizes.set(leaf, (sizes.get(leaf) ?? 0) + 1);
        }
        expect(sizes.size).toBe(tree.leavesOf(0));
        expect(sizes.size).toBeGreaterThan(10);
        expect(Math.min(...sizes.values())).toBeGreaterThanOrEqual(10);
      }
    }
  });
});
