import type { Sample } from "../../encode/sample.js";
import type { Matrix } from "../../runtime/matrix.js";
import type { Run } from "../../runtime/run.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { MARGIN_QUANTILES, marginQuantiles } from "../../theory/margins/margin-statistics.js";
import type { TrainingFacts } from "../training-facts.js";
import type { TrainingOptions } from "./mlp.js";
import { NetworkModel, type PretrainedLayer } from "./network-model.js";
import { decisionsOf } from "./network-outputs.js";
import type { NetworkWeights } from "./network-weights.js";
import { onFeatures, type PretrainInputs, scaledSample } from "./pretrain-inputs.js";
import type { Output } from "./resident-network.js";
import { trainNetwork } from "./train-network.js";

/** What certificates need of the training of a network. */
export interface NetworkFacts extends TrainingFacts {
  /** Mean of ‖x‖² over the training rows. */
  readonly meanSquaredNorm: number;
  /** Quantiles at 0 %, 1 %, … 100 % of how far the own class's sum is above the largest other one; of z for one output. */
  readonly margins: Float64Array;
}

/** How many quantiles are kept. */
export const QUANTILES = MARGIN_QUANTILES;

/** The facts of a model on the rows that it was trained on. */
function trainingFactsOf(model: NetworkModel, { features, labels }: Sample<Matrix>): NetworkFacts {
  const sums = model.sums(features);
  const predictions = decisionsOf(sums);
  return {
    rows: labels.length,
    errors: predictions.reduce((errors, predicted, i) => errors + Number(predicted !== labels[i]), 0),
    meanSquaredNorm: meanSquaredNorm(features, model.inputLimit),
    margins: Float64Array.from(marginQuantiles(sumMargins(sums, labels))),
  };
}

/** The margin of each row: how far the sum of its class is above the largest other one. */
function sumMargins({ rows, columns, values }: Matrix, labels: Int32Array): Float64Array {
  const margins = new Float64Array(rows);
  for (let i = 0; i < rows; i++) {
    const at = i * columns;
    if (columns === 1) {
      margins[i] = labels[i] === 1 ? values[at] : -values[at];
      continue;
    }
    let other = Number.NEGATIVE_INFINITY;
    for (let k = 0; k < columns; k++) if (k !== labels[i]) other = Math.max(other, values[at + k]);
    margins[i] = values[at + labels[i]] - other;
  }
  return margins;
}

function meanSquaredNorm({ rows, values }: Matrix, limit = Number.POSITIVE_INFINITY): number {
  let sum = 0;
  for (let k = 0; k < values.length; k++) sum += Math.min(limit, Math.abs(values[k])) ** 2;
  return sum / rows;
}

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
interface NetworkFit {
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
