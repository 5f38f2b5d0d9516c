import { writeFile } from "node:fs/promises";
import { fitEncoder } from "@vouch/core/internal/encode/fit-encoder";
import { Sample } from "@vouch/core/internal/encode/sample";
import { linearSvm } from "@vouch/core/internal/learners/linear/linear-svm";
import { Random } from "@vouch/core/internal/runtime/maths/random";
import { SparseRows } from "@vouch/core/internal/runtime/maths/sparse-rows";
import { localOn, onThreads, pythonPeer } from "./contestants.js";
import { accuracyPercent, loadParts } from "./forest-work.js";
import { inTemporaryFolder } from "./peer-files.js";
import { type BenchmarkResult, ifAvailable, race, withoutData } from "./race.js";

/** LIBLINEAR's default. */
const TOLERANCE = 0.1;
const PASSES = 1000;
const BIAS = 1;
const REPEATS = 5;

/** The losses and the numbers of LIBLINEAR's dual solvers. */
const SOLVERS = [
  { loss: "squared-hinge", solver: 1 },
  { loss: "hinge", solver: 3 },
] as const;

/** Sparse rows for training and test, and C. */
interface LinearWork {
  readonly name: string;
  readonly cost: number;
  readonly train: Sample<SparseRows>;
  readonly test: Sample<SparseRows>;
}

/**
 * Benchmarks linear SVMs by dual coordinate descent (LIBLINEAR always on one thread). The data are the word counts of
 * news20, 20 classes one-vs-rest, and 100,000 sparse rows of two classes with 1000 features. LIBLINEAR has the same
 * rows in its own format in memory, and the same loss, C, bias and tolerance, so that only training is timed; for vouch
 * that includes copying the rows. Accuracies are measured on the official test part and on 20,000 more rows.
 */
export async function* linearBenchmark(
  threadCounts: readonly number[] = [1],
): AsyncGenerator<BenchmarkResult> {
  const news = await ifAvailable(news20);
  if (news) yield* inTemporaryFolder((folder) => races(news, folder, threadCounts));
  else yield withoutData("linear: news20");
  yield* inTemporaryFolder((folder) => races(synthetic(), folder, threadCounts));
}

async function* races(
  { name, cost, train, test }: LinearWork,
  folder: string,
  threadCounts: readonly number[],
): AsyncGenerator<BenchmarkResult> {
  await writeRows(`${folder}/train`, train);
  await writeRows(`${folder}/test`, test);
  for (const { loss, solver } of SOLVERS) {
    const learner = linearSvm({ loss, C: cost, bias: BIAS, tolerance: TOLERANCE, maxPasses: PASSES });
    const numbers = [train.features.columns, solver, cost, TOLERANCE, BIAS].map(String);
    for (const threads of threadCounts) {
      yield await race(
        `linear: ${loss}, C = ${cost} on ${name}, ${onThreads(threads)}`,
        [
          localOn(
            "vouch",
            threads,
            (executor) => learner.fit(train, { executor }),
            (model) => ({ accuracy: accuracyPercent(model.predict(test.features), test.labels) }),
          ),
          pythonPeer({
            name: "LIBLINEAR",
            script: "liblinear.py",
            modules: ["numpy"],
            libraries: ["liblinear.so.4"],
            args: [folder, ...numbers],
            threads: 1,
          }),
        ],
        REPEATS,
      );
    }
  }
}

async function writeRows(path: string, { features, labels }: Sample<SparseRows>): Promise<void> {
  await writeFile(`${path}.starts`, features.starts);
  await writeFile(`${path}.indices`, features.indices);
  await writeFile(`${path}.values`, Float64Array.from(features.values));
  await writeFile(`${path}.labels`, labels);
}

async function news20(): Promise<LinearWork> {
  const { train, test } = await loadParts("news20");
  const encoder = fitEncoder(train.features, train, { kind: "numeric", standardise: false });
  const [own, other] = [train, test].map(
    ({ features, labels }) =>
      new Sample({
        features: SparseRows.fromMatrix(encoder.encode(features)),
        labels,
        classes: train.classes,
      }),
  );
  return { name: nameOf("news20", own), cost: 0.01, train: own, test: other };
}

/** Generates rows with ten normal features and otherwise zeros; the class is the side of a plane, with noise. */
function synthetic(): LinearWork {
  const [rows, columns, perRow] = [120_000, 1000, 10];
  const random = new Random(7);
  const plane = Float64Array.from({ length: columns }, () => random.normal());
  const labels = new Int32Array(rows);
  const indices = new Int32Array(rows * perRow);
  const values = new Float64Array(rows * perRow);
  const chosen = new Set<number>();
  for (let i = 0; i < rows; i++) {
    chosen.clear();
    while (chosen.size < perRow) chosen.add(random.integer(columns));
    let side = 1.5 * random.normal();
    [...chosen]
      .sort((a, b) => a - b)
      .forEach((j, k) => {
        const value = random.normal();
        indices[i * perRow + k] = j;
        values[i * perRow + k] = value;
        side += value * plane[j];
      });
    labels[i] = side > 0 ? 0 : 1;
  }
  const starts = Int32Array.from({ length: rows + 1 }, (_, i) => i * perRow);
  const features = new SparseRows(rows, columns, { starts, indices, values });
  const all = new Sample({ features, labels, classes: ["above", "below"] });
  const range = (from: number, to: number) => Int32Array.from({ length: to - from }, (_, i) => from + i);
  const train = all.select(range(0, 100_000));
  return { name: nameOf("synthetic rows", train), cost: 1, train, test: all.select(range(100_000, rows)) };
}

function nameOf(what: string, { features }: Sample<SparseRows>): string {
  const { rows, columns, entries } = features;
  return `${what}, ${rows} × ${columns}, ${((100 * entries) / (rows * columns)).toFixed(1)}% nonzero`;
}
