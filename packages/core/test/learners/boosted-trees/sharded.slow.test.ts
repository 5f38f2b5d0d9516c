import { describe, expect, it } from "vitest";
import { BinnedColumns, type BinnedFeature, MISSING_BIN } from "#core/encode/binned-columns.js";
import { Sample } from "#core/encode/sample.js";
import { boostedTrees } from "#core/learners/boosted-trees/boosted-trees.js";
import { fitBoostedShard } from "#core/learners/boosted-trees/fit-shard.js";
import { Random } from "#core/runtime/maths/random.js";
import { threadExecutor } from "#core/runtime/parallel/threads.js";
import { type Exchange, memoryExchange } from "#core/runtime/shards/exchange.js";
import { ShardGroup } from "#core/runtime/shards/shard-group.js";

/** The sizes of a sample. */
interface Shape {
  readonly rows: number;
  readonly classes: number;
  readonly weighted?: boolean;
}

/**
 * Makes rows with numbers, flags, missing cells and categories; some bins, levels and missing cells occur in few places, so that
 * most shards have only some of them. Labels follow from some of the columns.
 */
function rowsOf({ rows, classes, weighted = false }: Shape): Sample<BinnedColumns> {
  const random = new Random(1);
  const numeric = (name: string): BinnedFeature => ({ kind: "numeric", name, cuts: new Float64Array(0) });
  const features: BinnedFeature[] = [
    ...["a", "b", "c", "flag", "few"].map(numeric),
    { kind: "categorical", name: "colour", levels: Array.from({ length: 40 }, (_, k) => `level ${k}`) },
    numeric("constant"),
  ];
  const bins = new Uint8Array(rows * features.length);
  const labels = new Int32Array(rows);
  for (let i = 0; i < rows; i++) {
    const cells = [
      random.integer(255),
      i < rows / 2 && random.uniform() < 0.3 ? MISSING_BIN : random.integer(200),
      i > 0.9 * rows ? 100 + random.integer(100) : random.integer(60),
      random.integer(2),
      random.integer(5),
      Math.floor((38 * i) / rows) + random.integer(2),
      0,
    ];
    cells.forEach((bin, j) => {
      bins[j * rows + i] = bin;
    });
    const score = cells[0] / 60 + (cells[1] === MISSING_BIN ? 2 : cells[1] / 100) + cells[3] + (cells[5] % 3);
    labels[i] = Math.floor(score + random.uniform()) % classes;
  }
  const weights = weighted
    ? Float64Array.from({ length: rows }, () => Math.max(0, random.normal() + 1.5))
    : undefined;
  return new Sample({
    features: new BinnedColumns(rows, features, bins),
    labels,
    classes: Array.from({ length: classes }, (_, k) => `class ${k}`),
    ...(weights && { weights }),
  });
}

/** Cuts rows into contiguous shards that end where `ends` say. */
function shardsOf(sample: Sample<BinnedColumns>, ends: readonly number[]): Sample<BinnedColumns>[] {
  return ends.map((end, s) => {
    const begin = s === 0 ? 0 : ends[s - 1];
    return sample.select(Array.from({ length: end - begin }, (_, i) => begin + i));
  });
}

/** Returns where shards of about equal size end. */
const evenly = (rows: number, shards: number) =>
  Array.from({ length: shards }, (_, s) => Math.round((rows * (s + 1)) / shards));

/** Writes a model as text: its JSON and the bits of its tensors. */
function stateOf(model: {
  toState(): { json: unknown; tensors: Readonly<Record<string, unknown>> };
}): string {
  const { json, tensors } = model.toState();
  return JSON.stringify([json, Object.entries(tensors)], (_, value) =>
    ArrayBuffer.isView(value)
      ? Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64")
      : value,
  );
}

type Options = Parameters<typeof boostedTrees>[0];

/** Fits on all shards at once; returns the bytes of their models. */
async function fitOnShards(
  shards: readonly Sample<BinnedColumns>[],
  options: Options = {},
  { exchange = memoryExchange(), direct }: { exchange?: Exchange; direct?: boolean } = {},
): Promise<string[]> {
  return Promise.all(
    shards.map(async (shard, s) => {
      const group = new ShardGroup(exchange, s, shards.length, direct === undefined ? {} : { direct });
      return stateOf(await fitBoostedShard(shard, options ?? {}, group, { seed: 7 }));
    }),
  );
}

const CASES: readonly [string, Shape, Options][] = [
  ["two classes", { rows: 3000, classes: 2 }, { rounds: 8 }],
  ["five classes", { rows: 2000, classes: 5 }, { rounds: 4, maxDepth: 4 }],
  ["weights", { rows: 2000, classes: 2, weighted: true }, { rounds: 6 }],
  [
    "weights and balanced classes",
    { rows: 2000, classes: 3, weighted: true },
    { rounds: 3, classWeights: "balanced" },
  ],
  ["balanced classes", { rows: 2000, classes: 3 }, { rounds: 3, classWeights: "balanced" }],
  ["early stopping", { rows: 2500, classes: 2 }, { rounds: 60, patience: 4, learningRate: 0.5 }],
  [
    "early stopping with weights",
    { rows: 2500, classes: 3, weighted: true },
    { rounds: 30, patience: 3, learningRate: 0.5 },
  ],
  [
    "sampled rows and columns",
    { rows: 3000, classes: 2 },
    { rounds: 6, rowsPerTree: 0.6, columnsPerTree: 0.6, columnsPerSplit: 0.7 },
  ],
  ["stumps", { rows: 1000, classes: 2 }, { rounds: 5, maxDepth: 1 }],
  ["deep trees", { rows: 4000, classes: 2 }, { rounds: 2, maxDepth: 14, minChildWeight: 0, lambda: 0 }],
];

describe("boosted trees on shards are those of one machine, bit for bit", () => {
  it.each(CASES)("%s", async (_, shape, options) => {
    const sample = rowsOf(shape);
    const expected = stateOf(await boostedTrees(options).fit(sample, { seed: 7 }));
    for (const shards of [1, 2, 3, 7]) {
      const models = await fitOnShards(shardsOf(sample, evenly(sample.rows, shards)), options);
      expect(new Set(models)).toEqual(new Set([expected]));
    }
  });

  it("with shards of unequal size, of one row and of none", async () => {
    const sample = rowsOf({ rows: 1500, classes: 3 });
    const expected = stateOf(await boostedTrees({ rounds: 4 }).fit(sample, { seed: 7 }));
    for (const ends of [
      [1, 1500],
      [0, 0, 1500, 1500],
      [900, 900, 901, 1400, 1500],
    ]) {
      expect(new Set(await fitOnShards(shardsOf(sample, ends), { rounds: 4 }))).toEqual(new Set([expected]));
    }
  });

  it("with shards of one class each", async () => {
    const mixed = rowsOf({ rows: 1500, classes: 3 });
    const order = Array.from(mixed.labels.keys()).sort((a, b) => mixed.labels[a] - mixed.labels[b]);
    const sample = mixed.select(order);
    const ends = [0, 1, 2].map((label) => sample.labels.lastIndexOf(label) + 1);
    const expected = stateOf(await boostedTrees({ rounds: 4, patience: 2 }).fit(sample, { seed: 7 }));
    const models = await fitOnShards(shardsOf(sample, ends), { rounds: 4, patience: 2 });
    expect(new Set(models)).toEqual(new Set([expected]));
  });

  it("with more shards than features, each of which sends to few others", async () => {
    const sample = rowsOf({ rows: 1200, classes: 2 });
    const expected = stateOf(await boostedTrees({ rounds: 4 }).fit(sample, { seed: 7 }));
    for (const shards of [2, 3, 5, 8, 11]) {
      const models = await fitOnShards(
        shardsOf(sample, evenly(1200, shards)),
        { rounds: 4 },
        { direct: false },
      );
      expect(new Set(models)).toEqual(new Set([expected]));
    }
  });

  it("with levels too wide for all histograms at once", async () => {
    // A histogram takes 2.5 MB, of which 36 are kept; depth 8 has up to 128 nodes in a level.
    const random = new Random(9);
    const [rows, columns] = [1500, 600];
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
    const options = { rounds: 1, maxDepth: 8, minChildWeight: 0 };
    const alone = await boostedTrees(options).fit(sample, { seed: 7 });
    expect(alone.trees.leaves).toBeGreaterThan(100);
    const models = await fitOnShards(shardsOf(sample, evenly(rows, 2)), options);
    expect(new Set(models)).toEqual(new Set([stateOf(alone)]));
  });

  it("with several threads on a shard", async () => {
    const sample = rowsOf({ rows: 60_000, classes: 2 });
    const options = { rounds: 5 };
    const expected = stateOf(await boostedTrees(options).fit(sample, { seed: 7 }));
    const executor = threadExecutor({ threads: 3 });
    try {
      const group = new ShardGroup(memoryExchange(), 0, 1);
      const model = await fitBoostedShard(sample, options, group, { seed: 7, executor });
      expect(stateOf(model)).toBe(expected);
    } finally {
      await executor.close();
    }
  });
});

describe("faults", () => {
  const sample = rowsOf({ rows: 400, classes: 2 });
  const shards = shardsOf(sample, evenly(400, 2));

  it("refuses shards of other features or classes", async () => {
    const other = new Sample({ ...shards[1], classes: ["class 0", "another"] });
    await expect(fitOnShards([shards[0], other])).rejects.toThrow("Shard 2 has other classes or features");
  });

  it("refuses rows of one class", async () => {
    const rows = Array.from(sample.labels.keys()).filter((row) => sample.labels[row] === 0);
    await expect(fitOnShards([sample.select(rows), sample.select(rows)])).rejects.toMatchObject({
      code: "data/one-class",
    });
  });

  it("refuses a message that was cut off", async () => {
    const honest = memoryExchange();
    const exchange: Exchange = {
      get: honest.get,
      put: (key, bytes) =>
        honest.put(key, bytes.length > 2000 ? bytes.subarray(0, bytes.length - 40) : bytes),
    };
    const stop = new AbortController();
    const fits = shards.map((shard, s) =>
      fitBoostedShard(shard, { rounds: 2 }, new ShardGroup(exchange, s, 2, { signal: stop.signal }), {
        seed: 7,
      }),
    );
    await expect(Promise.race(fits)).rejects.toMatchObject({ code: "task/failed" });
    stop.abort();
    await Promise.allSettled(fits);
  });

  it("stops when a shard is gone and the run is aborted", async () => {
    const stop = new AbortController();
    const group = new ShardGroup(memoryExchange(), 0, 2, { signal: stop.signal });
    const fit = fitBoostedShard(shards[0], {}, group, { seed: 7, signal: stop.signal });
    setTimeout(() => stop.abort(), 20);
    await expect(fit).rejects.toMatchObject({ code: "run/interrupted" });
  });
});
