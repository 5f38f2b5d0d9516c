import type { Sample } from "../../encode/sample.js";
import type { Matrix } from "../../runtime/matrix.js";
import { Random } from "../../runtime/random.js";
import { completeRun, type Run } from "../../runtime/run.js";
import type { Learner } from "../learner.js";
import { checkFinite, trainingSample } from "../training-sample.js";
import { fitNetwork, outputFor, outputUnits } from "./fit-network.js";
import type { TrainingOptions } from "./mlp.js";
import type { NetworkModel } from "./network-model.js";
import { type NetworkWeights, randomWeights, withOutputLayer } from "./network-weights.js";
import { type InputScaling, type PretrainInputs, pretrainInputs } from "./pretrain-inputs.js";
import type { TiedLayer } from "./pretrain-layer.js";
import type { PretrainedStack, PretrainSchedule } from "./pretrain-stack.js";
import type { Activation } from "./resident-network.js";

/** Streams of randomness for layers are numbered from 0; that of the output layer comes after all of them. */
const OUTPUT_STREAM = 1_000_000;

/** The options that learners which pre-train share. */
interface PretrainingOptions extends Omit<TrainingOptions, "activation"> {
  readonly layers: readonly number[];
  readonly pretrainBatch: number | "auto";
  /** Without epochs layers begin at random weights like those of any network. */
  readonly pretrainEpochs: number;
}

/** What tells learners that pre-train apart. */
interface Pretraining {
  /** What hidden units make of their weighted sums. */
  readonly activation: Activation;
  readonly scaling: InputScaling;
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

/** A learner that pre-trains in the given way. */
export function pretrainingLearner(
  name: string,
  options: PretrainingOptions & Readonly<Record<string, unknown>>,
  pretraining: Pretraining,
): Learner<NetworkModel, Matrix> {
  return {
    name,
    options,
    encoding: { kind: "numeric", standardise: true, precision: "f32" },
    ...(options.pretrainEpochs > 0 && { pretrains: true }),
    fit: (sample, run) => fitPretrained(name, options, pretraining, sample, run),
  };
}

function scheduleFor(
  { layers, pretrainEpochs, pretrainBatch }: PretrainingOptions,
  rows: number,
): PretrainSchedule {
  const auto = Math.max(LEAST_ROWS, Math.min(MOST_ROWS, Math.ceil(rows / STEPS)));
  return { layers, epochs: pretrainEpochs, batch: pretrainBatch === "auto" ? auto : pretrainBatch };
}

/**
 * Pre-trains the hidden layers on all rows, labelled or not, puts a new output layer on top, and trains the whole. All of
 * that happens on scaled inputs; the model takes features as they are encoded.
 */
async function fitPretrained(
  learner: string,
  options: PretrainingOptions,
  { activation, scaling, pretrain }: Pretraining,
  given: Sample<Matrix>,
  partialRun?: Partial<Run>,
): Promise<NetworkModel> {
  checkFinite(given.features, given.featureNames);
  if (given.unlabelled) checkFinite(given.unlabelled, given.featureNames);
  const { sample } = trainingSample(learner, given);
  const run = completeRun(partialRun);
  const output = outputFor(learner, options, sample.classes);
  const inputs = pretrainInputs(sample, scaling);
  const schedule = scheduleFor(options, inputs.rows.rows);
  const stack = schedule.epochs > 0 ? await pretrain(inputs, schedule, sample.featureNames, run) : undefined;
  const random = new Random(run.seed).fork(OUTPUT_STREAM);
  const units = outputUnits(output, sample.classes);
  const initial = stack
    ? withOutputLayer(hiddenLayers(stack.layers), units, random)
    : randomWeights([inputs.rows.columns, ...schedule.layers, units], activation, random);
  const facts = stack?.facts.map(({ units: _, ...facts }) => facts);
  const fit = { learner, options: { ...options, activation }, initial, inputs };
  return fitNetwork(sample, { ...fit, ...(facts && { pretraining: facts }) }, run);
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
