import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { forest } from "#core/learners/forest/forest.js";
import { logistic } from "#core/learners/logistic/logistic.js";
import { inlineExecutor } from "#core/runtime/parallel/inline.js";
import { threadExecutor } from "#core/runtime/parallel/threads.js";
import { wasmMemory } from "#core/runtime/wasm/wasm-memory.js";
import type { Table } from "#core/table/table.js";
import type { Classifier } from "#core/train/classifier.js";
import { trainClassifier } from "#core/train/train.js";
import { blobs } from "./blobs.js";

const CLASSES = ["a", "b", "c"];

/** Milliseconds within which work stops. */
const LIMIT = 100;

/** Other processes may keep this one from its processor: a stop is measured until it is within the limit, so many times at most. */
const TRIES = 8;

const executors = { "this thread": inlineExecutor(), "two threads": threadExecutor({ threads: 2 }) };
afterAll(() => Promise.all(Object.values(executors).map((executor) => executor.close())));

let slow: Classifier;
let quick: Classifier;
let table: Table;
beforeAll(async () => {
  const training = blobs(900, 1, CLASSES);
  slow = (await trainClassifier(training, forest({ trees: 60 }), { holdout: 0.5, sets: 0.9 })).classifier;
  quick = (await trainClassifier(training, logistic(), { holdout: 0.5 })).classifier;
  const some = blobs(20_000, 2, CLASSES);
  table = some.select(Int32Array.from({ length: 10 * some.rows }, (_, i) => i % some.rows));
});

type Method = "classifyRows" | "evaluateRows";

/** The error that work ends with; undefined if it does not fail. */
async function faultOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe.each<Method>(["classifyRows", "evaluateRows"])("%s", (method) => {
  it.each(Object.keys(executors))(
    "does nothing for a signal that is aborted already, on %s",
    async (where) => {
      const run = { signal: AbortSignal.abort(), executor: executors[where as keyof typeof executors] };
      for (const rows of [3, 2000]) {
        const fault = await faultOf(quick[method](blobs(rows, 3, CLASSES), { run }));
        expect(fault).toMatchObject({ code: "run/interrupted" });
      }
    },
  );

  it.each(Object.keys(executors))("stops soon after the signal, on %s", async (where) => {
    const executor = executors[where as keyof typeof executors];
    const full = async () => {
      const began = performance.now();
      await slow[method](table, { run: { executor } });
      return performance.now() - began;
    };
    await full();
    const duration = await full();
    for (const moment of [0.1, 0.5, 0.9]) {
      let quickest = Number.POSITIVE_INFINITY;
      let delay = moment * duration;
      for (let i = 0; i < TRIES && quickest > LIMIT; i++) {
        const controller = new AbortController();
        const began = performance.now();
        setTimeout(() => controller.abort(), delay);
        const fault = await faultOf(slow[method](table, { run: { executor, signal: controller.signal } }));
        if (fault === undefined) {
          // It has ended before: threads were quicker this time.
          delay *= 0.7;
          continue;
        }
        expect(fault).toMatchObject({ code: "run/interrupted" });
        quickest = Math.min(quickest, performance.now() - began - delay);
      }
      expect(quickest, `after ${moment} of the work`).toBeLessThan(LIMIT);
    }
  });

  it("releases its memory, whenever it is interrupted", async () => {
    await quick[method](table);
    const before = wasmMemory().used;
    const { looks } = await interruptedAt(0, method);
    // Many stages have pauses, among them those after the model has scored all rows.
    expect(looks).toBeGreaterThan(10);
    for (const place of [1, 2, Math.floor(looks / 2), looks - 2, looks - 1]) {
      const { fault, reached } = await interruptedAt(place, method);
      expect(wasmMemory().used, `look ${place}`).toBe(before);
      if (reached) expect(fault, `look ${place}`).toMatchObject({ code: "run/interrupted" });
    }
  });
});

/** Runs with a signal that is aborted when it is looked at for the given time; counts how often that is. */
async function interruptedAt(place: number, method: Method) {
  const { signal } = new AbortController();
  let looks = 0;
  Object.defineProperty(signal, "aborted", { get: () => ++looks >= place && place > 0 });
  const fault = await faultOf(quick[method](table, { run: { signal } }));
  return { fault, looks, reached: place > 0 && looks >= place };
}
