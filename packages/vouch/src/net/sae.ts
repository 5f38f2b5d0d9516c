import type { z } from "zod";
import type { Learner, LearnerDefinition } from "../learning/learner.js";
import { parseOptions } from "../learning/options.js";
import type { Matrix } from "../numeric/matrix.js";
import { NetworkModel } from "./model.js";
import { pretrainAutoencoders } from "./pretrain-autoencoders.js";
import { pretrainingLearner } from "./pretrain-learner.js";
import { saeOptions } from "./sae-options.js";

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
