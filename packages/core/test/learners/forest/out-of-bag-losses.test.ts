import { describe, expect, it } from "vitest";
import { forest, randomTrees } from "#core/learners/forest/forest.js";
import { growForests } from "#core/learners/forest/grow-forest.js";
import { MOST_PAIRED_TREES, OutOfBagVotes, pairRows, pairSums } from "#core/learners/forest/out-of-bag.js";
import { FULL_GROWTH } from "#core/learners/tree/growth-options.js";
import { TreeColumns } from "#core/learners/tree/tree-columns.js";
import { Random } from "#core/runtime/maths/random.js";
import { runOnThreads } from "#core/runtime/parallel/pausable.js";
import { completeRun } from "#core/runtime/parallel/run.js";
import { wasmMemory } from "#core/runtime/wasm/wasm-memory.js";
import { fault } from "../../fault.js";
import { bagsOf, isOdd, noiseRows } from "./binned-samples.js";

const run = completeRun();

/** Losses of pairs are rounded up to multiples of this. */
const UNIT = 1 / 4096;

describe("losses on out-of-bag rows", () => {
  it("are means over trees and over pairs, by brute force", async () => {
    const { features, labels } = noiseRows(300, 2, (_, random) => random.integer(3));
    using columns = TreeColumns.of(features);
    const rows = Int32Array.from({ length: 300 }, (_, i) => i);
    const growth = { ...FULL_GROWTH, minLeafRows: 4 };
    const plan = { growth, trees: 7, bootstrap: true, seed: 7, rows };
    using votes = new OutOfBagVotes(columns, 3, 7, true);
    const target = { labels, classes: 3 };
    const [trees] = await growForests(columns, target, [{ ...plan, votes: votes.buffers }], run);
    const outOfBag = bagsOf(columns, target, plan);
    const lossOf = (t: number, row: number) => {
      const shares = new Float32Array(3);
      trees.addLeaf(t, trees.leafOf(t, features, row), shares, 0);
      return Math.max(0, 1 - shares[labels[row]]);
    };
    const roundedUp = (t: number, row: number) => Math.ceil(lossOf(t, row) / UNIT) * UNIT;
    const single = { loss: 0, inverse: 0 };
    const pairs = { loss: 0, inverse: 0 };
    for (let a = 0; a < 7; a++) {
      for (let b = 0; b < 7; b++) {
        const common = Array.from(outOfBag[a]).filter((row) => outOfBag[b].includes(row));
        const products = common.reduce((sum, row) => sum + roundedUp(a, row) * roundedUp(b, row), 0);
        pairs.loss += products / common.length / 49;
        pairs.inverse += 1 / common.length / 49;
      }
      const { length } = outOfBag[a];
      single.loss += outOfBag[a].reduce((sum, row) => sum + lossOf(a, row), 0) / length / 7;
      single.inverse += 1 / length / 7;
    }
    const facts = await runOnThreads(votes.losses(), run);
    expect(facts.single.loss).toBeCloseTo(single.loss, 12);
    expect(facts.single.rows).toBeCloseTo(1 / single.inverse, 9);
    expect(facts.pairs?.loss).toBeCloseTo(pairs.loss, 12);
    expect(facts.pairs?.rows).toBeCloseTo(1 / pairs.inverse, 9);
    // Leaves are mixed: losses are not only zeros and ones.
    const some = Array.from(outOfBag[0], (row) => lossOf(0, row));
    expect(some.some((loss) => loss > 0.1 && loss < 0.9)).toBe(true);
  });

  it.each([
    [1, 1],
    [2, 130],
    [21, 5000],
  ])("of pairs of %i trees on %i rows are summed exactly", async (trees, measured) => {
    const memory = wasmMemory();
    const random = new Random(3);
    const padded = Math.ceil(measured / 128) * 128;
    const even = trees + (trees % 2);
    const blocks = [memory.allocate(2 * padded * even), memory.allocate((padded / 8) * even)];
    const [losses, bits] = blocks.map(({ pointer }) => pointer);
    const table = new Int16Array(memory.u8(losses, 0).buffer, losses, padded * even).fill(0);
    const seen = memory.u8(bits, (padded / 8) * even).fill(0);
    for (let t = 0; t < trees; t++) {
      for (let row = 0; row < measured; row++) {
        if (random.uniform() < 0.6) continue;
        table[t * padded + row] = random.uniform() < 0.3 ? 4096 : random.integer(4097);
        seen[(t * padded + row) >> 3] |= 1 << (row & 7);
      }
    }
    const buffers = { votes: 0, lossSums: 0, lossCounts: 0, measured, losses, bits };
    const sums = await runOnThreads(pairSums(buffers, trees, memory), run);
    for (let a = 0, k = 0; a < trees; a++) {
      for (let b = 0; b <= a; b++, k++) {
        let [product, rows] = [0, 0];
        for (let row = 0; row < measured; row++) {
          product += table[a * padded + row] * table[b * padded + row];
          const has = (t: number) => (seen[(t * padded + row) >> 3] >> (row & 7)) & 1;
          rows += has(a) & has(b);
        }
        expect([sums.products[k] * 2 ** 24, sums.rows[k]]).toEqual([product, rows]);
      }
    }
    for (const block of blocks) memory.release(block);
  });

  it("use a subsample of the rows if there are many pairs, and single trees only if there are more", async () => {
    expect(pairRows(300, 7)).toBe(300);
    expect(pairRows(1_000_000, 100)).toBe(429_496);
    expect(pairRows(20_000_000, 10)).toBe(6_710_886);
    expect(pairRows(10_000, MOST_PAIRED_TREES)).toBe(4294);
    expect(pairRows(10_000, MOST_PAIRED_TREES + 1)).toBe(0);
    const stumps = { trees: MOST_PAIRED_TREES + 1, maxDepth: 1 };
    const model = await forest(stumps).fit(noiseRows(30, 1, isOdd));
    expect(Object.keys(model.outOfBagLosses ?? {})).toEqual(["single"]);
  });

  it("are 1, the largest possible, for pairs without common rows", async () => {
    using columns = TreeColumns.of(noiseRows(2, 1, isOdd).features);
    using votes = new OutOfBagVotes(columns, 2, 2, true);
    const { lossCounts, losses, bits } = votes.buffers.outOfBag;
    columns.memory.i32(lossCounts, 2).fill(1);
    columns.memory.u8(losses, 2 * 2 * 128).fill(0);
    const seen = columns.memory.u8(bits, 2 * 16).fill(0);
    seen[0] = 1;
    seen[16] = 2;
    expect(await runOnThreads(votes.losses(), run)).toEqual({
      single: { loss: 0, rows: 1 },
      pairs: { loss: 0.5, rows: 0 },
    });
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
