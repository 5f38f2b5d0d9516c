import * as z from "zod";
import type { Sample } from "../../encode/sample.js";
import { checked, converted, json, list, object, type PartsOf } from "../../runtime/codec/parts.js";
import { nonNegativeNumber, proportion, realNumber } from "../../runtime/codec/schema-numbers.js";
import { float32 } from "../../runtime/codec/tensor-parts.js";
import type { Matrix } from "../../runtime/maths/matrix.js";
import type { Run } from "../../runtime/parallel/run.js";
import { formatNumber } from "../../runtime/text/number-format.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { networkMargin } from "../../theory/networks/network-margin.js";
import { layeredParameters, layeredVcDimension } from "../../theory/networks/network-vc-dimension.js";
import { posteriorDraw } from "../../theory/pac-bayes/posterior-draw.js";
import { vcBound } from "../../theory/vc/vc-bound.js";
import type { CurveSection, Fact, ImageSection, TableSection } from "../description.js";
import { imageSections } from "../image-section.js";
import type { Fitted, FittedModel, LearnerDefinition } from "../learner-definition.js";
import { epochNumber, learningRate } from "./network-options.js";
import {
  decisionsOf,
  measureOutputMargins,
  networkProbabilities,
  outputMarginsPart,
} from "./network-outputs.js";
import { networkSums, networkSumsOnThreads } from "./network-sums.js";
import {
  activations,
  layerNorms,
  type NetworkForm,
  type NetworkWeights,
  type Output,
  outputs,
  outputUnits,
  weightsFit,
} from "./network-weights.js";
import { type DrawnNetwork, drawSchema } from "./prior-and-draw.js";
import { networkStops } from "./training.js";

/** The layers of a network, which fit each other and the features. */
const layers = converted(
  list(object({ biases: float32(["outputs"]), weights: float32(["outputs", "inputs"]) }), { min: 1 }),
  ({ weights, biases }: NetworkWeights) => weights.map((own, l) => ({ weights: own, biases: biases[l] })),
  (stored, { features }): NetworkWeights | string => {
    const weights = stored.map((layer) => layer.weights);
    const biases = stored.map((layer) => layer.biases);
    const sizes = [features, ...biases.map(({ length }) => length)];
    const network = { sizes, weights, biases };
    return weightsFit(network) ? network : `it is not a network of ${sizes.join("-")} units`;
  },
);

/** Every epoch of training; either all or none have a validation loss and error. */
const curve = checked(
  json(
    z
      .array(
        z.strictObject({
          trainingLoss: nonNegativeNumber,
          validationLoss: nonNegativeNumber.optional(),
          validationError: proportion.optional(),
        }),
      )
      .readonly(),
  ),
  (epochs) => {
    const validations = epochs.flatMap(({ validationLoss, validationError }) => [
      validationLoss,
      validationError,
    ]);
    const known = validations.filter((value) => value !== undefined).length;
    return known === 0 || known === validations.length ? undefined : "some epochs have no validation loss";
  },
);

const pretrainedLayer = z.strictObject({
  /**
   * Mean of ‖z − Φ(z)‖² over the rows, where z is the layer's input and Φ(z) its reconstruction: eq. 5.4 of the thesis
   * divided by m, with the final weights and without noise.
   */
  error: nonNegativeNumber,
  /** Reconstruction error of each epoch, as measured during the epoch, with noise. */
  epochs: z.array(realNumber).readonly(),
  /** Mean free energy of the rows in each epoch, up to a constant ln Z that changes with the weights; only of Boltzmann machines. */
  freeEnergies: z.array(realNumber).readonly().optional(),
  /** The epoch that diverged: it was undone, and ended the training of the layer. */
  divergedIn: epochNumber.min(1).optional(),
});

/** How a hidden layer was pre-trained. */
export type PretrainedLayer = z.output<typeof pretrainedLayer>;

const parts = {
  activation: z.enum(activations),
  output: z.enum(outputs),
  /** Features are clipped to ±inputLimit, if present. */
  inputLimit: nonNegativeNumber.gt(0).optional(),
  learningRate,
  weights: layers,
  curve,
  /** The epoch, from 1, whose weights these are; 0 for the initial weights. */
  best: epochNumber,
  stop: z.enum(networkStops),
  /** Present if the hidden layers were pre-trained, from the first to the last. */
  pretraining: z.array(pretrainedLayer).readonly().optional(),
  outputMargins: outputMarginsPart,
  /** Present if the weights were drawn from a posterior. */
  draw: drawSchema.optional(),
};

/** The parts of a network. */
export type NetworkParts = PartsOf<typeof parts>;

/** A neural network of dense layers with class probabilities as outputs. */
export type NetworkModel = FittedModel<typeof parts, Matrix>;

type Network = Fitted<typeof parts>;

/** Makes the parts of a network that was trained on a sample; evaluates the sample once. */
export async function networkParts(
  { features, labels }: Sample<Matrix>,
  { trained, draw }: DrawnNetwork,
  { activation, output, inputLimit, learningRate }: NetworkForm & { readonly learningRate: number },
  run: Run,
): Promise<NetworkParts> {
  const form = { activation, output, ...(inputLimit !== undefined && { inputLimit }) };
  const sums = await networkSumsOnThreads(trained.weights, form, features, run);
  const outputMargins = measureOutputMargins(features, inputLimit, sums, labels);
  return { ...form, learningRate, ...trained, outputMargins, ...(draw && { draw }) };
}

/** Chooses the output layer for the classes. */
export function outputFor(option: "auto" | Output, classes: readonly string[]): Output {
  if (option === "logistic" && classes.length > 2) {
    throw new VouchError(
      "learner/unsupported",
      `A logistic output takes two classes, but there are ${classes.length}.`,
      { hint: "Use output=softmax or output=auto." },
    );
  }
  if (option !== "auto") return option;
  return classes.length === 2 ? "logistic" : "softmax";
}

/** The members of a definition that all networks share. */
export const network = {
  features: "matrix",
  parts,
  fault({ weights: { sizes }, output, classes, best, curve, pretraining = [], draw, outputMargins }) {
    if (draw && draw.rows > outputMargins.rows) return "its draw was tested on more rows than there are";
    if (output === "logistic" && classes.length !== 2)
      return `it has a logistic output for ${classes.length} classes`;
    if (sizes[sizes.length - 1] !== outputUnits(output, classes))
      return `a network of ${sizes.join("-")} units does not fit ${classes.length} classes`;
    if (best > curve.length) return `its best epoch is ${best} of ${curve.length}`;
    return pretraining.length > sizes.length - 2
      ? `${pretraining.length} layers were pre-trained`
      : undefined;
  },
  outputs: (model, features) => networkSums(model.weights, model, features),
  outputsOnThreads: (model, features, run) => networkSumsOnThreads(model.weights, model, features, run),
  scores: (_, sums) => networkProbabilities(sums),
  predict: (_, sums) => decisionsOf(sums),
  complexity(model) {
    const { sizes } = model.weights;
    const norms = layerNorms(model.weights, model.activation);
    return {
      ...(model.classes.length === 2 && { vcDimension: vcDimensionOf(model) }),
      counts: {
        parameters: layeredParameters(sizes),
        layers: sizes.length - 1,
        units: sizes.slice(1, -1).reduce((sum, units) => sum + units, 0),
        features: sizes[0],
        // The margin bound depends on it instead of the number of units.
        productOfNorms: norms.reduce((product, { weights }) => product * weights, 1),
      },
    };
  },
  certificates(model, { confidence }) {
    const { weights, activation, classes, output, outputMargins, draw } = model;
    const { rows, errors, meanSquaredNorm, margins } = outputMargins;
    const evidence = { rows, errors, confidence };
    const margin = networkMargin({
      ...evidence,
      activation,
      layers: layerNorms(weights, activation),
      meanSquaredNorm,
      classes: classes.length,
      singleOutput: output === "logistic",
      margins: Array.from(margins),
    });
    return [
      ...(draw ? [posteriorDraw({ rows, confidence, draw })] : []),
      margin,
      ...(classes.length > 2 ? [] : [vcBound({ ...evidence, vcDimension: vcDimensionOf(model) })]),
    ];
  },
  /** Training up to a fixed number of epochs has no tolerance to miss. */
  converged({ stop, pretraining = [] }) {
    if (stop === "diverged" || pretraining.some(({ divergedIn }) => divergedIn !== undefined)) return false;
    return stop === "validation error no longer falls" ? true : undefined;
  },
  notices({ stop, best, curve, learningRate, pretraining = [] }) {
    const diverged = pretraining.flatMap(({ divergedIn }, l) =>
      divergedIn === undefined
        ? []
        : [
            `Pre-training of layer ${l + 1} diverged in epoch ${divergedIn}, which was undone. Use a smaller pretrainRate.`,
          ],
    );
    if (stop !== "diverged") return diverged;
    const kept = best === 0 ? "initial weights" : `weights of epoch ${best}`;
    return [
      ...diverged,
      `Training diverged in epoch ${curve.length + 1}: the model has the ${kept}. The learning rate ${formatNumber(learningRate)} is too large: try learningRate=${Number((learningRate / 10).toPrecision(3))}.`,
    ];
  },
  reconstruction: ({ pretraining, weights }) =>
    pretraining?.map(({ error }, l) => ({ units: weights.sizes[l + 1], error })),
  describe: (model) => ({
    facts: factsOf(model),
    sections: [...lossSections(model), ...pretrainingSections(model), ...filterSections(model)],
  }),
} satisfies Partial<LearnerDefinition<z.ZodObject, typeof parts, "matrix", never, Matrix>>;

/**
 * Returns the VC dimension, by Theorem 4.1, of all networks of these sizes for two classes. Two outputs decide by the sign of
 * their difference: that is a network with one output, whose weights are the differences.
 */
function vcDimensionOf({ weights: { sizes }, activation }: Network): number {
  return layeredVcDimension({ sizes: [...sizes.slice(0, -1), 1], activation });
}

function factsOf(model: Network): Fact[] {
  const { weights, activation, output, curve, best, stop, outputMargins, draw } = model;
  const { trainingLoss, validationLoss, validationError } = curve[best - 1] ?? {};
  return [
    { name: "units per layer", value: weights.sizes },
    { name: "parameters", value: layeredParameters(weights.sizes) },
    { name: "activation", value: activation },
    { name: "output", value: output },
    { name: "epochs", value: curve.length },
    { name: "best epoch", value: best },
    { name: "stop reason", value: stop },
    ...(trainingLoss === undefined ? [] : [{ name: "training loss", value: trainingLoss }]),
    ...(draw ? [{ name: "rows that the prior has not seen", value: draw.rows }] : []),
    { name: "training error", value: outputMargins.errors / outputMargins.rows, unit: "share" as const },
    ...(validationLoss === undefined ? [] : [{ name: "validation loss", value: validationLoss }]),
    ...(validationError === undefined
      ? []
      : [{ name: "validation error", value: validationError, unit: "share" as const }]),
  ];
}

/** Describes the weights of the units of the first layer that have the largest ones, if the features are pixels. */
function filterSections({ weights: { sizes, weights }, featureNames }: Network): ImageSection[] {
  const [inputs, units] = sizes;
  const rows = Array.from({ length: units }, (_, unit) =>
    weights[0].subarray(unit * inputs, (unit + 1) * inputs),
  );
  const strength = rows.map((row) => row.reduce((sum, weight) => sum + weight * weight, 0));
  const order = [...rows.keys()].sort((a, b) => strength[b] - strength[a] || a - b);
  return imageSections("filters of the first layer", featureNames, units, (i) => ({
    name: `unit ${order[i] + 1}`,
    weights: rows[order[i]],
  }));
}

/** Describes the loss of all epochs, including those after the best one. */
function lossSections({ curve }: Network): CurveSection[] {
  if (curve.length === 0) return [];
  const train = curve.map(({ trainingLoss }) => trainingLoss);
  const validation = curve.flatMap(({ validationLoss = [] }) => validationLoss);
  return [
    {
      kind: "curve",
      title: "loss per epoch",
      step: "epoch",
      quantity: "loss",
      series: [
        { role: "train", name: "training rows", values: train },
        ...(validation.length > 0
          ? [{ role: "validation" as const, name: "validation rows", values: validation }]
          : []),
      ],
    },
  ];
}

function pretrainingSections({ pretraining = [], weights }: Network): (CurveSection | TableSection)[] {
  if (pretraining.length === 0) return [];
  const layerCurves = (
    quantity: "reconstruction error" | "free energy",
    valuesOf: (layer: PretrainedLayer) => readonly number[],
  ): CurveSection[] => {
    const series = pretraining
      .map((layer, l) => ({ role: "layer" as const, name: `layer ${l + 1}`, values: valuesOf(layer) }))
      .filter(({ values }) => values.length > 0);
    const title = `${quantity} in pre-training`;
    return series.length > 0 ? [{ kind: "curve", title, step: "epoch", quantity, series }] : [];
  };
  return [
    {
      kind: "table",
      title: "pre-trained layers",
      columns: [{ name: "layer" }, { name: "units" }, { name: "reconstruction error" }],
      rows: pretraining.map(({ error }, l) => [l + 1, weights.sizes[l + 1], error]),
    },
    ...layerCurves("reconstruction error", ({ epochs }) => epochs),
    ...layerCurves("free energy", ({ freeEnergies = [] }) => freeEnergies),
  ];
}
