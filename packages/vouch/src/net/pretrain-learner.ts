import type { Sample } from "../data/sample.js";
import { completeRun, type Run } from "../learning/run.js";
import { checkFinite, trainingSample } from "../learning/training-sample.js";
import type { Matrix } from "../numeric/matrix.js";
import { Random } from "../numeric/random.js";
import { outputFor, outputUnits } from "./fit-network.js";
import { NetworkModel } from "./model.js";
import { type NetworkWeights, randomWeights, withOutputLayer } from "./network-weights.js";
import type { TrainingOptions } from "./options.js";
import {
  type InputScaling,
  onFeatures,
  type PretrainInputs,
  pretrainInputs,
  scaledSample,
} from "./pretrain-inputs.js";
import type { TiedLayer } from "./pretrain-layer.js";
import type { PretrainedStack, PretrainSchedule } from "./pretrain-stack.js";
import { trainNetwork } from "./train-network.js";
import { trainingFactsOf } from "./training-facts.js";

/** Streams of randomness for layers are numbered from 0; that of the output layer comes after all of them. */
const OUTPUT_STREAM = 1_000_000;

/** A learner that pre-trains, as far as its fit goes. */
export interface Pretraining {
  readonly learner: string;
  /** How to train with labels. */
  readonly options: TrainingOptions;
  readonly scaling: InputScaling;
  readonly layers: readonly number[];
  readonly pretrainBatch: number | "auto";
  /** Without epochs layers begin at random weights like those of any network. */
  readonly pretrainEpochs: number;
  /** Fits the hidden layers to rows without looking at labels. */
  pretrain(
    inputs: PretrainInputs,
    schedule: PretrainSchedule,
    featureNames: readonly string[],
    run: Run,
  ): Promise<PretrainedStack>;
}

/** Rows of a step where the user does not say: most, least, and the steps of an epoch that less than most are taken for. */
const MOST_ROWS = 100;
const LEAST_ROWS = 10;
const STEPS = 50;

function scheduleFor({ layers, pretrainEpochs, pretrainBatch }: Pretraining, rows: number): PretrainSchedule {
  const auto = Math.max(LEAST_ROWS, Math.min(MOST_ROWS, Math.ceil(rows / STEPS)));
  return { layers, epochs: pretrainEpochs, batch: pretrainBatch === "auto" ? auto : pretrainBatch };
}

/**
 * Pre-trains the hidden layers on all rows, labelled or not, puts a new output layer on top, and trains the whole. All of
 * that happens on scaled inputs; the model takes features as they are encoded.
 */
export async function fitPretrained(
  pretraining: Pretraining,
  given: Sample<Matrix>,
  partialRun?: Partial<Run>,
): Promise<NetworkModel> {
  const { learner, options, scaling } = pretraining;
  checkFinite(given.features, given.featureNames);
  if (given.unlabelled) checkFinite(given.unlabelled, given.featureNames);
  const { sample } = trainingSample(learner, given);
  const run = completeRun(partialRun);
  const output = outputFor(learner, options, sample.classes);
  const inputs = pretrainInputs(sample, scaling);
  const schedule = scheduleFor(pretraining, inputs.rows.rows);
  const stack =
    schedule.epochs > 0 ? await pretraining.pretrain(inputs, schedule, sample.featureNames, run) : undefined;
  const random = new Random(run.seed).fork(OUTPUT_STREAM);
  const units = outputUnits(output, sample.classes);
  const initial = stack
    ? withOutputLayer(hiddenLayers(stack.layers), units, random)
    : randomWeights([inputs.rows.columns, ...schedule.layers, units], options.activation, random);
  const trained = await trainNetwork(scaledSample(sample, inputs), initial, { ...options, output }, run);
  const { classes, featureNames } = sample;
  const { activation, learningRate } = options;
  const parts = {
    ...{ learner, classes, featureNames, activation, output, learningRate },
    ...trained,
    weights: onFeatures(trained.weights, inputs),
    ...(stack && { pretraining: stack.facts.map(({ units: _, ...facts }) => facts) }),
  };
  return new NetworkModel({ ...parts, training: trainingFactsOf(new NetworkModel(parts), sample) });
}

/** Pre-trained layers as the hidden layers of a network. */
function hiddenLayers(layers: readonly TiedLayer[]): NetworkWeights {
  const [{ weights: first }] = layers;
  return {
    sizes: [first.columns, ...layers.map(({ weights }) => weights.rows)],
    weights: layers.map(({ weights }) => Float32Array.from(weights.values)),
    biases: layers.map(({ hiddenBiases }) => Float32Array.from(hiddenBiases)),
  };
}
