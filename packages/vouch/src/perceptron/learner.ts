import type { z } from "zod";
import type { Sample } from "../data/sample.js";
import { kernelRows } from "../kernel/index.js";
import { KernelExpansion } from "../kernel/kernel-expansion.js";
import type { Learner, LearnerDefinition } from "../learning/learner.js";
import { parseOptions } from "../learning/options.js";
import { checkpoint, completeRun, type Run } from "../learning/run.js";
import { checkFinite, trainingSample } from "../learning/training-sample.js";
import { signsOf } from "../learning/two-classes.js";
import { Matrix } from "../numeric/matrix.js";
import { checkAmounts, chooseKernel, takesAmounts } from "../svm/index.js";
import { trainPerceptron } from "./batch-perceptron.js";
import { PerceptronModel } from "./model.js";
import { perceptronOptions } from "./options.js";

/** The kernel perceptron on a batch of rows, which are visited in their order. */
export function perceptron(options?: z.input<typeof perceptronOptions>): Learner<PerceptronModel, Matrix> {
  const parsed = parseOptions("perceptron", perceptronOptions, options);
  return {
    name: "perceptron",
    options: parsed,
    encoding: { kind: "numeric", standardise: !takesAmounts(parsed.kernel) },
    async fit(given: Sample<Matrix>, partialRun?: Partial<Run>) {
      checkFinite(given.features, given.featureNames);
      checkAmounts(parsed.kernel, given.features, given.featureNames);
      const { sample } = trainingSample("perceptron", given);
      return fitPerceptron(sample, parsed, completeRun(partialRun));
    },
  };
}

/** What the rest of the system knows of `perceptron`. */
export const perceptronDefinition: LearnerDefinition<typeof perceptronOptions, PerceptronModel, Matrix> = {
  name: "perceptron",
  summary: "The kernel perceptron: goes through the rows and adds those that it gets wrong.",
  options: perceptronOptions,
  multiclass: false,
  create: perceptron,
  restore: PerceptronModel.restore,
};

async function fitPerceptron(
  sample: Sample,
  options: z.output<typeof perceptronOptions>,
  run: Run,
): Promise<PerceptronModel> {
  const { features, classes, featureNames } = sample;
  const labels = signsOf("perceptron", sample);
  const kernel = chooseKernel(options, features);
  const values = await kernelRows(features, kernel, options.cacheMegabytes, run);
  try {
    const rows = Int32Array.from(labels, (_, i) => i);
    const trained = await trainPerceptron({ kernel: values, rows, labels }, options, () => checkpoint(run));
    const used = [...rows].filter((i) => trained.coefficients[i] !== 0);
    const machine = new KernelExpansion({
      kernel,
      support: new Matrix(used.length, features.columns, Float64Array.from(features.select(used).values)),
      coefficients: Float64Array.from(used, (i) => trained.coefficients[i]),
      bias: 0,
      norm: Math.sqrt(trained.squaredNorm),
    });
    const { mistakes, passes } = trained;
    return new PerceptronModel({
      classes,
      featureNames,
      machine,
      mistakes,
      passes,
      averaged: options.averaged,
    });
  } finally {
    values.release();
  }
}
