import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { BinnedFeature } from "#core/encode/binned-columns.js";
import { VouchError } from "#core/runtime/vouch-error.js";
import { logFamilySizes, logSplitCount, logTreeCount } from "#core/theory/vc/tree-count.js";

const numeric = (cuts: number): BinnedFeature => ({
  kind: "numeric",
  name: "x",
  cuts: Float64Array.from({ length: cuts }, (_, i) => i),
});
const categorical = (levels: number): BinnedFeature => ({
  kind: "categorical",
  name: "c",
  levels: Array.from({ length: levels }, (_, i) => `level ${i}`),
});

/** All ways in which a node can divide bins 0 … last, the last one for missing cells: one side as bits. */
function divisions(last: number, isCategorical: boolean): Set<string> {
  const found = new Set<string>();
  const all = 2 ** (last + 1) - 1;
  for (let side = 1; side < all; side++) {
    const known = Array.from({ length: last }, (_, bin) => (side >> bin) & 1);
    const steps = known.filter((bit, bin) => bin > 0 && bit !== known[bin - 1]).length;
    if (isCategorical || steps <= 1) found.add([side, all - side].sort((a, b) => a - b).join("/"));
  }
  return found;
}

/** The number of trees with exactly l leaves, by the children of the root. */
function treesWith(leaves: number, splits: bigint, values: bigint): bigint {
  if (leaves === 1) return values;
  let pairs = 0n;
  for (let left = 1; left < leaves; left++) {
    pairs += treesWith(left, splits, values) * treesWith(leaves - left, splits, values);
  }
  return splits * pairs;
}

/** The logarithm of a large integer. */
function logOf(count: bigint): number {
  const digits = count.toString();
  return Math.log(Number(`0.${digits.slice(0, 17)}`)) + digits.length * Math.LN10;
}

describe("splits", () => {
  it("are all divisions of the bins that a node can make, for every small column", () => {
    for (let bins = 1; bins <= 6; bins++) {
      expect(Math.exp(logSplitCount([numeric(bins - 1)]))).toBeCloseTo(divisions(bins, false).size, 9);
      expect(Math.exp(logSplitCount([categorical(bins)]))).toBeCloseTo(divisions(bins, true).size, 9);
    }
  });

  it("add up over columns, work for 255 levels, and are none without columns", () => {
    expect(Math.exp(logSplitCount([numeric(3), categorical(2), numeric(0)]))).toBeCloseTo(7 + 3 + 1, 9);
    expect(logSplitCount([categorical(255)])).toBeCloseTo(255 * Math.LN2, 9);
    expect(logSplitCount([])).toBe(Number.NEGATIVE_INFINITY);
  });
});

describe("trees", () => {
  it("are counted by hand: 2 single leaves, 3 splits with two leaves each", () => {
    const family = { logSplits: Math.log(3), logLeafValues: Math.log(2) };
    expect(logTreeCount({ ...family, leaves: 1 })).toBeCloseTo(Math.log(2), 14);
    expect(logTreeCount({ ...family, leaves: 2 })).toBeCloseTo(Math.log(2 + 3 * 4), 14);
    // Three leaves: two shapes, 9 pairs of splits, 8 labellings.
    expect(logTreeCount({ ...family, leaves: 3 })).toBeCloseTo(Math.log(14 + 2 * 9 * 8), 14);
  });

  it("agree with a recursive count over the children of the root", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 5000 }),
        fc.integer({ min: 1, max: 300 }),
        (leaves, splits, values) => {
          let count = 0n;
          for (let l = 1; l <= leaves; l++) count += treesWith(l, BigInt(splits), BigInt(values));
          const family = { leaves, logSplits: Math.log(splits), logLeafValues: Math.log(values) };
          expect(logTreeCount(family)).toBeCloseTo(logOf(count), 9);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("with many leaves do not overflow: the logarithm is close to L ln(4sc)", () => {
    const family = { leaves: 20_000, logSplits: Math.log(4000), logLeafValues: Math.log(26) };
    const perLeaf = logTreeCount(family) / 20_000;
    expect(perLeaf).toBeGreaterThan(Math.log(4 * 4000 * 26) - 0.01);
    expect(perLeaf).toBeLessThan(Math.log(4 * 4000 * 26));
  });

  it("without splits are single leaves", () => {
    const logLeafValues = Math.log(7);
    expect(logTreeCount({ leaves: 9, logSplits: Number.NEGATIVE_INFINITY, logLeafValues })).toBe(
      logLeafValues,
    );
  });

  it("reject counts below 1", () => {
    for (const change of [
      { leaves: 0 },
      { leaves: 2.5 },
      { logSplits: -1 },
      { logSplits: Number.NaN },
      { logLeafValues: -1 },
    ]) {
      const family = { leaves: 3, logSplits: 1, logLeafValues: 1, ...change };
      expect(() => logTreeCount(family)).toThrow(VouchError);
    }
  });
});

describe("layers of a deep forest", () => {
  const block = { trees: 10, leaves: 4, features: [numeric(5)], classes: 3 };
  const wider = { ...block, features: [numeric(5), numeric(9)] };
  const trees = (splits: number, logLeafValues: number) =>
    logTreeCount({ leaves: 4, logSplits: Math.log(splits), logLeafValues });

  it("count one tree with classes for the layer itself, all trees and the weight of each earlier one", () => {
    // A leaf holds a 32-bit number from 0 to 1 for each of three classes.
    const bits = new Uint32Array(Float32Array.of(1, 0).buffer);
    const distributions = 3 * Math.log(bits[0] - bits[1] + 1);
    const weight = Math.log(2 ** 64);
    const [first, second, third] = logFamilySizes([block, wider, wider]);
    expect(first).toBeCloseTo(trees(11, Math.log(3)), 9);
    expect(second).toBeCloseTo(10 * trees(11, distributions) + weight + trees(30, Math.log(3)), 9);
    expect(third).toBeCloseTo(second + 10 * trees(30, distributions) + weight, 9);
  });
});
