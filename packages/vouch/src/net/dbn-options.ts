import { z } from "zod";
import { trainingOptions } from "./options.js";
import { batchSizeOption, pretrainedLayersOption, pretrainOptions } from "./sae-options.js";

const { activation: _, ...otherTrainingOptions } = trainingOptions;

/** The options of `dbn`; its hidden units are sigmoids. */
export const dbnOptions = z.object({
  layers: pretrainedLayersOption,
  visible: z
    .enum(["unit", "binary", "gaussian"])
    .default("unit")
    .describe(
      "The input units: binary ones, given features scaled to 0 … 1 as probabilities (unit) or features of two values only (binary), or Gaussian ones, given standardised features.",
    ),
  gibbsSteps: z
    .int()
    .min(1)
    .max(10_000)
    .default(1)
    .describe("k of contrastive divergence: steps of Gibbs sampling for each batch."),
  ...pretrainOptions,
  pretrainRate: z
    .number()
    .gt(0)
    .max(1e6)
    .default(0.05)
    .describe("How far a weight moves in a step of pre-training; Gaussian units take a tenth of it."),
  pretrainMomentum: z
    .number()
    .min(0)
    .lt(1)
    .default(0.9)
    .describe("Share of its last step that a weight adds to the next one in pre-training."),
  pretrainDecay: z
    .number()
    .min(0)
    .max(1)
    .default(0.0002)
    .describe("Share of a weight, times pretrainRate, that each step of pre-training takes away."),
  ...otherTrainingOptions,
  batchSize: batchSizeOption,
});
