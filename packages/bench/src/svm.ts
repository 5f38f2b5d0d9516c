import { writeFile } from "node:fs/promises";
import { Sample } from "@vouch/core/internal/encode/sample";
import { svm } from "@vouch/core/internal/learners/svm/svm";
import { Matrix } from "@vouch/core/internal/runtime/maths/matrix";
import { Random } from "@vouch/core/internal/runtime/maths/random";
import { localOn, onThreads, pythonPeer } from "./contestants.js";
import { withTemporaryFolder } from "./peer-files.js";
import { type BenchmarkResult, type Contestant, race, type Standing } from "./race.js";

/** Memory for kernel values of each contestant. */
const MEGABYTES = 200;

const DEGREES = [1, 2, 3, 4];
const COSTS = [0.01, 1, 100];

/** Sample sizes and numbers of repeats. */
const GRIDS = [
  { rows: 600, columns: 24, repeats: 15 },
  { rows: 1000, columns: 60, repeats: 9 },
  { rows: 4000, columns: 60, repeats: 3 },
];

interface Cell {
  readonly degree: number;
  readonly cost: number;
  readonly threads: number;
}

/**
 * Benchmarks SVMs with polynomial kernels (peers have one thread): every degree with every C at three sizes, then a
 * sample whose kernel matrix does not fit into memory. Each grid ends with the geometric mean of the ratios to the
 * faster peer. The large sample omits LIBSVM, whose sparse rows take several times as long as scikit-learn's dense
 * ones.
 */
export async function* svmBenchmark(threadCounts: readonly number[] = [1]): AsyncGenerator<BenchmarkResult> {
  for (const threads of threadCounts) yield* races(threads);
}

async function* races(threads: number): AsyncGenerator<BenchmarkResult> {
  for (const { rows, columns, repeats } of GRIDS) {
    const sample = noisyQuadric(rows, columns);
    const results: BenchmarkResult[] = [];
    for (const degree of DEGREES) {
      for (const cost of COSTS) {
        const result = await raceSvm(sample, { degree, cost, threads }, [scikitLearn, libsvm], repeats);
        results.push(result);
        yield result;
      }
    }
    yield summary(
      `svm: the ${results.length} machines on ${rows} × ${columns} together, ${onThreads(threads)}`,
      results,
    );
  }
  yield await raceSvm(noisyQuadric(20_000, 100), { degree: 3, cost: 1, threads }, [scikitLearn], 1);
}

/** Generates normal features; the class is the sign of a quadratic function of ten of them, with noise. */
function noisyQuadric(rows: number, columns: number): Sample {
  const random = new Random(rows);
  const features = new Matrix(rows, columns);
  const labels = new Int32Array(rows);
  for (let i = 0; i < rows; i++) {
    const x = features.row(i);
    for (let k = 0; k < columns; k++) x[k] = random.normal();
    let value = random.normal() + 2 * x[0] * x[1] - x[2] * x[3];
    for (let k = 0; k < 10; k++) value += k % 2 === 0 ? x[k] : -x[k];
    labels[i] = value > 0 ? 1 : 0;
  }
  return new Sample({ features, labels, classes: ["no", "yes"] });
}

/** Creates a peer from its arguments. */
type Peer = (args: readonly string[]) => Contestant;

const scikitLearn: Peer = (args) =>
  pythonPeer({ name: "scikit-learn SVC", script: "svm.py", modules: ["sklearn"], args, threads: 1 });

const libsvm: Peer = (args) =>
  pythonPeer({
    name: "LIBSVM",
    script: "libsvm.py",
    modules: ["numpy"],
    libraries: ["libsvm.so.3"],
    args,
    threads: 1,
  });

async function raceSvm(
  sample: Sample,
  { degree, cost, threads }: Cell,
  peers: readonly Peer[],
  repeats: number,
): Promise<BenchmarkResult> {
  const { features, labels } = sample;
  const { rows, columns } = features;
  const scale = 1 / columns;
  const learner = svm({ kernel: "polynomial", degree, scale, C: cost, cacheMegabytes: MEGABYTES });
  return withTemporaryFolder(async (folder) => {
    await writeFile(`${folder}/features`, Float64Array.from(features.values));
    await writeFile(`${folder}/labels`, labels);
    const numbers = [rows, columns, degree, scale, cost, MEGABYTES].map(String);
    const args = [`${folder}/features`, `${folder}/labels`, ...numbers];
    return race(
      `svm: degree ${degree}, C = ${cost} on ${rows} × ${columns}, ${onThreads(threads)}`,
      [
        localOn(
          "vouch",
          threads,
          (executor) => learner.fit(sample, { executor }),
          ({ machines }) => ({ "support vectors": machines.supportVectors.rows }),
        ),
        ...peers.map((peer) => peer(args)),
      ],
      repeats,
    );
  });
}

/** Computes geometric means over results: of our times, and of the faster peer's times. */
function summary(title: string, results: readonly BenchmarkResult[]): BenchmarkResult {
  const cells = results.flatMap(({ standings }) => {
    const [ours, ...peers] = standings.map(({ seconds }) => seconds);
    const present = peers.filter((seconds) => seconds !== undefined);
    return ours === undefined || present.length === 0 ? [] : [{ ours, theirs: Math.min(...present) }];
  });
  const ratios = cells.map(({ ours, theirs }) => theirs / ours);
  const peer: Standing =
    cells.length === 0
      ? { name: "the faster peer", absent: "no peer took part" }
      : {
          name: "the faster peer",
          seconds: geometricMean(cells.map(({ theirs }) => theirs)),
          ratio: geometricMean(ratios),
          facts: { "lowest ratio": Math.min(...ratios) },
        };
  return {
    title,
    standings: [{ name: "vouch", seconds: geometricMean(cells.map(({ ours }) => ours)), ratio: 1 }, peer],
  };
}

function geometricMean(values: readonly number[]): number {
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
}
