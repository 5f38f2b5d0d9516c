import { afterAll, expect, it } from "vitest";
import { relaxedHierarchy } from "#vouch/learners/hierarchy/relaxed-hierarchy.js";
import { threadExecutor } from "#vouch/runtime/threads.js";
import { noisyBlobs } from "../svm/noisy-blobs.js";

const executor = threadExecutor({ threads: 2 });
afterAll(() => executor.close());

it.each([
  { kernel: "rbf" },
  { kernel: "linear" },
  { kernel: "rbf", cacheMegabytes: 1, searchRows: 300 },
] as const)("any number of threads gives the same bits (%o)", async (options) => {
  const sample = noisyBlobs(1000, 5, 6, 1);
  const learner = relaxedHierarchy({ rho: 0.1, ...options });
  const inline = await learner.fit(sample, { seed: 3 });
  const threaded = await learner.fit(sample, { seed: 3, executor });
  expect(executor.running).toBeGreaterThan(0);
  expect(threaded.toState()).toEqual(inline.toState());
});

it("an interrupted run stops", async () => {
  const controller = new AbortController();
  const fit = relaxedHierarchy().fit(noisyBlobs(1000, 4, 5, 1), { executor, signal: controller.signal });
  controller.abort();
  await expect(fit).rejects.toMatchObject({ code: "run/interrupted" });
});
