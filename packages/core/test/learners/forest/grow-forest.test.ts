import { afterAll, describe, expect, it } from "vitest";
import { growForests } from "#core/learners/forest/grow-forest.js";
import { FULL_GROWTH } from "#core/learners/tree/growth-options.js";
import { forestScores } from "#core/learners/tree/score-trees.js";
import { TreeColumns } from "#core/learners/tree/tree-columns.js";
import { runNow, runOnThreads } from "#core/runtime/parallel/pausable.js";
import { completeRun } from "#core/runtime/parallel/run.js";
import { threadExecutor } from "#core/runtime/parallel/threads.js";
import { createWasmMemory, wasmMemory } from "#core/runtime/wasm/wasm-memory.js";
import { noiseRows } from "./binned-samples.js";

const executors = [2, 4].map((threads) => threadExecutor({ threads }));
afterAll(() => Promise.all(executors.map((executor) => executor.close())));

const sample = noiseRows(500, 6, ([a, b], random) => Number(a > b) + Number(random.uniform() < 0.2));
const target = { labels: sample.labels, classes: 3 };
const columns = TreeColumns.of(sample.features);
afterAll(() => columns.release());

const growth = { ...FULL_GROWTH, featuresPerSplit: 2 };
const even = Int32Array.from({ length: 250 }, (_, i) => 2 * i);
const odd = even.map((i) => i + 1);
const all = Int32Array.from({ length: 500 }, (_, i) => i);
const plans = [
  { growth, trees: 7, bootstrap: true, seed: 1, rows: even },
  { growth: { ...growth, splits: "random" }, trees: 3, bootstrap: false, seed: 2, rows: odd },
  { growth: { ...growth, maxDepth: 2 }, trees: 20, bootstrap: true, seed: 1, rows: all },
] as const;

describe("growing several forests", () => {
  it("gives each the trees that it would get alone, on any number of threads", async () => {
    const alone = await Promise.all(
      plans.map(async (plan) => (await growForests(columns, target, [plan], completeRun()))[0].arrays),
    );
    expect(alone.map(({ nodeStarts }) => nodeStarts.length - 1)).toEqual([7, 3, 20]);
    for (const executor of [undefined, ...executors]) {
      const run = completeRun({ ...(executor && { executor }) });
      const together = await growForests(columns, target, plans, run);
      expect(together.map(({ arrays }) => arrays)).toEqual(alone);
    }
  });

  it("gives a small forest the first trees of a large one", async () => {
    const [small, large] = await growForests(
      columns,
      target,
      [plans[0], { ...plans[0], trees: 11 }],
      completeRun(),
    );
    const { nodes, nodeStarts } = large.arrays;
    expect(nodeStarts.subarray(0, 8)).toEqual(small.arrays.nodeStarts);
    expect(nodes.subarray(0, small.arrays.nodes.length)).toEqual(small.arrays.nodes);
    const first = nodes.subarray(0, 2 * nodeStarts[1]);
    expect(nodes.subarray(2 * nodeStarts[7], 2 * nodeStarts[8])).not.toEqual(first);
  });

  it("uses the given rows only", async () => {
    const fold = sample.select(even);
    const own = TreeColumns.of(fold.features);
    const [apart] = await growForests(
      own,
      { labels: fold.labels, classes: 3 },
      [{ ...plans[0], rows: all.subarray(0, 250) }],
      completeRun(),
    );
    own.release();
    const [within] = await growForests(columns, target, [plans[0]], completeRun());
    expect(within.arrays).toEqual(apart.arrays);
  });

  it("works in memory that threads cannot share, with the same trees", async () => {
    const unshared = TreeColumns.of(sample.features, createWasmMemory({ shared: false }));
    const run = completeRun({ executor: executors[0] });
    const [there] = await growForests(unshared, target, [plans[0]], run);
    const [here] = await growForests(columns, target, [plans[0]], run);
    expect(there.arrays).toEqual(here.arrays);
    expect(await runOnThreads(forestScores(there, unshared, even), run)).toEqual(
      await runOnThreads(forestScores(here, columns, even), run),
    );
  });

  it("refuses forests without trees or rows", async () => {
    for (const [change, code] of [
      [{ trees: 0 }, "option/invalid"],
      [{ trees: 1.5 }, "option/invalid"],
      [{ rows: new Int32Array(0) }, "data/no-rows"],
    ] as const) {
      await expect(
        growForests(columns, target, [{ ...plans[0], ...change }], completeRun()),
      ).rejects.toMatchObject({ code });
    }
    expect(await growForests(columns, target, [], completeRun())).toEqual([]);
  });

  it("releases all memory, even when interrupted", async () => {
    const before = wasmMemory().used;
    const [trees] = await growForests(columns, target, plans, completeRun({ executor: executors[0] }));
    await runOnThreads(forestScores(trees, sample.features), completeRun({ executor: executors[0] }));
    runNow(forestScores(trees, sample.features));
    for (const executor of [undefined, executors[0]]) {
      const signal = AbortSignal.timeout(30);
      const endless = { ...plans[0], trees: 100_000 };
      await expect(
        growForests(columns, target, [endless], completeRun({ signal, ...(executor && { executor }) })),
      ).rejects.toMatchObject({ code: "run/interrupted" });
    }
    expect(wasmMemory().used).toBe(before);
  });
});

describe("scores of a forest", () => {
  it("are the mean of the leaves' class shares, for any rows in any order, on any number of threads", async () => {
    const [trees] = await growForests(columns, target, [plans[2]], completeRun());
    const rows = Int32Array.of(499, 3, 3, 0);
    const expected = Array.from(rows, (row) => {
      const sum = new Float32Array(3);
      for (let t = 0; t < 20; t++) trees.addLeaf(t, trees.leafOf(t, sample.features, row), sum, 0);
      return Array.from(sum, (votes) => votes / 20);
    });
    for (const executor of [undefined, ...executors]) {
      const run = completeRun({ ...(executor && { executor }) });
      const scores = await runOnThreads(forestScores(trees, columns, rows), run);
      expect(expected).toEqual(Array.from(rows, (_, i) => Array.from(scores.row(i))));
      const everywhere = await runOnThreads(forestScores(trees, sample.features), run);
      expect(everywhere).toEqual(runNow(forestScores(trees, sample.features)));
      expect(Array.from(everywhere.row(499))).toEqual(expected[0]);
    }
    expect(runNow(forestScores(trees, sample.features.select([]))).rows).toBe(0);
    expect(runNow(forestScores(trees, columns, new Int32Array(0))).rows).toBe(0);
  });
});
