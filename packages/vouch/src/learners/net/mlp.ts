import { z } from "zod";
import type { Sample } from "../../encode/sample.js";
import type { Matrix } from "../../runtime/matrix.js";
import { Random } from "../../runtime/random.js";
import { completeRun, type Run } from "../../runtime/run.js";
import { validationOption } from "../early-stopping.js";
import type { Learner } from "../learner.js";
import type { LearnerDefinition } from "../legacy.js";
import { legacyKind } from "../legacy.js";
import { parseOptions } from "../options.js";
import { checkFinite, trainingSample } from "../training-sample.js";
import { fitNetwork, outputFor, outputUnits } from "./fit-network.js";
import { NetworkModel } from "./network-model.js";
import { randomWeights } from "./network-weights.js";
import { activations } from "./resident-network.js";
import { optimisers } from "./step-rule.js";

/** More units than memory has room for, and deeper networks than anybody has trained without further means. */
const MOST_UNITS = 100_000;
const MOST_EPOCHS = 100_000;

/** Hidden layers of a network. */
export const layersOption = z
  .array(z.int().min(1).max(MOST_UNITS))
  .max(100)
  .describe("How many units each hidden layer has, from the first to the last; none: a linear model.");

/** The options that networks share: how units compute, and how they are trained with labels. */
export const trainingOptions = {
  activation: z.enum(activations).default("relu").describe("What hidden units make of their weighted sums."),
  output: z
    .enum(["auto", "softmax", "logistic"])
    .default("auto")
    .describe("One output for each class, or a single one for two classes; auto: single for two classes."),
  optimiser: z
    .enum(optimisers)
    .default("adam")
    .describe("How weights follow their gradients: Adam, or gradient descent with momentum."),
  learningRate: z.number().gt(0).max(1e6).default(0.001).describe("How far weights move in a step."),
  momentum: z
    .number()
    .min(0)
    .lt(1)
    .default(0.9)
    .describe("Share of its last step that sgd adds to the next one; adam does without."),
  weightDecay: z
    .number()
    .min(0)
    .max(1e6)
    .default(0.1)
    .describe("Weights shrink by learningRate · weightDecay of themselves in every step; biases do not."),
  batchSize: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(100)
    .describe("Rows of a step; all of them if there are fewer."),
  epochs: z
    .int()
    .min(1)
    .max(MOST_EPOCHS)
    .default(100)
    .describe("How often at most all rows are learned from."),
  patience: z
    .int()
    .min(0)
    .max(MOST_EPOCHS)
    .default(5)
    .describe(
      "Stop when the error on rows kept apart has not fallen for so many epochs, and keep the weights of the best one; 0: never.",
    ),
  rateDrops: z
    .int()
    .min(0)
    .max(100)
    .default(2)
    .describe(
      "How often training goes on from the best weights with a fifth of the learning rate where the patience has run out, before it stops.",
    ),
  validation: validationOption(0.1),
};

/** The options of `mlp`. */
const mlpOptions = z.object({ layers: layersOption.default([256, 128]), ...trainingOptions });

/** Checked options of how to train a network with labels. */
export type TrainingOptions = Omit<z.output<typeof mlpOptions>, "layers">;

const NAME = "mlp";

/**
 * So many standard deviations from the mean are as far as it gets: features that are rarely on would otherwise drown all
 * others, such as the pixels at the edge of a picture.
 */
const INPUT_LIMIT = 4;

/** A network of dense layers, trained from random weights. */
export function mlp(options?: z.input<typeof mlpOptions>): Learner<NetworkModel, Matrix> {
  const parsed = parseOptions(NAME, mlpOptions, options);
  return {
    name: NAME,
    options: parsed,
    encoding: { kind: "numeric", standardise: true },
    async fit(given: Sample<Matrix>, partialRun?: Partial<Run>) {
      checkFinite(given.features, given.featureNames);
      const { sample } = trainingSample(NAME, given);
      const run = completeRun(partialRun);
      const units = outputUnits(outputFor(NAME, parsed, sample.classes), sample.classes);
      const sizes = [sample.features.columns, ...parsed.layers, units];
      const initial = randomWeights(sizes, parsed.activation, new Random(run.seed));
      return fitNetwork(sample, { learner: NAME, options: parsed, initial, inputLimit: INPUT_LIMIT }, run);
    },
  };
}

/** What the rest of the system knows of `mlp`. */
export const mlpDefinition: LearnerDefinition<typeof mlpOptions, NetworkModel, Matrix> = {
  name: NAME,
  summary: "A neural network of dense layers, trained by gradient descent in small batches.",
  options: mlpOptions,
  multiclass: true,
  create: mlp,
  restore: NetworkModel.restore,
};

/** TRANSITION */
export const mlpKind = legacyKind(mlpDefinition);
