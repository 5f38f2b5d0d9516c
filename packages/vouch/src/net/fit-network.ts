import type { Sample } from "../data/sample.js";
import { VouchError } from "../error.js";
import type { Run } from "../learning/run.js";
import type { Matrix } from "../numeric/matrix.js";
import { NetworkModel, type PretrainedLayer } from "./model.js";
import type { NetworkWeights } from "./network-weights.js";
import type { TrainingOptions } from "./options.js";
import { onFeatures, type PretrainInputs, scaledSample } from "./pretrain-inputs.js";
import type { Output } from "./resident-network.js";
import { trainNetwork } from "./train-network.js";
import { trainingFactsOf } from "./training-facts.js";

/** What the output of a network for so many classes is. */
export function outputFor(
  learner: string,
  { output }: Pick<TrainingOptions, "output">,
  classes: readonly string[],
): Output {
  if (output === "logistic" && classes.length > 2) {
    throw new VouchError(
      "learner/unsupported",
      `${learner} with a logistic output tells two classes apart, but there are ${classes.length}.`,
      { hint: "Use output=softmax, or auto." },
    );
  }
  if (output !== "auto") return output;
  return classes.length === 2 ? "logistic" : "softmax";
}

/** How many units an output has. */
export function outputUnits(output: Output, classes: readonly string[]): number {
  return output === "logistic" ? 1 : classes.length;
}

/** What a fit is known by besides its data. */
export interface NetworkFit {
  readonly learner: string;
  readonly options: TrainingOptions;
  /** Features beyond ±inputLimit count as ±inputLimit, if there is one. */
  readonly inputLimit?: number;
  /** Weights to begin with, the output layer included. */
  readonly initial: NetworkWeights;
  /** What the network is trained on in place of the features, if that is something else; the model takes features. */
  readonly inputs?: PretrainInputs;
  /** How the hidden layers were pre-trained, if they were. */
  readonly pretraining?: readonly PretrainedLayer[];
}

/** Trains a network on a sample that was checked, and makes a model of it. */
export async function fitNetwork(sample: Sample<Matrix>, fit: NetworkFit, run: Run): Promise<NetworkModel> {
  const { learner, options, initial, inputs, pretraining, inputLimit } = fit;
  const output = outputFor(learner, options, sample.classes);
  const rows = inputs ? scaledSample(sample, inputs) : sample;
  const trained = await trainNetwork(rows, initial, { ...options, output, inputLimit }, run);
  const parts = {
    learner,
    classes: sample.classes,
    featureNames: sample.featureNames,
    activation: options.activation,
    output,
    learningRate: options.learningRate,
    inputLimit,
    ...trained,
    weights: inputs ? onFeatures(trained.weights, inputs) : trained.weights,
    ...(pretraining && { pretraining }),
  };
  return new NetworkModel({ ...parts, training: trainingFactsOf(new NetworkModel(parts), sample) });
}
