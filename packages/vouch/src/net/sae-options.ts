import { z } from "zod";
import { activations } from "./activation.js";
import { layersOption, trainingOptions } from "./options.js";

/** The hidden layers of a pre-trained network: at least one. */
export const pretrainedLayersOption = layersOption
  .min(1)
  .default([256, 128])
  .describe("How many units each hidden layer has, from the first to the last.");

/** The options that all kinds of pre-training share. */
export const pretrainOptions = {
  pretrainEpochs: z
    .int()
    .min(0)
    .max(100_000)
    .default(15)
    .describe("How often a layer sees every row in pre-training; 0: no pre-training."),
  pretrainBatch: z
    .union([z.literal("auto"), z.int().min(1).max(1_000_000)])
    .default("auto")
    .describe(
      "Rows of a step in pre-training, all of them if there are fewer; auto: 100, or down to 10 where an epoch has fewer than 50 steps.",
    ),
};

/** Rows with labels are few, as a rule: smaller batches than those of `mlp` make more steps of them. */
export const batchSizeOption = z
  .int()
  .min(1)
  .max(1_000_000)
  .default(20)
  .describe("Rows of a step of training with labels; all of them if there are fewer.");

/** The options of `sae`. */
export const saeOptions = z.object({
  layers: pretrainedLayersOption,
  inputs: z
    .enum(["unit", "standard"])
    .default("unit")
    .describe(
      "What is reconstructed: features scaled to 0 … 1 by their range, or standardised ones, by units without bounds.",
    ),
  noise: z
    .number()
    .min(0)
    .lt(1)
    .default(0.3)
    .describe("Share of a layer's inputs that are set to zero before it codes them; 0: no denoising."),
  sparsity: z
    .number()
    .min(0)
    .max(1e6)
    .default(0)
    .describe(
      "How much the sum of a row's code adds to its reconstruction error: for layers with more units than inputs.",
    ),
  ...pretrainOptions,
  pretrainRate: z
    .number()
    .gt(0)
    .max(1e6)
    .default(0.005)
    .describe("About how far a weight moves in a step of pre-training (Adam)."),
  ...trainingOptions,
  batchSize: batchSizeOption,
  activation: z
    .enum(activations)
    .default("sigmoid")
    .describe("What hidden units make of their weighted sums."),
});
