import type { NumericEncoding } from "../../encode/encoder.js";
import type { Sample } from "../../encode/sample.js";
import type { Matrix } from "../../runtime/maths/matrix.js";
import { Random } from "../../runtime/maths/random.js";
import type { Run } from "../../runtime/parallel/run.js";
import { checkFinite } from "../training-sample.js";
import { type NetworkParts, networkParts, outputFor } from "./network.js";
import { type NetworkWeights, outputUnits, randomWeights, withOutputLayer } from "./network-weights.js";
import {
  type InputScaling,
  onFeatures,
  type PretrainInputs,
  pretrainInputs,
  scaledSample,
} from "./pretrain-inputs.js";
import type { TiedLayer } from "./pretrain-layer.js";
import type { PretrainedStack, PretrainSchedule } from "./pretrain-stack.js";
import { drawWithPrior } from "./prior-and-draw.js";
import { trainNetwork } from "./train-network.js";
import type { TrainingPlan } from "./training.js";

/** Pre-training takes features in single precision. */
export const PRETRAINING_ENCODING: NumericEncoding = { kind: "numeric", standardise: true, precision: "f32" };

/** Random streams of layers are numbered from 0; the output layer has this one. */
const OUTPUT_STREAM = 1_000_000;

/** Rows per mini-batch by default: at most, at least, and the steps of an epoch below which fewer than the most are taken. */
const MOST_ROWS = 100;
const LEAST_ROWS = 10;
const STEPS = 50;

/** The options that pre-trained networks share. */
interface PretrainingOptions extends Omit<TrainingPlan, "output"> {
  readonly output: "auto" | TrainingPlan["output"];
  readonly scaling: InputScaling;
  readonly layers: readonly number[];
  readonly pretrainBatch: number | "auto";
  /** With 0 epochs, layers start at random weights like those of any network. */
  readonly pretrainEpochs: number;
  /** Share of the rows that train the prior; 0 without one. */
  readonly prior: number;
}

/**
 * Pre-trains the hidden layers on all rows, labelled or not, adds a new output layer, and trains the whole on the labels.
 * All of that happens on scaled inputs; the model takes features as they are encoded.
 */
export async function fitPretrained(
  sample: Sample<Matrix>,
  options: PretrainingOptions,
  run: Run,
  pretrain: (inputs: PretrainInputs, schedule: PretrainSchedule) => Promise<PretrainedStack>,
): Promise<NetworkParts> {
  if (sample.unlabelled) checkFinite(sample.unlabelled, sample.featureNames);
  const plan = { ...options, output: outputFor(options.output, sample.classes) };
  let stack: PretrainedStack | undefined;
  const drawn = await drawWithPrior(sample, plan, options.prior, run, async (rows) => {
    const inputs = pretrainInputs(rows, options.scaling);
    const schedule = scheduleFor(options, inputs.rows.rows);
    stack = schedule.epochs > 0 ? await pretrain(inputs, schedule) : undefined;
    const random = new Random(run.seed).fork(OUTPUT_STREAM);
    const units = outputUnits(plan.output, rows.classes);
    const initial = stack
      ? withOutputLayer(hiddenLayers(stack.layers), units, random)
      : randomWeights([inputs.rows.columns, ...schedule.layers, units], plan.activation, random);
    const trained = await trainNetwork(scaledSample(rows, inputs), initial, plan, run);
    return { ...trained, weights: onFeatures(trained.weights, inputs) };
  });
  return {
    ...(await networkParts(sample, drawn, plan, run)),
    ...(stack && { pretraining: stack.facts }),
  };
}

function scheduleFor(
  { layers, pretrainEpochs, pretrainBatch }: PretrainingOptions,
  rows: number,
): PretrainSchedule {
  const auto = Math.max(LEAST_ROWS, Math.min(MOST_ROWS, Math.ceil(rows / STEPS)));
  return { layers, epochs: pretrainEpochs, batch: pretrainBatch === "auto" ? auto : pretrainBatch };
}

/** Makes the hidden layers of a network from pre-trained layers. */
function hiddenLayers(layers: readonly TiedLayer[]): NetworkWeights {
  const [{ weights: first }] = layers;
  return {
    sizes: [first.columns, ...layers.map(({ weights }) => weights.rows)],
    weights: layers.map(({ weights }) => Float32Array.from(weights.values)),
    biases: layers.map(({ hiddenBiases }) => Float32Array.from(hiddenBiases)),
  };
}
