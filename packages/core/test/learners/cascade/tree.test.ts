import { describe, expect, test } from "vitest";
import type { Sample } from "#core/encode/sample.js";
import {
  type CascadeModel,
  cascadeBound,
  cascadeLeaves,
  leafOf,
} from "#core/learners/cascade/cascade-model.js";
import { deepCascade } from "#core/learners/cascade/deep-cascade.js";
import { deepCascadePerceptron, deepCascadeSvm } from "#core/learners/cascade/kernel-cascades.js";
import type { TreeNode } from "#core/learners/description.js";
import { Random } from "#core/runtime/maths/random.js";
import { sampleOf } from "../small-samples.js";

/** Four quadrants with a class each: a chain has to cut them off one by one, a tree divides twice. */
function quadrants(rows: number, seed: number, noise = 0): Sample {
  const random = new Random(seed);
  const points = Array.from({ length: rows }, () => [random.normal(), random.normal()]);
  const labels = points.map(([x, y]) =>
    random.uniform() < noise ? random.integer(4) : (x > 0 ? 2 : 0) + (y > 0 ? 1 : 0),
  );
  return sampleOf(points, labels);
}

/** Noise with two classes, on which deeper trees help little. */
function noisy(rows: number, seed: number): Sample {
  const random = new Random(seed);
  const points = Array.from({ length: rows }, () => [random.normal(), random.normal(), random.integer(3)]);
  const labels = points.map(([x, y, z]) => Number(x * y + z + random.normal() > 1));
  return sampleOf(points, labels);
}

const rules = { leaves: ["constant" as const], fractions: [0.25, 0.5, 0.75], gammas: [1e-3] };

describe("trees of gates", () => {
  test("divide four quadrants with three gates, where a chain of the same leaves cannot be balanced", async () => {
    const train = quadrants(400, 1);
    const model = await deepCascade({ ...rules, topology: "tree", maxLeaves: 4, maxDepth: 3 }).fit(train);
    const leaves = cascadeLeaves(model.levels);
    expect(leaves.map(({ depth }) => depth)).toEqual([2, 2, 2, 2]);
    expect(model.levels.filter(({ stay }) => stay !== undefined)).toHaveLength(1);
    const { features, labels } = quadrants(400, 2);
    const wrong = model.predict(features).filter((k, i) => k !== labels[i]).length;
    expect(wrong / 400).toBeLessThan(0.12);
  });

  test("with two leaves are the chains with two leaves", async () => {
    for (let seed = 1; seed <= 6; seed++) {
      const sample = seed % 2 ? noisy(60, seed) : quadrants(60, seed, 0.1);
      const size = { fractions: [0.3, 0.5, 0.8], gammas: [1e-3], maxDepth: 2 };
      const perceptrons = { ...size, degrees: [1, 2] };
      for (const [chain, tree] of [
        [
          deepCascade({ ...size, leaves: ["constant", "threshold-1"] }),
          deepCascade({ ...size, leaves: ["constant", "threshold-1"], topology: "tree", maxLeaves: 2 }),
        ],
        [
          deepCascadePerceptron(perceptrons),
          deepCascadePerceptron({ ...perceptrons, topology: "tree", maxLeaves: 2 }),
        ],
      ]) {
        const [best, grown] = [await chain.fit(sample), await tree.fit(sample)];
        // All chains of up to two leaves were tried: growth by one gate cannot miss the best.
        expect(cascadeBound(grown)).toBeCloseTo(cascadeBound(best), 12);
      }
    }
  });

  test("never have a larger bound than the chain or the smaller tree that they grow from", async () => {
    for (let seed = 1; seed <= 4; seed++) {
      const sample = noisy(70, seed);
      const shared = { fractions: [0.3, 0.6], degrees: [1, 2], gammas: [1e-4], cGrid: [1], maxDepth: 3 };
      const bounds: number[] = [];
      for (const options of [
        { topology: "chain" as const },
        { topology: "search" as const, maxLeaves: 4 },
        { topology: "search" as const, maxLeaves: 6 },
      ]) {
        bounds.push(cascadeBound(await deepCascadeSvm({ ...shared, ...options }).fit(sample)));
      }
      expect(bounds[1]).toBeLessThanOrEqual(bounds[0] + 1e-12);
      expect(bounds[2]).toBeLessThanOrEqual(bounds[1] + 1e-12);
    }
  });

  test("respect their limits", async () => {
    const sample = quadrants(200, 3, 0.3);
    for (const [maxLeaves, maxDepth] of [
      [1, 4],
      [3, 2],
      [7, 3],
    ]) {
      const model = await deepCascade({
        ...rules,
        gammas: [1e-4],
        topology: "tree",
        maxLeaves,
        maxDepth,
      }).fit(sample);
      const leaves = cascadeLeaves(model.levels);
      expect(leaves.length).toBeLessThanOrEqual(Math.min(maxLeaves, 2 ** (maxDepth - 1)));
      expect(Math.max(...leaves.map(({ depth }) => depth))).toBeLessThan(maxDepth);
    }
  });
});

describe("a tree with two-sided gates", () => {
  async function grown(): Promise<{ model: CascadeModel; sample: Sample }> {
    const sample = quadrants(200, 4);
    return {
      model: await deepCascade({ ...rules, topology: "tree", maxLeaves: 4, maxDepth: 3 }).fit(sample),
      sample,
    };
  }

  test("is described with the rows of each node", async () => {
    const { model, sample } = await grown();
    const [section] = model.describe().sections;
    if (section.kind !== "tree") throw new Error("no tree");
    const leaves: number[] = [];
    const visit = (node: TreeNode): number => {
      if (node.kind === "leaf") {
        leaves.push(node.rows ?? 0);
        return node.rows ?? 0;
      }
      const below = node.branches.reduce((sum, branch) => sum + visit(branch.node), 0);
      expect(node.rows).toBe(below);
      return below;
    };
    expect(visit(section.root)).toBe(200);
    expect(leaves).toHaveLength(4);
    const reached = leafOf(model, sample.features);
    for (const { level, points } of cascadeLeaves(model.levels))
      expect(reached.filter((k) => k === level - 1)).toHaveLength(points);
  });

  test("from a damaged file is refused", async () => {
    const { model } = await grown();
    const { classes, featureNames, levels, origin } = model;
    const [root, ...rest] = levels;
    for (const [damaged, fault] of [
      [[{ ...root, stay: 2 }, ...rest], "not a tree"],
      [[{ ...root, stay: levels.length }, ...rest], "not a tree"],
      [[{ ...root, stay: undefined }, ...rest], "no classifier"],
      [[root, ...rest.slice(0, -1)], "not a tree"],
      [[...levels, rest[rest.length - 1]], "not a tree"],
      [[{ ...root, wrong: 3 }, ...rest], "points but no leaf"],
    ] as const) {
      const state = deepCascade.assemble({ classes, featureNames, levels: damaged, origin }).toState();
      expect(() => deepCascade.restore(state), fault).toThrow(
        expect.objectContaining({ code: "model/corrupt", message: expect.stringContaining(fault) }),
      );
    }
    const { topology: _, ...chain } = origin;
    const state = deepCascade.assemble({ classes, featureNames, levels, origin: chain }).toState();
    expect(() => deepCascade.restore(state)).toThrow(
      expect.objectContaining({ message: expect.stringContaining("not a chain") }),
    );
  });
});
