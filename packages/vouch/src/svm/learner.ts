import type { z } from "zod";
import type { Sample } from "../data/sample.js";
import { kernelRows } from "../kernel/index.js";
import type { Learner, LearnerDefinition } from "../learning/learner.js";
import { parseOptions } from "../learning/options.js";
import { completeRun, type Run } from "../learning/run.js";
import { checkFinite, trainingSample } from "../learning/training-sample.js";
import { Matrix } from "../numeric/matrix.js";
import { checkAmounts, chooseKernel, takesAmounts } from "./choose-kernel.js";
import { SvmModel } from "./model.js";
import { coefficientColumn, OneVsOne, type Pair, pairsOf } from "./one-vs-one.js";
import { svmOptions } from "./options.js";
import { type PairProblem, type TrainedPair, trainPairs } from "./train-pairs.js";

type SvmOptions = z.output<typeof svmOptions>;

/** Support vector machines with kernels; one for each pair of classes. */
export function svm(options?: z.input<typeof svmOptions>): Learner<SvmModel, Matrix> {
  const parsed = parseOptions("svm", svmOptions, options);
  return {
    name: "svm",
    options: parsed,
    encoding: { kind: "numeric", standardise: !takesAmounts(parsed.kernel) },
    async fit(given: Sample<Matrix>, partialRun?: Partial<Run>) {
      checkFinite(given.features, given.featureNames);
      checkAmounts(parsed.kernel, given.features, given.featureNames);
      const { sample } = trainingSample("svm", given);
      return fitMachines(sample, parsed, completeRun(partialRun));
    },
  };
}

/** What the rest of the system knows of `svm`. */
export const svmDefinition: LearnerDefinition<typeof svmOptions, SvmModel, Matrix> = {
  name: "svm",
  summary: "Support vector machines: the widest margin between classes, straight or curved by a kernel.",
  options: svmOptions,
  multiclass: true,
  create: svm,
  restore: SvmModel.restore,
};

async function fitMachines(sample: Sample, options: SvmOptions, run: Run): Promise<SvmModel> {
  const { features, classes, featureNames } = sample;
  const trained = classes.map((_, k) => k).filter((k) => sample.labels.includes(k));
  const costs = rowCosts(sample, options, trained);
  const problems = pairsOf(trained.length).map((pair) => pairProblem(sample, trained, pair, costs));
  const kernel = chooseKernel(options, features);
  const values = await kernelRows(features, kernel, options.cacheMegabytes, run);
  try {
    const pairs = await trainPairs(features, values, problems, options, run);
    const { tolerance } = options;
    return new SvmModel({
      classes,
      featureNames,
      trained,
      machines: new OneVsOne({ kernel, ...sharedVectors(sample, trained, pairs) }),
      // Rounding may take a norm of zero below zero.
      squaredNorms: Float64Array.from(pairs, ({ solution }) => Math.max(0, solution.squaredNorm)),
      squaredRadius: values.diagonal.reduce((largest, value) => Math.max(largest, value), 0),
      convergence: {
        tolerance,
        gaps: Float64Array.from(pairs, ({ solution }) => solution.gap),
        dualityGaps: Float64Array.from(pairs, ({ solution }) => solution.dualityGap),
        iterations: Float64Array.from(pairs, ({ solution }) => solution.iterations),
      },
    });
  } finally {
    values.release();
  }
}

/** C of each row: that of the options, times the row's weight, times that of its class. */
function rowCosts(sample: Sample, { C, classWeights }: SvmOptions, trained: readonly number[]): Float64Array {
  const { rows, labels, weights } = sample;
  const costs = weights ? weights.map((weight) => C * weight) : new Float64Array(rows).fill(C);
  if (classWeights === "none") return costs;
  const totals = new Float64Array(sample.classes.length);
  for (let i = 0; i < rows; i++) totals[labels[i]] += costs[i];
  const all = totals.reduce((sum, total) => sum + total, 0);
  return costs.map((cost, i) => (cost * all) / (trained.length * totals[labels[i]]));
}

function pairProblem(
  { labels, weights }: Sample,
  trained: readonly number[],
  { first, second }: Pair,
  costs: Float64Array,
): PairProblem {
  const found: number[] = [];
  for (let i = 0; i < labels.length; i++) {
    if (labels[i] === trained[first] || labels[i] === trained[second]) found.push(i);
  }
  const rows = Int32Array.from(found);
  return {
    first,
    second,
    rows,
    labels: Int8Array.from(rows, (row) => (labels[row] === trained[first] ? 1 : -1)),
    upperBounds: Float64Array.from(rows, (row) => costs[row]),
    weights: Float64Array.from(rows, (row) => weights?.[row] ?? 1),
  };
}

/** The rows that any machine uses, class by class, and their coefficients in all machines of their class. */
function sharedVectors(
  { features, labels }: Sample,
  trained: readonly number[],
  pairs: readonly TrainedPair[],
) {
  const columns = trained.length - 1;
  const ofRows = new Float64Array(features.rows * columns);
  const used = new Uint8Array(features.rows);
  for (const { problem, solution } of pairs) {
    const { first, second, rows } = problem;
    rows.forEach((row, i) => {
      if (solution.coefficients[i] === 0) return;
      used[row] = 1;
      const column =
        problem.labels[i] > 0 ? coefficientColumn(first, second) : coefficientColumn(second, first);
      ofRows[row * columns + column] = solution.coefficients[i];
    });
  }
  const rowsOf = trained.map((k) => rowsWhere(labels, (label, row) => label === k && used[row] === 1));
  const rows = rowsOf.flat();
  const supportVectors = features.select(rows);
  return {
    supportVectors: new Matrix(rows.length, features.columns, Float64Array.from(supportVectors.values)),
    counts: Int32Array.from(rowsOf, (own) => own.length),
    coefficients: new Matrix(features.rows, columns, ofRows).select(rows),
    biases: Float64Array.from(pairs, ({ solution }) => solution.bias),
    ...sigmoidsOf(pairs),
  };
}

function sigmoidsOf(pairs: readonly TrainedPair[]) {
  const sigmoids = pairs.flatMap(({ sigmoid }) => (sigmoid ? [sigmoid] : []));
  return sigmoids.length === 0 ? {} : { sigmoids };
}

function rowsWhere(labels: Int32Array, test: (label: number, row: number) => boolean): number[] {
  const rows: number[] = [];
  labels.forEach((label, row) => {
    if (test(label, row)) rows.push(row);
  });
  return rows;
}
