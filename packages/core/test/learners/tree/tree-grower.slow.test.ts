import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { TreeGrowth } from "#core/learners/tree/growth-options.js";
import { Random } from "#core/runtime/maths/random.js";
import { bruteForceTree, type Data, type PlainTree } from "./brute-force-tree.js";
import { columnsOf, grow, randomData, range } from "./grow.js";
import { plainTree } from "./plain-tree.js";

const ALL: TreeGrowth = {
  criterion: "gini",
  splits: "best",
  featuresPerSplit: Infinity,
  maxDepth: Infinity,
  minLeafRows: 1,
  minSplitRows: 2,
};

const shapes = fc.record({
  rows: fc.integer({ min: 1, max: 40 }),
  columns: fc.integer({ min: 1, max: 4 }),
  bins: fc.constantFrom(1, 2, 3, 12, 255),
  classes: fc.integer({ min: 1, max: 4 }),
  missing: fc.constantFrom(0, 0.3),
});

const limits = fc.record({
  maxDepth: fc.constantFrom(Infinity, 0, 2),
  minLeafRows: fc.constantFrom(1, 1, 3),
  minSplitRows: fc.constantFrom(0, 2, 7),
});

describe("best splits", () => {
  it("are the best of all", () => {
    fc.assert(
      fc.property(shapes, limits, fc.integer(), (shape, limit, seed) => {
        const data = randomData(new Random(seed), shape);
        const growth = { ...ALL, ...limit };
        const expected = bruteForceTree(data, growth, [...range(shape.rows)]);
        expect(plainTree(grow(data, { growth, seed }).tree)).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });

  it("are the best of all for weighted rows", () => {
    fc.assert(
      fc.property(shapes, limits, fc.integer(), (shape, limit, seed) => {
        const random = new Random(seed);
        const data = randomData(random, shape);
        const weights = Float64Array.from(data.labels, () => 1 + random.integer(5));
        const growth = { ...ALL, ...limit };
        const expected = bruteForceTree({ ...data, weights }, growth, [...range(shape.rows)]);
        expect(plainTree(grow({ ...data, weights }, { growth }).tree)).toEqual(expected);
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    { rows: 3000, columns: 3, bins: 40, classes: 5, missing: 0 },
    { rows: 1000, columns: 2, bins: 255, classes: 2, missing: 0.1 },
    { rows: 3000, columns: 3, bins: 20, classes: 11, missing: 0.1 },
    { rows: 3000, columns: 3, bins: 2, classes: 5, missing: 0 },
    { rows: 3000, columns: 3, bins: 2, classes: 2, missing: 0 },
    { rows: 40000, columns: 2, bins: 10, classes: 3, missing: 0.01 },
    { rows: 40000, columns: 2, bins: 10, classes: 2, missing: 0.01 },
  ])("are found in large nodes, $rows rows × $bins bins × $classes classes, $missing missing", (shape) => {
    const data = randomData(new Random(5), shape);
    for (const weights of [undefined, Float64Array.from(data.labels, (_, i) => 1 + (i % 3))]) {
      const weighted = weights ? { ...data, weights } : data;
      const growth = { ...ALL, maxDepth: shape.rows > 10000 ? 1 : 2, minLeafRows: 20 };
      const expected = bruteForceTree(weighted, growth, [...range(shape.rows)]);
      expect(plainTree(grow(weighted, { growth }).tree)).toEqual(expected);
    }
  });

  it("by entropy are as good as any other cut", () => {
    for (const weighted of [false, true]) {
      const random = new Random(11);
      const plain = randomData(random, { rows: 120, columns: 2, bins: 30, classes: 4, missing: 0.1 });
      const weights = Float64Array.from(plain.labels, () => random.uniform());
      const data = weighted ? { ...plain, weights } : plain;
      const tree = plainTree(grow(data, { growth: { criterion: "entropy" } }).tree);
      expect(checkEntropySplits(data, tree, [...range(120)])).toBeGreaterThan(20);
    }
  });

  it("do not count constant features", () => {
    const random = new Random(2);
    const { features, labels } = randomData(random, { rows: 200, columns: 2, bins: 200, classes: 2 });
    const constant = Array.from({ length: 50 }, () => new Uint8Array(200).fill(7));
    const data = {
      features: columnsOf([...constant, features.column(0), features.column(1)]),
      labels,
      classes: 2,
    };
    const leaves: PlainTree[] = [];
    for (let seed = 0; seed < 20; seed++) {
      collectLeaves(plainTree(grow(data, { growth: { featuresPerSplit: 1 }, seed }).tree), leaves);
    }
    const pure = leaves.filter((leaf) => "shares" in leaf && Math.max(...leaf.shares) === 1);
    expect(pure.length).toBe(leaves.length);
  });
});

describe("weights", () => {
  it("that are integers act like repeated rows, and zero means absent", () => {
    fc.assert(
      fc.property(shapes, fc.boolean(), fc.integer(), (shape, categorical, seed) => {
        const random = new Random(seed);
        const data = randomData(random, { ...shape, categorical, classes: Math.min(shape.classes, 2) });
        const weights = Float64Array.from(data.labels, () => random.integer(4));
        weights[0] = 1;
        const repeated = [...range(shape.rows)].flatMap((row) => Array<number>(weights[row]).fill(row));
        const features = data.features.select(repeated);
        const labels = Int32Array.from(repeated, (row) => data.labels[row]);
        const unweighted = grow({ features, labels, classes: data.classes });
        const weighted = grow({ ...data, weights });
        expect(plainTree(weighted.tree)).toEqual(plainTree(unweighted.tree));
        weighted.decreases.forEach((decrease, j) => {
          expect(decrease).toBeCloseTo(unweighted.decreases[j], 12);
        });
      }),
      { numRuns: 200 },
    );
  });

  it("all zero are refused", () => {
    const data = { features: columnsOf([[0, 1]]), labels: Int32Array.of(0, 1), classes: 2 };
    expect(() => grow({ ...data, weights: Float64Array.of(0, 0) })).toThrow("weight zero");
    expect(() => grow({ ...data, weights: Float64Array.of(0, -1) })).toThrow("Row 2 has weight -1, but");
    expect(() => grow({ ...data, weights: Float64Array.of(Number.NaN, 1) })).toThrow(
      "Row 1 has weight NaN, but",
    );
  });
});

describe("bootstrap", () => {
  const data = randomData(new Random(3), { rows: 2000, columns: 4, bins: 50, classes: 3 });

  it("leaves out about 1/e of the rows, which then have no influence", () => {
    const { tree, outOfBag } = grow(data, { bootstrap: true, seed: 9 });
    expect(Math.abs(outOfBag.length / 2000 - Math.exp(-1))).toBeLessThan(0.04);
    const labels = data.labels.slice();
    for (const row of outOfBag) labels[row] = (labels[row] + 1) % 3;
    expect(plainTree(grow({ ...data, labels }, { bootstrap: true, seed: 9 }).tree)).toEqual(plainTree(tree));
  });

  it("draws from the given rows only", () => {
    const rows = range(2000).filter((row) => row % 3 === 1);
    const { tree, outOfBag } = grow(data, { rows, bootstrap: true });
    expect(outOfBag.every((row) => row % 3 === 1)).toBe(true);
    expect(Math.abs(outOfBag.length / rows.length - Math.exp(-1))).toBeLessThan(0.06);
    const labels = data.labels.map((label, row) => (row % 3 === 1 ? label : 0));
    expect(plainTree(grow({ ...data, labels }, { rows, bootstrap: true }).tree)).toEqual(plainTree(tree));
  });

  it("differs with the seed", () => {
    const trees = [1, 2].map((seed) => plainTree(grow(data, { bootstrap: true, seed }).tree));
    expect(trees[0]).not.toEqual(trees[1]);
  });
});

it("a tree on some rows of a large sample is the tree on these rows alone", () => {
  const data = randomData(new Random(7), { rows: 30000, columns: 40, bins: 50, classes: 3, missing: 0.02 });
  const some = range(30000).filter((row) => row % 50 === 3);
  const features = data.features.select(some);
  const labels = some.map((row) => data.labels[row]);
  for (const splits of ["best", "random"] as const) {
    const growth = { splits, featuresPerSplit: 6 };
    const expected = grow({ features, labels, classes: 3 }, { growth, bootstrap: true, seed: 3 });
    const { tree, decreases } = grow(data, { growth, rows: some, bootstrap: true, seed: 3 });
    expect(tree).toEqual(expected.tree);
    expect(decreases).toEqual(expected.decreases);
  }
});

describe("unusual samples", () => {
  it("of one class give a leaf", () => {
    const data = { features: columnsOf([[0, 1, 2]]), labels: Int32Array.of(1, 1, 1), classes: 2 };
    for (const splits of ["best", "random"] as const) {
      expect(plainTree(grow(data, { growth: { splits } }).tree)).toEqual({ shares: [0, 1] });
    }
  });

  it("of constant features give a leaf with the shares of the classes", () => {
    const columns = [
      [4, 4, 4, 4],
      [255, 255, 255, 255],
    ];
    for (const splits of ["best", "random"] as const) {
      for (const categorical of [false, true]) {
        const data = {
          features: columnsOf(columns, categorical),
          labels: Int32Array.of(0, 2, 0, 0),
          classes: 3,
        };
        expect(plainTree(grow(data, { growth: { splits } }).tree)).toEqual({ shares: [0.75, 0, 0.25] });
      }
    }
  });

  it.each([300, 5000])("of %i classes are learned", (classes) => {
    const rows = 2 * classes;
    const low = Array.from({ length: rows }, (_, i) => Math.floor(i / 2) % 250);
    const high = Array.from({ length: rows }, (_, i) => Math.floor(i / 500));
    const labels = Int32Array.from({ length: rows }, (_, i) => Math.floor(i / 2));
    for (const splits of ["best", "random"] as const) {
      for (const weights of [undefined, new Float64Array(rows).fill(0.5)]) {
        const data = { features: columnsOf([low, high]), labels, classes, ...(weights && { weights }) };
        const { tree } = grow(data, { growth: { splits } });
        expect(tree.leavesOf(0)).toBe(classes);
        for (let row = 0; row < rows; row += 97) {
          const scores = new Float32Array(classes);
          tree.addRow(data.features, row, scores, 0);
          expect(scores.indexOf(1)).toBe(labels[row]);
        }
      }
    }
  });

  it("are refused if labels, rows or limits are impossible", () => {
    const features = columnsOf([[0, 1]]);
    expect(() => grow({ features, labels: Int32Array.of(0), classes: 2 })).toThrow("2 rows but 1 labels");
    expect(() => grow({ features, labels: Int32Array.of(0, 2), classes: 2 })).toThrow(
      "Row 2 has class index 2",
    );
    expect(() => grow({ features, labels: Int32Array.of(0, 0), classes: 70000 })).toThrow("70000 classes");
    const data = { features, labels: Int32Array.of(0, 1), classes: 2 };
    expect(() => grow(data, { rows: [] })).toThrow("no rows");
    expect(() => grow(data, { rows: [2] })).toThrow("no row 2");
    expect(() => grow(data, { growth: { minLeafRows: 0 } })).toThrow("minLeafRows 0");
    expect(() => grow(data, { growth: { maxDepth: Number.NaN } })).toThrow("maxDepth NaN");
  });
});

it("decreases of impurity sum to that of the whole tree", () => {
  const data = randomData(new Random(4), { rows: 500, columns: 3, bins: 200, classes: 3 });
  const shares = [0, 1, 2].map((label) => data.labels.filter((other) => other === label).length / 500);
  const gini = 1 - shares.reduce((sum, share) => sum + share ** 2, 0);
  const entropy = -shares.reduce((sum, share) => sum + share * Math.log(share), 0);
  for (const splits of ["best", "random"] as const) {
    for (const weights of [undefined, new Float64Array(500).fill(0.1)]) {
      const weighted = weights ? { ...data, weights } : data;
      const total = (growth: Partial<TreeGrowth>) =>
        grow(weighted, { growth: { splits, ...growth } }).decreases.reduce((sum, decrease) => sum + decrease);
      expect(total({ criterion: "gini" })).toBeCloseTo(gini, 9);
      expect(total({ criterion: "entropy" })).toBeCloseTo(entropy, 9);
    }
  }
});

function collectLeaves(tree: PlainTree, to: PlainTree[]): void {
  if ("shares" in tree) {
    to.push(tree);
    return;
  }
  collectLeaves(tree.left, to);
  collectLeaves(tree.right, to);
}

/** Checks that no cut has less entropy than that of each split; returns the number of splits. */
function checkEntropySplits(data: Data, tree: PlainTree, rows: readonly number[]): number {
  if ("shares" in tree) return 0;
  const { features, labels, classes, weights } = data;
  const entropy = (some: readonly number[]): number => {
    const totals: number[] = Array(classes).fill(0);
    for (const row of some) totals[labels[row]] += weights?.[row] ?? 1;
    const all = totals.reduce((sum, total) => sum + total, 0);
    return totals.reduce((sum, total) => (total > 0 ? sum - total * Math.log(total / all) : sum), 0);
  };
  const side = (feature: number, isLeft: (bin: number) => boolean, wanted: boolean) =>
    rows.filter((row) => isLeft(features.column(feature)[row]) === wanted);
  const loss = (feature: number, isLeft: (bin: number) => boolean) =>
    entropy(side(feature, isLeft, true)) + entropy(side(feature, isLeft, false));
  const chosen = (bin: number) => tree.sides[bin] === "L";
  const least = loss(tree.feature, chosen);
  for (let feature = 0; feature < features.columns; feature++) {
    for (const cut of new Set(rows.map((row) => features.column(feature)[row]))) {
      for (const missingLeft of [true, false]) {
        const isLeft = (bin: number) => (bin === 255 ? missingLeft : bin <= cut);
        const left = side(feature, isLeft, true).length;
        if (left > 0 && left < rows.length) expect(loss(feature, isLeft)).toBeGreaterThan(least - 1e-9);
      }
    }
  }
  const [left, right] = [side(tree.feature, chosen, true), side(tree.feature, chosen, false)];
  return 1 + checkEntropySplits(data, tree.left, left) + checkEntropySplits(data, tree.right, right);
}
