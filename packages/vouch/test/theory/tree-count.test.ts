import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { BinnedFeature } from "#vouch/encode/binned-columns.js";
import { VouchError } from "#vouch/runtime/vouch-error.js";
import {
  logBlockCount,
  logDistributionCount,
  logFamilySizes,
  logQuestionCount,
  logTreeCount,
} from "#vouch/theory/vc/growth-of-families.js";

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

/** All ways to divide bins 0 … last, the last of them for missing cells, that a node can ask for: one side as bits. */
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

/** The number of trees with exactly l leaves, by what their root's children can be. */
function treesWith(leaves: number, questions: bigint, values: bigint): bigint {
  if (leaves === 1) return values;
  let pairs = 0n;
  for (let left = 1; left < leaves; left++) {
    pairs += treesWith(left, questions, values) * treesWith(leaves - left, questions, values);
  }
  return questions * pairs;
}

/** ln of a large whole number. */
function logOf(count: bigint): number {
  const digits = count.toString();
  return Math.log(Number(`0.${digits.slice(0, 17)}`)) + digits.length * Math.LN10;
}

describe("questions", () => {
  it("are all divisions of the bins that a node can make, for every small column", () => {
    for (let bins = 1; bins <= 6; bins++) {
      expect(Math.exp(logQuestionCount([numeric(bins - 1)]))).toBeCloseTo(divisions(bins, false).size, 9);
      expect(Math.exp(logQuestionCount([categorical(bins)]))).toBeCloseTo(divisions(bins, true).size, 9);
    }
  });

  it("add up over columns, hold 255 levels, and there are none without columns", () => {
    expect(Math.exp(logQuestionCount([numeric(3), categorical(2), numeric(0)]))).toBeCloseTo(7 + 3 + 1, 9);
    expect(logQuestionCount([categorical(255)])).toBeCloseTo(255 * Math.LN2, 9);
    expect(logQuestionCount([])).toBe(Number.NEGATIVE_INFINITY);
  });
});

describe("trees", () => {
  it("are counted by hand: 2 leaves alone, 3 questions with two leaves each", () => {
    const family = { logQuestions: Math.log(3), logLeafValues: Math.log(2) };
    expect(logTreeCount({ ...family, leaves: 1 })).toBeCloseTo(Math.log(2), 14);
    expect(logTreeCount({ ...family, leaves: 2 })).toBeCloseTo(Math.log(2 + 3 * 4), 14);
    // Three leaves: two shapes, 9 pairs of questions, 8 labellings.
    expect(logTreeCount({ ...family, leaves: 3 })).toBeCloseTo(Math.log(14 + 2 * 9 * 8), 14);
  });

  it("are as many as counting by the children of the root finds", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 5000 }),
        fc.integer({ min: 1, max: 300 }),
        (leaves, questions, values) => {
          let count = 0n;
          for (let l = 1; l <= leaves; l++) count += treesWith(l, BigInt(questions), BigInt(values));
          const family = { leaves, logQuestions: Math.log(questions), logLeafValues: Math.log(values) };
          expect(logTreeCount(family)).toBeCloseTo(logOf(count), 9);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("of many leaves have a logarithm near L ln(4sc), and no overflow", () => {
    const family = { leaves: 20_000, logQuestions: Math.log(4000), logLeafValues: Math.log(26) };
    const perLeaf = logTreeCount(family) / 20_000;
    expect(perLeaf).toBeGreaterThan(Math.log(4 * 4000 * 26) - 0.01);
    expect(perLeaf).toBeLessThan(Math.log(4 * 4000 * 26));
  });

  it("without a question to ask are single leaves", () => {
    const logLeafValues = Math.log(7);
    expect(logTreeCount({ leaves: 9, logQuestions: Number.NEGATIVE_INFINITY, logLeafValues })).toBe(
      logLeafValues,
    );
  });

  it("with no leaf, or counts that are none, are refused", () => {
    for (const change of [
      { leaves: 0 },
      { leaves: 2.5 },
      { logQuestions: -1 },
      { logQuestions: Number.NaN },
      { logLeafValues: -1 },
    ]) {
      const family = { leaves: 3, logQuestions: 1, logLeafValues: 1, ...change };
      expect(() => logTreeCount(family)).toThrow(VouchError);
    }
  });
});

describe("leaves, blocks and layers", () => {
  it("hold as many shares as there are 32-bit numbers from 0 to 1", () => {
    const bits = new Uint32Array(Float32Array.of(1, 0).buffer);
    expect(logDistributionCount(3)).toBeCloseTo(3 * Math.log(bits[0] - bits[1] + 1), 12);
  });

  const block = { trees: 10, leaves: 4, features: [numeric(5)], classes: 3 };
  const wider = { ...block, features: [numeric(5), numeric(9)] };
  const trees = (questions: number, logLeafValues: number) =>
    logTreeCount({ leaves: 4, logQuestions: Math.log(questions), logLeafValues });

  it("are the product of their trees", () => {
    expect(logBlockCount(block)).toBeCloseTo(10 * trees(11, logDistributionCount(3)), 9);
  });

  it("count one tree with classes for the layer, all trees and the weight of each earlier one", () => {
    const [first, second, third] = logFamilySizes([block, wider, wider]);
    const weight = Math.log(2 ** 64);
    expect(first).toBeCloseTo(trees(11, Math.log(3)), 9);
    expect(second).toBeCloseTo(logBlockCount(block) + weight + trees(30, Math.log(3)), 9);
    expect(third).toBeCloseTo(second + logBlockCount(wider) + weight, 9);
  });
});
