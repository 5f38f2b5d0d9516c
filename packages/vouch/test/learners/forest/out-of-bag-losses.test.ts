import { describe, expect, it } from "vitest";
import { forest, randomTrees } from "#vouch/learners/forest/forest.js";
import { growForestsWithFacts } from "#vouch/learners/forest/grow-forest.js";
import { MOST_PAIRED_TREES, outOfBagLosses, outOfBagVotes } from "#vouch/learners/forest/out-of-bag.js";
import { TreeColumns } from "#vouch/learners/tree/tree-columns.js";
import { FULL_GROWTH } from "#vouch/learners/tree/tree-grower.js";
import { completeRun } from "#vouch/runtime/run.js";
import { fault } from "../../fault.js";
import { isOdd, noiseRows } from "./binned-samples.js";

const run = completeRun();

/** A forest with leaves of mixed classes, and the losses of its trees on out-of-bag rows. */
async function tinyForest(rows: number, trees: number) {
  const { features, labels } = noiseRows(rows, 2, (_, random) => random.integer(3));
  const columns = TreeColumns.of(features);
  const growth = { ...FULL_GROWTH, minLeafRows: 4 };
  const all = Int32Array.from({ length: rows }, (_, i) => i);
  const plan = { growth, trees, bootstrap: true, seed: 7, rows: all };
  const [grown] = await growForestsWithFacts(columns, { labels, classes: 3 }, [plan], run);
  const { losses } = await outOfBagVotes(grown, columns, labels, run);
  columns.release();
  return { outOfBag: grown.outOfBag, losses, rows };
}

describe("losses on out-of-bag rows", () => {
  it("are means over trees and over pairs, by brute force", async () => {
    const rows = 300;
    const forest = await tinyForest(rows, 6);
    const lossOf = (t: number, row: number) => forest.losses[t][forest.outOfBag[t].indexOf(row)];
    const [single, pairs] = [
      [0, 0],
      [0, 0],
    ];
    for (let a = 0; a < 6; a++) {
      for (let b = 0; b < 6; b++) {
        const common = Array.from(forest.outOfBag[a]).filter((row) => forest.outOfBag[b].includes(row));
        const products = common.reduce((sum, row) => sum + lossOf(a, row) * lossOf(b, row), 0);
        pairs[0] += products / common.length / 36;
        pairs[1] += 1 / common.length / 36;
      }
      const { length } = forest.outOfBag[a];
      single[0] += forest.losses[a].reduce((sum, loss) => sum + loss, 0) / length / 6;
      single[1] += 1 / length / 6;
    }
    const facts = await outOfBagLosses(forest, run);
    expect(facts.single.loss).toBeCloseTo(single[0], 12);
    expect(facts.single.rows).toBeCloseTo(1 / single[1], 9);
    expect(facts.pairs?.loss).toBeCloseTo(pairs[0], 12);
    expect(facts.pairs?.rows).toBeCloseTo(1 / pairs[1], 9);
    // Leaves are mixed: losses are not only zeros and ones.
    expect(forest.losses.some((losses) => losses.some((loss) => loss > 0.1 && loss < 0.9))).toBe(true);
  });

  it("use a subsample of the rows if there are many pairs, and single trees only if there are more", async () => {
    const rows = 10_000;
    const unseen = Int32Array.from({ length: rows }, (_, i) => i);
    const wrong = Float32Array.from(unseen, (row) => Number(row >= 6000 && row < 6020));
    const alike = (count: number) => ({
      outOfBag: new Array<Int32Array>(count).fill(unseen),
      losses: new Array<Float32Array>(count).fill(wrong),
      rows,
    });
    const { single, pairs } = await outOfBagLosses(alike(MOST_PAIRED_TREES), run);
    expect(single.rows).toBeCloseTo(rows, 6);
    expect(single.loss).toBeCloseTo(20 / rows, 12);
    const measured = Math.floor(2 ** 32 / MOST_PAIRED_TREES ** 2);
    expect(pairs?.rows).toBeCloseTo(measured, 6);
    // 20 neighbours: 20 · 4294/10000 = 8.6.
    expect([8, 9]).toContain(Math.round((pairs?.loss ?? 0) * measured));
    expect(Object.keys(await outOfBagLosses(alike(MOST_PAIRED_TREES + 1), run))).toEqual(["single"]);
  });

  it("are 1, the largest possible, for pairs without common rows", async () => {
    const outOfBag = [Int32Array.of(0), Int32Array.of(1)];
    const losses = [Float32Array.of(0), Float32Array.of(0)];
    const facts = await outOfBagLosses({ outOfBag, losses, rows: 2 }, run);
    expect(facts).toEqual({ single: { loss: 0, rows: 1 }, pairs: { loss: 0.5, rows: 0 } });
  });
});

describe("certificates of a forest", () => {
  const sample = noiseRows(1000, 2, isOdd);
  const at = { confidence: 0.95 };

  it("are above the error of a good forest and below one half", async () => {
    const model = await forest({ trees: 30 }).fit(sample);
    const fresh = noiseRows(2000, 2, isOdd, { seed: 3, like: sample });
    const error = model.predict(fresh.features).filter((k, i) => k !== fresh.labels[i]).length / 2000;
    const [tandem, first] = model.certificates?.(at) ?? [];
    expect([tandem.name, first.name]).toEqual(["forest-tandem", "forest-first-order"]);
    for (const { value, holds } of [tandem, first]) {
      expect(holds).toBe(true);
      expect(value).toBeGreaterThan(error);
      expect(value).toBeLessThan(0.5);
    }
    expect(first.terms["out-of-bag rows of a tree"]).toBe(model.outOfBagLosses?.single.rows);
  });

  it("need out-of-bag rows and equal weights", async () => {
    const weights = Float64Array.from(sample.labels, (_, i) => 1 + (i % 2));
    for (const model of [
      await forest({ trees: 3, bootstrap: false }).fit(sample),
      await forest({ trees: 3, outOfBag: false }).fit(sample),
      await forest({ trees: 3, classWeights: "balanced" }).fit(sample),
      await forest({ trees: 3 }).fit(sample.weighted(weights)),
      await randomTrees({ trees: 3 }).fit(sample),
    ]) {
      expect(model.certificates?.(at)).toEqual([]);
    }
    const model = await randomTrees({ trees: 3, bootstrap: true }).fit(sample);
    expect(model.certificates?.(at)).toHaveLength(2);
  });

  it("cannot come from files with impossible losses", async () => {
    const model = await forest({ trees: 3 }).fit(sample);
    for (const single of [
      { loss: 1.1, rows: 10 },
      { loss: 0.1, rows: 1001 },
      { loss: 0.1, rows: -1 },
    ]) {
      const damaged = forest.assemble({ ...model, outOfBagLosses: { single } });
      expect(fault(() => forest.restore(damaged.toState())).code).toBe("model/corrupt");
    }
  });
});
