import { afterAll, describe, expect, it } from "vitest";
import { Sample } from "#core/encode/sample.js";
import { dbn } from "#core/learners/net/dbn.js";
import { mlp } from "#core/learners/net/mlp.js";
import { sae } from "#core/learners/net/sae.js";
import { classifyRows } from "#core/learners/score-rows.js";
import { Matrix } from "#core/runtime/maths/matrix.js";
import { Random } from "#core/runtime/maths/random.js";
import { completeRun, type Run } from "#core/runtime/parallel/run.js";
import { threadExecutor } from "#core/runtime/parallel/threads.js";
import { wasmMemory } from "#core/runtime/wasm/wasm-memory.js";

/** Makes rows of three classes, mostly zeros. */
function patterns(rows: number, columns: number): Sample<Matrix> {
  const random = new Random(1);
  const labels = Int32Array.from({ length: rows }, (_, i) => i % 3);
  const values = Float32Array.from({ length: rows * columns }, (_, k) => {
    const isOn = (k + labels[Math.floor(k / columns)]) % 5 === 0;
    return random.uniform() < (isOn ? 0.6 : 0.2) ? random.uniform() : 0;
  });
  // The names say that these are images of 7 × 10 pixels.
  const featureNames = Array.from({ length: columns }, (_, k) => `${Math.floor(k / 10)}x${k % 10}`);
  const features = new Matrix(rows, columns, values);
  return new Sample({ features, labels, classes: ["a", "b", "c"], featureNames });
}

const sample = patterns(430, 70);
const few = { epochs: 2, rateDrops: 0 };
const learners = {
  mlp: mlp({ layers: [203, 130], batchSize: 90, ...few }),
  "mlp with sigmoids": mlp({ layers: [203, 130], batchSize: 90, activation: "sigmoid", ...few }),
  "mlp with dropout and shifts": mlp({
    ...{ layers: [203, 130], batchSize: 90, dropout: 0.4, inputDropout: 0.1, ...few },
    ...{ scaling: "common", shift: 1 },
  }),
  sae: sae({ layers: [130, 60], batchSize: 64, pretrainEpochs: 1, ...few }),
  dbn: dbn({ layers: [130, 60], batchSize: 64, pretrainEpochs: 1, ...few }),
};

const executors = [2, 3, 7, 16].map((threads) => {
  const executor = threadExecutor({ threads });
  // Threads that are running are used for short work, too.
  executor.prepare?.(["net/train"]);
  return executor;
});
afterAll(() => Promise.all(executors.map((executor) => executor.close())));

describe("a network", () => {
  it.each(Object.entries(learners))("%s has the same bits for any number of threads", async (_, learner) => {
    const fit = async (run: Run) => {
      const model = await learner.fit(sample, run);
      return { state: model.toState(), scores: (await classifyRows(model, sample.features, run)).scores };
    };
    const alone = await fit(completeRun({ seed: 3 }));
    const used = wasmMemory().used;
    for (const executor of executors) {
      expect(await fit(completeRun({ seed: 3, executor }))).toEqual(alone);
    }
    expect(wasmMemory().used).toBe(used);
  });

  it("stops soon after it is interrupted, on all threads", async () => {
    const learner = mlp({ layers: [203, 130], batchSize: 90, epochs: 100_000, patience: 0 });
    const [executor] = executors;
    const began = learner.fit(sample, completeRun({ executor, signal: AbortSignal.timeout(60) }));
    await expect(began).rejects.toMatchObject({ code: "run/interrupted" });
    expect(executor.running).toBe(2);
  });
});
