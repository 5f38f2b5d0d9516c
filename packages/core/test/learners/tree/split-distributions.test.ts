import { describe, expect, it } from "vitest";
import { BinnedColumns } from "#core/encode/binned-columns.js";
import { Sample } from "#core/encode/sample.js";
import type { SplitDistribution, TreeNode } from "#core/learners/description.js";
import { type TreeModel, tree } from "#core/learners/tree/tree.js";
import { Random } from "#core/runtime/maths/random.js";
import { binnedSample, noiseRows } from "../forest/binned-samples.js";

const splitsOf = (model: TreeModel) => {
  const [section] = model.describe().sections;
  if (section.kind !== "tree") throw new Error("There is no picture.");
  const all: Extract<TreeNode, { kind: "split" }>[] = [];
  const visit = (node: TreeNode): void => {
    if (node.kind === "leaf") return;
    all.push(node);
    for (const branch of node.branches) visit(branch.node);
  };
  visit(section.root);
  return all;
};

const countOf = ({ classes }: SplitDistribution, from = 0, to?: number) =>
  classes.flatMap(({ counts }) => counts.slice(from, to)).reduce((sum, count) => sum + count, 0);

describe("the distributions at the splits of a tree", () => {
  it("count every row of the split, on the side of the branch that it goes to", async () => {
    const model = await tree({ prune: "none", maxDepth: 4 }).fit(
      noiseRows(500, 3, ([a, b], random) => (a > b ? random.integer(2) : 2)),
    );
    const splits = splitsOf(model);
    expect(splits.length).toBeGreaterThan(8);
    for (const { distribution, rows, branches } of splits) {
      if (!distribution) throw new Error("All of few splits have a distribution.");
      const { first } = distribution;
      expect(countOf(distribution)).toBe(rows);
      expect(countOf(distribution, 0, first)).toBe(branches[0].node.rows);
      expect(countOf(distribution, first)).toBe(branches[1].node.rows);
    }
  });

  it("have ascending intervals, an edge of which is the threshold of the condition", async () => {
    const cells = Array.from({ length: 200 }, (_, i) => [i % 20]);
    const model = await tree().fit(
      binnedSample(
        cells,
        cells.map(([x]) => Number(x > 6)),
      ),
    );
    const [{ condition, distribution }] = splitsOf(model);
    expect(condition).toBe("x1 ≤ 6.5");
    if (!distribution || !("edges" in distribution.cells)) throw new Error("It is a split of a number.");
    const { edges } = distribution.cells;
    expect(edges[distribution.first]).toBe(6.5);
    expect([edges[0], edges[edges.length - 1]]).toEqual([0, 19]);
    expect(edges).toEqual([...edges].sort((a, b) => a - b));
    // All rows of class 0 are below the threshold, all of class 1 above.
    const [low, high] = distribution.classes.map(({ counts }) => counts);
    expect(low.slice(distribution.first).every((count) => count === 0)).toBe(true);
    expect(high.slice(0, distribution.first).every((count) => count === 0)).toBe(true);
  });

  it("count few rows that are far off in the outermost interval, and say so", async () => {
    const values = Array.from({ length: 400 }, (_, i) => (i < 398 ? i % 10 : 1e6 + i));
    const model = await tree().fit(
      binnedSample(
        values.map((x) => [x]),
        values.map((x) => Number(x > 4)),
      ),
    );
    const [{ distribution, rows }] = splitsOf(model);
    if (!distribution || !("edges" in distribution.cells)) throw new Error("It is a split of a number.");
    expect(distribution.cells.beyond).toBe("above");
    expect(distribution.cells.edges[distribution.first]).toBe(4.5);
    expect(distribution.cells.edges.at(-1)).toBeLessThan(1e6);
    expect(countOf(distribution)).toBe(rows);
  });

  it("list categories, those of the first branch first", async () => {
    const levels = ["red", "green", "blue"];
    const bins = Uint8Array.from({ length: 60 }, (_, i) => i % 3);
    const features = new BinnedColumns(60, [{ kind: "categorical", name: "colour", levels }], bins);
    const labels = Int32Array.from(bins, (bin) => Number(bin === 1));
    const sample = new Sample({ features, labels, classes: ["no", "yes"], featureNames: ["colour"] });
    const [{ condition, distribution, branches }] = splitsOf(await tree().fit(sample));
    if (!distribution || !("names" in distribution.cells)) throw new Error("It is a split of categories.");
    const named = distribution.cells.names.slice(0, distribution.first);
    expect(condition).toBe(`colour is ${named.join(" or ")}`);
    expect(countOf(distribution, 0, distribution.first)).toBe(branches[0].node.rows);
    expect(new Set(distribution.cells.names)).toEqual(new Set(levels));
  });

  it("are few and small however large the tree: rare classes are counted together", async () => {
    const random = new Random(3);
    const cells = Array.from({ length: 3000 }, () => [random.uniform(), random.uniform()]);
    const labels = cells.map(([a]) => Math.min(19, Math.floor(-4 * Math.log(1 - a))));
    const model = await tree({ prune: "none" }).fit(binnedSample(cells, labels));
    const distributions = splitsOf(model).flatMap(({ distribution }) => distribution ?? []);
    expect(splitsOf(model).length).toBeGreaterThan(15);
    expect(distributions).toHaveLength(15);
    expect(distributions[0].classes).toHaveLength(10);
    expect(distributions[0].classes[9].class).toBe("11 other classes");
    expect(countOf(distributions[0])).toBe(3000);
    expect(JSON.stringify(model.toState().json).length).toBeLessThan(12_000);
  });
});
