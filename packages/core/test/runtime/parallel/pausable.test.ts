import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import type { Encoding } from "#core/encode/encoder.js";
import { fitEncoder, fitEncoderInSteps } from "#core/encode/fit-encoder.js";
import type { Executor } from "#core/runtime/parallel/executor.js";
import { inlineExecutor } from "#core/runtime/parallel/inline.js";
import { type Pausable, runNow, runOnThreads, runWithPauses } from "#core/runtime/parallel/pausable.js";
import { Table } from "#core/table/table.js";

function* counting(to: number, seen: number[] = []): Pausable<number> {
  for (let i = 1; i <= to; i++) {
    seen.push(i);
    yield;
  }
  return to;
}

/** Keeps this thread busy. */
function work(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

describe("steps", () => {
  it("give the same result in one go and with pauses", async () => {
    expect(runNow(counting(5))).toBe(5);
    expect(await runWithPauses(counting(5))).toBe(5);
  });

  it("stop at the next pause after an abort", async () => {
    const seen: number[] = [];
    const controller = new AbortController();
    const abortAtThree = (function* (): Pausable<number> {
      const steps = counting(1000, seen);
      for (;;) {
        const { done } = steps.next();
        if (done) return 0;
        if (seen.length === 3) controller.abort();
        yield;
      }
    })();
    await expect(runWithPauses(abortAtThree, controller.signal)).rejects.toMatchObject({
      code: "run/interrupted",
    });
    expect(seen).toEqual([1, 2, 3]);
  });

  it("let timers run between them", async () => {
    const busy = (function* (): Pausable<void> {
      for (let i = 0; i < 20; i++) {
        work(5);
        yield;
      }
    })();
    let ticks = 0;
    const timer = setInterval(() => ticks++, 1);
    await runWithPauses(busy);
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(2);
  });
});

describe.each<Encoding>([
  { kind: "numeric", standardise: true },
  { kind: "binned", maxBins: 255 },
])("an encoder, %j,", (encoding) => {
  const rows = 20_000;
  const columns = Array.from({ length: 60 }, (_, j) => [
    `x${j}`,
    Float64Array.from({ length: rows }, (_, i) => (i * (j + 7)) % 101),
  ]);
  const table = Table.fromColumns("t", Object.fromEntries(columns));
  const target = { target: "y", classes: ["a", "b"] };

  it("is fitted and encodes in many pieces, and gives the same", async () => {
    const inline = inlineExecutor();
    const pieces = { fit: 0, encode: 0 };
    const counting = (what: keyof typeof pieces): Executor => ({
      threads: 2,
      map(task, inputs, options) {
        pieces[what] += inputs.length;
        return inline.map(task, inputs, options);
      },
      close: () => inline.close(),
    });
    const encoder = await runOnThreads(fitEncoderInSteps(table, target, encoding), {
      executor: counting("fit"),
    });
    const expected = fitEncoder(table, target, encoding);
    expect(encoder.toState()).toEqual(expected.toState());
    const encoded = await runOnThreads(encoder.encodeInSteps(table), { executor: counting("encode") });
    // Not toEqual, which takes ten seconds for a million cells.
    expect(isDeepStrictEqual(encoded, expected.encode(table))).toBe(true);
    expect(pieces.fit).toBeGreaterThanOrEqual(60);
    expect(pieces.encode).toBeGreaterThanOrEqual(2);
  });
});
