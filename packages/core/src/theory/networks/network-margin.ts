import * as real from "../../runtime/maths/portable-math.js";
import { VouchError } from "../../runtime/vouch-error.js";
import type { Certificate } from "../certificate.js";
import { KNOWN_SCALES } from "../encoding-premises.js";
import { shareUpTo } from "../margins/margin-statistics.js";
import {
  checkTraining,
  FIXED_LEARNER,
  INDEPENDENT_ROWS,
  type TrainingEvidence,
  trainingCertificate,
} from "../training-certificate.js";

/** The norms of a layer: the largest over its units. */
export interface LayerNorms {
  /** ‖w‖₂ of the weights into a unit in the first layer, ‖w‖₁ in later layers. */
  readonly weights: number;
  /** |b|; after sigmoids |b + ½ Σ w|. */
  readonly biases: number;
}

/** A trained network as its margin bound sees it. */
export interface NetworkMarginEvidence extends TrainingEvidence {
  readonly activation: "sigmoid" | "tanh" | "relu";
  /** From the first layer to the output. */
  readonly layers: readonly LayerNorms[];
  /** Mean of ‖x‖² over the training rows. */
  readonly meanSquaredNorm: number;
  /** Number of classes with an output each; 2 for a single output, whose sign decides. */
  readonly classes: number;
  readonly singleOutput: boolean;
  /**
   * Quantiles at 0%, 1%, … 100% of the margins of the training rows: y·f(x) for a single output, otherwise the output of the
   * true class minus the largest other one. Not normalised.
   */
  readonly margins: readonly number[];
}

/**
 * Bounds the error of a network by its norms and margins: with probability ≥ 1 − δ
 *
 *     L(h) ≤ P_S(margin ≤ ρ) + (c_K/ρ) R(Λ, B) + 3 √((ln(2/δ) + Σ ln(1/p)) / 2m),
 *
 * with c_K = 2 for a single output (Mohri, Rostamizadeh and Talwalkar 2018, Theorem 5.8) and 4K for K of them (the same,
 * Theorem 9.2, whose proof also gives it with the empirical complexity), and R from `networkComplexity`. These theorems are for one
 * ρ and one family, given in advance. So norms are rounded up and ρ down to powers 2^(k/8), and the power k of each of them gets
 * the share p = ⅔ / ((|k| + 1)(|k| + 2)) of δ; over all integers k these sum to one.
 */
export function networkMargin(evidence: NetworkMarginEvidence): Certificate {
  const delta = checkTraining(evidence);
  checkEvidence(evidence);
  const { rows, layers, activation, meanSquaredNorm, classes, singleOutput } = evidence;
  const exponents = layers.flatMap(({ weights, biases }) => [exponentAbove(weights), exponentAbove(biases)]);
  const rounded = layers.map((_, l) => ({
    weights: power(exponents[2 * l]),
    biases: power(exponents[2 * l + 1]),
  }));
  const complexity = networkComplexity(rounded, activation, meanSquaredNorm, rows);
  const factor = singleOutput ? 2 : 4 * classes;
  const logNorms = exponents.reduce((sum, k) => sum + logInverseShare(k), 0);
  const best = smallest(evidence, factor * complexity, real.log(2 / delta) + logNorms);
  const parts = {
    "P_S(margin ≤ ρ)": best.share,
    "complexity / ρ": best.capacity,
    confidence: best.confidence,
  };
  return trainingCertificate(
    {
      name: "network-margin",
      reference: "Mohri et al. (2018), Theorems 5.8 and 9.2, with layers peeled by their norms",
      value: best.value,
      terms: {
        ...parts,
        ρ: best.rho,
        R: complexity,
        "Σ ln(1/p)": best.logShares - real.log(2 / delta),
        rows,
        delta,
      },
      parts,
      premises: [INDEPENDENT_ROWS, FIXED_LEARNER, KNOWN_SCALES],
    },
    evidence,
  );
}

/**
 * Bounds the empirical Rademacher complexity of an output of the network on m rows by peeling layer after layer: with weights
 * ‖w‖₂ ≤ Λ₁ into each unit of the first layer, ‖w‖₁ ≤ Λ_l into units of later layers, and biases |b| ≤ B_l,
 *
 *     R₁ = Λ₁ √(mean ‖x‖² / m) + B₁/√m,     R_l = c Λ_l R_{l−1} + B_l/√m,     c = ¼ (sigmoid), 1 (tanh), 2 (ReLU).
 *
 * The numbers of units do not enter, so networks of any sizes can be compared. (Koltchinskii and Panchenko 2002; Bartlett and
 * Mendelson 2002, Theorems 12 and 18; docs/guarantees-networks.md derives the constants.)
 */
export function networkComplexity(
  layers: readonly LayerNorms[],
  activation: NetworkMarginEvidence["activation"],
  meanSquaredNorm: number,
  rows: number,
): number {
  const root = Math.sqrt(rows);
  return layers.reduce((complexity, { weights, biases }, l) => {
    const before = l === 0 ? Math.sqrt(meanSquaredNorm) / root : PEELING[activation] * complexity;
    return weights * before + biases / root;
  }, 0);
}

/**
 * c of each activation. Hidden functions form a symmetric set F, and E sup |Σσᵢφ(f(xᵢ))| over F is at most L times
 * E sup Σσᵢf(xᵢ) for an odd φ with Lipschitz constant L, and 2L times for any φ with φ(0) = 0. tanh is odd with L = 1; a sigmoid is
 * ½ + ½ tanh(z/2): L = ½ and a factor of ½ for the weights after it, the other ½ going into the biases; ReLU is not odd.
 */
const PEELING = { sigmoid: 1 / 4, tanh: 1, relu: 2 } as const;

/** Norms and margins are rounded to powers of 2^(1/8), so finely that the loss is below a tenth for each layer. */
const STEPS_PER_OCTAVE = 8;

/** Range of the exponents of ρ: 2^−10 to 2^20. */
const SMALLEST_EXPONENT = -10 * STEPS_PER_OCTAVE;
const LARGEST_EXPONENT = 20 * STEPS_PER_OCTAVE;

/** Finds the best ρ = 2^(k/8) below the largest margin; above it the bound is above 1 for every network. */
function smallest(evidence: NetworkMarginEvidence, capacityAtOne: number, logSharesWithoutRho: number) {
  const { margins, rows } = evidence;
  const at = (k: number) => {
    const rho = power(k);
    const share = shareUpTo(rho, margins, rows);
    const capacity = capacityAtOne / rho;
    const logShares = logSharesWithoutRho + logInverseShare(k);
    const confidence = 3 * Math.sqrt(logShares / (2 * rows));
    return { rho, share, capacity, confidence, logShares, value: share + capacity + confidence };
  };
  const largestMargin = margins[margins.length - 1];
  let best = at(SMALLEST_EXPONENT);
  for (let k = SMALLEST_EXPONENT + 1; k <= LARGEST_EXPONENT && power(k) < largestMargin; k++) {
    const candidate = at(k);
    if (candidate.value < best.value) best = candidate;
  }
  return best;
}

/** Computes 2^(k/8). */
function power(k: number): number {
  const octaves = Math.floor(k / STEPS_PER_OCTAVE);
  return 2 ** octaves * real.exp((k / STEPS_PER_OCTAVE - octaves) * Math.LN2);
}

/** Finds the smallest k with 2^(k/8) ≥ norm, at least the exponent of 2^−10. */
function exponentAbove(norm: number): number {
  return Math.max(SMALLEST_EXPONENT, Math.ceil(STEPS_PER_OCTAVE * real.log2(norm)));
}

/** Computes ln(1/p) of an exponent. */
function logInverseShare(k: number): number {
  return real.log(1.5 * (Math.abs(k) + 1) * (Math.abs(k) + 2));
}

function checkEvidence({ layers, meanSquaredNorm, margins, classes }: NetworkMarginEvidence): void {
  const norms = [meanSquaredNorm, ...layers.flatMap(({ weights, biases }) => [weights, biases])];
  const finite = norms.every((norm) => norm >= 0 && norm < Number.POSITIVE_INFINITY);
  if (finite && layers.length > 0 && classes >= 2 && margins.length >= 2 && margins.every(Number.isFinite)) {
    return;
  }
  throw new VouchError(
    "option/invalid",
    "The margin bound for networks needs at least one layer, finite norms of at least 0, at least two classes and at least two quantiles of margins.",
  );
}
