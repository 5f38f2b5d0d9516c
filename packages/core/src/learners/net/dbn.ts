import * as z from "zod";
import { defineLearner } from "../define-learner.js";
import { network } from "./network.js";
import { fineTuningOptions, pretrainedLayersOption, pretrainOptions } from "./network-options.js";
import { checkBinary } from "./pretrain-inputs.js";
import { fitPretrained, PRETRAINING_ENCODING } from "./pretrained-network.js";
import { pretrainRbms } from "./rbms.js";

/** A network whose hidden layers are pre-trained as restricted Boltzmann machines, one on top of the other. */
export const dbn = defineLearner({
  name: "dbn",
  title: "Deep belief network",
  summary: "A neural network whose layers are pre-trained as restricted Boltzmann machines, without labels.",
  options: z.object({
    layers: pretrainedLayersOption,
    visible: z
      .enum(["unit", "binary", "gaussian"])
      .default("unit")
      .describe(
        "Visible units: unit (features scaled to [0, 1]), binary (two-valued features) or gaussian (standardised features).",
      ),
    gibbsSteps: z
      .int()
      .min(1)
      .max(10_000)
      .default(1)
      .describe("Gibbs sampling steps k of contrastive divergence (CD-k).")
      .meta({ ignoredIf: { pretrainEpochs: ["0"] } }),
    ...pretrainOptions,
    pretrainRate: z
      .number()
      .gt(0)
      .max(1e6)
      .default(0.05)
      .describe("Learning rate of pre-training. Gaussian units use a tenth of it.")
      .meta({ ignoredIf: { pretrainEpochs: ["0"] } }),
    pretrainMomentum: z
      .number()
      .min(0)
      .lt(1)
      .default(0.9)
      .describe("Momentum of pre-training.")
      .meta({ ignoredIf: { pretrainEpochs: ["0"] } }),
    pretrainDecay: z
      .number()
      .min(0)
      .max(1)
      .default(0.0002)
      .describe("Weight decay of pre-training, times pretrainRate at each step.")
      .meta({ ignoredIf: { pretrainEpochs: ["0"] } }),
    ...fineTuningOptions,
  }),
  encoding: PRETRAINING_ENCODING,
  pretrains: ({ pretrainEpochs }) => pretrainEpochs > 0,
  ...network,
  fit({ sample }, options, run) {
    const {
      gibbsSteps: steps,
      pretrainRate: rate,
      pretrainMomentum: momentum,
      pretrainDecay: decay,
    } = options;
    const visible = options.visible === "gaussian" ? "gaussian" : "binary";
    const scaling = visible === "gaussian" ? "standard" : "unit";
    return fitPretrained(sample, { ...options, activation: "sigmoid", scaling }, run, (inputs, schedule) => {
      if (options.visible === "binary") checkBinary(inputs, sample.featureNames);
      return pretrainRbms(inputs.rows, { ...schedule, visible, steps, rate, momentum, decay }, run);
    });
  },
});
