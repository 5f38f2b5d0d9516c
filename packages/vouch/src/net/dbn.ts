import type { z } from "zod";
import type { Learner, LearnerDefinition } from "../learning/learner.js";
import { parseOptions } from "../learning/options.js";
import type { Matrix } from "../numeric/matrix.js";
import { dbnOptions } from "./dbn-options.js";
import { NetworkModel } from "./model.js";
import { checkBinary } from "./pretrain-inputs.js";
import { pretrainingLearner } from "./pretrain-learner.js";
import { pretrainRbms } from "./pretrain-rbms.js";

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
