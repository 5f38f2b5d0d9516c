import { VouchError } from "../error.js";

/** What it takes to compute a family of functions of θ ∈ ℝ^d. */
export interface Computation {
  /** d: how many parameters there are. */
  readonly parameters: number;
  /** t: how many operations one evaluation takes at most: + − × ÷, comparisons, exponentials. */
  readonly operations: number;
  /** q: how many of them are exponentials; if absent, any number. */
  readonly exponentials?: number;
}

/**
 * The VC dimension of functions that few operations compute (Triviño 2017, Theorem 4.1, after Karpinski and
 * Macintyre):
 *
 *     V ≤ t² d (d + 19 log₂(9d)),   or   (d(q+1))² + 11 d(q+1) (t + log₂(9d(q+1)))
 *
 * with at most q exponentials (eq. 4.5). In O(w⁴) for a sigmoidal network with w weights: far above any number of rows.
 */
export function computationVcDimension({ parameters: d, operations: t, exponentials }: Computation): number {
  checkCounts({ parameters: d, operations: t });
  if (exponentials === undefined) return t * t * d * (d + 19 * Math.log2(9 * d));
  checkCounts({ exponentials: exponentials + 1 });
  const dq = d * (exponentials + 1);
  return dq * dq + 11 * dq * (t + Math.log2(9 * dq));
}

/** A network of two layers on inputs that are whole numbers from −k to k. */
export interface TwoLayerNetwork {
  /** W: weights and biases of both layers. */
  readonly parameters: number;
  /** N: the most inputs that a unit of the first layer has. */
  readonly inputs: number;
  /** k. */
  readonly largestInput: number;
}

/**
 * The VC dimension of a network with sigmoids in the first layer and a threshold in the second (Triviño 2017,
 * Theorem 4.2): V ≤ 2W log₂(60Nk). Table 5.2 says that it uses a modified estimate, which the text does not give.
 */
export function twoLayerVcDimension({ parameters, inputs, largestInput }: TwoLayerNetwork): number {
  checkCounts({ parameters, inputs, largestInput });
  return 2 * parameters * Math.log2(60 * inputs * largestInput);
}

/** W of a network with one hidden layer and one output: a weight per input and hidden unit, and their biases. */
export function twoLayerParameters(inputs: number, hidden: number): number {
  return hidden * (inputs + 1) + hidden + 1;
}

function checkCounts(counts: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(counts)) {
    if (Number.isSafeInteger(value) && value >= 1) continue;
    throw new VouchError("option/invalid", `The ${name} of a network are ${value}, but must be a count.`);
  }
}
