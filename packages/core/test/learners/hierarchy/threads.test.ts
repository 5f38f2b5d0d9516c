import { afterAll, expect, it } from "vitest";
import { relaxedHierarchy } from "#core/learners/hierarchy/relaxed-hierarchy.js";
import { threadExecutor } from "#core/runtime/parallel/threads.js";
import { noisyBlobs } from "../svm/noisy-blobs.js";

const executor = threadExecutor({ threads: 2 });
afterAll(() => executor.close());

it.each([
  { kernel: "rbf" },
  { kernel: "linear" },
  { kernel: "rbf", cacheMegabytes: 1, searchRows: 300 },
] as const)("gives the same bits on any number of threads (%o)", async (options) => {
  const sample = noisyBlobs(700, 5, 6, 1);
  const learner = relaxedHierarchy({ rho: 0.1, ...options });
  const inline = await learner.fit(sample, { seed: 3 });
  const threaded = await learner.fit(sample, { seed: 3, executor });
  expect(executor.running).toBeGreaterThan(0);
  expect(threaded.toState()).toEqual(inline.toState());
});
