import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import type { Executor } from "#core/runtime/parallel/executor.js";
import { type Division, divide, forRanges } from "#core/runtime/parallel/for-ranges.js";
import { inlineExecutor } from "#core/runtime/parallel/inline.js";
import { runNow, runOnThreads } from "#core/runtime/parallel/pausable.js";
import { threadExecutor } from "#core/runtime/parallel/threads.js";
import { Arena, bytesOf, f64, Scope } from "#core/runtime/wasm/arena.js";
import { createWasmMemory, wasmMemory } from "#core/runtime/wasm/wasm-memory.js";
import { WasmStructure } from "#core/runtime/wasm/wasm-structure.js";
import { inspect, type Source, square, sumLayout, sumUp } from "./fixture-ranges.mjs";

const threads = threadExecutor({ threads: 2 });
afterAll(() => threads.close());

/** Counts what an executor is asked to do. */
function counted(executor: Executor): Executor & { inputs: number } {
  const result = {
    inputs: 0,
    threads: executor.threads,
    map: ((task, inputs, options) => {
      result.inputs += inputs.length;
      return executor.map(task, inputs, options);
    }) as Executor["map"],
    close: () => executor.close(),
  };
  return result;
}

const length = 1000;
const values = Float64Array.from({ length }, (_, i) => i + 1);
const shared = () => new Float64Array(new SharedArrayBuffer(8 * length));

function squares(output: Float64Array, work: Division["work"], align = 1) {
  return forRanges(square, { count: length, work, align, output }, (begin, end) => ({
    values,
    squares: output,
    begin,
    end,
  }));
}

describe("division", () => {
  it("covers everything once, in order, at multiples of the alignment, with about equal work", () => {
    const divisions = fc.record({
      count: fc.integer({ min: 1, max: 300 }),
      align: fc.integer({ min: 1, max: 9 }),
      most: fc.integer({ min: 1, max: 20 }),
      work: fc.constantFrom<Division["work"]>(
        3,
        (end) => (end * (end + 1)) / 2,
        () => 0,
      ),
    });
    fc.assert(
      fc.property(divisions, ({ most, ...division }) => {
        const ranges = divide(division, most);
        expect(ranges.length).toBeLessThanOrEqual(most);
        expect(ranges.flat().slice(1, -1)).toEqual(ranges.slice(1).flatMap(([begin]) => [begin, begin]));
        expect([ranges[0][0], ranges.at(-1)?.[1]]).toEqual([0, division.count]);
        for (const [begin, end] of ranges) {
          expect(begin % division.align).toBe(0);
          expect(end).toBeGreaterThan(begin);
        }
      }),
    );
    const triangle = divide({ count: 1000, work: (end) => end ** 2 }, 4);
    for (const [begin, end] of triangle) expect((end ** 2 - begin ** 2) / 250_000).toBeCloseTo(1, 1);
  });
});

describe("ranges", () => {
  it("are one range at once, several on threads, and give the same", async () => {
    const [now, later] = [shared(), shared()];
    expect(runNow(squares(now, 1e6))).toEqual([[0, length]]);
    const executor = counted(threads);
    const ranges = await runOnThreads(squares(later, 1e6, 16), { executor });
    expect(executor.inputs).toBe(ranges.length);
    expect(ranges.length).toBe(8);
    expect(later).toEqual(now);
    expect(now[9]).toBe(100);
  });

  it("stay on this thread if the work is small, or the output is not shared, with pauses", async () => {
    for (const [output, work] of [
      [shared(), 1],
      [new Float64Array(length), 1e6],
    ] as const) {
      const executor = counted(threads);
      const ranges = await runOnThreads(squares(output, work), { executor });
      expect(executor.inputs).toBe(0);
      expect(ranges.length).toBe(work === 1 ? 1 : 125);
      expect(output[length - 1]).toBe(length ** 2);
    }
  });

  it("report progress and stop when they are aborted", async () => {
    const done: number[] = [];
    const controller = new AbortController();
    const division = { count: length, work: 1e6, stage: "squaring" };
    const steps = forRanges(square, division, (begin, end) => ({
      values,
      squares: values.slice(),
      begin,
      end,
    }));
    const run = {
      executor: inlineExecutor(),
      signal: controller.signal,
      progress: (report: { stage: string; done: number; total?: number }) => {
        expect(report).toMatchObject({ stage: "squaring", total: length });
        done.push(report.done);
        if (done.length === 3) controller.abort();
      },
    };
    await expect(runOnThreads(steps, run)).rejects.toMatchObject({ code: "run/interrupted" });
    expect(done).toEqual([8, 16, 24]);
  });

  it("of nothing are nothing", async () => {
    expect(runNow(forRanges(square, { count: 0, work: 1 }, () => expect.fail()))).toEqual([]);
  });

  it("get a memory and scratch of exactly the layout", async () => {
    for (const [memory, sent] of [
      [wasmMemory(), 8],
      [createWasmMemory({ shared: false, limit: 2 ** 24 }), 0],
    ] as const) {
      using scope = new Scope();
      const slice = scope.take({ values: f64(length) }, memory);
      slice.values.view.set(values);
      const used = wasmMemory().used;
      const source = { memory, pointer: slice.values.pointer, length };
      const division = { count: length, work: 1e6, scratch: sumLayout(length) };
      const steps = () => forRanges(sumUp, division, (begin, end) => ({ source, begin, end }));
      const executor = counted(threads);
      const sums = await runOnThreads(steps(), { executor });
      expect(executor.inputs).toBe(sent);
      expect(sums.reduce((total, { sum }) => total + sum, 0)).toBe(500_500);
      expect(sums.every(({ left }) => left === 0)).toBe(true);
      expect(runNow(steps())[0].sum).toBe(500_500);
      expect(wasmMemory().used).toBe(used);
    }
  });

  it("without a layout have no scratch", () => {
    const source = { memory: wasmMemory(), pointer: 0, length };
    const steps = forRanges(sumUp, { count: 1, work: 1 }, (begin, end) => ({ source, begin, end }));
    expect(() => runNow(steps)).toThrow("no scratch layout");
  });
});

class Numbers extends WasmStructure implements Source {
  readonly pointer: number;
  readonly length = 2;

  constructor(arena: Arena) {
    super(arena.memory, arena);
    this.pointer = arena.pointer;
  }
}

describe("inputs of tasks", () => {
  it("carry memories and structures by themselves", async () => {
    const memory = wasmMemory();
    using numbers = new Numbers(Arena.allocate(16, memory));
    memory.f64(numbers.pointer, 2).set([3, 4]);
    const names = ["a", "b"];
    const input = { first: numbers, second: [numbers], names, handle: memory.handle };
    expect(await threads.map(inspect, [input])).toEqual([
      { same: true, read: [3, 4], kind: "Object", names, handle: "string" },
    ]);
    const [inline] = await inlineExecutor().map(inspect, [input]);
    expect(inline.kind).toBe("Numbers");
  });

  it("with memory that is not shared are refused", async () => {
    const memory = createWasmMemory({ shared: false, limit: 2 ** 24 });
    const first = { memory, pointer: 65536, length: 2 };
    const input = { first, second: [first], names: [], handle: memory.handle };
    await expect(threads.map(inspect, [input])).rejects.toMatchObject({ code: "memory/not-owned" });
  });

  it("are measured and allocated by one description", () => {
    const layout = { a: f64(3), inside: { b: f64(9) }, list: [{ c: f64(1) }, { c: f64(2) }] };
    expect(bytesOf(layout)).toBe(64 + 128 + 2 * 64);
    using arena = Arena.allocate(bytesOf(layout));
    const { a, inside, list } = arena.take(layout);
    expect(arena.left).toBe(0);
    expect([a, inside.b, list[0].c, list[1].c].map(({ length }) => length)).toEqual([3, 9, 1, 2]);
    expect(list[1].c.pointer - a.pointer).toBe(64 + 128 + 64);
    expect(() => arena.take({ more: f64(1) })).toThrow("with 0 left");
  });
});
