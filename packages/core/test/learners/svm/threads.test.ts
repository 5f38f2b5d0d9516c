import { afterAll, describe, expect, test } from "vitest";
import { svm } from "#core/learners/svm/svm.js";
import type { Progress } from "#core/runtime/parallel/run.js";
import { threadExecutor } from "#core/runtime/parallel/threads.js";
import { noisyBlobs } from "./noisy-blobs.js";

describe("threads", () => {
  const executor = threadExecutor({ threads: 3 });
  afterAll(() => executor.close());

  test("any number of them gives the same bits", async () => {
    // Large enough for the work to be sent to threads.
    const sample = noisyBlobs(1200, 6, 4, 1);
    const learner = svm({ probability: true });
    const inline = await learner.fit(sample, { seed: 3 });
    const threaded = await learner.fit(sample, { seed: 3, executor });
    expect(executor.running).toBeGreaterThan(0);
    expect(threaded.toState()).toEqual(inline.toState());
  });

  test("rows on demand share a cache that the threads do not divide evenly", async () => {
    const sample = noisyBlobs(600, 3, 3, 2);
    const learner = svm({ cacheMegabytes: 1 });
    const inline = await learner.fit(sample, { seed: 3 });
    expect((await learner.fit(sample, { seed: 3, executor })).toState()).toEqual(inline.toState());
  });

  test("progress is reported, and an interrupted run stops", async () => {
    const sample = noisyBlobs(600, 4, 4, 1);
    const seen: Progress[] = [];
    await svm().fit(sample, { executor, progress: (progress) => seen.push(progress) });
    expect(seen.at(-1)).toMatchObject({ stage: "support vector machines", done: 6, total: 6 });
    const controller = new AbortController();
    const fit = svm().fit(sample, { executor, signal: controller.signal });
    controller.abort();
    await expect(fit).rejects.toMatchObject({ code: "run/interrupted" });
  });
});
