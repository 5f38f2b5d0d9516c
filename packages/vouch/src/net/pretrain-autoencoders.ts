import type { Run } from "../learning/run.js";
import type { Matrix } from "../numeric/matrix.js";
import { type Autoencoder, autoencoderStep, codesOf, decoded, masked } from "./autoencoder.js";
import { drawLayer } from "./pretrain-layer.js";
import {
  type LayerKind,
  type LearningLayer,
  type PretrainedStack,
  type PretrainSchedule,
  pretrainStack,
} from "./pretrain-stack.js";
import { adamUpdate } from "./pretrain-steps.js";
import type { Unit } from "./pretrain-units.js";

/** How stacked auto-encoders are pre-trained. */
export interface AutoencoderPlan extends PretrainSchedule, Pick<Autoencoder, "code" | "sparsity"> {
  /** What decodes the input: sigmoid if all of it is from 0 to 1, else linear. */
  readonly decoder: "sigmoid" | "linear";
  /** The probability with which an input is set to zero before it is coded (denoising); 0: plain. */
  readonly noise: number;
  /** About how far Adam moves a weight with each batch. */
  readonly rate: number;
}

/** What decodes a layer of codes: units of the same range. */
const decoderOf: Readonly<Record<Autoencoder["code"], Unit>> = {
  sigmoid: "sigmoid",
  tanh: "tanh",
  relu: "relu",
};

/**
 * Pre-trains hidden layers as auto-encoders, one after the other: narrow where a layer has fewer units than inputs,
 * denoising with `noise`, sparse with `sparsity`.
 */
export function pretrainAutoencoders(
  features: Matrix,
  plan: AutoencoderPlan,
  run: Run,
): Promise<PretrainedStack> {
  return pretrainStack(autoencoders, features, plan, run);
}

const autoencoders: LayerKind<AutoencoderPlan> = {
  name: "auto-encoder",
  begin(plan, rows, units, level, random): LearningLayer {
    const decoder = level === 0 ? plan.decoder : decoderOf[plan.code];
    const autoencoder = { code: plan.code, decoder, sparsity: plan.sparsity };
    const layer = drawLayer(rows, units, decoder, random);
    const update = adamUpdate(layer, plan.rate);
    return {
      layer,
      learn(clean, random) {
        const corrupted = plan.noise > 0 ? masked(clean, plan.noise, random) : clean;
        const { gradient, distance } = autoencoderStep(autoencoder, layer, corrupted, clean);
        update(gradient);
        return { distance };
      },
      encode: (rows) => codesOf(autoencoder, layer, rows),
      decode: (codes) => decoded(autoencoder, layer, codes),
    };
  },
};
