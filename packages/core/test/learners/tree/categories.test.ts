import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Random } from "#core/runtime/maths/random.js";
import type { Data } from "./brute-force-tree.js";
import { grow, randomData, range } from "./grow.js";
import { plainTree } from "./plain-tree.js";

type Impurity = (totals: readonly number[]) => number;

const gini: Impurity = (totals) => {
  const all = totals.reduce((sum, total) => sum + total, 0);
  return all - totals.reduce((sum, total) => sum + total ** 2, 0) / all;
};

const entropy: Impurity = (totals) => {
  const all = totals.reduce((sum, total) => sum + total, 0);
  return totals.reduce((sum, total) => (total > 0 ? sum - total * Math.log(total / all) : sum), 0);
};

/** The impurity of the two sides of the rows, Infinity if one is empty. */
function lossOf(
  { features, labels, classes, weights }: Data,
  isLeft: (bin: number) => boolean,
  impurity: Impurity,
) {
  const [left, right]: number[][] = [0, 1].map(() => Array(classes).fill(0));
  for (let row = 0; row < features.rows; row++) {
    (isLeft(features.bins[row]) ? left : right)[labels[row]] += weights?.[row] ?? 1;
  }
  const isEmpty = [left, right].some((side) => side.every((total) => total === 0));
  return isEmpty ? Infinity : impurity(left) + impurity(right);
}

describe("with two classes", () => {
  it("the best set of categories is found", () => {
    fc.assert(
      fc.property(
        fc.integer(),
        fc.boolean(),
        fc.constantFrom("gini", "entropy"),
        (seed, weighted, criterion) => {
          const random = new Random(seed);
          const plain = randomData(random, {
            rows: 60,
            columns: 1,
            bins: 7,
            classes: 2,
            missing: 0.1,
            categorical: true,
          });
          const weights = Float64Array.from(plain.labels, () => random.uniform());
          const data = weighted ? { ...plain, weights } : plain;
          const impurity = criterion === "gini" ? gini : entropy;
          const tree = plainTree(grow(data, { growth: { criterion, maxDepth: 1 } }).tree);
          const bins = [...new Set(plain.features.bins)];
          let best = Infinity;
          for (let subset = 0; subset < 2 ** bins.length; subset++) {
            const isLeft = (bin: number) => ((subset >> bins.indexOf(bin)) & 1) === 1;
            best = Math.min(best, lossOf(data, isLeft, impurity));
          }
          if ("shares" in tree) expect(best).toBe(Infinity);
          else expect(lossOf(data, (bin) => tree.sides[bin] === "L", impurity)).toBeCloseTo(best, 9);
        },
      ),
      { numRuns: 100 },
    );
  });

  it("categories that a node has not seen go to its heavier side", () => {
    const random = new Random(8);
    const data = randomData(random, { rows: 400, columns: 1, bins: 100, classes: 2, categorical: true });
    const tree = plainTree(grow(data, { growth: { maxDepth: 1 } }).tree);
    if ("shares" in tree) return expect.fail("The tree is a leaf.");
    const left = data.features.bins.filter((bin) => tree.sides[bin] === "L").length;
    const heavier = 2 * left >= 400 ? "L" : "R";
    for (let bin = 100; bin < 256; bin++) expect(tree.sides[bin]).toBe(heavier);
  });
});

describe("with more classes", () => {
  it.each([3, 40])("a full tree learns all distinct rows of %i classes", (classes) => {
    const random = new Random(6);
    const cells = [range(1000).map((i) => i % 50), range(1000).map((i) => Math.floor(i / 50))];
    const { features } = randomData(random, { rows: 1000, columns: 2, bins: 50, classes, categorical: true });
    for (const [j, column] of cells.entries()) features.column(j).set(column);
    const labels = range(1000).map(() => random.integer(classes));
    const { tree } = grow({ features, labels, classes });
    for (let row = 0; row < 1000; row++) {
      const scores = new Float32Array(classes);
      tree.addRow(features, row, scores, 0);
      expect(scores[labels[row]]).toBe(1);
    }
  });

  it("a set that divides two groups of classes perfectly is found at once", () => {
    // Categories 0–9 have class 0, 10–19 class 1, 20–29 class 2: one split and one more are enough.
    const bins = range(600).map((i) => i % 30);
    const { features } = randomData(new Random(1), {
      rows: 600,
      columns: 1,
      bins: 30,
      classes: 3,
      categorical: true,
    });
    features.column(0).set(bins);
    const labels = bins.map((bin) => Math.floor(bin / 10));
    for (let seed = 0; seed < 20; seed++) {
      expect(grow({ features, labels, classes: 3 }, { seed }).tree.nodes).toBe(5);
    }
  });
});
