import * as z from "zod";
import { validationOption } from "../early-stopping.js";
import { type Activation, activations } from "./network-weights.js";
import { optimisers } from "./step-rule.js";
import { rateDecays } from "./training.js";

/** More units than memory has room for. */
const MOST_UNITS = 100_000;
const MOST_EPOCHS = 100_000;
const MOST_STEPS = 100_000;

/** The hidden layers of a network. */
export const layersOption = z
  .array(z.int().min(1).max(MOST_UNITS))
  .max(100)
  .default([256, 128])
  .describe("Units in each hidden layer, first to last. An empty list gives a linear model.");

/** Defines the option `activation` with the default of a learner. */
export function activationOption(usual: Activation) {
  return z.enum(activations).default(usual).describe("Activation function of the hidden units.");
}

/** Range of the learning rate. */
export const learningRate = z.number().gt(0).max(1e6);

/** Range of the number of an epoch; 0 is before the first one. */
export const epochNumber = z.int().min(0).max(MOST_EPOCHS);

const rowsPerBatch = z.int().min(1).max(1_000_000);

const dropoutRate = z.number().min(0).max(0.95);

const weightDecay = z.number().min(0).max(1e6);

const patience = z.int().min(0).max(MOST_EPOCHS);

/** The options of supervised training that all networks share. */
const sharedOptions = {
  output: z
    .enum(["auto", "softmax", "logistic"])
    .default("auto")
    .describe(
      "Output layer: softmax (one unit per class) or logistic (one unit, two classes only); auto is logistic for two classes.",
    ),
  optimiser: z
    .enum(optimisers)
    .default("adam")
    .describe("Optimiser: Adam, or stochastic gradient descent with momentum."),
  learningRate: learningRate.default(0.001).describe("Learning rate (step size)."),
  momentum: z
    .number()
    .min(0)
    .lt(1)
    .default(0.9)
    .describe("Momentum of sgd. Ignored by adam.")
    .meta({ ignoredIf: { optimiser: ["adam"] } }),
  minSteps: z
    .int()
    .min(0)
    .max(MOST_STEPS)
    .default(0)
    .describe(
      "Raises `epochs` until training has this many steps (mini-batches): few rows need more epochs.",
    ),
  rateDrops: z
    .int()
    .min(0)
    .max(100)
    .default(2)
    .describe("Times that early stopping resumes from the best weights with a fifth of the learning rate.")
    .meta({ ignoredIf: { patience: ["0"] } }),
  rateDecay: z
    .enum(rateDecays)
    .default("none")
    .describe(
      "Learning rate schedule: linear decays the rate to 0 at the last epoch, for training without early stopping.",
    ),
  dropout: dropoutRate
    .default(0)
    .describe("Fraction of the units of each hidden layer that every step drops at random."),
  inputDropout: dropoutRate.default(0).describe("Fraction of the features that every step drops at random."),
  validation: validationOption(0.1),
  prior: z
    .number()
    .min(0)
    .lt(1)
    .default(0)
    .describe(
      "Random fraction of the rows that train the prior of a PAC-Bayes certificate; the others certify the network, and train it in one slow pass. 0 turns it off.",
    ),
};

const DECAY = "Decoupled weight decay: each step shrinks weights, not biases, by learningRate · weightDecay";
const STOPPING =
  "Early stopping: epochs without a lower held-out error before training stops; 0 turns it off.";

const auto = z.literal("auto");

/** The options of training from random weights; those that are `auto` follow the number of rows (`training-schedule.ts`). */
export const trainingOptions = {
  ...sharedOptions,
  weightDecay: z
    .union([auto, weightDecay])
    .default("auto")
    .describe(`${DECAY}. auto is 0.1; below 1,000 rows it is 450 / rows, but at most 5.`),
  batchSize: z
    .union([auto, rowsPerBatch])
    .default("auto")
    .describe("Rows per mini-batch, or all rows if there are fewer. auto is 100, or 32 below 1,000 rows."),
  epochs: z
    .union([auto, epochNumber.min(1)])
    .default("auto")
    .describe(
      "Maximum number of epochs. auto is 100; below 1,000 rows it is the number that makes 1,000 steps.",
    ),
  patience: z
    .union([auto, patience])
    .default("auto")
    .describe(`${STOPPING} auto is 5; below 1,000 rows it is 0, and all rows train.`),
};

/** The hidden layers of a pre-trained network: at least one. */
export const pretrainedLayersOption = z
  .array(z.int().min(1).max(MOST_UNITS))
  .min(1)
  .max(100)
  .default([256, 128])
  .describe("Units in each hidden layer, first to last.");

/** The options that all kinds of pre-training share. */
export const pretrainOptions = {
  pretrainEpochs: z
    .int()
    .min(0)
    .max(MOST_EPOCHS)
    .default(15)
    .describe("Pre-training epochs per layer; 0 turns pre-training off."),
  pretrainBatch: z
    .union([z.literal("auto"), rowsPerBatch])
    .default("auto")
    .describe(
      "Rows per mini-batch in pre-training; auto is 100, or down to 10 if an epoch would have fewer than 50 steps.",
    )
    .meta({ ignoredIf: { pretrainEpochs: ["0"] } }),
};

/** Labelled rows are usually few, so batches are smaller than those of `mlp` and make more steps. */
export const fineTuningOptions = {
  ...sharedOptions,
  weightDecay: weightDecay.default(0.1).describe(`${DECAY}.`),
  batchSize: rowsPerBatch
    .default(20)
    .describe("Rows per mini-batch in supervised training, or all rows if there are fewer."),
  epochs: epochNumber.min(1).default(100).describe("Maximum number of epochs."),
  patience: patience.default(5).describe(STOPPING),
};
