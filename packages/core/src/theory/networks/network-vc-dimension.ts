import * as real from "../../runtime/maths/portable-math.js";
import { VouchError } from "../../runtime/vouch-error.js";

/** The resources that compute a family of functions of θ ∈ ℝ^d. */
export interface Computation {
  /** d: number of parameters. */
  readonly parameters: number;
  /** t: maximum number of operations of one evaluation: + − × ÷, comparisons, exponentials. */
  readonly operations: number;
  /** q: number of exponentials among these; unlimited if absent. */
  readonly exponentials?: number;
}

/**
 * Bounds the VC dimension of functions that few operations compute (Triviño 2017, Theorem 4.1, after Karpinski and
 * Macintyre):
 *
 *     V ≤ t² d (d + 19 log₂(9d)),   or   (d(q+1))² + 11 d(q+1) (t + log₂(9d(q+1)))
 *
 * with at most q exponentials (eq. 4.5). It is O(w⁴) for a sigmoidal network with w weights, far above any number of rows.
 */
export function computationVcDimension({ parameters: d, operations: t, exponentials }: Computation): number {
  checkCounts({ parameters: d, operations: t });
  if (exponentials === undefined) return t * t * d * (d + 19 * real.log2(9 * d));
  checkCounts({ "exponentials + 1": exponentials + 1 });
  const dq = d * (exponentials + 1);
  return dq * dq + 11 * dq * (t + real.log2(9 * dq));
}

/** A network of two layers on integer inputs from −k to k. */
export interface TwoLayerNetwork {
  /** W: number of weights and biases of both layers. */
  readonly parameters: number;
  /** N: maximum number of inputs of a unit of the first layer. */
  readonly inputs: number;
  /** k: largest absolute value of an input. */
  readonly largestInput: number;
}

/**
 * Bounds the VC dimension of a network with sigmoids in the first layer and a threshold in the second (Triviño 2017,
 * Theorem 4.2): V ≤ 2W log₂(60Nk). Table 5.2 says that it uses a modified estimate, which the text does not give.
 */
export function twoLayerVcDimension({ parameters, inputs, largestInput }: TwoLayerNetwork): number {
  checkCounts({ parameters, inputs, largestInput });
  return 2 * parameters * real.log2(60 * inputs * largestInput);
}

/** A network of dense layers with a threshold at its single output. */
export interface LayeredNetwork {
  /** Number of inputs, of hidden units in each layer, and 1 for the output. */
  readonly sizes: readonly number[];
  /** Activation of the hidden units. */
  readonly activation: "sigmoid" | "tanh" | "relu";
}

/** Bounds the VC dimension of a network of any depth by Theorem 4.1: the smaller of its two forms. */
export function layeredVcDimension(network: LayeredNetwork): number {
  const { exponentials, ...computation } = layeredComputation(network);
  return Math.min(
    computationVcDimension(computation),
    computationVcDimension({ ...computation, exponentials }),
  );
}

/**
 * Bounds the VC dimension of a network by Theorem 4.2, for one hidden layer of sigmoids on integer inputs from −k to k;
 * undefined for any other network, to which the theorem does not apply. Inputs may be scaled and shifted: the first layer can
 * undo it.
 */
export function integerVcDimension(network: LayeredNetwork, largestInput: number): number | undefined {
  const { sizes, activation } = network;
  checkSizes(sizes);
  if (sizes.length !== 3 || activation !== "sigmoid") return undefined;
  return twoLayerVcDimension({ parameters: layeredParameters(sizes), inputs: sizes[0], largestInput });
}

/** Counts W, the weights and biases of dense layers of these sizes. */
export function layeredParameters(sizes: readonly number[]): number {
  return sizes.slice(1).reduce((sum, outputs, l) => sum + outputs * (sizes[l] + 1), 0);
}

/**
 * Operations of a unit beyond its weighted sum: 1/(1 + e^−z) takes −, exp, + and ÷; tanh z = 1 − 2/(1 + e^2z) takes
 * +, exp, +, ÷ and −; max(z, 0) one comparison.
 */
const UNIT_OPERATIONS = { sigmoid: 4, tanh: 5, relu: 1 } as const;

/** Counts the operations of an evaluation: a product and a sum for each weight, the units, and the last comparison. */
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

function checkCounts(counts: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(counts)) {
    if (Number.isSafeInteger(value) && value >= 1) continue;
    throw new VouchError("option/invalid", `${name} must be a whole number of at least 1, not ${value}.`);
  }
}

function checkSizes(sizes: readonly number[]): void {
  const counts = sizes.every((size) => Number.isSafeInteger(size) && size >= 1);
  if (counts && sizes.length >= 2 && sizes[sizes.length - 1] === 1) return;
  throw new VouchError(
    "option/invalid",
    `The sizes of a network must be counts from the inputs to a single output, not ${sizes.join(", ")}.`,
  );
}
