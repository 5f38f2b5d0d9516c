import type { FloatArray, Matrix } from "../../runtime/maths/matrix.js";
import type { Random } from "../../runtime/maths/random.js";
import type { Run } from "../../runtime/parallel/run.js";
import { Scope } from "../../runtime/wasm/arena.js";
import { type Autoencoder, AutoencoderBuffers } from "./autoencoder-buffers.js";
import { NonzeroRows } from "./nonzero-rows.js";
import {
  activate,
  drawLayer,
  hiddenInput,
  type TiedLayer,
  type Unit,
  visibleInput,
} from "./pretrain-layer.js";
import {
  type LayerKind,
  type LearningLayer,
  type PretrainedStack,
  type PretrainSchedule,
  pretrainStack,
} from "./pretrain-stack.js";
import { areMostlyZero } from "./row-source.js";

/** Encodes rows. */
export function codesOf({ code }: Pick<Autoencoder, "code">, layer: TiedLayer, rows: Matrix): Matrix {
  return activate(code, hiddenInput(layer, rows));
}

/** Decodes codes. */
export function decoded({ decoder }: Pick<Autoencoder, "decoder">, layer: TiedLayer, codes: Matrix): Matrix {
  return activate(decoder, visibleInput(layer, codes));
}

/**
 * Adds masking noise in place: sets each value to zero with the given probability, and scales up the others in proportion, so that
 * units receive as much as from complete rows.
 */
export function mask(values: FloatArray, noise: number, random: Random): void {
  const limit = noise * 4294967296;
  const growth = 1 / (1 - noise);
  for (let k = 0; k < values.length; k++) values[k] = random.bits() < limit ? 0 : growth * values[k];
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
    const decoder = decoderOf(plan, level);
    const memory = new Scope();
    try {
      const { values, columns } = rows;
      const sparse = values instanceof Float32Array && areMostlyZero(values, columns);
      const lists =
        sparse && plan.noise === 0 ? NonzeroRows.allocate({ rows: rows.rows, columns, values }) : undefined;
      const source = lists && memory.hold(lists);
      const settings = { ...ADAM, learningRate: plan.rate };
      const resident = memory.hold(
        new AutoencoderBuffers(
          { code: plan.code, decoder, sparsity: plan.sparsity },
          drawLayer(rows, units, decoder, random),
          { rows: Math.min(plan.batch, rows.rows), sparse, source, settings },
        ),
      );
      return {
        layer: () => resident.layer(),
        load: (layer) => resident.load(layer),
        release: () => memory.release(),
        learn(places, random) {
          const corrupt = (row: Float32Array) => mask(row, plan.noise, random);
          return { distance: resident.learn(rows, places, plan.noise > 0 ? corrupt : undefined) };
        },
      };
    } catch (error) {
      memory.release();
      throw error;
    }
  },
  encode: (plan, layer, rows) => codesOf(plan, layer, rows),
  decode: (plan, layer, codes, level) => decoded({ decoder: decoderOf(plan, level) }, layer, codes),
};

const ADAM = { optimiser: "adam", momentum: 0, weightDecay: 0 } as const;

/** Returns the decoder of a level: codes are decoded by units of the same range. */
function decoderOf({ code, decoder }: AutoencoderPlan, level: number): Unit {
  return level === 0 ? decoder : code;
}
