import { VouchError } from "../error.js";
import { type Computation, computationVcDimension, twoLayerVcDimension } from "./vc-dimension-network.js";

/** A network of dense layers with a threshold at its single output. */
export interface LayeredNetwork {
  /** Inputs, hidden units of each layer, and 1 for the output. */
  readonly sizes: readonly number[];
  /** Of the hidden units. */
  readonly activation: "sigmoid" | "tanh" | "relu";
}

/**
 * Operations of a unit beyond its weighted sum: 1/(1 + e^−z) takes −, exp, + and ÷; tanh z = 1 − 2/(1 + e^2z) takes
 * +, exp, +, ÷ and −; max(z, 0) one comparison.
 */
const UNIT_OPERATIONS = { sigmoid: 4, tanh: 5, relu: 1 } as const;

/** W: how many weights and biases the layers have. */
export function layeredParameters(sizes: readonly number[]): number {
  return sizes.slice(1).reduce((sum, outputs, l) => sum + outputs * (sizes[l] + 1), 0);
}

/** What an evaluation of the network takes: a product and a sum for each weight, the units, and the last comparison. */
export function layeredComputation({ sizes, activation }: LayeredNetwork): Required<Computation> {
  checkSizes(sizes);
  const hidden = sizes.slice(1, -1).reduce((sum, units) => sum + units, 0);
  const weights = sizes.slice(1).reduce((sum, outputs, l) => sum + outputs * sizes[l], 0);
  return {
    parameters: layeredParameters(sizes),
    operations: 2 * weights + UNIT_OPERATIONS[activation] * hidden + 1,
    exponentials: activation === "relu" ? 0 : hidden,
  };
}

/** The VC dimension of a network of any depth by Theorem 4.1: the smaller one of its two forms. */
export function layeredVcDimension(network: LayeredNetwork): number {
  const { exponentials, ...computation } = layeredComputation(network);
  return Math.min(
    computationVcDimension(computation),
    computationVcDimension({ ...computation, exponentials }),
  );
}

/**
 * The same by Theorem 4.2, for one hidden layer of sigmoids on inputs that are whole numbers from −k to k; undefined for
 * any other network, of which the theorem does not speak. Inputs may be scaled and shifted: the first layer undoes it.
 */
export function integerVcDimension(network: LayeredNetwork, largestInput: number): number | undefined {
  const { sizes, activation } = network;
  checkSizes(sizes);
  if (sizes.length !== 3 || activation !== "sigmoid") return undefined;
  return twoLayerVcDimension({ parameters: layeredParameters(sizes), inputs: sizes[0], largestInput });
}

function checkSizes(sizes: readonly number[]): void {
  const counts = sizes.every((size) => Number.isSafeInteger(size) && size >= 1);
  if (counts && sizes.length >= 2 && sizes[sizes.length - 1] === 1) return;
  throw new VouchError(
    "option/invalid",
    `The sizes of a network are ${sizes.join(", ")}, but must be counts from the inputs to a single output.`,
  );
}
