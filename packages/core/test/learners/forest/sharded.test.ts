import { describe, expect, it } from "vitest";
import { BinnedColumns, type BinnedFeature } from "#core/encode/binned-columns.js";
import { Sample } from "#core/encode/sample.js";
import { fitForestShard, fitRandomTreesShard } from "#core/learners/forest/fit-forest-shard.js";
import { forest, randomTrees } from "#core/learners/forest/forest.js";
import { scheduleTrees, treesAtOnce } from "#core/learners/forest/tree-schedule.js";
import { type Exchange, memoryExchange } from "#core/runtime/exchange.js";
import { Random } from "#core/runtime/random.js";
import type { Run } from "#core/runtime/run.js";
import { ShardGroup } from "#core/runtime/shard-group.js";
import { threadExecutor } from "#core/runtime/threads.js";
import { evenly, rowsOf, type Shape, shardsOf, stateOf } from "../shard-samples.js";

type ForestOptions = NonNullable<Parameters<typeof forest>[0]>;
type RandomTreesOptions = NonNullable<Parameters<typeof randomTrees>[0]>;

/** Fits forests on all shards at once; returns the bytes of their models. */
function fitForests(
  shards: readonly Sample<BinnedColumns>[],
  options: ForestOptions,
  { exchange = memoryExchange(), run = [] }: { exchange?: Exchange; run?: readonly Partial<Run>[] } = {},
): Promise<string[]> {
  return Promise.all(
    shards.map(async (shard, s) => {
      const group = new ShardGroup(exchange, s, shards.length);
      return stateOf(await fitForestShard(shard, options, group, { seed: 7, ...run[s] }));
    }),
  );
}

const FORESTS: readonly [string, Shape, ForestOptions][] = [
  ["two classes", { rows: 1500, classes: 2 }, {}],
  ["five classes", { rows: 1500, classes: 5 }, { minLeafRows: 3 }],
  ["entropy", { rows: 1200, classes: 3 }, { criterion: "entropy" }],
  ["weights", { rows: 1200, classes: 3, weighted: true }, {}],
  ["balanced classes", { rows: 1200, classes: 3 }, { classWeights: "balanced" }],
  ["all rows for each tree", { rows: 1000, classes: 2 }, { bootstrap: false }],
  ["few rows for each tree", { rows: 1500, classes: 2 }, { rowsPerTree: 0.1, criterion: "entropy" }],
  ["few distinct rows", { rows: 1500, classes: 4 }, { rowsPerTree: 0.2, bootstrap: false, minLeafRows: 2 }],
  ["few rows with weights", { rows: 1500, classes: 2, weighted: true }, { rowsPerTree: 0.2 }],
  ["halves", { rows: 1301, classes: 3 }, { halves: true, trees: 10, rowsPerTree: 0.7 }],
];

describe("forests on shards are those of one machine, bit for bit", () => {
  it.each(FORESTS)("%s", async (_, shape, given) => {
    const options = { trees: 11, ...given };
    const sample = rowsOf(shape);
    const expected = stateOf(await forest(options).fit(sample, { seed: 7 }));
    for (const shards of [1, 2, 3, 7]) {
      const models = await fitForests(shardsOf(sample, evenly(sample.rows, shards)), options);
      expect(new Set(models)).toEqual(new Set([expected]));
    }
  });

  it.each([
    ["two classes", { rows: 1500, classes: 2 }, { bootstrap: true, minLeafRows: 2 }],
    ["five classes", { rows: 1200, classes: 5 }, {}],
    ["few rows for each tree", { rows: 1500, classes: 3 }, { rowsPerTree: 0.2 }],
    ["halves", { rows: 1200, classes: 3 }, { halves: true }],
  ] satisfies [string, Shape, RandomTreesOptions][])(
    "completely random trees: %s",
    async (_, shape, given) => {
      const options = { trees: 10, ...given };
      const sample = rowsOf(shape);
      const expected = stateOf(await randomTrees(options).fit(sample, { seed: 7 }));
      for (const shards of [1, 2, 3, 7]) {
        const exchange = memoryExchange();
        const fits = shardsOf(sample, evenly(sample.rows, shards)).map(async (shard, s) =>
          stateOf(
            await fitRandomTreesShard(shard, options, new ShardGroup(exchange, s, shards), { seed: 7 }),
          ),
        );
        expect(new Set(await Promise.all(fits))).toEqual(new Set([expected]));
      }
    },
  );

  it("with shards of unequal size, of one row, of none and of one class", async () => {
    const mixed = rowsOf({ rows: 1200, classes: 3 });
    const order = Array.from(mixed.labels.keys()).sort((a, b) => mixed.labels[a] - mixed.labels[b]);
    const sample = mixed.select(order);
    const ofClass = [0, 1, 2].map((label) => sample.labels.lastIndexOf(label) + 1);
    const options = { trees: 9, rowsPerTree: 0.6 };
    const expected = stateOf(await forest(options).fit(sample, { seed: 7 }));
    for (const ends of [[1, 1200], [0, 0, 1200, 1200], [900, 900, 901, 1100, 1200], ofClass]) {
      expect(new Set(await fitForests(shardsOf(sample, ends), options))).toEqual(new Set([expected]));
    }
  });

  it("with different numbers of threads, on rows that are drawn from in several pieces", async () => {
    const sample = rowsOf({ rows: 80_000, classes: 2 });
    const executors = [3, 1, 2].map((threads) => threadExecutor({ threads }));
    try {
      for (const options of [{ trees: 5 }, { trees: 7, bootstrap: false, rowsPerTree: 0.05 }]) {
        const expected = stateOf(await forest(options).fit(sample, { seed: 7 }));
        const run = executors.map((executor) => ({ executor }));
        const models = await fitForests(shardsOf(sample, [30_000, 70_000, 80_000]), options, { run });
        expect(new Set(models)).toEqual(new Set([expected]));
      }
    } finally {
      await Promise.all(executors.map((executor) => executor.close()));
    }
  });
});

describe("what shards send", () => {
  /** Notes the bytes of each message, by the shards that it goes from and to. */
  function countingExchange() {
    const honest = memoryExchange();
    const sizes: number[] = [];
    const exchange: Exchange = {
      get: honest.get,
      put: (key, bytes) => {
        sizes.push(bytes.length);
        return honest.put(key, bytes);
      },
    };
    return { exchange, sizes };
  }

  it("are messages of a megabyte at most, and the drawn rows only", async () => {
    const [rows, columns] = [12_000, 300];
    const random = new Random(3);
    const features = Array.from(
      { length: columns },
      (_, j): BinnedFeature => ({ kind: "numeric", name: `x${j}`, cuts: new Float64Array(0) }),
    );
    const bins = Uint8Array.from({ length: rows * columns }, () => random.integer(4));
    const labels = Int32Array.from({ length: rows }, () => random.integer(2));
    const sample = new Sample({
      features: new BinnedColumns(rows, features, bins),
      labels,
      classes: ["0", "1"],
    });
    const sentWith = async (rowsPerTree: number) => {
      const { exchange, sizes } = countingExchange();
      const options = { trees: 4, maxDepth: 2, outOfBag: false, bootstrap: false, rowsPerTree };
      await fitForests(shardsOf(sample, evenly(rows, 2)), options, { exchange });
      return { most: Math.max(...sizes), all: sizes.reduce((sum, size) => sum + size, 0) };
    };
    const whole = await sentWith(1);
    expect(whole.most).toBeGreaterThan(2 ** 19);
    expect(whole.most).toBeLessThanOrEqual(2 ** 20);
    // Half of the rows of each tree are on the other shard; each has a byte for each column, its class and its count.
    const expected = 4 * 6000 * (columns + 4);
    expect(whole.all).toBeGreaterThan(expected);
    expect(whole.all).toBeLessThan(expected * 1.02);
    expect((await sentWith(0.1)).all).toBeLessThan(0.12 * whole.all);
  });

  it("refuses a message that was cut off", async () => {
    const shards = shardsOf(rowsOf({ rows: 400, classes: 2 }), [200, 400]);
    const honest = memoryExchange();
    const exchange: Exchange = {
      get: honest.get,
      put: (key, bytes) =>
        honest.put(key, bytes.length > 1000 ? bytes.subarray(0, bytes.length - 40) : bytes),
    };
    const stop = new AbortController();
    const fits = shards.map((shard, s) => {
      const group = new ShardGroup(exchange, s, 2, { signal: stop.signal });
      return fitForestShard(shard, { trees: 3 }, group, { seed: 7 });
    });
    try {
      await expect(Promise.any(fits)).rejects.toMatchObject({
        errors: [
          { message: expect.stringMatching(/Shard \d has sent a malformed message/) },
          { message: expect.stringMatching(/Shard \d has sent a malformed message/) },
        ],
      });
    } finally {
      stop.abort();
      await Promise.allSettled(fits);
    }
  });
});

describe("the schedule of trees", () => {
  it("gives each tree to one shard, as many at a time as it has room for", () => {
    const batches = scheduleTrees(23, [2, 1, 4]);
    expect(batches.flat(2).sort((a, b) => a - b)).toEqual(Array.from({ length: 23 }, (_, t) => t));
    for (const batch of batches.slice(0, -1)) expect(batch.map((trees) => trees.length)).toEqual([2, 1, 4]);
    // The last trees are on different shards.
    expect(batches[batches.length - 1].map((trees) => trees.length)).toEqual([1, 1, 0]);
  });

  it("grows a tree at least, and no more than threads or memory allow", () => {
    expect(treesAtOnce(4, 1000, 28)).toBe(4);
    expect(treesAtOnce(64, 1_000_000, 28)).toBeLessThan(8);
    expect(treesAtOnce(4, 2 ** 31, 28)).toBe(1);
  });
});
