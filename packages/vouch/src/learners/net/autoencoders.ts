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
 * An auto-encoder: h = s(W·x + b) codes a row, x̂ = t(Wᵀ·h + c) decodes it, and both are fitted such that x̂ is close
 * to x (thesis, eq. 4.24).
 *
 * Code and decoder have the same weights. The thesis leaves that open ("a 2-layer feedforward network"); tied weights are
 * what the denoising auto-encoder was published with, half as many to fit, and they keep the two cheap ways out closed:
 * a tiny code that huge decoder weights blow up again, which would make a sparse code free, and a code that stays in
 * the linear part of its units.
 */
export interface Autoencoder {
  /** s: what the hidden units make of what they receive. */
  readonly code: Exclude<Unit, "linear">;
  /** t: sigmoid for inputs from 0 to 1, tanh from −1 to 1, linear for any. */
  readonly decoder: Unit;
  /** How much Σ|h| of a row adds to what is minimised: pulls the units of an over-complete code to zero. */
  readonly sparsity: number;
}

/** What a batch says of the weights. */
interface AutoencoderStep {
  /** Of the objective with respect to the layer; mean over the rows. */
  readonly gradient: TiedLayer;
  /** Σ ‖x − x̂‖² over the rows. */
  readonly distance: number;
}

/** The code of each row. */
export function codesOf({ code }: Pick<Autoencoder, "code">, layer: TiedLayer, rows: Matrix): Matrix {
  return activate(code, hiddenInput(layer, rows));
}

/** The rows as they come out of the decoder. */
export function decoded({ decoder }: Pick<Autoencoder, "decoder">, layer: TiedLayer, codes: Matrix): Matrix {
  return activate(decoder, visibleInput(layer, codes));
}

/**
 * The gradient of the mean over the rows of ‖x − x̂‖² + sparsity·Σ|h|, where x̂ is decoded from the code of a
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
 * Masking noise: each value is set to zero with the given probability. Those that are left grow in proportion, so that units
 * receive as much as they will from whole rows.
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
