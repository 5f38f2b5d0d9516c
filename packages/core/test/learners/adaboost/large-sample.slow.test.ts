import { afterAll, describe, expect, test } from "vitest";
import { Sample } from "#core/encode/sample.js";
import { adaboost } from "#core/learners/adaboost/adaboost.js";
import { prepareTask } from "#core/learners/stump/prepare-features.js";
import { type FloatArray, Matrix } from "#core/runtime/maths/matrix.js";
import { Random } from "#core/runtime/maths/random.js";
import type { Executor } from "#core/runtime/parallel/executor.js";
import { inlineExecutor } from "#core/runtime/parallel/inline.js";
import type { Progress } from "#core/runtime/parallel/run.js";
import { sharedFloats } from "#core/runtime/parallel/shared-array.js";
import { type ThreadExecutor, threadExecutor } from "#core/runtime/parallel/threads.js";

const executors = new Map<number, ThreadExecutor>();
const runOnThreads = (threads: number): ThreadExecutor => {
  const executor = executors.get(threads) ?? threadExecutor({ threads });
  executors.set(threads, executor);
  return executor;
};
afterAll(() => Promise.all([...executors.values()].map((executor) => executor.close())));

/** Continuous, sparse, few-valued and two-valued columns in turn; the class depends on the first four, with noise. */
function mixedSample(values: FloatArray, columns: number, classes: number): Sample {
  const random = new Random(5);
  const rows = values.length / columns;
  const labels = new Int32Array(rows);
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) {
      const uniform = random.uniform();
      const kinds = [uniform, uniform < 0.8 ? 0 : uniform, Math.floor(uniform * 20), Number(uniform < 0.2)];
      values[i * columns + j] = kinds[j % 4];
    }
    const [a, b, c, d] = values.subarray(i * columns, i * columns + 4);
    const score = a + b + c / 20 + d / 2 + random.uniform();
    labels[i] = Math.min(classes - 1, Math.floor((score * classes) / 3.5));
  }
  return new Sample({
    features: new Matrix(rows, columns, values),
    labels,
    classes: Array.from({ length: classes }, (_, k) => `class ${k}`),
  });
}

/** Starts the threads of an executor, which then also take work that is not worth starting them. */
async function started(threads: number): Promise<ThreadExecutor> {
  const executor = runOnThreads(threads);
  const block = { values: Float64Array.of(0, 1), columns: 1, first: 0, end: 1, classes: 2 };
  const labels = Int32Array.of(0, 1);
  await executor.map(
    prepareTask,
    Array.from({ length: threads }, () => ({ ...block, labels })),
  );
  expect(executor.running).toBe(threads);
  return executor;
}

describe("models are bit-identical on this thread and on several", () => {
  test.each([2, 3])("of %d classes", async (classes) => {
    // Enough rows that searches are divided among threads.
    const sample = mixedSample(sharedFloats(115_000 * 24, "f64"), 24, classes);
    const fit = (executor: Executor) => adaboost({ rounds: 5 }).fit(sample, { executor });
    const expected = (await fit(inlineExecutor())).toState();
    for (const threads of [2, 4]) expect((await fit(await started(threads))).toState()).toEqual(expected);
  });

  test("from numbers that threads do not share", async () => {
    const sample = mixedSample(new Float32Array(640_000 * 20), 20, 2);
    const fit = (executor: Executor) => adaboost({ rounds: 2 }).fit(sample, { executor });
    const expected = (await fit(inlineExecutor())).toState();
    expect((await fit(runOnThreads(2))).toState()).toEqual(expected);
  });
});

describe("a large fit is interrupted within 100 ms", { retry: 2 }, () => {
  const values = sharedFloats(1_000_000 * 8, "f64");
  const random = new Random(6);
  for (let k = 0; k < values.length; k++) values[k] = random.uniform();
  const labels = Int32Array.from({ length: 1_000_000 }, (_, i) =>
    Number(values[8 * i] + random.uniform() > 1),
  );
  const features = new Matrix(1_000_000, 8, values);
  const sample = new Sample({ features, labels, classes: ["no", "yes"] });

  const cases = ["inline", 2].flatMap((threads) =>
    ["sorting features", "boosting"].map((stage) => ({ threads, stage })),
  );
  test.each(cases)("$stage, threads: $threads", { retry: 3 }, async ({ threads, stage }) => {
    const controller = new AbortController();
    const executor = typeof threads === "number" ? runOnThreads(threads) : inlineExecutor();
    let due = Number.POSITIVE_INFINITY;
    const progress = (now: Progress) => {
      if (now.stage !== stage || due < Number.POSITIVE_INFINITY) return;
      // The timer may be late if the event loop has to wait: that counts too.
      due = performance.now() + 37;
      setTimeout(() => controller.abort(), 37);
    };
    const fit = adaboost({ rounds: 1000 }).fit(sample, { executor, progress, signal: controller.signal });
    await expect(fit).rejects.toMatchObject({ code: "run/interrupted" });
    // Within 100 ms; other work on the machine may delay it.
    expect(performance.now() - due).toBeLessThan(500);
  });
});
