import { afterAll, describe, expect, test } from "vitest";
import { assessRows } from "#core/learners/score-rows.js";
import { svm } from "#core/learners/svm/svm.js";
import { summariseTraining } from "#core/learners/training-summary.js";
import { completeRun } from "#core/runtime/parallel/run.js";
import { threadExecutor } from "#core/runtime/parallel/threads.js";
import { wasmMemory } from "#core/runtime/wasm/wasm-memory.js";
import { noisyBlobs } from "./noisy-blobs.js";

/** Test files may share the memory of a process. */
const usedBefore = wasmMemory().used;

afterAll(() => {
  expect(wasmMemory().used).toBe(usedBefore);
});

describe("the evaluation of all pairs", () => {
  test("has the same bits on any number of threads", async () => {
    const training = noisyBlobs(1200, 5, 4, 1);
    const rows = noisyBlobs(8000, 5, 4, 2);
    const model = await svm({ C: 10 }).fit(training);
    const expected = model.assess(rows);
    for (const threads of [1, 2, 3, 7, 16]) {
      const executor = threadExecutor({ threads });
      try {
        // Running threads get small work, too.
        executor.prepare?.(["svm/evaluate-pairs"]);
        expect(await assessRows(model, rows, completeRun({ executor }))).toEqual(expected);
      } finally {
        await executor.close();
      }
    }
  });

  test.each([2, 3, 6])("of %i classes gives the facts that the fit computes", async (classes) => {
    for (const C of [0.1, 100]) {
      const sample = noisyBlobs(300, classes, 3, 7);
      const model = await svm({ C }).fit(sample);
      const facts = await summariseTraining({ ...model, training: undefined }, sample, completeRun({}));
      const { training } = model;
      expect(training).toMatchObject({ rows: facts.rows, errors: facts.errors });
      training?.margins.forEach((margin, k) => {
        expect(margin).toBeCloseTo(facts.margins[k], 5);
      });
    }
  });
});
