import * as z from "zod";
import { defineLearner } from "../define-learner.js";
import { pretrainAutoencoders } from "./autoencoders.js";
import { network } from "./network.js";
import {
  activationOption,
  fineTuningOptions,
  pretrainedLayersOption,
  pretrainOptions,
} from "./network-options.js";
import { fitPretrained, PRETRAINING_ENCODING } from "./pretrained-network.js";

/** A network whose hidden layers are pre-trained as autoencoders, one on top of the other. */
export const sae = defineLearner({
  name: "sae",
  title: "Stacked autoencoders",
  summary: "A neural network whose layers are pre-trained as stacked autoencoders, without labels.",
  options: z.object({
    layers: pretrainedLayersOption,
    inputs: z
      .enum(["unit", "standard"])
      .default("unit")
      .describe(
        "Inputs to reconstruct: features scaled to [0, 1] (unit), or standardised features (standard).",
      ),
    noise: z
      .number()
      .min(0)
      .lt(1)
      .default(0.3)
      .describe("Denoising: fraction of a layer's inputs set to zero before encoding; 0 turns it off.")
      .meta({ ignoredIf: { pretrainEpochs: ["0"] } }),
    sparsity: z
      .number()
      .min(0)
      .max(1e6)
      .default(0)
      .describe(
        "Weight of the sparsity penalty, the sum of a row's code. For layers with more units than inputs.",
      ),
    ...pretrainOptions,
    pretrainRate: z
      .number()
      .gt(0)
      .max(1e6)
      .default(0.005)
      .describe("Learning rate of pre-training (Adam).")
      .meta({ ignoredIf: { pretrainEpochs: ["0"] } }),
    activation: activationOption("sigmoid"),
    ...fineTuningOptions,
  }),
  encoding: PRETRAINING_ENCODING,
  pretrains: ({ pretrainEpochs }) => pretrainEpochs > 0,
  ...network,
  fit({ sample }, options, run) {
    const { activation, inputs: scaling, noise, sparsity, pretrainRate: rate } = options;
    const decoder = scaling === "unit" ? "sigmoid" : "linear";
    return fitPretrained(sample, { ...options, scaling }, run, ({ rows }, schedule) =>
      pretrainAutoencoders(rows, { ...schedule, code: activation, decoder, noise, sparsity, rate }, run),
    );
  },
});
