import * as real from "../../runtime/maths/portable-math.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { riskOfFailure } from "../certificate.js";
import { pacBayesLoss } from "../pac-bayes/pac-bayes.js";
import { voteDivergence } from "./forest-votes.js";

/** Alternations between λ and the weights; bounds change in the fifth digit after about ten. */
const ROUNDS = 30;

/** Steps of the fixed-point iteration for the weights at one λ. */
const STEPS = 100;

/** Share of the new exponent in a step: without damping the iteration oscillates. */
const DAMPING = 0.1;

/** The losses of T voters on rows that they have not seen. */
export interface VoterLosses {
  /** L̂_h of each voter. */
  readonly losses: ArrayLike<number>;
  /** n: the smallest number of rows on which a loss was measured. */
  readonly rows: number;
}

/** The losses of all pairs of T voters. */
export interface VoterPairLosses {
  /** T × T, row after row, symmetric: the mean product of the losses of two voters on rows that neither has seen. */
  readonly losses: ArrayLike<number>;
  /** n: the smallest number of rows on which a loss of a pair was measured. */
  readonly rows: number;
}

/**
 * Finds the weights ρ that minimise the first-order bound (Thiemann, Igel, Wintenberger and Seldin 2017): for all λ in (0, 2)
 *
 *     E_ρ[L] ≤ E_ρ[L̂]/(1 − λ/2) + (KL(ρ‖π) + ln(2√n/δ)) / (λ(1 − λ/2) n),
 *
 * minimised in turn by λ = 2/(√(2n E_ρ[L̂]/(KL + ln(2√n/δ)) + 1) + 1) and by ρ_h ∝ e^{−λ n L̂_h}. The prior π is uniform.
 */
export function firstOrderWeights({ losses, rows }: VoterLosses, confidence: number): Float64Array {
  const values = Float64Array.from(losses);
  const bound = { order: 1, rows, delta: riskOfFailure(confidence) };
  const lossOf = (weights: Float64Array) => weightedSum(weights, values);
  return alternated(values.length, bound, lossOf, (lambda) =>
    normalised(values.map((loss) => -lambda * rows * loss)),
  );
}

/**
 * Finds the weights ρ that minimise the tandem bound (Masegosa, Lorenzen, Igel and Seldin 2020, Section 4): for all λ in (0, 2)
 *
 *     E_ρ²[L(h, h′)] ≤ E_ρ²[L̂(h, h′)]/(1 − λ/2) + (2 KL(ρ‖π) + ln(2√n/δ)) / (λ(1 − λ/2) n).
 *
 * For a given λ the weights solve ρ_h ∝ e^{−λ n Σ_h′ ρ_h′ L̂(h, h′)}, which a damped fixed-point iteration finds.
 */
export function tandemWeights({ losses, rows }: VoterPairLosses, confidence: number): Float64Array {
  const values = Float64Array.from(losses);
  const voters = Math.round(Math.sqrt(values.length));
  if (voters ** 2 !== values.length) {
    throw new VouchError(
      "option/invalid",
      `Got ${values.length} losses of pairs, which is not a square of a number of voters.`,
    );
  }
  const meanLosses = (weights: Float64Array) =>
    weights.map((_, h) => weightedSum(weights, values.subarray(h * voters, (h + 1) * voters)));
  const bound = { order: 2, rows, delta: riskOfFailure(confidence) };
  const lossOf = (weights: Float64Array) => weightedSum(weights, meanLosses(weights));
  return alternated(voters, bound, lossOf, (lambda, weights) => {
    let own = weights;
    let exponents = own.map(real.log);
    for (let step = 0; step < STEPS; step++) {
      const wanted = meanLosses(own);
      exponents = exponents.map((old, h) => (1 - DAMPING) * old - DAMPING * lambda * rows * wanted[h]);
      own = normalised(exponents);
    }
    return own;
  });
}

interface BoundToMinimise {
  /** Number of voters that are drawn at a time, each with the divergence KL(ρ‖π). */
  readonly order: number;
  readonly rows: number;
  readonly delta: number;
}

/** Minimises in turn over λ and over the weights; returns the weights with the smallest bound in kl form, equal ones among them. */
function alternated(
  voters: number,
  { order, rows, delta }: BoundToMinimise,
  lossOf: (weights: Float64Array) => number,
  next: (lambda: number, weights: Float64Array) => Float64Array,
): Float64Array {
  if (voters === 0 || !(rows >= 1)) {
    throw new VouchError("option/invalid", `Got ${voters} voters and ${rows} rows: both must be at least 1.`);
  }
  let weights: Float64Array = new Float64Array(voters).fill(1 / voters);
  let best = { weights, bound: Number.POSITIVE_INFINITY };
  for (let round = 0; round < ROUNDS; round++) {
    const loss = Math.min(1, lossOf(weights));
    const divergence = order * voteDivergence(weights);
    const bound = pacBayesLoss({ loss, divergence, rows }, delta);
    if (bound < best.bound) best = { weights, bound };
    const complexity = divergence + real.log((2 * Math.sqrt(rows)) / delta);
    weights = next(2 / (Math.sqrt((2 * rows * loss) / complexity + 1) + 1), weights);
  }
  return best.weights;
}

function weightedSum(weights: Float64Array, values: Float64Array): number {
  let sum = 0;
  for (let h = 0; h < weights.length; h++) sum += weights[h] * values[h];
  return sum;
}

/** Returns e^x of exponents x, scaled to sum to one. */
function normalised(exponents: Float64Array): Float64Array {
  const largest = exponents.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const powers = exponents.map((x) => real.exp(x - largest));
  const total = powers.reduce((sum, power) => sum + power, 0);
  return powers.map((power) => power / total);
}
