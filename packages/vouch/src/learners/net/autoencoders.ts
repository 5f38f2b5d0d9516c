import { Matrix } from "../../runtime/matrix.js";
import type { Random } from "../../runtime/random.js";
import type { Run } from "../../runtime/run.js";
import {
  activate,
  adamUpdate,
  addColumnSums,
  drawLayer,
  hiddenInput,
  pairedSums,
  squaredDistance,
  type TiedLayer,
  timesSlope,
  type Unit,
  visibleInput,
  zerosLike,
} from "./pretrain-layer.js";
import {
  type LayerKind,
  type LearningLayer,
  type PretrainedStack,
  type PretrainSchedule,
  pretrainStack,
} from "./pretrain-stack.js";

/**
 * An autoencoder: h = s(W·x + b) encodes a row, x̂ = t(Wᵀ·h + c) decodes it, and both are fitted so that x̂ is close to x
 * (thesis, eq. 4.24).
 *
 * Encoder and decoder have the same weights. The thesis leaves that open ("a 2-layer feedforward network"). Tied weights are
 * those of the published denoising autoencoder, half as many to fit, and they rule out two degenerate solutions: a tiny code
 * that huge decoder weights scale up again, which would make a sparse code free, and a code that stays in the linear part of
 * its units.
 */
export interface Autoencoder {
  /** s: activation function of the hidden units. */
  readonly code: Exclude<Unit, "linear">;
  /** t: sigmoid for inputs from 0 to 1, tanh from −1 to 1, linear for any. */
  readonly decoder: Unit;
  /** Weight of the penalty Σ|h|, which pulls the units of an overcomplete code to zero. */
  readonly sparsity: number;
}

interface AutoencoderStep {
  /** Gradient of the objective with respect to the layer, mean over the rows. */
  readonly gradient: TiedLayer;
  /** Σ ‖x − x̂‖² over the rows. */
  readonly distance: number;
}

/** Encodes rows. */
export function codesOf({ code }: Pick<Autoencoder, "code">, layer: TiedLayer, rows: Matrix): Matrix {
  return activate(code, hiddenInput(layer, rows));
}

/** Decodes codes. */
export function decoded({ decoder }: Pick<Autoencoder, "decoder">, layer: TiedLayer, codes: Matrix): Matrix {
  return activate(decoder, visibleInput(layer, codes));
}

/**
 * Computes the gradient of the mean over the rows of ‖x − x̂‖² + sparsity·Σ|h|, where x̂ is decoded from the code of a
 * corrupted x. The weights count twice: dW = Σ δ_h·x̃ᵀ + h·δ_x̂ᵀ.
 */
export function autoencoderStep(
  autoencoder: Autoencoder,
  layer: TiedLayer,
  corrupted: Matrix,
  clean: Matrix,
): AutoencoderStep {
  const { code, decoder, sparsity } = autoencoder;
  const { rows } = clean;
  const codes = codesOf(autoencoder, layer, corrupted);
  const output = decoded(autoencoder, layer, codes);
  const visibleErrors = new Matrix(rows, clean.columns, zerosLike(output.values));
  for (let k = 0; k < output.values.length; k++) {
    visibleErrors.values[k] = (2 / rows) * (output.values[k] - clean.values[k]);
  }
  timesSlope(decoder, visibleErrors, output);
  const hiddenErrors = hiddenInput({ ...layer, hiddenBiases: zerosLike(layer.hiddenBiases) }, visibleErrors);
  if (sparsity > 0) addSparsity(hiddenErrors, codes, sparsity / rows);
  timesSlope(code, hiddenErrors, codes);
  const gradient = {
    weights: pairedSums(
      { hidden: hiddenErrors, visible: corrupted },
      { hidden: codes, visible: visibleErrors },
    ),
    hiddenBiases: zerosLike(layer.hiddenBiases),
    visibleBiases: zerosLike(layer.visibleBiases),
  };
  addColumnSums(hiddenErrors, 1, gradient.hiddenBiases);
  addColumnSums(visibleErrors, 1, gradient.visibleBiases);
  return { gradient, distance: squaredDistance(clean, output) };
}

/**
 * Adds masking noise: sets each value to zero with the given probability, and scales up the others in proportion, so that
 * units receive as much as from complete rows.
 */
export function masked({ rows, columns, values }: Matrix, noise: number, random: Random): Matrix {
  const kept = values.slice();
  const limit = noise * 4294967296;
  const growth = 1 / (1 - noise);
  for (let k = 0; k < kept.length; k++) kept[k] = random.bits() < limit ? 0 : growth * kept[k];
  return new Matrix(rows, columns, kept);
}

function addSparsity(errors: Matrix, { values }: Matrix, weight: number): void {
  for (let k = 0; k < values.length; k++) errors.values[k] += weight * Math.sign(values[k]);
}

/** How stacked autoencoders are pre-trained. */
export interface AutoencoderPlan extends PretrainSchedule, Pick<Autoencoder, "code" | "sparsity"> {
  /** Decoder of the input: sigmoid if all of it is from 0 to 1, otherwise linear. */
  readonly decoder: "sigmoid" | "linear";
  /** Probability with which an input is set to zero before encoding (denoising). */
  readonly noise: number;
  /** Adam's learning rate. */
  readonly rate: number;
}

/**
 * Pre-trains hidden layers as autoencoders, one after the other: undercomplete if a layer has fewer units than inputs,
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
  name: "autoencoder",
  start(plan, rows, units, level, random): LearningLayer {
    // Codes are decoded by units of the same range.
    const decoder = level === 0 ? plan.decoder : plan.code;
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
