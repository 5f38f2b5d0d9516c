import { writeFile } from "node:fs/promises";
import { fitEncoder } from "@vouch/core/internal/encode/fit-encoder";
import { Sample } from "@vouch/core/internal/encode/sample";
import { type LogisticModel, logistic } from "@vouch/core/internal/learners/logistic/logistic";
import { Matrix } from "@vouch/core/internal/runtime/maths/matrix";
import { SparseRows } from "@vouch/core/internal/runtime/maths/sparse-rows";
import { localOn, onThreads, pythonPeer } from "./contestants.js";
import { loadParts } from "./forest-work.js";
import { inTemporaryFolder } from "./peer-files.js";
import { type BenchmarkResult, type Contestant, ifAvailable, race, withoutData } from "./race.js";

const REPEATS = 3;

/** A scikit-learn solver, and a tolerance with which it comes within 10⁻⁶ of the minimum. */
interface PeerSolver {
  readonly solver: string;
  readonly tolerance: number;
}

/** Rows to fit, the penalty, and suitable scikit-learn solvers. */
interface LogisticWork {
  readonly name: string;
  readonly C: number;
  readonly l1Ratio: number;
  /** Minimum of the objective, computed by vouch with a tolerance of 10⁻¹³. */
  readonly minimum: number;
  readonly sample: Sample<Matrix | SparseRows>;
  readonly solvers: readonly PeerSolver[];
}

/**
 * Benchmarks logistic regression on adult with one-hot categories (two classes), mnist (ten classes, pixels divided by
 * 255) and the word counts of news20 (20 classes, sparse). All contestants get the same rows in double precision and
 * the same objective. `excess` is the distance of a contestant's objective from the minimum, in millionths of the
 * minimum. Solvers of scikit-learn get the largest power of ten as tolerance for which it is below one, if there is
 * one; lbfgs on adult and saga stop earlier. For vouch, the time includes copying the rows.
 */
export async function* logisticBenchmark(
  threadCounts: readonly number[] = [1, 2],
): AsyncGenerator<BenchmarkResult> {
  for (const [name, load] of Object.entries(WORKS)) {
    const work = await ifAvailable(load);
    if (work) yield* inTemporaryFolder((folder) => races(work, folder, threadCounts));
    else yield withoutData(`logistic: ${name}`);
  }
}

const lbfgs = { solver: "lbfgs", tolerance: 0.1 };

const WORKS: Readonly<Record<string, () => Promise<LogisticWork>>> = {
  adult: () =>
    workOn("adult", "keep-zeros", { C: 1, l1Ratio: 0, minimum: 10286.591319673644 }, [
      lbfgs,
      { solver: "newton-cholesky", tolerance: 1e-4 },
    ]),
  "adult, lasso": () =>
    workOn("adult", "keep-zeros", { C: 1, l1Ratio: 1, minimum: 10293.766659601257 }, [
      { solver: "saga", tolerance: 1e-4 },
    ]),
  news20: () => workOn("news20", false, { C: 0.01, l1Ratio: 0, minimum: 167.09979312070783 }, [lbfgs]),
  mnist: () => workOn("mnist", false, { C: 0.01, l1Ratio: 0, minimum: 218.5073303465238 }, [lbfgs]),
};

async function workOn(
  name: string,
  standardise: false | "keep-zeros",
  objective: Pick<LogisticWork, "C" | "l1Ratio" | "minimum">,
  solvers: readonly PeerSolver[],
): Promise<LogisticWork> {
  const { train } = await loadParts(name);
  const encoder = fitEncoder(train.features, train, { kind: "numeric", standardise });
  const encoded = encoder.encode(train.features);
  const largest = name === "mnist" ? 255 : 1;
  const { rows, columns, values } = encoded;
  const matrix = new Matrix(
    rows,
    columns,
    Float64Array.from(values, (value) => value / largest),
  );
  const features = name === "mnist" ? matrix : SparseRows.fromMatrix(matrix);
  const sample = new Sample({ features, labels: train.labels, classes: train.classes });
  return { name: `${name}, ${rows} × ${columns}`, ...objective, sample, solvers };
}

async function* races(
  work: LogisticWork,
  folder: string,
  threadCounts: readonly number[],
): AsyncGenerator<BenchmarkResult> {
  const { name, C, l1Ratio, minimum, sample, solvers } = work;
  await writeRows(folder, sample);
  const numbers = [sample.features.columns, C, l1Ratio, minimum].map(String);
  for (const threads of threadCounts) {
    yield await race(
      `logistic: C = ${C}, l1Ratio = ${l1Ratio} on ${name}, ${onThreads(threads)}`,
      [
        contestant(work, threads),
        ...solvers.map(({ solver, tolerance }) =>
          pythonPeer({
            name: `scikit-learn ${solver}`,
            script: "logistic.py",
            modules: ["numpy", "sklearn"],
            args: [folder, ...numbers, solver, String(tolerance)],
            threads,
          }),
        ),
      ],
      REPEATS,
    );
  }
}

function contestant({ C, l1Ratio, minimum, sample }: LogisticWork, threads: number): Contestant {
  const learner = logistic({ C, l1Ratio });
  return localOn(
    "vouch",
    threads,
    (executor) => learner.fit(sample, { executor }),
    (model) => ({
      excess: 1e6 * (objectiveOf(model, sample, C, l1Ratio) / minimum - 1),
      iterations: model.convergence.iterations,
    }),
  );
}

function objectiveOf(
  model: LogisticModel,
  { features, labels }: Sample<Matrix | SparseRows>,
  C: number,
  l1Ratio: number,
): number {
  const { values, columns } = model.scores(features);
  const loss = labels.reduce((sum, label, i) => sum - Math.log(values[i * columns + label]), 0);
  let penalty = 0;
  for (const weight of model.outputs.weights.values) {
    penalty += ((1 - l1Ratio) / 2) * weight * weight + l1Ratio * Math.abs(weight);
  }
  return C * loss + penalty;
}

async function writeRows(folder: string, { features, labels }: Sample<Matrix | SparseRows>): Promise<void> {
  await writeFile(`${folder}/train.values`, Float64Array.from(features.values));
  await writeFile(`${folder}/train.labels`, labels);
  if (!(features instanceof SparseRows)) return;
  await writeFile(`${folder}/train.starts`, features.starts);
  await writeFile(`${folder}/train.indices`, features.indices);
}
