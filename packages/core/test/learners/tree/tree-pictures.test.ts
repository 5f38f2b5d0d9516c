import { describe, expect, it } from "vitest";
import { boostedTrees } from "#core/learners/boosted-trees/boosted-trees.js";
import type { TreeNode, TreeSection } from "#core/learners/description.js";
import { forest } from "#core/learners/forest/forest.js";
import { isOdd, noiseRows } from "../forest/binned-samples.js";

const sample = noiseRows(400, 2, isOdd);

function nodesOf(node: TreeNode): TreeNode[] {
  return [node, ...(node.kind === "split" ? node.branches.flatMap((branch) => nodesOf(branch.node)) : [])];
}

/** Checks that the rows of every split are those of its branches, and that there are not too many splits. */
function expectWholeTree({ root }: TreeSection) {
  expect(root.rows).toBe(400);
  const splits = nodesOf(root).filter((node) => node.kind === "split");
  expect(splits.length).toBeGreaterThan(1);
  expect(splits.length).toBeLessThanOrEqual(31);
  for (const { rows, branches } of splits) {
    expect(branches.reduce((sum, { node }) => sum + (node.rows ?? 0), 0)).toBe(rows);
  }
}

describe("drawn trees", () => {
  it("are the first ones of a forest, with all rows of the sample and the class shares of leaves", async () => {
    const trees = (await (await forest({ trees: 10 }).fit(sample)).describeTrees?.(sample)) ?? [];
    expect(trees.map(({ title }) => title)).toEqual(["tree 1 of 10", "tree 2 of 10", "tree 3 of 10"]);
    for (const tree of trees) expectWholeTree(tree);
    const { root } = trees[0];
    const counted = root.kind === "split" ? (root.distribution?.classes ?? []) : [];
    expect(counted.flatMap(({ counts }) => [...counts]).reduce((sum, count) => sum + count, 0)).toBe(400);
  });

  it("have the steps of boosted trees in their leaves, and the classes of the rows", async () => {
    const model = await boostedTrees({ rounds: 2 }).fit(sample);
    const trees = (await model.describeTrees?.(sample)) ?? [];
    expect(trees).toHaveLength(2);
    expectWholeTree(trees[0]);
    const leaves = nodesOf(trees[0].root).flatMap((node) =>
      node.kind === "leaf" && node.shares ? [node] : [],
    );
    expect(leaves.length).toBeGreaterThan(1);
    for (const { label, shares = [] } of leaves) {
      expect(label).toMatch(/^[+−]?\d/);
      // A step goes towards the class that most rows of its leaf have.
      const second = shares[1].share;
      if (second > 0.6) expect(label).toMatch(/^\+/);
      if (second < 0.4) expect(label).toMatch(/^−/);
      expect(shares.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 12);
    }
  });
});
