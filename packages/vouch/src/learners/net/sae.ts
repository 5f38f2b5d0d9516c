import { z } from "zod";
import type { Matrix } from "../../runtime/matrix.js";
import type { Learner } from "../learner.js";
import type { LearnerDefinition } from "../legacy.js";
import { legacyKind } from "../legacy.js";
import { parseOptions } from "../options.js";
import { pretrainAutoencoders } from "./autoencoders.js";
import { layersOption, trainingOptions } from "./mlp.js";
import { NetworkModel } from "./network-model.js";
import { pretrainingLearner } from "./pretrain-learner.js";
import { activations } from "./resident-network.js";

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
const saeOptions = z.object({
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

const NAME = "sae";

/** A network whose hidden layers are pre-trained as auto-encoders, one on top of the other. */
export function sae(options?: z.input<typeof saeOptions>): Learner<NetworkModel, Matrix> {
  const parsed = parseOptions(NAME, saeOptions, options);
  const { activation, noise, sparsity, inputs, pretrainRate } = parsed;
  const coding = {
    code: activation,
    decoder: inputs === "unit" ? ("sigmoid" as const) : ("linear" as const),
    noise,
    sparsity,
    rate: pretrainRate,
  };
  return pretrainingLearner(NAME, parsed, {
    activation,
    scaling: inputs,
    pretrain: ({ rows }, schedule, _, run) => pretrainAutoencoders(rows, { ...schedule, ...coding }, run),
  });
}

/** What the rest of the system knows of `sae`. */
export const saeDefinition: LearnerDefinition<typeof saeOptions, NetworkModel, Matrix> = {
  name: NAME,
  summary: "A network whose layers first learn, without labels, to code rows such that they can be decoded.",
  options: saeOptions,
  multiclass: true,
  create: sae,
  restore: NetworkModel.restore,
};

/** TRANSITION */
export const saeKind = legacyKind(saeDefinition);
