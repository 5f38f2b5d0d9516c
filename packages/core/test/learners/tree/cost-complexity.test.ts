import { describe, expect, it } from "vitest";
import {
  leafRanges,
  type PrunableTree,
  pruningPath,
  subtreeAt,
} from "#core/learners/tree/cost-complexity.js";
import { Random } from "#core/runtime/maths/random.js";

/** A random tree of this many splits. Risks of children sum to at most that of their parent, often exactly. */
function randomTree(random: Random, splits: number): PrunableTree {
  const left = [0];
  const risks = [random.integer(20) + splits];
  for (let s = 0; s < splits; s++) {
    const leaves = left.flatMap((child, node) => (child === 0 ? [node] : []));
    const node = leaves[random.integer(leaves.length)];
    const kept = random.integer(risks[node] + 1);
    const first = random.integer(kept + 1);
    left[node] = left.length;
    left.push(0, 0);
    risks.push(first, kept - first);
  }
  return { left: Int32Array.from(left), risks: Float64Array.from(risks) };
}

/** All subtrees below a node, each as the list of its leaves. */
function subtrees(tree: PrunableTree, node = 0): number[][] {
  const child = tree.left[node];
  if (child === 0) return [[node]];
  const [first, second] = [subtrees(tree, child), subtrees(tree, child + 1)];
  return [[node], ...first.flatMap((a) => second.map((b) => [...a, ...b]))];
}

const leavesAt = ({ from, to }: ReturnType<typeof leafRanges>, alpha: number): number[] =>
  Array.from(from.keys()).filter((node) => from[node] <= alpha && alpha < to[node]);

const riskOf = ({ risks }: PrunableTree, leaves: readonly number[]) =>
  leaves.reduce((sum, leaf) => sum + risks[leaf], 0);

describe("cost-complexity pruning", () => {
  const random = new Random(1);
  const trees = Array.from({ length: 150 }, () => randomTree(random, random.integer(8)));

  it("finds the smallest subtree of minimal cost for every α, as trying all subtrees does", () => {
    for (const tree of trees) {
      const ranges = leafRanges(tree);
      const { alphas } = pruningPath(ranges, []);
      const all = subtrees(tree);
      const between = Array.from(alphas, (alpha, k) => (k === 0 ? alpha : (alpha + alphas[k - 1]) / 2));
      for (const alpha of [...alphas, ...between, alphas[alphas.length - 1] + 1]) {
        const cost = (leaves: readonly number[]) => riskOf(tree, leaves) + alpha * leaves.length;
        const lowest = Math.min(...all.map(cost));
        const minimal = all.filter((leaves) => cost(leaves) <= lowest + 1e-9);
        const smallest = minimal.reduce((a, b) => (b.length < a.length ? b : a));
        expect(leavesAt(ranges, alpha)).toEqual(smallest.toSorted((a, b) => a - b));
      }
    }
  });

  it("gives nested subtrees with increasing α, from the whole tree or an equally good part of it to the root", () => {
    for (const tree of trees) {
      const ranges = leafRanges(tree);
      const ones = tree.left.map(() => 1);
      const { alphas, sums } = pruningPath(ranges, [tree.risks, ones]);
      const [risks, sizes] = sums;
      expect(alphas[0]).toBe(0);
      const grown = Array.from(tree.left.keys()).filter((node) => tree.left[node] === 0);
      expect(risks[0]).toBe(riskOf(tree, grown));
      expect(sizes[sizes.length - 1]).toBe(1);
      for (let k = 1; k < alphas.length; k++) {
        expect(alphas[k]).toBeGreaterThan(alphas[k - 1]);
        const [larger, smaller] = [leavesAt(ranges, alphas[k - 1]), leavesAt(ranges, alphas[k])];
        expect(smaller.length).toBeLessThan(larger.length);
        expect([risks[k], sizes[k]]).toEqual([riskOf(tree, smaller), smaller.length]);
        const above = (node: number): number => {
          const parent = tree.left.findIndex((child) => child > 0 && (child === node || child + 1 === node));
          return smaller.includes(node) ? node : parent < 0 ? -1 : above(parent);
        };
        expect(larger.every((leaf) => above(leaf) >= 0)).toBe(true);
      }
    }
  });

  it("prunes a chain by hand", () => {
    // Root risk 10; the leaves 1, 3 and 4 have risks 4, 1 and 1, and node 2 has risk 4.
    const tree = { left: Int32Array.of(1, 0, 3, 0, 0), risks: Float64Array.of(10, 4, 4, 1, 1) };
    const { alphas, sums } = pruningPath(leafRanges(tree), [tree.risks]);
    // All of it gains (10 − 6)/2 = 2 per leaf, the lower split 2, the upper one alone 2: everything goes at once.
    expect([...alphas]).toEqual([0, 2]);
    expect([...sums[0]]).toEqual([6, 10]);
    expect([0, 1.9, 2, 50].map((alpha) => subtreeAt(alphas, alpha))).toEqual([0, 0, 1, 1]);
  });
});
