import type { z } from "zod";
import type { Sample } from "../data/sample.js";
import { KernelExpansion, type KernelRows, kernelLearner } from "../kernel/index.js";
import type { Learner, LearnerDefinition } from "../learning/learner.js";
import { parseOptions } from "../learning/options.js";
import { checkpoint, type Run } from "../learning/run.js";
import { compressionFacts } from "../learning/training-facts.js";
import { signsOf } from "../learning/two-classes.js";
import type { Matrix } from "../numeric/matrix.js";
import { trainPerceptron } from "./batch-perceptron.js";
import { PerceptronModel } from "./model.js";
import { perceptronOptions } from "./options.js";

/** The kernel perceptron on a batch of rows, which are visited in their order. */
export function perceptron(options?: z.input<typeof perceptronOptions>): Learner<PerceptronModel, Matrix> {
  const parsed = parseOptions("perceptron", perceptronOptions, options);
  return kernelLearner("perceptron", parsed, (sample, run) => {
    const labels = signsOf("perceptron", sample);
    return (values) => train(sample, labels, values, parsed, run);
  });
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

async function train(
  { features, classes, featureNames }: Sample,
  labels: Int8Array,
  values: KernelRows,
  options: z.output<typeof perceptronOptions>,
  run: Run,
): Promise<PerceptronModel> {
  const rows = Int32Array.from(labels, (_, i) => i);
  const trained = await trainPerceptron({ kernel: values, rows, labels }, options, () => checkpoint(run));
  const { coefficients, squaredNorm, mistakes, passes } = trained;
  const weights = { coefficients, bias: 0, norm: Math.sqrt(squaredNorm) };
  const machine = KernelExpansion.trainedOn(features, rows, values.kernel, weights);
  const { averaged } = options;
  const training = compressionFacts(labels, trained.decisionValues, coefficients);
  return new PerceptronModel({ classes, featureNames, machine, mistakes, passes, averaged, training });
}
