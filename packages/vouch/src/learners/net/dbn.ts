import { z } from "zod";
import type { Matrix } from "../../runtime/matrix.js";
import type { Learner } from "../learner.js";
import type { LearnerDefinition } from "../legacy.js";
import { legacyKind } from "../legacy.js";
import { parseOptions } from "../options.js";
import { trainingOptions } from "./mlp.js";
import { NetworkModel } from "./network-model.js";
import { checkBinary } from "./pretrain-inputs.js";
import { pretrainingLearner } from "./pretrain-learner.js";
import { pretrainRbms } from "./rbms.js";
import { batchSizeOption, pretrainedLayersOption, pretrainOptions } from "./sae.js";

const { activation: _, ...otherTrainingOptions } = trainingOptions;

/** The options of `dbn`; its hidden units are sigmoids. */
const dbnOptions = z.object({
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

const NAME = "dbn";

/** A network whose hidden layers are pre-trained as restricted Boltzmann machines, one on top of the other. */
export function dbn(options?: z.input<typeof dbnOptions>): Learner<NetworkModel, Matrix> {
  const parsed = parseOptions(NAME, dbnOptions, options);
  const { visible, gibbsSteps, pretrainRate, pretrainMomentum, pretrainDecay } = parsed;
  const divergence = {
    visible: visible === "gaussian" ? ("gaussian" as const) : ("binary" as const),
    steps: gibbsSteps,
    rate: pretrainRate,
    momentum: pretrainMomentum,
    decay: pretrainDecay,
  };
  return pretrainingLearner(NAME, parsed, {
    activation: "sigmoid",
    scaling: visible === "gaussian" ? "standard" : "unit",
    async pretrain(inputs, schedule, featureNames, run) {
      if (visible === "binary") checkBinary(inputs, featureNames);
      return pretrainRbms(inputs.rows, { ...schedule, ...divergence }, run);
    },
  });
}

/** What the rest of the system knows of `dbn`. */
export const dbnDefinition: LearnerDefinition<typeof dbnOptions, NetworkModel, Matrix> = {
  name: NAME,
  summary: "A network whose layers first learn, without labels, how likely rows are: a deep belief net.",
  options: dbnOptions,
  multiclass: true,
  create: dbn,
  restore: NetworkModel.restore,
};

/** TRANSITION */
export const dbnKind = legacyKind(dbnDefinition);
