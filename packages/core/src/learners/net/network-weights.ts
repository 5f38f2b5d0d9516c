import type { Random } from "../../runtime/maths/random.js";
import { VouchError } from "../../runtime/vouch-error.js";
import type { LayerNorms } from "../../theory/networks/network-margin.js";

/** Activation functions of hidden units. */
export const activations = ["sigmoid", "tanh", "relu"] as const;
export type Activation = (typeof activations)[number];

/** The numbers that kernels know activation functions by. */
export const ACTIVATION_NUMBER = { sigmoid: 1, tanh: 2, relu: 3 } as const;

/** Output layers: a probability of each class, or that of the second of two classes. */
export const outputs = ["softmax", "logistic"] as const;
export type Output = (typeof outputs)[number];

/** Returns the number of units of an output layer. */
export function outputUnits(output: Output, classes: readonly string[]): number {
  return output === "logistic" ? 1 : classes.length;
}

/** How a network computes. */
export interface NetworkForm {
  readonly activation: Activation;
  readonly output: Output;
  /** Features are clipped to ±inputLimit, if present. */
  readonly inputLimit?: number | undefined;
}

/**
 * A network of dense layers. Layer l has sizes[l] inputs and sizes[l + 1] outputs; its weights are outputs × inputs, row
 * after row.
 */
export interface NetworkWeights {
  readonly sizes: readonly number[];
  readonly weights: readonly Float32Array[];
  readonly biases: readonly Float32Array[];
}

/** Tells whether all arrays have the lengths that the sizes require. */
export function weightsFit({ sizes, weights, biases }: NetworkWeights): boolean {
  const layers = sizes.length - 1;
  const fits = (own: Float32Array, l: number) =>
    own.length === sizes[l] * sizes[l + 1] && biases[l].length === sizes[l + 1];
  const complete = layers >= 1 && weights.length === layers && biases.length === layers;
  return complete && sizes.every((units) => units >= 1) && weights.every(fits);
}

/**
 * Draws initial weights, uniform in ±limit; biases are 0. The limit is √(6 / inputs) before ReLU (He et al. 2015) and
 * √(6 / (inputs + outputs)) before tanh and the output, four times that before a sigmoid (Glorot and Bengio 2010).
 */
export function randomWeights(
  sizes: readonly number[],
  activation: Activation,
  random: Random,
): NetworkWeights {
  const layers = sizes.length - 1;
  checkRoom(sizes);
  const weights = Array.from({ length: layers }, (_, l) => {
    const limit = initialLimit(sizes[l], sizes[l + 1], l === layers - 1 ? "output" : activation);
    return Float32Array.from({ length: sizes[l] * sizes[l + 1] }, () => (2 * random.uniform() - 1) * limit);
  });
  return { sizes, weights, biases: sizes.slice(1).map((outputs) => new Float32Array(outputs)) };
}

/** A gigabyte of weights in one layer; with Adam's moments they fill WebAssembly memory. */
const MOST_WEIGHTS = 2 ** 28;

function checkRoom(sizes: readonly number[]): void {
  const l = sizes.findIndex((inputs, l) => inputs * (sizes[l + 1] ?? 0) > MOST_WEIGHTS);
  if (l < 0) return;
  throw new VouchError(
    "memory/exhausted",
    `A layer with ${sizes[l]} inputs and ${sizes[l + 1]} units has more weights than fit into memory.`,
    { hint: "Use smaller layers or fewer features." },
  );
}

function initialLimit(inputs: number, outputs: number, activation: Activation | "output"): number {
  if (activation === "relu") return Math.sqrt(6 / inputs);
  return Math.sqrt(6 / (inputs + outputs)) * (activation === "sigmoid" ? 4 : 1);
}

/** Adds a new random output layer to hidden layers, such as pre-trained ones. */
export function withOutputLayer(hidden: NetworkWeights, outputs: number, random: Random): NetworkWeights {
  const top = randomWeights([hidden.sizes[hidden.sizes.length - 1], outputs], "tanh", random);
  return {
    sizes: [...hidden.sizes, outputs],
    weights: [...hidden.weights, ...top.weights],
    biases: [...hidden.biases, ...top.biases],
  };
}

/** Computes the norms in the margin bound for networks: the largest over the units of each layer. */
export function layerNorms({ sizes, weights, biases }: NetworkWeights, activation: Activation): LayerNorms[] {
  return weights.map((values, l) => {
    const inputs = sizes[l];
    let norm = 0;
    let bias = 0;
    biases[l].forEach((own, j) => {
      const into = values.subarray(j * inputs, (j + 1) * inputs);
      // A sigmoid is ½ + ½ tanh(z/2): the first half goes into the bias of the next layer.
      const shift = l > 0 && activation === "sigmoid" ? into.reduce((sum, w) => sum + w, 0) / 2 : 0;
      norm = Math.max(norm, l === 0 ? euclidean(into) : into.reduce((sum, w) => sum + Math.abs(w), 0));
      bias = Math.max(bias, Math.abs(own + shift));
    });
    return { weights: norm, biases: bias };
  });
}

function euclidean(vector: Float32Array): number {
  return Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
}
