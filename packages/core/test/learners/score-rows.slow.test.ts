import { afterAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { type Features, Sample } from "#core/encode/sample.js";
import { defineLearner } from "#core/learners/define-learner.js";
import { learnerNamed, learnerNames } from "#core/learners/index.js";
import type { Model } from "#core/learners/model.js";
import { assessRows, classifyRows } from "#core/learners/score-rows.js";
import { Matrix } from "#core/runtime/maths/matrix.js";
import type { Executor } from "#core/runtime/parallel/executor.js";
import { completeRun } from "#core/runtime/parallel/run.js";
import { threadExecutor } from "#core/runtime/parallel/threads.js";
import { QUICK_OPTIONS } from "./short-fits.mjs";
import { smallSample } from "./small-fits.js";

const pools = (process.env.VOUCH_NIGHTLY ? [2, 3, 7] : [3]).map((threads) => threadExecutor({ threads }));
afterAll(() => Promise.all(pools.map((pool) => pool.close())));

/** Sends all work to the threads of a pool, and counts it. */
function sendingAll(pool: Executor): Executor & { readonly maps: () => number } {
  let maps = 0;
  return {
    threads: pool.threads,
    map(task, inputs, { milliseconds: _, ...options } = {}) {
      maps++;
      return pool.map(task, inputs, options);
    },
    close: () => pool.close(),
    maps: () => maps,
  };
}

/** Makes the first rows take a while, so that the others are worth dividing. */
function slow(model: Model): Model {
  const wait = () => {
    const until = performance.now() + 30;
    while (performance.now() < until);
  };
  return {
    ...model,
    classify(features) {
      wait();
      return model.classify(features);
    },
    assess(sample) {
      wait();
      return model.assess(sample);
    },
  };
}

/** Repeats the rows of a sample. */
function repeated(sample: Sample<Features>, times: number): Sample<Features> {
  return sample.select(Int32Array.from({ length: times * sample.rows }, (_, i) => i % sample.rows));
}

describe.each(learnerNames().map((name) => ({ name })))("rows that $name scores", ({ name }) => {
  it("get the same scores, predictions and margins however they are divided", async () => {
    const kind = await learnerNamed(name);
    const learner = kind.create(QUICK_OPTIONS[name]);
    const small = smallSample(learner, kind.multiclass ? 3 : 2);
    const model = await learner.fit(small, { seed: 1 });
    const sample = repeated(small, 9);
    const expected = model.assess(sample);
    const alone = completeRun();
    expect(await assessRows(model, sample, alone)).toEqual(expected);
    const { margins: _, ...classified } = expected;
    expect(await classifyRows(model, sample.features, alone)).toEqual(classified);
    for (const pool of pools) {
      const executor = sendingAll(pool);
      const run = completeRun({ executor });
      expect(await assessRows(slow(model), sample, run)).toEqual(expected);
      expect(await classifyRows(slow(model), sample.features, run)).toEqual(classified);
      // Models that divide rows themselves keep little work on this thread, whatever an estimate from the first rows says.
      if (!model.evaluate) expect(executor.maps()).toBeGreaterThanOrEqual(2);
    }
  });
});

describe("rows", () => {
  it("are scored on this thread by a custom learner that others do not know", async () => {
    const first = defineLearner({
      name: "first-feature",
      summary: "Tells classes by the sign of the first feature.",
      options: z.object({}),
      features: "matrix",
      encoding: { kind: "numeric", standardise: false },
      parts: {},
      fit: async () => ({}),
      scores: (_, { rows, columns, values }) =>
        new Matrix(
          rows,
          2,
          Float64Array.from({ length: 2 * rows }, (_, k) => {
            const sign = values[(k >> 1) * columns] > 0 ? 1 : 0;
            return k % 2 === 0 ? sign : 1 - sign;
          }),
        ),
      complexity: () => ({ counts: {} }),
      describe: () => ({ facts: [], sections: [] }),
    });
    const learner = first();
    const features = Matrix.from(Array.from({ length: 600 }, (_, i) => [Math.sin(i), Math.cos(i)]));
    const labels = Int32Array.from({ length: 600 }, (_, i) => i % 2);
    const model = await learner.fit(new Sample({ features, labels, classes: ["a", "b"] }));
    const executor = sendingAll(pools[0]);
    const { predictions } = await classifyRows(slow(model), features, completeRun({ executor }));
    expect(predictions).toEqual(model.predict(features));
    expect(executor.maps()).toBe(0);
  });

  it("stop when the run is aborted", async () => {
    const learner = (await learnerNamed("logistic")).create();
    const small = smallSample(learner, 2);
    const model = await learner.fit(small);
    const sample = repeated(small, 100);
    const controller = new AbortController();
    const scoring = classifyRows(slow(model), sample.features, completeRun({ signal: controller.signal }));
    controller.abort();
    await expect(scoring).rejects.toMatchObject({ code: "run/interrupted" });
  });

  it("may be none", async () => {
    const learner = (await learnerNamed("logistic")).create();
    const small = smallSample(learner, 2);
    const model = await learner.fit(small);
    const { scores, predictions } = await classifyRows(model, small.select([]).features, completeRun());
    expect([scores.rows, scores.columns, predictions.length]).toEqual([0, 2, 0]);
  });
});
