import { expect, it } from "vitest";
import { checkpoint, completeRun } from "#core/runtime/parallel/run.js";
import { threadExecutor } from "#core/runtime/parallel/threads.js";

it("completeRun fills in defaults and keeps given fields", () => {
  const run = completeRun();
  expect(run.seed).toBe(0);
  expect(run.executor.threads).toBe(1);
  expect(run.signal).toBeUndefined();
  expect(() => run.progress({ stage: "fit", done: 1 })).not.toThrow();

  const given = { seed: 7, executor: threadExecutor({ threads: 3 }), progress: () => {} };
  const { signal } = new AbortController();
  expect(completeRun({ ...given, signal })).toEqual({ ...given, signal });
  expect(completeRun({ seed: undefined, executor: undefined })).toMatchObject({ seed: 0 });
});

it("checkpoint lets the event loop run, and throws once the run is aborted", async () => {
  const controller = new AbortController();
  const run = completeRun({ signal: controller.signal });
  await checkpoint(run);
  expect(checkpoint(run)).toBeUndefined();

  let pauses = 0;
  setTimeout(() => controller.abort(), 60);
  const loop = async () => {
    for (;;) {
      const pause = checkpoint(run);
      if (pause) pauses++;
      await pause;
    }
  };
  // Without a pause, the abort would never come.
  await expect(loop()).rejects.toMatchObject({ code: "run/interrupted" });
  expect(pauses).toBeGreaterThan(1);
  expect(() => checkpoint(run)).toThrow(expect.objectContaining({ code: "run/interrupted" }));
});
