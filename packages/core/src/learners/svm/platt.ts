import * as real from "../../runtime/maths/portable-math.js";

/** Platt's sigmoid: P(positive | f) = 1 / (1 + exp(A·f + B)). */
export interface Sigmoid {
  readonly A: number;
  readonly B: number;
}

/** Probabilities of one class against another are kept this far from 0 and 1, as in LIBSVM. */
const LEAST_PROBABILITY = 1e-7;

const MOST_STEPS = 100;
const SHORTEST_STEP = 1e-10;
/** Added to the diagonal of the Hessian, so that it can be inverted. */
const RIDGE = 1e-12;
const SMALL_GRADIENT = 1e-5;

/** Computes P(positive | f), at least 10⁻⁷ away from 0 and 1. */
export function sigmoidProbability({ A, B }: Sigmoid, decisionValue: number): number {
  const z = A * decisionValue + B;
  // Both forms are equal; each overflows where the other is used.
  const p = z >= 0 ? real.exp(-z) / (1 + real.exp(-z)) : 1 / (1 + real.exp(z));
  return Math.min(Math.max(p, LEAST_PROBABILITY), 1 - LEAST_PROBABILITY);
}

/**
 * Fits Platt's sigmoid to decision values of held-out rows, by maximum likelihood with Platt's targets (N₊ + 1)/(N₊ + 2) and
 * 1/(N₋ + 2) instead of 1 and 0. Newton's method with backtracking: H.-T. Lin, C.-J. Lin, R. C. Weng, "A note on Platt's
 * probabilistic outputs for support vector machines" (2007), Algorithm 1. A row of weight w counts as w rows.
 */
export function fitSigmoid(
  decisionValues: Float64Array,
  labels: Int8Array,
  weights: Float64Array = new Float64Array(labels.length).fill(1),
): Sigmoid {
  const fit = new SigmoidFit(decisionValues, labels, weights);
  let at: Sigmoid = fit.start;
  let loss = fit.loss(at);
  for (let step = 0; step < MOST_STEPS; step++) {
    const { gA, gB, hAA, hAB, hBB } = fit.derivatives(at);
    if (Math.abs(gA) < SMALL_GRADIENT && Math.abs(gB) < SMALL_GRADIENT) break;
    const determinant = hAA * hBB - hAB * hAB;
    const dA = -(hBB * gA - hAB * gB) / determinant;
    const dB = -(hAA * gB - hAB * gA) / determinant;
    const slope = gA * dA + gB * dB;
    let length = 1;
    let next = { A: at.A + dA, B: at.B + dB };
    let nextLoss = fit.loss(next);
    while (!(nextLoss < loss + 0.0001 * length * slope) && length >= SHORTEST_STEP) {
      length /= 2;
      next = { A: at.A + length * dA, B: at.B + length * dB };
      nextLoss = fit.loss(next);
    }
    if (length < SHORTEST_STEP) break;
    at = next;
    loss = nextLoss;
  }
  return at;
}

/** The negative log-likelihood of a sigmoid, and its derivatives. */
class SigmoidFit {
  readonly #values: Float64Array;
  readonly #targets: Float64Array;
  readonly #weights: Float64Array;
  /** With A = 0, every row has the frequency of the positive class. */
  readonly start: Sigmoid;

  constructor(values: Float64Array, labels: Int8Array, weights: Float64Array) {
    let positive = 0;
    let negative = 0;
    for (let i = 0; i < labels.length; i++) {
      if (labels[i] > 0) positive += weights[i];
      else negative += weights[i];
    }
    const high = (positive + 1) / (positive + 2);
    const low = 1 / (negative + 2);
    this.#values = values;
    this.#targets = Float64Array.from(labels, (label) => (label > 0 ? high : low));
    this.#weights = weights;
    this.start = { A: 0, B: real.log((negative + 1) / (positive + 1)) };
  }

  loss({ A, B }: Sigmoid): number {
    let loss = 0;
    for (let i = 0; i < this.#values.length; i++) {
      const z = A * this.#values[i] + B;
      const t = this.#targets[i];
      const own = z >= 0 ? t * z + real.log1p(real.exp(-z)) : (t - 1) * z + real.log1p(real.exp(z));
      loss += this.#weights[i] * own;
    }
    return loss;
  }

  derivatives({ A, B }: Sigmoid) {
    let [gA, gB, hAA, hAB, hBB] = [0, 0, RIDGE, 0, RIDGE];
    for (let i = 0; i < this.#values.length; i++) {
      const f = this.#values[i];
      const z = A * f + B;
      const e = real.exp(-Math.abs(z));
      const p = (z >= 0 ? e : 1) / (1 + e);
      const curvature = (this.#weights[i] * e) / (1 + e) ** 2;
      const error = this.#weights[i] * (this.#targets[i] - p);
      hAA += f * f * curvature;
      hAB += f * curvature;
      hBB += curvature;
      gA += f * error;
      gB += error;
    }
    return { gA, gB, hAA, hAB, hBB };
  }
}
