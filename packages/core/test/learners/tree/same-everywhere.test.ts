import { Worker } from "node:worker_threads";
import { describe, expect, it } from "vitest";
import { FULL_GROWTH } from "#core/learners/tree/growth-options.js";
import { TreeColumns } from "#core/learners/tree/tree-columns.js";
import { loneGrowerLayout, TreeGrower } from "#core/learners/tree/tree-grower.js";
import { TreeTarget } from "#core/learners/tree/tree-target.js";
import { Random } from "#core/runtime/maths/random.js";
import { runNow } from "#core/runtime/parallel/pausable.js";
import { packInput } from "#core/runtime/parallel/task-message.js";
import { Arena, ArenaPool, bytesOf } from "#core/runtime/wasm/arena.js";
import { createWasmMemory, wasmMemory } from "#core/runtime/wasm/wasm-memory.js";
import { grow, randomData, range } from "./grow.js";

const mixed = { rows: 3000, columns: 6, bins: 60, classes: 4, missing: 0.05 };
const requests = (["best", "random"] as const).flatMap((splits) =>
  (["gini", "entropy"] as const).map((criterion) => ({
    growth: { ...FULL_GROWTH, splits, criterion, featuresPerSplit: 3 },
    rows: range(3000).filter((row) => row % 5 !== 0),
    bootstrap: true,
    seed: 17,
  })),
);

/** Grows trees on another thread, in the memory of this one. */
function growOnThread(input: object): Promise<{ arrays: unknown }[]> {
  const module = (name: string) => JSON.stringify(new URL(`../../../dist/${name}.js`, import.meta.url).href);
  const source = `
    const { parentPort, workerData } = require("node:worker_threads");
    (async () => {
      const { TreeGrower } = await import(${module("learners/tree/tree-grower")});
      const { ArenaPool } = await import(${module("runtime/wasm/arena")});
      const { runNow } = await import(${module("runtime/parallel/pausable")});
      const { unpackInput } = await import(${module("runtime/parallel/task-message")});
      const { columns, target, pool, requests } = unpackInput(workerData);
      parentPort.postMessage(await new ArenaPool(pool).with(async (arena) => {
        const grower = TreeGrower.alone(columns, target, arena);
        return requests.map((request) => ({ arrays: runNow(grower.grow(request)).tree.arrays }));
      }));
    })();`;
  return new Promise((resolve, reject) => {
    const worker = new Worker(source, { eval: true, workerData: packInput(input) });
    worker.once("message", resolve);
    worker.once("error", reject);
  });
}

it.each([false, true])(
  "trees are the same on any thread and in any memory, categories: %s",
  async (categorical) => {
    const random = new Random(1);
    const data = randomData(random, { ...mixed, categorical });
    const weights = Float64Array.from(data.labels, () => random.uniform());
    for (const sample of [data, { ...data, weights }]) {
      using columns = TreeColumns.of(sample.features);
      using target = TreeTarget.of(sample.labels, 4, sample === data ? undefined : weights);
      using pool = ArenaPool.allocate(2, bytesOf(loneGrowerLayout(columns, target)));
      const input = { columns, target, pool, requests };
      const both = await Promise.all([growOnThread(input), growOnThread(input)]);
      const memory = createWasmMemory({ shared: false, limit: 64 * 2 ** 20 });
      const own = requests.map((request) => ({ arrays: grow(sample, { ...request, memory }).tree.arrays }));
      expect(both[0]).toEqual(own);
      expect(both[1]).toEqual(own);
    }
  },
);

it("a grower gives the same tree whatever it has grown before", () => {
  const data = randomData(new Random(3), mixed);
  using columns = TreeColumns.of(data.features);
  using target = TreeTarget.of(data.labels, 4);
  using arena = Arena.allocate(bytesOf(loneGrowerLayout(columns, target)));
  const grower = TreeGrower.alone(columns, target, arena);
  const once = requests.map((request) => runNow(grower.grow(request)));
  const again = requests.toReversed().map((request) => runNow(grower.grow(request)));
  expect(again.toReversed()).toEqual(once);
});

it("growing pauses every few milliseconds of work", () => {
  const data = randomData(new Random(4), { rows: 20000, columns: 30, bins: 200, classes: 3 });
  using columns = TreeColumns.of(data.features);
  using target = TreeTarget.of(data.labels, 3);
  using arena = Arena.allocate(bytesOf(loneGrowerLayout(columns, target)));
  const steps = TreeGrower.alone(columns, target, arena).grow({
    growth: FULL_GROWTH,
    rows: range(20000),
    bootstrap: false,
    seed: 1,
  });
  let pauses = 0;
  while (!steps.next().done) pauses++;
  // 20,000 rows × 30 features × at least 10 levels, and 2²⁰ cells between pauses
  expect(pauses).toBeGreaterThan(5);
});

describe("a scratch pool", () => {
  it("gives concurrent tasks different arenas, and refuses too many of them", async () => {
    using pool = ArenaPool.allocate(2, 1000);
    const other = new ArenaPool(pool);
    const pointers = new Set<number>();
    const use = (inner: () => Promise<void>) => async (arena: Arena) => {
      pointers.add(arena.u8(1000).pointer);
      await inner();
    };
    const third = pool.with(use(async () => {}));
    await third;
    expect(pointers.size).toBe(1);
    let refused: Promise<void> | undefined;
    await pool.with(
      use(() =>
        other.with(
          use(async () => {
            refused = pool.with(use(async () => {}));
            await expect(refused).rejects.toThrow("More than 2 tasks");
          }),
        ),
      ),
    );
    expect(refused).toBeDefined();
    expect(pointers.size).toBe(2);
    await expect(pool.with(async () => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
    await pool.with(use(() => other.with(use(async () => {}))));
  });

  it("and everything else release their memory", () => {
    const before = wasmMemory().used;
    grow(randomData(new Random(3), mixed), requests[0]);
    ArenaPool.allocate(3, 100).release();
    expect(wasmMemory().used).toBe(before);
  });
});
