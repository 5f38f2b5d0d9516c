import { spawnSync } from "node:child_process";
import { getEventListeners } from "node:events";
import { availableParallelism } from "node:os";
import fc from "fast-check";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import type { Executor, MapOptions, Task } from "#core/runtime/parallel/executor.js";
import { inlineExecutor } from "#core/runtime/parallel/inline.js";
import { defineTask } from "#core/runtime/parallel/task.js";
import { threadExecutor } from "#core/runtime/parallel/threads.js";
import { hardwareThreads } from "#core/runtime/platform.js";
import { type ErrorCode, VouchError } from "#core/runtime/vouch-error.js";
import {
  busy,
  cooperativeLoop,
  deafLoop,
  fail,
  mark,
  steps,
  sumOfNoise,
  wait,
} from "./parallel/fixture-tasks.mjs";

const pool = threadExecutor({ threads: 2 });
afterAll(() => pool.close());

const shared = (length: number) => new Int32Array(new SharedArrayBuffer(4 * length));
const waits = (milliseconds: number[]) => milliseconds.map((ms, value) => ({ milliseconds: ms, value }));
const indices = (count: number) => Array.from({ length: count }, (_, index) => index);

/** What is expected of a map that fails. */
const failure = (code: ErrorCode, message: string) =>
  expect.objectContaining({ code, message: expect.stringContaining(message) });

async function expectUsable(executor: Executor): Promise<void> {
  expect(await executor.map(wait, waits([2, 1, 0, 0]))).toEqual([0, 1, 2, 3]);
}

/** Runs a script with a pool and the tasks in a process of its own. */
function runScript(script: string, flags: string[] = []) {
  const prelude = `
    import { threadExecutor } from ${JSON.stringify(import.meta.resolve("#core/runtime/parallel/threads.js"))};
    import { fail, wait } from ${JSON.stringify(new URL("./parallel/fixture-tasks.mjs", import.meta.url).href)};
    const pool = threadExecutor({ threads: 2 });`;
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [...flags, "--input-type=module", "--eval", prelude + script],
    { timeout: 20_000, encoding: "utf8" },
  );
  return { stdout, stderr, status };
}

describe("results", () => {
  it("are in the order of the inputs, however long tasks take", async () => {
    const durations = fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(durations, async (milliseconds) => {
        expect(await pool.map(wait, waits(milliseconds))).toEqual(indices(milliseconds.length));
      }),
      { numRuns: 30 },
    );
  });

  it("are the same bits for 1, 2 and 4 threads and inline", async () => {
    const inputs = indices(40).map((index) => ({ seed: 42, index, count: 1000 + index }));
    const expected = await inlineExecutor().map(sumOfNoise, inputs);
    expect(new Set(expected.map(({ sum }) => sum)).size).toBe(40);
    for (const threads of [1, 2, 4]) {
      const executor = threadExecutor({ threads });
      const actual = await executor.map(sumOfNoise, inputs);
      expect(executor.running).toBe(threads);
      await executor.close();
      expect(actual).toStrictEqual(expected);
    }
  });

  it("are computed at the same time on several threads", async () => {
    await expectUsable(pool);
    const spans = await pool.map(busy, [60, 60]);
    expect(spans[0].begin).toBeLessThan(spans[1].end);
    expect(spans[1].begin).toBeLessThan(spans[0].end);
  });

  it("can be left in shared memory, which is not copied", async () => {
    const marks = shared(10);
    const kinds = await pool.map(
      mark,
      indices(10).map((index) => ({ shared: marks, index })),
    );
    expect([...marks]).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(new Set(kinds)).toEqual(new Set(["SharedArrayBuffer"]));
    const copied = new Int32Array(1);
    await pool.map(mark, [{ shared: copied, index: 0 }]);
    expect(copied[0]).toBe(0);
  });
});

describe("progress", () => {
  it("goes up to the total, with fractions and notes from the threads", async () => {
    const seen: number[] = [];
    const notes: (string | undefined)[] = [];
    await pool.map(steps, [3, 4, 5, 6], {
      onProgress: (done, total, note) => {
        expect(total).toBe(4);
        seen.push(done);
        notes.push(note);
      },
    });
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    expect(seen.some((done) => !Number.isInteger(done))).toBe(true);
    expect(notes).toContain("step 1");
    expect(seen.at(-1)).toBe(4);
  });

  it("that throws makes the map fail", async () => {
    const onProgress = () => {
      throw new Error("no screen");
    };
    await expect(pool.map(steps, [1, 1], { onProgress })).rejects.toEqual(
      failure("task/failed", "no screen"),
    );
    await expectUsable(pool);
  });
});

describe("small work", () => {
  it("runs inline without starting threads, large and unknown work on threads", async () => {
    const executor = threadExecutor({ threads: 2 });
    const map = (milliseconds?: number) => executor.map(mark, [{ shared: own, index: 0 }], { milliseconds });
    const own = new Int32Array(1);
    await map(29);
    await executor.map(wait, []);
    expect(executor.running).toBe(0);
    expect(own[0]).toBe(1);

    own[0] = 0;
    await map(30);
    expect(executor.running).toBe(1);
    expect(own[0]).toBe(0);
    await map(2);
    expect(own[0]).toBe(0);
    await map(1.9);
    expect(own[0]).toBe(1);
    await executor.close();

    own[0] = 0;
    await map();
    expect(executor.running).toBe(1);
    expect(own[0]).toBe(0);
    await executor.close();
  });

  it("starts no more threads than there are inputs", async () => {
    const executor = threadExecutor({ threads: 4 });
    await executor.map(wait, waits([0, 0]));
    expect(executor.running).toBe(2);
    await executor.close();
    expect(executor.running).toBe(0);
  });
});

describe("an abort", () => {
  /** Aborts when the first task has begun; answers with the milliseconds until the map has rejected. */
  async function timeToStop<Input>(
    task: Task<Input, unknown>,
    inputs: Input[],
    options: MapOptions = {},
  ): Promise<number> {
    const controller = new AbortController();
    let begin = 0;
    const onProgress = () => {
      begin ||= performance.now();
      controller.abort();
    };
    const map = pool.map(task, inputs, { ...options, signal: controller.signal, onProgress });
    await expect(map).rejects.toEqual(failure("run/interrupted", "interrupted"));
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
    return performance.now() - begin;
  }

  for (const [kind, task] of Object.entries({ "with checkpoints": cooperativeLoop, without: deafLoop })) {
    // Within 100 ms; three times as long on a busy machine. The loops themselves have no end.
    it(`stops loops ${kind} promptly, and nothing runs on`, { retry: 5 }, async () => {
      const counter = shared(1);
      expect(await timeToStop(task, Array(5).fill({ shared: counter }))).toBeLessThan(300);
      const count = Atomics.load(counter, 0);
      expect(count).toBeGreaterThan(0);
      await expectUsable(pool);
      expect(Atomics.load(counter, 0)).toBe(count);
    });
  }

  it("keeps threads whose tasks stop by themselves", async () => {
    const executor = threadExecutor({ threads: 1 });
    await expectUsable(executor);
    const controller = new AbortController();
    const map = executor.map(cooperativeLoop, [{}, {}], {
      signal: controller.signal,
      onProgress: () => controller.abort(),
    });
    await expect(map).rejects.toEqual(failure("run/interrupted", ""));
    expect(executor.running).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 80));
    expect(executor.running).toBe(1);
    expect(await executor.map(steps, [3])).toEqual([3]);
    await executor.close();
  });

  it("before the start does nothing", async () => {
    const executor = threadExecutor({ threads: 2 });
    await expect(executor.map(wait, waits([0]), { signal: AbortSignal.abort() })).rejects.toEqual(
      failure("run/interrupted", ""),
    );
    expect(executor.running).toBe(0);
  });

  it("rejects a map that waits for a thread, and leaves the others alone", async () => {
    let atWork = true;
    const others = pool.map(wait, waits([1000, 1000])).finally(() => {
      atWork = false;
    });
    const waiting = pool.map(deafLoop, [{}], { signal: AbortSignal.timeout(5) });
    await expect(waiting).rejects.toEqual(failure("run/interrupted", ""));
    expect(atWork).toBe(true);
    expect(await others).toEqual([0, 1]);
  });

  it("after the end is ignored", async () => {
    const controller = new AbortController();
    await pool.map(wait, waits([0]), { signal: controller.signal });
    controller.abort();
    await expectUsable(pool);
  });
});

describe("a task that fails", () => {
  afterEach(() => expectUsable(pool));

  it("by throwing rejects the map with task, input and message", async () => {
    const error = await pool.map(fail, ["fine", "error"]).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(VouchError);
    expect(error).toMatchObject({
      code: "task/failed",
      message: 'Task "test/fail" failed on input 2 of 2: the fault of the task',
      cause: { name: "RangeError", message: "the fault of the task" },
    });
    expect(error.cause.stack).toContain("fixture-tasks.mjs");
    await expect(pool.map(fail, ["string"])).rejects.toEqual(failure("task/failed", "just a string"));
  });

  it("with an error of vouch rejects the map with that error", async () => {
    const error = await pool.map(fail, ["vouch"]).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(VouchError);
    expect(error).toMatchObject({
      name: "VouchError",
      code: "data/one-class",
      message: "All rows are alike.",
      hint: "Get other rows.",
    });
  });

  it("cancels the other tasks of its map", async () => {
    const counter = shared(1);
    const either = {
      ...cooperativeLoop,
      id: "test/either",
      module: new URL("./parallel/fixture-either.mjs", import.meta.url).href,
    };
    await expect(pool.map(either, [{ shared: counter }, {}, { shared: counter }])).rejects.toEqual(
      failure("task/failed", "nothing to count in"),
    );
    const count = Atomics.load(counter, 0);
    await expectUsable(pool);
    expect(Atomics.load(counter, 0)).toBe(count);
  });

  it("by ending its thread rejects the map with the task's name", async () => {
    await expect(pool.map(fail, ["exit", "fine"])).rejects.toEqual(
      failure("task/worker-died", 'task "test/fail" ended: it exited with code 7'),
    );
    await expectUsable(pool);
    await expect(pool.map(fail, ["uncaught"])).rejects.toEqual(
      failure("task/worker-died", "thrown outside of the task"),
    );
  });

  it("because its input or output cannot be sent gives a hint", async () => {
    for (const input of ["function", () => 1]) {
      await expect(pool.map(fail, ["fine", input])).rejects.toMatchObject({
        code: "task/failed",
        message: expect.stringMatching(/input 2 of 2: .* could not be cloned/),
        hint: expect.stringContaining("typed arrays"),
      });
    }
  });

  it("because no thread can find it gives the reason", async () => {
    const nowhere = new URL("./no-such-module.mjs", import.meta.url).href;
    const lost = defineTask("test/lost", (input: number) => input, nowhere);
    await expect(pool.map(lost, [1])).rejects.toEqual(failure("task/failed", "no-such-module.mjs"));
    const homeless = defineTask("test/homeless", (input: number) => input);
    await expect(pool.map(homeless, [1])).rejects.toMatchObject({
      code: "task/failed",
      hint: expect.stringContaining("import.meta.url"),
    });
    const misplaced = { ...wait, id: "test/misplaced" };
    await expect(pool.map(misplaced, waits([0]))).rejects.toEqual(
      failure("task/failed", 'does not define task "test/misplaced"'),
    );
  });
});

describe("concurrent maps", () => {
  it("all settle, each in its own way", async () => {
    const outcomes = await Promise.allSettled(
      indices(30).map((i) => {
        switch (i % 5) {
          case 0:
            return pool.map(fail, indices(4));
          case 1:
            return pool.map(fail, ["fine", "error"]);
          case 2:
            return pool.map(cooperativeLoop, [{}, {}], { signal: AbortSignal.timeout(i) });
          case 3:
            return pool.map(fail, i % 2 ? ["exit"] : ["fine"]);
          default:
            return pool.map(wait, waits([1, 0, 2]));
        }
      }),
    );
    for (const [i, { status }] of outcomes.entries()) {
      const fails = i % 5 === 1 || i % 5 === 2 || (i % 5 === 3 && i % 2 === 1);
      expect(status).toBe(fails ? "rejected" : "fulfilled");
    }
    await expectUsable(pool);
    expect(pool.running).toBeLessThanOrEqual(2);
  });

  it("share the threads fairly", async () => {
    const executor = threadExecutor({ threads: 1 });
    const ended: string[] = [];
    const map = (name: string, count: number) =>
      executor.map(wait, waits(Array(count).fill(5))).then(() => ended.push(name));
    await Promise.all([map("long", 20), map("short", 2), map("middle", 8)]);
    expect(ended).toEqual(["short", "middle", "long"]);
    await executor.close();
  });
});

describe("the pool", () => {
  it("can be closed, even at work, and used again", async () => {
    const executor = threadExecutor({ threads: 2 });
    await executor.close();
    const map = executor.map(deafLoop, [{}, {}, {}]);
    const stopped = expect(map).rejects.toEqual(failure("run/interrupted", ""));
    await new Promise((resolve) => setTimeout(resolve, 20));
    const closed = executor.close();
    const next = executor.map(wait, waits([1, 0]));
    await closed;
    await stopped;
    expect(await next).toEqual([0, 1]);
    await executor.close();
    expect(executor.running).toBe(0);
  });

  it("has as many threads as the machine by default, and rejects invalid numbers", () => {
    expect(hardwareThreads()).toBe(availableParallelism());
    expect(threadExecutor().threads).toBe(availableParallelism());
    for (const threads of [0, -1, 1.5, Number.NaN, Infinity, 1e6]) {
      expect(() => threadExecutor({ threads })).toThrow(failure("option/invalid", `${threads}`));
    }
  });

  it("has no more threads than are of use, and a process with most of them gives the same results", async () => {
    const executor = threadExecutor({ threads: 1024 });
    expect(executor.threads).toBe(Math.min(256, Math.max(16, 4 * availableParallelism())));
    expect(threadExecutor({ threads: 7 }).threads).toBe(7);
    const inputs = indices(40).map((index) => ({ seed: 42, index, count: 1000 + index }));
    expect(await executor.map(sumOfNoise, inputs)).toEqual(await inlineExecutor().map(sumOfNoise, inputs));
    await executor.close();
  });

  it("keeps a process alive while it works, but not when it is idle", () => {
    const outcome = runScript(`
      pool.map(wait, [{ milliseconds: 100, value: 1 }, { milliseconds: 0, value: 2 }]).then((values) => {
        console.log(JSON.stringify(values), pool.running);
      });`);
    expect(outcome).toEqual({ stdout: "[1,2] 2\n", stderr: "", status: 0 });
  });

  it("lets a process end after work that could not be sent, and after close", () => {
    const outcome = runScript(`
      const { code } = await pool.map(fail, [() => 1]).catch((error) => error);
      console.log(code, pool.running);
      await pool.close();
      console.log("closed", pool.running);
      await pool.map(fail, [() => 1]).catch(() => {});`);
    expect(outcome).toEqual({ stdout: "task/failed 1\nclosed 0\n", stderr: "", status: 0 });
  });

  it("survives a task that runs out of memory", () => {
    const { stdout, status } = runScript(
      `
      const { code, message } = await pool.map(fail, ["hog"]).catch((error) => error);
      console.log(code, message);
      console.log(await pool.map(fail, ["fine"]));`,
      ["--max-old-space-size=50"],
    );
    expect(stdout).toMatch(/^task\/worker-died .*test\/fail.*memory/);
    expect(stdout).toContain("[ 'fine' ]");
    expect(status).toBe(0);
  });

  it("replaces a thread that ends while idle", async () => {
    const executor = threadExecutor({ threads: 1 });
    expect(await executor.map(fail, ["late"])).toEqual(["late"]);
    await expect.poll(() => executor.running, { timeout: 10_000 }).toBe(0);
    await expectUsable(executor);
    await executor.close();
  });

  it("leaks no listeners", async () => {
    const warnings: string[] = [];
    const warn = (warning: Error) => warnings.push(warning.message);
    process.on("warning", warn);
    const { signal } = new AbortController();
    await Promise.all(indices(30).map(() => pool.map(wait, waits([0, 0]), { signal })));
    // Node warns about more than ten listeners.
    for (let i = 0; i < 11; i++) await pool.map(fail, ["exit"]).catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 5));
    process.off("warning", warn);
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
    expect(warnings).toEqual([]);
  });
});
