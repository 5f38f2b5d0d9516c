import * as z from "zod";
import { MOST_COUNTED } from "../../runtime/codec/schema-numbers.js";
import { checkpoint } from "../../runtime/parallel/run.js";
import { kernelMachineCertificates } from "../../theory/compression/sample-compression.js";
import { compressionFacts, compressionFault } from "../compression-facts.js";
import { defineLearner } from "../define-learner.js";
import { compressionFactsSchema } from "../fact-schemas.js";
import { checkAmounts, kernelFacts, kernelVcDimension } from "../kernel/kernel.js";
import { KernelExpansion } from "../kernel/kernel-expansion.js";
import { chooseLayout, rowValues } from "../kernel/kernel-features.js";
import { cacheOption, kernelOptions, kernelScaling } from "../kernel/kernel-options.js";
import { kernelExpansion } from "../kernel/kernel-parts.js";
import { withKernelRows } from "../kernel/kernel-rows.js";
import { signedMargin, signedScores, signsOf } from "../scores.js";
import { trainPerceptron } from "./batch-perceptron.js";

/** A fitted kernel perceptron. */
export type PerceptronModel = ReturnType<typeof perceptron.assemble>;

const MOST_PASSES = 100_000;
const passes = z.int().min(1).max(MOST_PASSES);

/**
 * The kernel perceptron sgn(Σ α_i y_i K(x_i, x)), + for the first class; rows are visited in their order.
 *
 * From `fit` to model:
 * 1. `chooseLayout` turns sparse rows into a matrix unless the matrix would be large.
 * 2. `withKernelRows` computes the kernel matrix, or packs the rows if the matrix is too large for the cache.
 * 3. `trainPerceptron` visits the rows pass after pass. A mistake adds the kernel values of its row to the scores of all rows.
 * 4. Training stops after a pass without mistakes, or after `passes`. With `averaged`, the mean of all weights is kept.
 * 5. `KernelExpansion.trainedOn` keeps the rows with a weight: they are the model. `KernelSums` evaluates it.
 */
export const perceptron = defineLearner({
  name: "perceptron",
  title: "Kernel perceptron",
  summary: "Passes over the rows and adds each one it misclassifies to the model.",
  options: z.object({
    ...kernelOptions({ kernel: "polynomial", degree: 2, scale: 1 }),
    cacheMegabytes: cacheOption(1000),
    passes: passes
      .default(4)
      .describe("Maximum passes over the rows. Training stops after a pass without mistakes."),
    averaged: z
      .boolean()
      .default(false)
      .describe(
        "Average the weights over all visits instead of keeping the last ones. More stable on noisy data.",
      ),
  }),
  features: "matrix or sparse",
  keepsRows: true,
  encoding: (options) => ({ kind: "numeric", standardise: kernelScaling(options), sparse: "large" }),
  classes: "two",
  scoring: "decision",
  parts: {
    machine: kernelExpansion,
    /** Updates made in training. */
    mistakes: z
      .int()
      .min(1)
      .max(MOST_COUNTED * MOST_PASSES),
    /** Passes over the training rows. */
    passes,
    averaged: z.boolean(),
    /** Whether the last weights get every training row right, so that another pass would change nothing. */
    settled: z.boolean(),
    compression: compressionFactsSchema,
  },
  async fit({ sample }, options, run) {
    const features = chooseLayout(sample.features);
    const labels = signsOf(sample.labels);
    const rows = Int32Array.from(labels, (_, i) => i);
    return withKernelRows({ features, featureNames: sample.featureNames }, options, run, async (values) => {
      const trained = await trainPerceptron({ kernel: values, rows, labels }, options, () => checkpoint(run));
      const { coefficients, decisionValues, squaredNorm, mistakes, passes, settled } = trained;
      const weights = { coefficients, bias: 0, norm: Math.sqrt(squaredNorm) };
      return {
        machine: KernelExpansion.trainedOn(features, rows, values.kernel, weights),
        mistakes,
        passes,
        averaged: options.averaged,
        settled,
        compression: compressionFacts(labels, decisionValues, coefficients),
      };
    });
  },
  fault: ({ machine, compression }) =>
    machine.bias === 0
      ? compressionFault(compression, machine.support.rows)
      : `it has the bias ${machine.bias}`,
  outputs({ machine, featureNames }, features) {
    checkAmounts(machine.kernel.kind, features, featureNames);
    return { features, values: machine.values(features) };
  },
  scores: (_, { values }) => signedScores(values),
  /** Computes y·f(x) / (‖w‖·‖φ(x)‖), the cosine of the angle between w and y·φ(x). */
  margins: ({ machine }, { features, values }, labels) =>
    values.map((value, i) => signedMargin(value, machine.limit(rowValues(features, i)), labels[i])),
  complexity({ machine, featureNames }) {
    const { kernel, support, norm } = machine;
    const features = featureNames.length;
    const counts = { supportVectors: support.rows, features, norm };
    const vcDimension = kernelVcDimension(kernel, features, { bias: false });
    return { ...(Number.isFinite(vcDimension) && { vcDimension }), counts };
  },
  /**
   * Lists the certificates. The rows that were ever misclassified determine a perceptron: visiting them alone, in the same
   * order and as often, makes the same mistakes, since other rows change nothing. The mean of the weights counts visits, which
   * follow from the places of the rows.
   */
  certificates({ machine, compression, featureNames }, { confidence }) {
    return kernelMachineCertificates({
      ...compression,
      confidence,
      dimension: kernelVcDimension(machine.kernel, featureNames.length, { bias: true }),
      determined: {
        text: "The rows with a mistake alone give the same perceptron: the others changed nothing when they were visited.",
        status: "checked",
      },
    });
  },
  /** The mean of the weights is for data on which they never settle. */
  converged: ({ averaged, settled }) => (averaged ? undefined : settled),
  describe: ({ machine, mistakes, passes, averaged }) => ({
    facts: [
      ...kernelFacts(machine.kernel),
      { name: "support vectors", value: machine.support.rows },
      { name: "norm", value: machine.norm },
      { name: "mistakes", value: mistakes },
      { name: "passes", value: passes },
      { name: "averaged", value: averaged },
    ],
    sections: [],
  }),
});
