import type { z } from "zod";
import type { Sample } from "../data/sample.js";
import { VouchError } from "../error.js";
import type { Learner, LearnerDefinition } from "../learning/learner.js";
import { parseOptions } from "../learning/options.js";
import { completeRun, type Run } from "../learning/run.js";
import { checkFinite, trainingSample } from "../learning/training-sample.js";
import { signsOf } from "../learning/two-classes.js";
import type { Matrix } from "../numeric/matrix.js";
import type { CascadeFamily } from "./family.js";
import { type CascadeChoice, cascadesOn, checkRows, fitCascade } from "./fit-cascade.js";
import { type KernelFamilySettings, kernelFamily } from "./kernel-family.js";
import { type CascadeLearnerName, CascadeModel } from "./model.js";
import { deepCascadePerceptronOptions, deepCascadeSvmOptions } from "./options.js";

type SvmOptions = z.output<typeof deepCascadeSvmOptions>;
type PerceptronOptions = z.output<typeof deepCascadePerceptronOptions>;

/** A learner of cascades that can also give the cascade of every gamma. */
export interface CascadeLearner extends Learner<CascadeModel, Matrix> {
  /** The best cascade on all rows of the sample for each of the gammas, which share their work; nothing is validated. */
  fitEach(sample: Sample<Matrix>, run?: Partial<Run>): Promise<CascadeModel[]>;
}

/** Cascades of support vector machines with polynomial kernels (Algorithm 2 of the paper). */
export function deepCascadeSvm(options?: z.input<typeof deepCascadeSvmOptions>): CascadeLearner {
  const parsed = parseOptions("deep-cascade-svm", deepCascadeSvmOptions, options);
  const { tolerance, maxIterations, cGrid, cFolds } = parsed;
  return kernelCascade("deep-cascade-svm", parsed, {
    kind: "svm",
    grid: ascending(cGrid),
    folds: cFolds,
    solver: { tolerance, maxIterations },
  });
}

/** Cascades of kernel perceptrons (Algorithm 3 of the perceptron report). */
export function deepCascadePerceptron(
  options?: z.input<typeof deepCascadePerceptronOptions>,
): CascadeLearner {
  const parsed = parseOptions("deep-cascade-perceptron", deepCascadePerceptronOptions, options);
  return kernelCascade("deep-cascade-perceptron", parsed, { kind: "perceptron", passes: parsed.passes });
}

/** What the rest of the system knows of `deep-cascade-svm`. */
export const deepCascadeSvmDefinition: LearnerDefinition<typeof deepCascadeSvmOptions, CascadeModel, Matrix> =
  {
    name: "deep-cascade-svm",
    summary: "A chain of support vector machines; each sends the points near its surface on to the next.",
    options: deepCascadeSvmOptions,
    multiclass: false,
    create: deepCascadeSvm,
    restore: CascadeModel.restorer("deep-cascade-svm"),
  };

/** What the rest of the system knows of `deep-cascade-perceptron`. */
export const deepCascadePerceptronDefinition: LearnerDefinition<
  typeof deepCascadePerceptronOptions,
  CascadeModel,
  Matrix
> = {
  name: "deep-cascade-perceptron",
  summary: "A chain of kernel perceptrons; each sends the points near its surface on to the next.",
  options: deepCascadePerceptronOptions,
  multiclass: false,
  create: deepCascadePerceptron,
  restore: CascadeModel.restorer("deep-cascade-perceptron"),
};

function kernelCascade(
  name: Exclude<CascadeLearnerName, "deep-cascade">,
  options: SvmOptions | PerceptronOptions,
  machine: KernelFamilySettings["machine"],
): CascadeLearner {
  const { minDepth, maxDepth, nonDecreasing, gate, complexity, validation, folds, standardise } = options;
  checkDepths(name, minDepth, maxDepth);
  const degrees = ascending(options.degrees);
  const space = {
    choices: degrees.length,
    lastChoices: degrees.map((_, choice) => choice),
    fractions: ascending(options.fractions),
    minDepth,
    maxDepth,
    nonDecreasing,
    sameFraction: false,
  };
  const choice: CascadeChoice = {
    learner: name,
    gammas: ascending(options.gammas),
    complexity,
    validation,
    folds,
  };
  const withFamily = async <Result>(
    given: Sample<Matrix>,
    partialRun: Partial<Run> | undefined,
    use: (family: CascadeFamily, sample: Sample, run: Run) => Promise<Result>,
  ): Promise<Result> => {
    const run = completeRun(partialRun);
    checkFinite(given.features, given.featureNames);
    const { sample } = trainingSample(name, given);
    const labels = signsOf(name, sample);
    checkRows(name, sample.rows);
    const scale = kernelScale(options.scale, sample.features.columns);
    const { cacheMegabytes } = options;
    const settings = { space, degrees, scale, cacheMegabytes, gate, complexity, machine };
    const family = await kernelFamily(sample.features, labels, settings, run);
    try {
      return await use(family, sample, run);
    } finally {
      family.release();
    }
  };
  return {
    name,
    options,
    encoding: { kind: "numeric", standardise },
    fit: (given, run) =>
      withFamily(given, run, (family, sample, full) => fitCascade(family, sample, choice, full)),
    fitEach: (given, run) =>
      withFamily(given, run, (family, sample, full) => {
        const all = Int32Array.from(sample.labels, (_, row) => row);
        return cascadesOn(family, sample, all, choice, full);
      }),
  };
}

/** Fails on a range of depths without any. */
export function checkDepths(learner: string, minDepth: number, maxDepth: number): void {
  if (minDepth <= maxDepth) return;
  throw new VouchError(
    "option/invalid",
    `Option minDepth of ${learner} is ${minDepth}, above maxDepth ${maxDepth}.`,
    {
      hint: "A cascade has at least minDepth and at most maxDepth levels.",
    },
  );
}

/** The distinct values, in ascending order. */
export function ascending(values: readonly number[]): number[] {
  return [...new Set(values)].sort((a, b) => a - b);
}

function kernelScale(scale: SvmOptions["scale"], features: number): number {
  if (scale === "none") return 1;
  return scale === "1/d" ? 1 / Math.max(1, features) : scale;
}
