import { z } from "zod";
import type { Sample } from "../../encode/sample.js";
import { Matrix } from "../../runtime/matrix.js";
import { checkpoint, type Run } from "../../runtime/run.js";
import { type Json, type State, StateReader } from "../../runtime/state.js";
import type { Certificate } from "../../theory/certificate.js";
import { kernelMachineCertificates } from "../../theory/compression/sample-compression.js";
import { checkKernelFeatures, kernelSchema, kernelVcDimension } from "../kernel/kernel.js";
import { KernelExpansion } from "../kernel/kernel-expansion.js";
import { kernelLearner } from "../kernel/kernel-learner.js";
import { cacheOption, kernelOptions } from "../kernel/kernel-options.js";
import type { KernelRows } from "../kernel/kernel-rows.js";
import type { Learner } from "../learner.js";
import type { LearnerDefinition } from "../legacy.js";
import { legacyKind } from "../legacy.js";
import type { Complexity, Model } from "../model.js";
import { parseOptions } from "../options.js";
import { checkTwoClasses, predictionsOf, signedMargin, signedScores, signsOf } from "../scores.js";
import { type CompressionFacts, compressionFacts, compressionFactsSchema } from "../training-facts.js";
import { trainPerceptron } from "./batch-perceptron.js";

/** The options of `perceptron`. */
const perceptronOptions = z.object({
  ...kernelOptions({ kernel: "polynomial", degree: 2, scale: 1 }),
  cacheMegabytes: cacheOption(1000),
  passes: z
    .int()
    .min(1)
    .max(100_000)
    .default(4)
    .describe("How often all rows are visited at most; a pass without a mistake is the last."),
  averaged: z
    .boolean()
    .default(false)
    .describe(
      "Keep the mean of the weights after each visit instead of the last ones: steadier on noisy data.",
    ),
});

const structure = z.strictObject({
  classes: z.array(z.string()).length(2),
  featureNames: z.array(z.string()),
  kernel: kernelSchema,
  norm: z.number().min(0),
  mistakes: z.int().min(1),
  passes: z.int().min(1),
  averaged: z.boolean(),
  training: compressionFactsSchema.optional(),
});

/** A kernel perceptron: sgn(Σ α_i y_i K(x_i, x)), + for the first class. */
export class PerceptronModel implements Model<Matrix> {
  readonly learner = "perceptron";
  readonly scoring = "decision";
  readonly classes: readonly string[];
  readonly featureNames: readonly string[];
  readonly machine: KernelExpansion;
  /** Updates made in training. */
  readonly mistakes: number;
  /** Passes over the training rows. */
  readonly passes: number;
  readonly averaged: boolean;
  /** What certificates need; absent in files of older versions. */
  readonly training: CompressionFacts | undefined;

  constructor(
    parts: Pick<
      PerceptronModel,
      "classes" | "featureNames" | "machine" | "mistakes" | "passes" | "averaged"
    > &
      Partial<Pick<PerceptronModel, "training">>,
  ) {
    this.classes = parts.classes;
    this.featureNames = parts.featureNames;
    this.machine = parts.machine;
    this.mistakes = parts.mistakes;
    this.passes = parts.passes;
    this.averaged = parts.averaged;
    this.training = parts.training;
  }

  /** f(x) for the first class, −f(x) for the second. */
  scores(features: Matrix): Matrix {
    this.#check(features);
    return signedScores(this.machine.values(features));
  }

  predict(features: Matrix): Int32Array {
    return predictionsOf(this.scores(features));
  }

  /** y·f(x) / (‖w‖·‖φ(x)‖): the cosine of the angle between w and y·φ(x). */
  margins({ features, labels }: Sample<Matrix>): Float64Array {
    this.#check(features);
    const values = this.machine.values(features);
    return values.map((value, i) => signedMargin(value, this.machine.limit(features.row(i)), labels[i]));
  }

  complexity(): Complexity {
    const { kernel, support, norm } = this.machine;
    const features = this.featureNames.length;
    const counts = { supportVectors: support.rows, features, norm };
    const vcDimension = kernelVcDimension(kernel, features, { bias: false });
    return { ...(Number.isFinite(vcDimension) && { vcDimension }), counts };
  }

  /**
   * The rows that were ever mistaken determine a perceptron: going through them alone, in the same order and as often, makes
   * the same mistakes, since other rows change nothing. The mean of the weights counts visits, which the places of the rows
   * tell.
   */
  certificates({ confidence }: { readonly confidence: number }): readonly Certificate[] {
    if (!this.training) return [];
    const { kernel, support } = this.machine;
    return kernelMachineCertificates({
      ...this.training,
      confidence,
      supportVectors: support.rows,
      dimension: kernelVcDimension(kernel, this.featureNames.length, { bias: true }),
      determined: {
        statement:
          "The rows that it learned from alone give the same perceptron: the others changed nothing when they were visited.",
        holds: true,
      },
    });
  }

  describe(): Json {
    const { kind, ...parameters } = this.machine.kernel;
    return {
      kernel: kind,
      ...parameters,
      supportVectors: this.machine.support.rows,
      norm: this.machine.norm,
      mistakes: this.mistakes,
      passes: this.passes,
      averaged: this.averaged,
    };
  }

  toState(): State {
    const { classes, featureNames, machine, mistakes, passes, averaged, training } = this;
    const { kernel, support, coefficients, norm } = machine;
    return {
      json: {
        classes,
        featureNames,
        kernel: { ...kernel },
        norm,
        mistakes,
        passes,
        averaged,
        ...(training && { training: { ...training } }),
      },
      tensors: {
        support: { shape: [support.rows, support.columns], data: support.values },
        coefficients: { shape: [coefficients.length], data: coefficients },
      },
    };
  }

  /** The model behind a state that `toState` gave. */
  static restore(state: State): PerceptronModel {
    const reader = new StateReader("perceptron model", state);
    const { kernel, norm, ...facts } = reader.json(structure);
    reader.only("support", "coefficients");
    const size = reader.length("coefficients");
    const coefficients = reader.numbers("coefficients", [size]);
    if (facts.training && size + facts.training.otherErrors > facts.training.rows) {
      throw reader.corrupt(`it has ${size} support vectors of ${facts.training.rows} rows`);
    }
    const columns = facts.featureNames.length;
    const support = new Matrix(size, columns, reader.numbers("support", [size, columns]));
    const machine = new KernelExpansion({ kernel, support, coefficients, bias: 0, norm });
    return new PerceptronModel({ ...facts, machine });
  }

  #check(features: Matrix): void {
    checkKernelFeatures(this.machine.kernel.kind, features, this.featureNames);
  }
}

/** The kernel perceptron on a batch of rows, which are visited in their order. */
export function perceptron(options?: z.input<typeof perceptronOptions>): Learner<PerceptronModel, Matrix> {
  const parsed = parseOptions("perceptron", perceptronOptions, options);
  return kernelLearner("perceptron", parsed, (sample, run) => {
    checkTwoClasses("perceptron", sample.classes);
    const labels = signsOf(sample.labels);
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

/** TRANSITION */
export const perceptronKind = legacyKind(perceptronDefinition);
