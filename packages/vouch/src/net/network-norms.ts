import type { LayerNorms } from "../bounds/network-margin.js";
import type { Activation } from "./activation.js";
import type { NetworkWeights } from "./network-weights.js";

/** The norms that the margin bound for networks asks for: the largest over the units of each layer. */
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
