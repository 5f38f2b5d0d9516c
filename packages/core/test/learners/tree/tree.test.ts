import { afterAll, describe, expect, it } from "vitest";
import { BinnedColumns, type BinnedFeature, MISSING_BIN } from "#core/encode/binned-columns.js";
import { Sample } from "#core/encode/sample.js";
import type { TreeNode } from "#core/learners/description.js";
import { errorsOn } from "#core/learners/training-summary.js";
import { type TreeModel, tree } from "#core/learners/tree/tree.js";
import { Random } from "#core/runtime/maths/random.js";
import { threadExecutor } from "#core/runtime/parallel/threads.js";
import { binnedSample, isOdd, noiseRows } from "../forest/binned-samples.js";

const executor = threadExecutor({ threads: 3 });
afterAll(() => executor.close());

/** Labels of the first feature's sign, a share of them wrong. */
const noisy = (wrong: number) => (row: readonly number[], random: Random) =>
  Number(row[0] > 0.5 !== random.uniform() < wrong);

const rootOf = (model: TreeModel): TreeNode => {
  const section = model.describe().sections.find(({ kind }) => kind === "tree");
  if (section?.kind !== "tree") throw new Error("There is no picture.");
  return section.root;
};

describe("tree", () => {
  it("prunes noise: one split is left where one feature matters, and it is almost as good as it can be", async () => {
    const sample = noiseRows(600, 4, noisy(0.15));
    const fresh = noiseRows(4000, 4, noisy(0.15), { seed: 9, like: sample });
    const [grown, pruned] = await Promise.all(
      [tree({ prune: "none" }), tree({ standardErrors: 1 })].map((learner) => learner.fit(sample)),
    );
    expect(grown.trees.leaves).toBeGreaterThan(80);
    expect(errorsOn(grown, sample)).toBe(0);
    expect(pruned.trees.leaves).toBe(2);
    expect(errorsOn(pruned, fresh) / 4000).toBeLessThan(0.17);
    expect(errorsOn(grown, fresh) / 4000).toBeGreaterThan(0.22);
    expect(pruned.crossValidation?.error).toBeCloseTo(0.15, 1);
  });

  it("keeps the splits of XOR, although the first of them gains nothing", async () => {
    const sample = noiseRows(800, 2, isOdd);
    const fresh = noiseRows(1000, 2, isOdd, { seed: 2, like: sample });
    expect(errorsOn(await tree().fit(sample), fresh) / 1000).toBeLessThan(0.06);
  });

  it("gives the class shares of its leaves, and counts the rows of all nodes", async () => {
    const sample = noiseRows(300, 3, (_, random) => random.integer(3));
    const model = await tree({ maxDepth: 3, prune: "none" }).fit(sample);
    const { trees, nodeRows } = model;
    const scores = model.scores(sample.features);
    const leaves = Array.from(sample.labels.keys(), (i) => trees.leafOf(0, sample.features, i));
    for (const leaf of new Set(leaves)) {
      const inside = [...leaves.keys()].filter((i) => leaves[i] === leaf);
      expect(nodeRows[leaf]).toBe(inside.length);
      const shares = [0, 1, 2].map(
        (k) => inside.filter((i) => sample.labels[i] === k).length / inside.length,
      );
      for (const [k, share] of scores.row(inside[0]).entries()) expect(share).toBeCloseTo(shares[k], 6);
    }
    expect(trees.depth).toBeLessThanOrEqual(3);
    expect(nodeRows[0]).toBe(300);
  });

  it("with a given α is the tree of lowest error plus α per leaf among those of other α's", async () => {
    const sample = noiseRows(400, 3, noisy(0.2));
    const alphas = [0, 0.0005, 0.002, 0.01, 0.2];
    const models = await Promise.all(alphas.map((prune) => tree({ prune }).fit(sample)));
    const cost = (model: TreeModel, alpha: number) =>
      errorsOn(model, sample) / sample.rows + alpha * model.trees.leaves;
    for (const [k, alpha] of alphas.entries()) {
      const own = cost(models[k], alpha);
      for (const other of models) expect(own).toBeLessThanOrEqual(cost(other, alpha) + 1e-12);
    }
    expect(models[4].trees.leaves).toBe(2);
    const one = await tree({ prune: 0.5 }).fit(sample);
    expect(one.trees.leaves).toBe(1);
    expect(one.notices?.join()).toContain("every row gets the same probabilities");
  });

  it("takes whole weights as repeated rows", async () => {
    const random = new Random(4);
    const cells = Array.from({ length: 120 }, () => [random.integer(9), random.integer(9)]);
    const labels = cells.map(([a]) => Number(random.uniform() < a / 9));
    const weights = cells.map(() => random.integer(4));
    const repeats = [...weights.keys()].flatMap((i) => new Array<number>(weights[i]).fill(i));
    for (const prune of ["none", 0.004] as const) {
      const weighted = await tree({ prune }).fit(binnedSample(cells, labels, weights), { seed: 1 });
      const repeated = await tree({ prune }).fit(binnedSample(cells, labels).select(repeats), { seed: 1 });
      const { features } = binnedSample(cells, labels);
      expect(weighted.trees.leaves).toBe(repeated.trees.leaves);
      const [a, b] = [weighted.scores(features), repeated.scores(features)];
      for (let k = 0; k < a.values.length; k++) expect(a.values[k]).toBeCloseTo(b.values[k], 6);
    }
  });

  it("with balanced classes finds a rare class that the error alone ignores", async () => {
    const sample = noiseRows(2000, 2, ([a], random) => Number(a > 0.9 && random.uniform() < 0.4));
    const recall = async (classWeights: "none" | "balanced") => {
      const model = await tree({ classWeights, standardErrors: 1 }).fit(sample);
      const predictions = model.predict(sample.features);
      const rare = [...sample.labels.keys()].filter((i) => sample.labels[i] === 1);
      return rare.filter((i) => predictions[i] === 1).length / rare.length;
    };
    expect(await recall("none")).toBeLessThan(0.1);
    expect(await recall("balanced")).toBeGreaterThan(0.9);
  });

  it("is one leaf if no column says anything", async () => {
    const sample = binnedSample(
      Array.from({ length: 30 }, () => [1, 2]),
      Array.from({ length: 30 }, (_, i) => Number(i % 3 === 0)),
    );
    const model = await tree().fit(sample);
    expect(model.trees.leaves).toBe(1);
    expect(model.scores(sample.features).row(0)[1]).toBeCloseTo(1 / 3, 6);
    expect(rootOf(model)).toMatchObject({ kind: "leaf", rows: 30 });
    const two = binnedSample([[1], [2]], [0, 1]);
    expect((await tree().fit(two)).classes).toHaveLength(2);
  });

  it("is the same for one and three threads, and changes with the seed of the folds only in its size", async () => {
    const sample = noiseRows(900, 5, noisy(0.3));
    const alone = await tree().fit(sample, { seed: 3 });
    const together = await tree().fit(sample, { seed: 3, executor });
    expect(together.toState()).toEqual(alone.toState());
    expect(tree.restore(alone.toState()).describe()).toEqual(alone.describe());
    const [full, other] = await Promise.all(
      [3, 4].map((seed) => tree({ prune: "none" }).fit(sample, { seed })),
    );
    expect(other.trees.leaves).toBe(full.trees.leaves);
  });
});

describe("the certificate of a tree", () => {
  it("holds on fresh rows, although the rows chose the size of the tree", async () => {
    const sample = noiseRows(3000, 3, noisy(0.02));
    const fresh = noiseRows(4000, 3, noisy(0.02), { seed: 5, like: sample });
    const model = await tree({ standardErrors: 1 }).fit(sample);
    const [bound] = model.certificates?.({ confidence: 0.95 }) ?? [];
    expect(bound.value).toBeLessThan(0.1);
    expect(bound.value).toBeGreaterThan(errorsOn(model, fresh) / 4000);
    const { leaves } = model.trees;
    expect(bound.terms["ln(choices)"]).toBeCloseTo(Math.log(leaves * (leaves + 1)), 12);
  });

  it("is for numeric columns only, and the VC dimension only for depths that were limited before", async () => {
    const numeric = noiseRows(200, 2, noisy(0.1));
    expect((await tree().fit(numeric)).complexity().vcDimension).toBeGreaterThan(1);
    const large = noiseRows(2000, 2, noisy(0.1));
    expect((await tree().fit(large)).complexity().vcDimension).toBeUndefined();
    expect((await tree({ maxDepth: 2 }).fit(large)).complexity().vcDimension).toBeGreaterThan(4);
    const sample = mixedRows(200, 1);
    expect((await tree().fit(sample)).certificates?.({ confidence: 0.95 })).toEqual([]);
  });
});

const COLOURS = ["red", "green", "blue", "black", "white"];

/** Rows with a number and a category, both sometimes missing, that decide the class together. */
function mixedRows(rows: number, seed: number): Sample<BinnedColumns> {
  const random = new Random(seed);
  const features: BinnedFeature[] = [
    { kind: "numeric", name: "size", cuts: Float64Array.from({ length: 19 }, (_, k) => k + 0.5) },
    { kind: "categorical", name: "colour", levels: COLOURS },
  ];
  const cell = (most: number) => (random.uniform() < 0.15 ? MISSING_BIN : random.integer(most));
  const bins = Uint8Array.from({ length: 2 * rows }, (_, k) => cell(k < rows ? 20 : COLOURS.length));
  const labels = Int32Array.from({ length: rows }, (_, i) => {
    const isDark = [1, 3, MISSING_BIN].includes(bins[rows + i]);
    return random.uniform() < 0.1 ? random.integer(3) : isDark ? 2 : Number(bins[i] > 7);
  });
  return new Sample({
    features: new BinnedColumns(rows, features, bins),
    labels,
    classes: ["small", "large", "dark"],
    featureNames: ["size", "colour"],
  });
}

/** Follows the picture of a tree by reading its words. */
function readPicture(node: TreeNode, size: number | undefined, colour: string): string {
  if (node.kind === "leaf") return node.label;
  const [, name, value] = /^(\w+) (?:≤|is) (.*)$/.exec(node.condition) ?? [];
  const names = value.split(/, | or /);
  const answer =
    name === "colour" || value === "missing"
      ? names.includes(name === "colour" ? colour : size === undefined ? "missing" : "present")
      : size === undefined
        ? undefined
        : size <= Number(value);
  const wanted = answer === undefined ? /missing/ : answer ? /^yes/ : /^no/;
  const branch = node.branches.find(({ outcome }) => wanted.test(outcome));
  if (!branch) throw new Error(`${node.condition} does not say where ${size}, ${colour} goes.`);
  return readPicture(branch.node, size, colour);
}

describe("the picture of a tree", () => {
  it("says in words what the tree does, with categories and missing cells", async () => {
    for (const [seed, prune] of [
      [1, "cross-validation"],
      [2, "none"],
      [3, 0.001],
    ] as const) {
      const sample = mixedRows(300, seed);
      const model = await tree({ prune }).fit(sample, { seed });
      const root = rootOf(model);
      const { features } = mixedRows(200, seed + 10);
      const predictions = model.predict(features);
      for (let i = 0; i < features.rows; i++) {
        const [size, colour] = [features.column(0)[i], features.column(1)[i]];
        const word = readPicture(
          root,
          size === MISSING_BIN ? undefined : size,
          colour === MISSING_BIN ? "missing" : COLOURS[colour],
        );
        expect(word).toBe(model.classes[predictions[i]]);
      }
    }
  });

  it("leaves out small branches of a huge tree and counts their splits", async () => {
    const model = await tree({ prune: "none" }).fit(noiseRows(3000, 3, (_, random) => random.integer(2)));
    const count = (node: TreeNode): { shown: number; hidden: number } =>
      node.kind === "leaf"
        ? { shown: 0, hidden: node.hiddenSplits ?? 0 }
        : node.branches
            .map((branch) => count(branch.node))
            .reduce((a, b) => ({ shown: a.shown + b.shown, hidden: a.hidden + b.hidden }), {
              shown: 1,
              hidden: 0,
            });
    const { shown, hidden } = count(rootOf(model));
    expect(shown).toBe(500);
    expect(shown + hidden).toBe(model.trees.splits);
  });
});
