import type { z } from "zod";
import type { Matrix } from "../../runtime/matrix.js";
import type { LearnerDefinition } from "../legacy.js";
import { legacyKind } from "../legacy.js";
import { parseOptions } from "../options.js";
import {
  ascending,
  type CascadeLearner,
  COMFORTABLE_ROWS,
  cascadeLearner,
  checkDepths,
} from "./cascade-learner.js";
import { type CascadeLearnerName, CascadeModel } from "./cascade-model.js";
import { deepCascadePerceptronOptions, deepCascadeSvmOptions } from "./cascade-options.js";
import { complexityFor } from "./complexity.js";
import { type KernelFamilySettings, kernelFamily } from "./kernel-family.js";
import { nodeKernels } from "./node-kernels.js";

type SvmOptions = z.output<typeof deepCascadeSvmOptions>;
type PerceptronOptions = z.output<typeof deepCascadePerceptronOptions>;

/** Deep cascades of support vector machines with kernels (DeSalvo, Mohri and Syed 2015, Algorithm 2). */
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

/** Deep cascades of kernel perceptrons (Vani and Venkatesh 2015, Algorithm 3). */
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
    comfortableRows: COMFORTABLE_ROWS,
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
  comfortableRows: COMFORTABLE_ROWS,
  create: deepCascadePerceptron,
  restore: CascadeModel.restorer("deep-cascade-perceptron"),
};

function kernelCascade(
  name: Exclude<CascadeLearnerName, "deep-cascade">,
  options: SvmOptions | PerceptronOptions,
  machine: KernelFamilySettings["machine"],
): CascadeLearner {
  const { minDepth, maxDepth, nonDecreasing, gate, cacheMegabytes } = options;
  checkDepths(name, minDepth, maxDepth);
  const complexity = complexityFor(name, options.kernel, options.complexity);
  return cascadeLearner(name, { ...options, complexity }, (features, labels, run) => {
    const kernels = nodeKernels(options, features);
    const space = {
      choices: kernels.length,
      lastChoices: kernels.map((_, choice) => choice),
      fractions: ascending(options.fractions),
      minDepth,
      maxDepth,
      nonDecreasing,
      sameFraction: false,
    };
    const settings = { space, kernels, cacheMegabytes, gate, complexity, machine };
    return kernelFamily(features, labels, settings, run);
  });
}

/** TRANSITION */
export const deepCascadeSvmKind = legacyKind(deepCascadeSvmDefinition);

/** TRANSITION */
export const deepCascadePerceptronKind = legacyKind(deepCascadePerceptronDefinition);
