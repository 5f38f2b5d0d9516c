import { describe, expect, it } from "vitest";
import { BinnedColumns } from "#core/encode/binned-columns.js";
import { Sample } from "#core/encode/sample.js";
import { forest, randomTrees } from "#core/learners/forest/forest.js";
import type { ForestPlan } from "#core/learners/forest/forest-thread.js";
import { growForests } from "#core/learners/forest/grow-forest.js";
import { OutOfBagVotes } from "#core/learners/forest/out-of-bag.js";
import { FULL_GROWTH } from "#core/learners/tree/growth-options.js";
import { markSample } from "#core/learners/tree/sample-rows.js";
import { TreeColumns } from "#core/learners/tree/tree-columns.js";
import { loneGrowerLayout, TreeGrower } from "#core/learners/tree/tree-grower.js";
import { TreeTarget } from "#core/learners/tree/tree-target.js";
import { Random } from "#core/runtime/maths/random.js";
import { runNow } from "#core/runtime/parallel/pausable.js";
import { completeRun } from "#core/runtime/parallel/run.js";
import { threadExecutor } from "#core/runtime/parallel/threads.js";
import { Arena, bytesOf } from "#core/runtime/wasm/arena.js";
import { isOdd, noiseRows } from "./binned-samples.js";

const all = (rows: number) => Int32Array.from({ length: rows }, (_, i) => i);

/** Grows the trees of a plan one by one; returns each with the rows that it has not seen. */
function grownAlone({ features, labels, classes }: Sample<BinnedColumns>, plan: ForestPlan) {
  using columns = TreeColumns.of(features);
  using target = TreeTarget.of(labels, classes.length, undefined, columns.memory);
  using arena = Arena.allocate(bytesOf(loneGrowerLayout(columns, target)), columns.memory);
  const grower = TreeGrower.alone(columns, target, arena);
  return Array.from({ length: plan.trees }, (_, t) =>
    runNow(grower.grow({ ...plan, seed: new Random(plan.seed).fork(t).uniform() })),
  );
}

describe("a draw without replacement", () => {
  it("has the wanted number of rows, each at most once", () => {
    for (const [rows, draws] of [
      [1, 1],
      [1000, 1],
      [1000, 999],
      [200_000, 3],
      [200_000, 66_667],
    ]) {
      const drawn = new Uint16Array(rows).fill(7);
      markSample(draws, 5, drawn);
      expect(drawn.reduce((sum, count) => sum + count, 0)).toBe(draws);
      expect(Math.max(...new Set(drawn))).toBe(1);
    }
  });

  it("takes each row, and each pair of rows, with the same probability", () => {
    const [rows, draws, trials] = [6, 2, 30_000];
    const counts = new Map<string, number>();
    for (let seed = 0; seed < trials; seed++) {
      const drawn = new Uint16Array(rows);
      markSample(draws, seed, drawn);
      counts.set(drawn.join(""), (counts.get(drawn.join("")) ?? 0) + 1);
    }
    // 15 pairs; chi-square with 14 degrees of freedom exceeds 42 with a probability of 10⁻⁴.
    expect(counts.size).toBe(15);
    const expected = trials / 15;
    const chi = [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
    expect(chi).toBeLessThan(42);
  });

  it("takes rows of all pieces equally often, even if there are fewer draws than pieces", () => {
    const pieces = 5;
    const ofPiece = new Float64Array(pieces);
    for (let seed = 0; seed < 40; seed++) {
      const drawn = new Uint16Array(pieces * 65_536);
      markSample(2, seed, drawn);
      ofPiece[Math.floor(drawn.indexOf(1) / 65_536)]++;
      ofPiece[Math.floor(drawn.lastIndexOf(1) / 65_536)]++;
    }
    expect(ofPiece.every((count) => count > 5)).toBe(true);
  });
});

describe("rowsPerTree", () => {
  const sample = noiseRows(400, 3, isOdd);

  it.each([true, false])("draws a fraction of the rows for each tree, bootstrap %s", (bootstrap) => {
    const plan = { growth: FULL_GROWTH, trees: 40, bootstrap, draws: 100, seed: 3, rows: all(400) };
    const unseen = grownAlone(sample, plan).map(({ outOfBag }) => outOfBag.length);
    if (!bootstrap) expect(new Set(unseen)).toEqual(new Set([300]));
    else {
      // The mean number of rows that 100 draws from 400 leave out is 400 (1 − 1/400)¹⁰⁰ = 311.4, with a deviation of about 3 each.
      const mean = unseen.reduce((sum, count) => sum + count, 0) / 40;
      expect(Math.abs(mean - 400 * (1 - 1 / 400) ** 100)).toBeLessThan(2.5);
      expect(Math.min(...unseen)).toBeGreaterThanOrEqual(300);
    }
  });

  it.each([
    [forest, { rowsPerTree: 0.3 }],
    [forest, { rowsPerTree: 0.3, bootstrap: false }],
    [randomTrees, { rowsPerTree: 0.3 }],
  ] as const)("measures out-of-bag rows of bags of any size, by brute force", async (learner, options) => {
    const { features, labels } = sample;
    const bootstrap = learner === forest && !("bootstrap" in options);
    const model = await learner({ trees: 9, ...options }).fit(sample, { seed: 4 });
    const growth = {
      ...FULL_GROWTH,
      ...(learner === forest ? { featuresPerSplit: 1 } : { splits: "random" as const }),
    };
    const bags = grownAlone(sample, { growth, trees: 9, bootstrap, draws: 120, seed: 4, rows: all(400) });
    const lossOf = (t: number, row: number) => {
      const shares = new Float32Array(2);
      model.trees.addLeaf(t, model.trees.leafOf(t, features, row), shares, 0);
      return Math.max(0, 1 - shares[labels[row]]);
    };
    const single = bags.map(({ outOfBag }, t) => {
      return { loss: outOfBag.reduce((sum, row) => sum + lossOf(t, row), 0), rows: outOfBag.length };
    });
    const facts = model.outOfBagLosses;
    expect(facts?.single.loss).toBeCloseTo(
      single.reduce((sum, { loss, rows }) => sum + loss / rows / 9, 0),
      12,
    );
    expect(facts?.single.rows).toBeCloseTo(9 / single.reduce((sum, { rows }) => sum + 1 / rows, 0), 9);
    let errors = 0;
    for (let row = 0; row < 400; row++) {
      const scores = new Float64Array(2);
      bags.forEach(({ outOfBag }, t) => {
        if (outOfBag.includes(row)) model.trees.addLeaf(t, model.trees.leafOf(t, features, row), scores, 0);
      });
      if ((scores[1] > scores[0] ? 1 : 0) !== labels[row]) errors++;
    }
    expect(model.outOfBag).toEqual({ rows: 400, errors });
    // Both bounds are certificates, and their premises on bags and rows hold as for bootstrap samples.
    const certificates = model.certificates?.({ confidence: 0.95 }) ?? [];
    expect(certificates.map(({ name }) => name)).toEqual(["forest-tandem", "forest-first-order"]);
    expect(certificates[1].terms["out-of-bag rows of a tree"]).toBe(facts?.single.rows);
  });

  it("grows each tree from its bag alone, the premise of the certificates", async () => {
    for (const bootstrap of [true, false]) {
      const plan = { growth: FULL_GROWTH, trees: 12, bootstrap, draws: 200, seed: 9, rows: all(400) };
      const before = grownAlone(sample, plan);
      const row = 123;
      const labels = sample.labels.slice();
      labels[row] = 1 - labels[row];
      const bins = sample.features.bins.slice();
      for (let j = 0; j < 3; j++) bins[j * 400 + row] = 100;
      const changed = new Sample({
        ...sample,
        features: new BinnedColumns(400, sample.features.features, bins),
        labels,
      });
      const after = grownAlone(changed, plan);
      const unseen = before.map(({ outOfBag }) => outOfBag.includes(row));
      expect(new Set(unseen).size).toBe(2);
      const isSame = (t: number) =>
        JSON.stringify(after[t].tree.arrays) === JSON.stringify(before[t].tree.arrays);
      for (const [t, isUnseen] of unseen.entries()) {
        expect(after[t].outOfBag).toEqual(before[t].outOfBag);
        if (isUnseen) expect(isSame(t)).toBe(true);
      }
      expect(unseen.some((isUnseen, t) => !isUnseen && !isSame(t))).toBe(true);
    }
  });

  it("is the same on threads, and 1 takes all rows", async () => {
    const executor = threadExecutor({ threads: 3 });
    try {
      const large = noiseRows(30_000, 3, isOdd);
      for (const options of [{ rowsPerTree: 0.2 }, { rowsPerTree: 0.2, bootstrap: false }]) {
        const learner = forest({ trees: 6, ...options });
        const [alone, together] = [
          await learner.fit(large, { seed: 1 }),
          await learner.fit(large, { seed: 1, executor }),
        ];
        expect(together.toState()).toEqual(alone.toState());
      }
    } finally {
      await executor.close();
    }
    const whole = await forest({ trees: 3, rowsPerTree: 0.9999, bootstrap: false }).fit(sample);
    expect(whole.toState()).toEqual((await forest({ trees: 3, bootstrap: false }).fit(sample)).toState());
    expect(whole.outOfBag).toBeUndefined();
    expect(() => forest({ rowsPerTree: 0 })).toThrow("rowsPerTree");
    expect(() => forest({ rowsPerTree: 1.5 })).toThrow("rowsPerTree");
  });

  it("draws from each half of the rows, of which the other one tests", async () => {
    const model = await forest({ trees: 10, halves: true, rowsPerTree: 0.1 }).fit(sample, { seed: 2 });
    expect(model.halves?.first.rows).toBe(200);
    expect(model.halves?.second.rows).toBe(200);
    const full = await forest({ trees: 10, halves: true }).fit(sample, { seed: 2 });
    expect(model.trees.leaves).toBeLessThan(full.trees.leaves / 3);
  });

  it("votes of a plan are those on rows that were not drawn", async () => {
    using columns = TreeColumns.of(sample.features);
    using votes = new OutOfBagVotes(columns, 2, 20, true);
    const plan = { growth: FULL_GROWTH, trees: 20, bootstrap: false, draws: 40, seed: 3, rows: all(400) };
    const target = { labels: sample.labels, classes: 2 };
    await growForests(columns, target, [{ ...plan, votes: votes.buffers }], completeRun());
    const counted = columns.memory.i32(votes.buffers.outOfBag.votes, 400);
    expect(counted.reduce((sum, count) => sum + count, 0)).toBe(20 * 360);
  });
});

describe("large trees", () => {
  it("are whole if splits are lopsided, so that jobs keep rows on both sides", async () => {
    const random = new Random(1);
    const rows = 30_000;
    const features = [0, 1, 2].map((j) => ({
      kind: "numeric" as const,
      name: `x${j}`,
      cuts: new Float64Array(0),
    }));
    const bins = Uint8Array.from({ length: 3 * rows }, () => random.integer(255));
    const labels = Int32Array.from({ length: rows }, () => random.integer(2));
    const noise = new Sample({
      features: new BinnedColumns(rows, features, bins),
      labels,
      classes: ["0", "1"],
    });
    for (const seed of [1, 4]) {
      const model = await randomTrees({ trees: 4 }).fit(noise, { seed });
      // A restored model is checked: every walk through its trees ends.
      expect(randomTrees.restore(model.toState()).trees.leaves).toBe(model.trees.leaves);
      // Rows that differ are told apart: unlimited trees are right on all of them.
      const wrong = model.predict(noise.features).filter((label, i) => label !== labels[i]).length;
      expect(wrong / rows).toBeLessThan(0.001);
    }
  });
});
