import type { Sample } from "../../encode/sample.js";
import type { Matrix } from "../../runtime/matrix.js";
import { formatNumber } from "../../runtime/number-format.js";
import type { Json, State } from "../../runtime/state.js";
import type { Certificate } from "../../theory/certificate.js";
import { networkMargin } from "../../theory/networks/network-margin.js";
import { layeredParameters, layeredVcDimension } from "../../theory/networks/network-vc-dimension.js";
import { vcBound } from "../../theory/vc/vc-bound.js";
import type { Complexity, LayerReconstruction, Model } from "../model.js";
import { marginsOf } from "../scores.js";
import { checkFeatures } from "../training-sample.js";
import type { NetworkFacts } from "./fit-network.js";
import { decisionsOf, networkProbabilities, networkSums } from "./network-outputs.js";
import { networkState, restoreNetwork } from "./network-state.js";
import { layerNorms, type NetworkWeights } from "./network-weights.js";
import { pretrainingNotices } from "./pretrain-stack.js";
import type { Activation, NetworkForm, Output } from "./resident-network.js";
import type { Epoch, NetworkStop } from "./train-network.js";

/** How a hidden layer was pre-trained. */
export interface PretrainedLayer {
  /**
   * Mean of ‖z − Φ(z)‖² over the rows, z being the layer's input and Φ(z) what is decoded from its code: eq. 5.4 of the
   * thesis divided by m, with the finished weights and without noise.
   */
  readonly error: number;
  /** The same for each epoch, as it was met during the epoch, noise and all. */
  readonly epochs: readonly number[];
  /** Mean free energy of the rows in each epoch, up to a constant ln Z that changes with the weights; of machines only. */
  readonly freeEnergies?: readonly number[];
  /** Present when the steps were too large: the epoch that was undone and ended the layer's training. */
  readonly divergedIn?: number;
}

/** What a model consists of. */
export interface NetworkModelParts extends NetworkForm {
  /** Name of the learner that made it. */
  readonly learner: string;
  readonly classes: readonly string[];
  readonly featureNames: readonly string[];
  /** The learning rate it was trained with, for what is said of it. */
  readonly learningRate: number;
  readonly weights: NetworkWeights;
  /** How all epochs of the training went. */
  readonly curve: readonly Epoch[];
  /** The epoch, from 1, whose weights these are; 0: those that training began with. */
  readonly best: number;
  readonly stop: NetworkStop;
  /** How the hidden layers were pre-trained, from the first on, if they were. */
  readonly pretraining?: readonly PretrainedLayer[] | undefined;
  /** What certificates need. */
  readonly training?: NetworkFacts | undefined;
}

/** A neural network of dense layers with probabilities of the classes at its output. */
export class NetworkModel implements Model<Matrix>, NetworkModelParts {
  readonly learner: string;
  readonly scoring = "probability";
  readonly classes: readonly string[];
  readonly featureNames: readonly string[];
  readonly activation: Activation;
  readonly output: Output;
  readonly inputLimit: number | undefined;
  readonly learningRate: number;
  readonly weights: NetworkWeights;
  readonly curve: readonly Epoch[];
  readonly best: number;
  readonly stop: NetworkStop;
  readonly pretraining: readonly PretrainedLayer[] | undefined;
  readonly training: NetworkFacts | undefined;

  constructor(parts: NetworkModelParts) {
    this.learner = parts.learner;
    this.classes = parts.classes;
    this.featureNames = parts.featureNames;
    this.activation = parts.activation;
    this.output = parts.output;
    this.inputLimit = parts.inputLimit;
    this.learningRate = parts.learningRate;
    this.weights = parts.weights;
    this.curve = parts.curve;
    this.best = parts.best;
    this.stop = parts.stop;
    this.pretraining = parts.pretraining;
    this.training = parts.training;
  }

  /** The sums of the last layer, before they become probabilities: one column for each class, or a single one. */
  sums(features: Matrix): Matrix {
    checkFeatures(features, this.featureNames);
    return networkSums(this.weights, this, features);
  }

  /** The probability of each class. */
  scores(features: Matrix): Matrix {
    return networkProbabilities(this.sums(features));
  }

  predict(features: Matrix): Int32Array {
    return decisionsOf(this.sums(features));
  }

  /** Probability of the true class minus the largest probability of another one. */
  margins(sample: Sample<Matrix>): Float64Array {
    return marginsOf(this.scores(sample.features), sample.labels);
  }

  get reconstruction(): readonly LayerReconstruction[] | undefined {
    return this.pretraining?.map(({ error }, l) => ({ units: this.weights.sizes[l + 1], error }));
  }

  /** What the user should know: training that diverged, or that did not get anywhere. */
  get notices(): readonly string[] {
    const { stop, best, curve, learningRate } = this;
    const before = pretrainingNotices(this.pretraining ?? []);
    if (stop !== "diverged") return before;
    const kept = best === 0 ? "those that training began with" : `those of epoch ${best}`;
    return [
      ...before,
      `Training diverged in epoch ${curve.length + 1}: the loss grew beyond all bounds. The weights are ${kept}. The learning rate ${formatNumber(learningRate)} is too large: try learningRate=${Number((learningRate / 10).toPrecision(3))}.`,
    ];
  }

  /** For two classes the VC dimension of all networks of these sizes by Theorem 4.1, as good as useless as it is. */
  complexity(): Complexity {
    const { sizes } = this.weights;
    const norms = layerNorms(this.weights, this.activation);
    return {
      ...(this.classes.length === 2 && { vcDimension: this.#vcDimension() }),
      counts: {
        parameters: layeredParameters(sizes),
        layers: sizes.length - 1,
        units: sizes.slice(1, -1).reduce((sum, units) => sum + units, 0),
        features: sizes[0],
        // What the margin bound counts instead of units.
        productOfNorms: norms.reduce((product, { weights }) => product * weights, 1),
      },
    };
  }

  certificates({ confidence }: { readonly confidence: number }): readonly Certificate[] {
    const { training, activation, classes, output } = this;
    if (!training) return [];
    const { rows, errors, meanSquaredNorm } = training;
    const evidence = { rows, errors, confidence };
    const margin = networkMargin({
      ...evidence,
      activation,
      layers: layerNorms(this.weights, activation),
      meanSquaredNorm,
      classes: classes.length,
      singleOutput: output === "logistic",
      margins: Array.from(training.margins),
    });
    if (classes.length > 2) return [margin];
    return [margin, vcBound({ ...evidence, vcDimension: this.#vcDimension() })];
  }

  describe(): Json {
    const { weights, activation, output, curve, best, stop, pretraining, training } = this;
    return {
      sizes: weights.sizes,
      activation,
      output,
      parameters: layeredParameters(weights.sizes),
      epochs: curve.length,
      bestEpoch: best,
      stop,
      ...(best > 0 && { ...curve[best - 1] }),
      ...(training && { trainingError: training.errors / training.rows }),
      ...(pretraining && { pretraining: pretraining.map((layer) => ({ ...layer })) }),
      losses: curve.map((epoch, e) => ({ epoch: e + 1, ...epoch })),
    };
  }

  toState(): State {
    return networkState(this);
  }

  /** The model behind a state that `toState` gave. */
  static restore(state: State): NetworkModel {
    return new NetworkModel(restoreNetwork(state));
  }

  /** Two outputs decide by the sign of their difference: a network with one output, whose weights are differences. */
  #vcDimension(): number {
    const { sizes } = this.weights;
    return layeredVcDimension({ sizes: [...sizes.slice(0, -1), 1], activation: this.activation });
  }
}
