import { writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { Sample } from "@vouch/core/internal/encode/sample";
import type { NetworkWeights } from "@vouch/core/internal/learners/net/network-weights";
import { trainNetwork } from "@vouch/core/internal/learners/net/train-network";
import { Matrix } from "@vouch/core/internal/runtime/maths/matrix";
import { Random } from "@vouch/core/internal/runtime/maths/random";
import type { Executor } from "@vouch/core/internal/runtime/parallel/executor";
import { completeRun } from "@vouch/core/internal/runtime/parallel/run";
import { executorWith, linePeer, localThen, onThreads, peerScript, pythonPeer } from "./contestants.js";
import { withTemporaryFolder } from "./peer-files.js";
import { type BenchmarkResult, type Contestant, race } from "./race.js";

const ROWS = 12_000;
const BATCH = 100;
const RATE = 0.1;
const REPEATS = 11;

/** Units of the layers: a narrow and a wide network. */
const NETWORKS = [
  [784, 100, 10, 1],
  [784, 512, 256, 1],
];

/** Rows with four fifths zeros, as in images of digits, and rows without zeros. */
const INPUTS = [
  { title: "mostly zero inputs", share: 0.2 },
  { title: "dense inputs", share: 1 },
];

/**
 * Benchmarks one epoch of networks with ReLU and a logistic output on 12,000 rows: stochastic gradient descent in
 * batches of 100 on one and two threads, with the same rows and initial weights for all contestants.
 */
export async function* mlpBenchmark(
  threadCounts: readonly number[] = [1, 2],
): AsyncGenerator<BenchmarkResult> {
  for (const sizes of NETWORKS) {
    for (const inputs of INPUTS) {
      for (const threads of threadCounts) yield await raceEpoch(sizes, inputs, threads);
    }
  }
}

function raceEpoch(
  sizes: readonly number[],
  { title, share }: (typeof INPUTS)[number],
  threads: number,
): Promise<BenchmarkResult> {
  const sample = randomRows(sizes[0], share);
  const initial = initialWeights(sizes);
  return withTemporaryFolder(async (folder) => {
    await writeFile(`${folder}/features`, Float32Array.from(sample.features.values));
    await writeFile(`${folder}/labels`, sample.labels);
    for (let l = 0; l < initial.weights.length; l++)
      await writeFile(`${folder}/weights${l}`, initial.weights[l]);
    const args = [folder, String(ROWS), sizes.join(","), String(BATCH), String(RATE), String(threads)];
    const executor = executorWith(threads);
    try {
      return await race(
        `mlp: one epoch of ${sizes.join("-")} on ${ROWS} rows, ${title}, ${onThreads(threads)}`,
        [ours(sample, initial, executor), torch(args, threads), tensorflow(args)],
        REPEATS,
      );
    } finally {
      await executor.close();
    }
  });
}

/** Generates rows with a given share of non-zero numbers, and two linearly separable classes. */
function randomRows(columns: number, share: number): Sample<Matrix> {
  const random = new Random(1);
  const plane = Float64Array.from({ length: columns }, () => random.uniform() - 0.5);
  const values = new Float32Array(new SharedArrayBuffer(4 * ROWS * columns));
  for (let k = 0; k < values.length; k++) values[k] = random.uniform() < share ? random.uniform() : 0;
  const labels = Int32Array.from({ length: ROWS }, (_, i) => {
    let side = 0;
    for (let k = 0; k < columns; k++) side += plane[k] * values[i * columns + k];
    return side > 0 ? 1 : 0;
  });
  return new Sample({ features: new Matrix(ROWS, columns, values), labels, classes: ["below", "above"] });
}

function initialWeights(sizes: readonly number[]): NetworkWeights {
  const random = new Random(2);
  const weights = sizes.slice(1).map((outputs, l) => {
    const limit = Math.sqrt(6 / (sizes[l] + outputs));
    return Float32Array.from({ length: sizes[l] * outputs }, () => (2 * random.uniform() - 1) * limit);
  });
  return { sizes, weights, biases: sizes.slice(1).map((outputs) => new Float32Array(outputs)) };
}

function ours(sample: Sample<Matrix>, initial: NetworkWeights, executor: Executor): Contestant {
  const plan = {
    activation: "relu",
    output: "logistic",
    optimiser: "sgd",
    learningRate: RATE,
    momentum: 0,
    weightDecay: 0,
    batchSize: BATCH,
    epochs: 1,
    patience: 0,
    validation: 0.1,
  } as const;
  return localThen(
    "vouch",
    () => trainNetwork(sample, initial, plan, completeRun({ executor })),
    ({ curve }) => ({ loss: curve[0].trainingLoss }),
  );
}

function torch(args: readonly string[], threads: number): Contestant {
  return pythonPeer({ name: "PyTorch", script: "torch_mlp.py", modules: ["torch"], args, threads });
}

const TFJS = ["@tensorflow/tfjs", "@tensorflow/tfjs-backend-wasm"] as const;

/** Creates a TensorFlow.js peer if Node finds it, from this folder or by NODE_PATH; it is not a dependency. */
function tensorflow(args: readonly string[]): Contestant {
  return linePeer({
    name: "TensorFlow.js, wasm",
    find() {
      try {
        for (const name of TFJS) createRequire(import.meta.url).resolve(name);
        return [process.execPath, peerScript("tfjs-mlp.cjs"), ...args];
      } catch {
        return undefined;
      }
    },
    absence: `no ${TFJS.join(" and ")}`,
  });
}
