import type { NetworkForm } from "#core/learners/net/network-weights.js";

/** A network in any precision. */
export interface ReferenceNetwork {
  readonly sizes: readonly number[];
  readonly weights: readonly ArrayLike<number>[];
  readonly biases: readonly ArrayLike<number>[];
}

const unit = {
  sigmoid: (z: number) => 1 / (1 + Math.exp(-z)),
  tanh: Math.tanh,
  relu: (z: number) => Math.max(0, z),
};

/** Computes the outputs of the last layer for one row from the definition, in double precision; the units of each layer have factors. */
export function referenceSums(
  { sizes, weights, biases }: ReferenceNetwork,
  { activation }: Pick<NetworkForm, "activation">,
  x: ArrayLike<number>,
  factors: readonly Float32Array[] = [],
): number[] {
  let values = Array.from(x);
  weights.forEach((layer, l) => {
    values = values.map((value, k) => value * (factors[l]?.[k] ?? 1));
    const sums = Array.from(biases[l], (bias, j) =>
      values.reduce((sum, value, k) => sum + value * layer[j * sizes[l] + k], bias),
    );
    values = l === weights.length - 1 ? sums : sums.map(unit[activation]);
  });
  return values;
}

/** Computes −log of the probability of the label. */
export function referenceLoss(sums: readonly number[], label: number, output: NetworkForm["output"]): number {
  if (output === "logistic") return Math.log(1 + Math.exp(label === 1 ? -sums[0] : sums[0]));
  return Math.log(sums.reduce((total, z) => total + Math.exp(z), 0)) - sums[label];
}
