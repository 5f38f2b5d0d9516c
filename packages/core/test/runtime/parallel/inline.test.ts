import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { inlineExecutor } from "#core/runtime/parallel/inline.js";
import { busy, cooperativeLoop, fail, steps, sumOfNoise, wait } from "./fixture-tasks.mjs";

const executor = inlineExecutor();

describe("inlineExecutor", () => {
  it("maps in order, one task at a time", async () => {
    const inputs = [3, 1, 2].map((milliseconds, value) => ({ milliseconds, value }));
    expect(await executor.map(wait, inputs)).toEqual([0, 1, 2]);
    expect(await executor.map(wait, [])).toEqual([]);
    const spans = await executor.map(busy, [2, 2, 2]);
    for (let i = 1; i < 3; i++) expect(spans[i].begin).toBeGreaterThanOrEqual(spans[i - 1].end);
    expect(executor.threads).toBe(1);
  });

  it("lets timers run between tasks without checkpoints and in loops with them", async () => {
    let ticks = 0;
    const timer = setInterval(() => ticks++, 5);
    try {
      await executor.map(busy, Array(10).fill(15));
      expect(ticks).toBeGreaterThanOrEqual(5);
      ticks = 0;
      const signal = AbortSignal.timeout(150);
      await expect(executor.map(cooperativeLoop, [{}], { signal })).rejects.toMatchObject({
        code: "run/interrupted",
      });
      expect(ticks).toBeGreaterThanOrEqual(5);
    } finally {
      clearInterval(timer);
    }
  });

  it("stops between tasks that have no checkpoints", async () => {
    let done = 0;
    const options = {
      signal: AbortSignal.timeout(30),
      onProgress: (progress: number) => {
        done = progress;
      },
    };
    const map = executor.map(busy, Array(1000).fill(10), options);
    await expect(map).rejects.toMatchObject({ code: "run/interrupted" });
    // On an idle machine 4 of them; the timer may be late if there is other work.
    expect(done).toBeLessThan(100);
  });

  it("does nothing if it was aborted before, and rejects if it was aborted during the last task", async () => {
    let calls = 0;
    const count = { id: "test/count", module: undefined, run: () => ++calls };
    await expect(executor.map(count, [1, 2], { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: "run/interrupted",
    });
    expect(calls).toBe(0);
    const controller = new AbortController();
    const abort = { id: "test/abort", module: undefined, run: () => controller.abort() };
    await expect(executor.map(abort, [1], { signal: controller.signal })).rejects.toMatchObject({
      code: "run/interrupted",
    });
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
  });

  it("names task and input in failures, and passes errors of vouch on", async () => {
    await expect(executor.map(fail, ["fine", "error"])).rejects.toMatchObject({
      code: "task/failed",
      message: 'Task "test/fail" failed on input 2 of 2: the fault of the task',
      cause: expect.any(RangeError),
    });
    await expect(executor.map(fail, ["vouch"])).rejects.toMatchObject({
      code: "data/one-class",
      hint: "Get other rows.",
    });
    expect(await executor.map(sumOfNoise, [{ seed: 1, index: 0, count: 0 }])).toEqual([{ index: 0, sum: 0 }]);
  });

  it("reports progress up to the total", async () => {
    const seen: number[] = [];
    await executor.map(steps, [2, 4], { onProgress: (done) => seen.push(done) });
    expect(seen).toContain(0.5);
    expect(seen).toContain(1.25);
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    expect(seen.at(-1)).toBe(2);
  });
});
