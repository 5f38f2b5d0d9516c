import { writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { completeRun, Matrix, type NetworkWeights, Random, Sample, trainNetwork } from "vouch/learning";
import { linePeer, localThen, peerScript, pythonPeer } from "./contestants.js";
import { withTemporaryFolder } from "./peer-files.js";
import { type BenchmarkResult, type Contestant, race } from "./race.js";

const ROWS = 12_000;
const SIZES = [784, 100, 10, 1];
const BATCH = 100;
const RATE = 0.1;
const REPEATS = 11;

/**
 * Benchmarks one epoch of a network 784-100-10-1 with ReLU and a logistic output on 12,000 rows: stochastic gradient descent
 * in batches of 100 on one thread, with the same rows and initial weights for all contestants.
 */
export async function* mlpBenchmark(): AsyncGenerator<BenchmarkResult> {
  const sample = randomRows();
  const initial = initialWeights();
  yield await withTemporaryFolder(async (folder) => {
    await writeFile(`${folder}/features`, Float32Array.from(sample.features.values));
    await writeFile(`${folder}/labels`, sample.labels);
    for (let l = 0; l < initial.weights.length; l++)
      await writeFile(`${folder}/weights${l}`, initial.weights[l]);
    const args = [folder, String(ROWS), SIZES.join(","), String(BATCH), String(RATE)];
    return race(
      `mlp: one epoch of ${SIZES.join("-")} on ${ROWS} rows, one thread`,
      [ours(sample, initial), torch(args), tensorflow(args)],
      REPEATS,
    );
  });
}

/** Makes rows with four fifths zeros, as in images of digits, and two classes that a plane separates. */
function randomRows(): Sample<Matrix> {
  const random = new Random(1);
  const columns = SIZES[0];
  const plane = Float64Array.from({ length: columns }, () => random.uniform() - 0.5);
  const values = Float32Array.from({ length: ROWS * columns }, () =>
    random.uniform() < 0.2 ? random.uniform() : 0,
  );
  const labels = Int32Array.from({ length: ROWS }, (_, i) => {
    let side = 0;
    for (let k = 0; k < columns; k++) side += plane[k] * values[i * columns + k];
    return side > 0 ? 1 : 0;
  });
  return new Sample({ features: new Matrix(ROWS, columns, values), labels, classes: ["below", "above"] });
}

function initialWeights(): NetworkWeights {
  const random = new Random(2);
  const weights = SIZES.slice(1).map((outputs, l) => {
    const limit = Math.sqrt(6 / (SIZES[l] + outputs));
    return Float32Array.from({ length: SIZES[l] * outputs }, () => (2 * random.uniform() - 1) * limit);
  });
  return { sizes: SIZES, weights, biases: SIZES.slice(1).map((outputs) => new Float32Array(outputs)) };
}

function ours(sample: Sample<Matrix>, initial: NetworkWeights): Contestant {
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
    () => trainNetwork(sample, initial, plan, completeRun()),
    ({ curve }) => ({ loss: curve[0].trainingLoss }),
  );
}

function torch(args: readonly string[]): Contestant {
  return pythonPeer({ name: "PyTorch", script: "torch_mlp.py", modules: ["torch"], args, threads: 1 });
}

const TFJS = ["@tensorflow/tfjs", "@tensorflow/tfjs-backend-wasm"] as const;

/** Makes a peer of TensorFlow.js if Node finds it, from this folder or by NODE_PATH; it is not a dependency. */
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
