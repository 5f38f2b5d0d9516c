import * as z from "zod";
import { Sample } from "../../encode/sample.js";
import { converted, object, optional, type Part, trainedClasses } from "../../runtime/codec/parts.js";
import { nonNegativeNumber } from "../../runtime/codec/schema-numbers.js";
import { float64, int32, matrix, records } from "../../runtime/codec/tensor-parts.js";
import { kernelMachineCertificates } from "../../theory/compression/sample-compression.js";
import { compressionFault } from "../compression-facts.js";
import { defineLearner } from "../define-learner.js";
import { compressionFactsSchema } from "../fact-schemas.js";
import { checkAmounts, kernelFacts, kernelVcDimension } from "../kernel/kernel.js";
import { KernelExpansion } from "../kernel/kernel-expansion.js";
import { chooseLayout, type KernelFeatures } from "../kernel/kernel-features.js";
import { cacheOption, kernelOptions, kernelScaling, kernelSchema } from "../kernel/kernel-options.js";
import { kernelVectors } from "../kernel/kernel-parts.js";
import { withKernelRows } from "../kernel/kernel-rows.js";
import type { Fitted } from "../learner-definition.js";
import { marginsOf } from "../scores.js";
import {
  atOptimum,
  convergenceNotices,
  convergenceOf,
  hasConverged,
  kktTolerance,
  machineTable,
  type SolvedMachine,
} from "./convergence.js";
import { evaluatePairs, type PairEvaluator, pairMargins, summariseSvmTraining } from "./evaluate-pairs.js";
import { OneVsOne } from "./pair-machines.js";
import { joinedPairs, pairCompression, pairProblems } from "./pair-problems.js";
import { costOptions } from "./row-costs.js";
import { trainPairs } from "./train-pairs.js";

const { kernel, gamma, degree, scale, scaling } = kernelOptions({ kernel: "rbf", degree: 3, scale: "1/d" });

/** Returns the number of pairs of the classes that a model was trained on. */
const pairCount = ({ trained }: Readonly<Record<string, number>>): number => (trained * (trained - 1)) / 2;

/** The codec of the machines of all pairs of the classes that a model was trained on. */
const oneVsOneMachines: Part<OneVsOne> = converted(
  object({
    kernel: kernelSchema,
    supportVectors: kernelVectors("supportVectors", "features"),
    counts: int32(["trained"], { min: 0 }),
    coefficients: matrix("supportVectors", ({ trained }) => trained - 1),
    biases: float64([pairCount]),
    sigmoids: optional(records(pairCount, { A: { type: "float64" }, B: { type: "float64" } })),
  }),
  (machines) => machines,
  (parts) => {
    const { rows } = parts.supportVectors;
    const counted = parts.counts.reduce((sum, count) => sum + count, 0);
    return rows > 0 && counted === rows
      ? new OneVsOne(parts)
      : `it has ${rows} support vectors, but its classes have ${counted}`;
  },
);

const parts = {
  /** Index of the class behind each class of the machines: the classes that training rows had. */
  trained: trainedClasses,
  machines: oneVsOneMachines,
  /** ‖w‖² of each pair. */
  squaredNorms: float64([pairCount], { min: 0 }),
  /** R² = max K(x, x) over the training rows. */
  squaredRadius: nonNegativeNumber,
  /** Absent in imported models. */
  convergence: optional(convergenceOf(pairCount, kktTolerance)),
  /** Absent if the compression sets of the machines do not determine the model, and in imported models. */
  compression: compressionFactsSchema.optional(),
};

const SMO = {
  step: "iteration",
  steps: "iterations",
  violation: "the largest violation of the KKT conditions",
  limit: "maxIterations",
};

type FittedSvm = Fitted<typeof parts>;

/** The parts of a model that predictions need. */
type PairMachines = Pick<FittedSvm, "trained" | "machines" | "squaredNorms" | "squaredRadius">;

/** A fitted support vector machine. */
export type SvmModel = ReturnType<typeof svm.assemble>;

/**
 * Support vector machines with kernels, one for each pair of classes.
 *
 * From `fit` to model:
 * 1. `chooseLayout` turns sparse rows into a matrix unless the matrix would be large.
 * 2. `pairProblems` poses the problem of each pair of classes: rows, signs, and C of each row.
 * 3. `withKernelRows` chooses the kernel and computes its matrix, or packs the rows if the matrix is too large for the cache.
 * 4. `trainPairs` trains the machines of all pairs, and of the folds of sigmoids, on all threads. A thread takes the next problem.
 * 5. `solveSvm` solves a problem by SMO with shrinking. A `KernelStore` keeps the kernel values of the problem: in a matrix, or in a
 *    cache of rows that kernels compute on demand. `NewtonSteps` finish problems with many free rows.
 * 6. `pairCompression` counts the rows that determine the machines, for certificates.
 * 7. `joinedPairs` makes one list of support vectors of the machines, as in LIBSVM: the `OneVsOne` of the model.
 * 8. `summariseSvmTraining` evaluates only the training rows whose result the solver leaves open.
 * 9. A prediction goes through `evaluatePairs`: f(x) of all pairs, then votes or coupled probabilities.
 */
export const svm = defineLearner({
  name: "svm",
  title: "Support vector machine",
  summary: "Maximum-margin classifiers with a linear or non-linear kernel.",
  tasks: ["svm/train-machines", "svm/evaluate-pairs", "kernel/panels", "kernel/sparse-rows"],
  options: z.object({
    kernel,
    C: costOptions.C,
    gamma,
    degree,
    scale,
    scaling,
    classWeights: costOptions.classWeights,
    probability: z
      .boolean()
      .default(false)
      .describe("Output probabilities, calibrated on five internal folds, instead of decision values."),
    tolerance: kktTolerance
      .default(0.001)
      .describe("Stopping tolerance: the largest violation of the KKT conditions."),
    cacheMegabytes: cacheOption(200),
    maxIterations: z
      .int()
      .min(1)
      .default(10_000_000)
      .describe(
        "Maximum solver iterations per pair of classes. If they run out, a notice reports the remaining gap.",
      ),
  }),
  features: "matrix or sparse",
  keepsRows: true,
  encoding: (options) => ({ kind: "numeric", standardise: kernelScaling(options), sparse: "large" }),
  scoring: ({ machines }) => (machines.sigmoids ? "probability" : "decision"),
  parts,
  async fit({ sample: given }, options, run) {
    const sample = new Sample<KernelFeatures>({ ...given, features: chooseLayout(given.features) });
    const problems = pairProblems(sample, options);
    return withKernelRows(sample, options, run, async (values) => {
      const pairs = await trainPairs(sample.features, values, problems.problems, options, run);
      const compression = pairCompression(sample, problems, pairs, options);
      const fitted = {
        trained: problems.trained,
        machines: joinedPairs(values.kernel, sample.features, problems, pairs),
        // Rounding may take a norm of zero below zero.
        squaredNorms: Float64Array.from(pairs, ({ solution }) => Math.max(0, solution.squaredNorm)),
        squaredRadius: values.diagonal.reduce((largest, value) => Math.max(largest, value), 0),
      };
      const evaluator = evaluatorOf(fitted, sample.classes.length);
      return {
        ...fitted,
        convergence: {
          tolerance: options.tolerance,
          violations: Float64Array.from(pairs, ({ solution }) => solution.gap),
          dualityGaps: Float64Array.from(pairs, ({ solution }) => solution.dualityGap),
          steps: Float64Array.from(pairs, ({ solution }) => solution.iterations),
        },
        ...(compression && { compression }),
        ...(!options.probability && {
          training: await summariseSvmTraining(sample, pairs, evaluator, values, run),
        }),
      };
    });
  },
  fault: ({ machines, compression }) => compressionFault(compression, machines.supportVectors.rows),
  evaluate(model, features) {
    checkAmounts(model.machines.kernel.kind, features, model.featureNames);
    return evaluatePairs(evaluatorOf(model, model.classes.length), features);
  },
  /**
   * Probabilities, if the model has sigmoids. Otherwise f(x) and −f(x) for two classes; for more, votes plus less than half
   * a vote for the sum of the decision values of the class.
   */
  scores: (_, { scores }) => scores,
  /**
   * Computes normalised margins. With bias b and the radius R of the training rows in feature space, f is the scalar product
   * of (w, b/R) and (φ(x), R). The margin of a pair is y·f(x) / (√2·√(‖w‖²R² + b²)), which is in [−1, 1] if ‖φ(x)‖ ≤ R and is
   * clipped otherwise: the margin of the bounds for kernel machines of norm 1 on points of norm 1. With several classes it is
   * the smallest margin of the own class in its pairs; 0 if it wins the vote in spite of a lost pair. A model with
   * probabilities decides by them: its margin is the probability of the own class minus the largest other one.
   */
  margins({ machines, trained }, outputs, labels) {
    if (machines.sigmoids) return marginsOf(outputs.scores, labels);
    return pairMargins(trained, outputs, labels);
  },
  complexity({ classes, featureNames, machines, squaredNorms, squaredRadius }) {
    const vcDimension = kernelVcDimension(machines.kernel, featureNames.length, { bias: true });
    return {
      ...(classes.length === 2 && Number.isFinite(vcDimension) && { vcDimension }),
      counts: {
        supportVectors: machines.supportVectors.rows,
        features: featureNames.length,
        machines: machines.pairs.length,
        largestSquaredNorm: squaredNorms.reduce((largest, norm) => Math.max(largest, norm), 0),
        squaredRadius,
      },
    };
  },
  /**
   * Lists the certificates. The support vectors, and the rows that set a bias where none of them is free, determine the machine
   * of two classes (proof at `solutionOf`). With several classes, the compression sets of all machines together determine each:
   * the rows of other machines are further rows, which change nothing. The bound by dimension counts the machines of all pairs,
   * since only the draw of the rows decides which classes have some: a class without rows is one that loses to all others.
   */
  certificates({ compression, convergence, machines, classes, featureNames }, { confidence }) {
    if (!compression || !convergence) return [];
    return kernelMachineCertificates({
      ...compression,
      confidence,
      machines: (classes.length * (classes.length - 1)) / 2,
      dimension: kernelVcDimension(machines.kernel, featureNames.length, { bias: true }),
      determined: atOptimum(convergence, "the support vectors and the rows that set a bias", "machines"),
    });
  },
  converged: ({ convergence }) => convergence && hasConverged(convergence),
  notices(model) {
    if (!model.convergence) return [];
    return convergenceNotices(model.convergence, SMO, (p) => pairName(model, p));
  },
  describe(model) {
    const { machines, convergence, squaredRadius } = model;
    return {
      facts: [
        ...kernelFacts(machines.kernel),
        { name: "support vectors", value: machines.supportVectors.rows },
        { name: "squared radius", value: squaredRadius },
        ...(convergence ? [{ name: "converged", value: hasConverged(convergence) }] : []),
      ],
      sections: [machineTable(solvedPairs(model), convergence, SMO)],
    };
  },
});

/** Collects what the evaluation of a model takes. The machines are packed when they are first used. */
function evaluatorOf(model: PairMachines, classes: number): PairEvaluator {
  const { machines, trained } = model;
  const { sigmoids } = machines;
  return {
    ...{ trained, classes, limits: pairLimits(model) },
    get sums() {
      return machines.sums;
    },
    ...(sigmoids && { sigmoids }),
  };
}

/** Bounds |f(x)| of each pair for rows within the radius R: √2·√(‖w‖²R² + b²). Margins are shares of it. */
export function pairLimits({ machines, squaredNorms, squaredRadius }: PairMachines): Float64Array {
  return machines.biases.map((bias, p) => Math.sqrt(2 * (squaredNorms[p] * squaredRadius + bias * bias)));
}

/** Makes a separate machine of one pair, which needs only the kernel values of its own support vectors. */
export function pairMachine({ machines, squaredNorms }: FittedSvm, p: number): KernelExpansion {
  const { kernel, supportVectors, biases, pairs } = machines;
  const { supportVectors: used, coefficients } = machines.partsOf(pairs[p]);
  const norm = Math.sqrt(squaredNorms[p]);
  return new KernelExpansion({
    kernel,
    support: supportVectors.select(used),
    coefficients,
    bias: biases[p],
    norm,
  });
}

function pairName({ machines, classes, trained }: FittedSvm, p: number): string {
  const { first, second } = machines.pairs[p];
  return `${classes[trained[first]]} vs ${classes[trained[second]]}`;
}

function solvedPairs(model: FittedSvm): SolvedMachine[] {
  const { machines, squaredNorms } = model;
  return machines.pairs.map((pair, p) => ({
    classes: pairName(model, p),
    supportVectors: machines.partsOf(pair).coefficients.length,
    bias: machines.biases[p],
    squaredNorm: squaredNorms[p],
  }));
}
