import { expect, it } from "vitest";
import type { Executor } from "#core/runtime/parallel/executor.js";
import { inlineExecutor } from "#core/runtime/parallel/inline.js";
import { TeamWords } from "#core/runtime/parallel/team.js";
import { threadExecutor } from "#core/runtime/parallel/threads.js";
import { createWasmMemory, wasmMemory } from "#core/runtime/wasm/wasm-memory.js";
import { countTogether } from "./fixture-team.mjs";

const JOBS = 60;
const ITEMS = (JOBS * (JOBS + 1)) / 2;

/** Lets a team of workers count; returns how many items each has done. */
async function count(executor: Executor, workers: number, memory = wasmMemory()): Promise<number[]> {
  const words = new TeamWords(memory);
  const block = memory.allocate(4 * JOBS);
  try {
    const common = {
      memory: memory.handle,
      team: words.pointer,
      counters: block.pointer,
      jobs: JOBS,
      workers,
    };
    const inputs = Array.from({ length: workers }, (_, worker) => ({ ...common, worker }));
    const outputs = await executor.map(countTogether, inputs);
    expect(outputs.every(({ isComplete }) => isComplete)).toBe(true);
    return outputs.map(({ own }) => own);
  } finally {
    memory.release(block);
    words.release();
  }
}

const sum = (counts: readonly number[]) => counts.reduce((total, each) => total + each, 0);

it.each([1, 2, 16])("%i workers do every item of every job once", async (workers) => {
  const executor = threadExecutor({ threads: workers });
  const counts = await count(executor, workers);
  expect(sum(counts)).toBe(ITEMS);
  await executor.close();
});

it.each([true, false])(
  "the leader does everything if the others come late (shared memory: %s)",
  async (shared) => {
    expect(await count(inlineExecutor(), 3, createWasmMemory({ shared, limit: 2 ** 24 }))).toEqual([
      ITEMS,
      0,
      0,
    ]);
  },
);

it("workers that wait for a leader can be aborted", async () => {
  const executor = threadExecutor({ threads: 3 });
  const memory = wasmMemory();
  const words = new TeamWords(memory);
  const abort = new AbortController();
  // Without a leader the others would wait for ever.
  const common = { memory: memory.handle, team: words.pointer, counters: words.pointer, jobs: 1, workers: 3 };
  const waiting = executor.map(
    countTogether,
    [
      { ...common, worker: 1 },
      { ...common, worker: 2 },
    ],
    {
      signal: abort.signal,
    },
  );
  setTimeout(() => abort.abort(), 50);
  await expect(waiting).rejects.toMatchObject({ code: "run/interrupted" });
  words.release();
  await executor.close();
});
