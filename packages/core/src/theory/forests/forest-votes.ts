import * as real from "../../runtime/maths/portable-math.js";
import { type Certificate, type Premise, partsAbove, riskOfFailure } from "../certificate.js";
import { pacBayesLoss } from "../pac-bayes/pac-bayes.js";
import {
  FIXED_LEARNER,
  INDEPENDENT_ROWS,
  type SampleEvidence,
  trainingCertificate,
} from "../training-certificate.js";

/**
 * The votes of a forest on out-of-bag rows.
 *
 * The loss of a tree on a row is 1 if it predicts a wrong class and 0 otherwise. For a tree that votes with a class distribution
 * p, as in a forest that averages them, it is 1 − p(true class). Both bounds hold for either: the weight W of wrong votes is
 * Σ ρ_h loss_h, and the forest is wrong only if W ≥ ½, because another class then has at least as much weight as the true one.
 */
export interface ForestEvidence extends SampleEvidence {
  /**
   * KL(ρ‖π) of the weights ρ of the trees from weights π that were fixed before the rows were seen; 0 if all trees have equal
   * votes. `voteDivergence` computes it for other weights.
   */
  readonly divergence: number;
}

/** The losses of single trees, each on its own out-of-bag rows. */
export interface FirstOrderEvidence extends ForestEvidence {
  /** Σ ρ_h L̂_h: the mean loss of the trees, each on its out-of-bag rows. */
  readonly gibbsLoss: number;
  /**
   * n: number of out-of-bag rows of a tree. If the divergence is 0, the harmonic mean over the trees, 1/Σ(ρ_h/n_h); otherwise the
   * smallest.
   */
  readonly outOfBagRows: number;
}

/** The losses of pairs of trees, each pair on the rows that are out of bag for both. */
export interface TandemEvidence extends ForestEvidence {
  /** Σ ρ_h ρ_h′ L̂(h, h′): the mean product of the losses of two trees on a row, including each tree paired with itself. */
  readonly tandemLoss: number;
  /**
   * n: number of rows that are out of bag for both trees of a pair: the harmonic mean over the pairs, or the smallest, as in
   * `FirstOrderEvidence`.
   */
  readonly outOfBagRows: number;
}

/**
 * Bounds the error of a weighted majority vote to first order (Langford and Shawe-Taylor 2002; with out-of-bag rows Lorenzen, Igel
 * and Seldin 2019): with probability ≥ 1 − δ
 *
 *     L(vote) ≤ 2 E_ρ[L] ,   kl(E_ρ[L̂_oob] ‖ E_ρ[L]) ≤ (KL(ρ‖π) + ln(2√n/δ)) / n.
 *
 * The vote is wrong only if W ≥ ½, so by Markov's inequality with probability at most 2 E[W] = 2 E_ρ[L]. Given its bag, a tree
 * is independent of its out-of-bag rows: it has not seen them. No row has to be held out.
 */
export function forestFirstOrder(evidence: FirstOrderEvidence): Certificate {
  const delta = riskOfFailure(evidence.confidence);
  const { rows, gibbsLoss, outOfBagRows, divergence } = evidence;
  const loss = pacBayesLoss({ loss: gibbsLoss, divergence, rows: outOfBagRows }, delta);
  const bound = {
    name: "forest-first-order",
    reference: "Langford and Shawe-Taylor (2002); Lorenzen, Igel and Seldin (2019)",
    value: 2 * loss,
    terms: {
      "out-of-bag loss of a tree": gibbsLoss,
      "loss of a tree, at most": loss,
      "KL(ρ‖π)": divergence,
      "out-of-bag rows of a tree": outOfBagRows,
      rows,
      delta,
    },
    parts: partsAbove("twice the out-of-bag loss", 2 * gibbsLoss, 2 * loss),
    premises: FOREST_PREMISES,
  };
  return trainingCertificate(bound, evidence);
}

/**
 * Bounds the error of a weighted majority vote to second order, by tandem losses (Masegosa, Lorenzen, Igel and Seldin 2020,
 * Theorems 1 and 8): with probability ≥ 1 − δ
 *
 *     L(vote) ≤ 4 E_ρ²[L(h, h′)] ,   kl(E_ρ²[L̂_oob(h, h′)] ‖ E_ρ²[L(h, h′)]) ≤ (2 KL(ρ‖π) + ln(2√n/δ)) / n,
 *
 * where L(h, h′) is the mean product of their losses: the probability that both are wrong. The vote is wrong only if W ≥ ½, so
 * P(wrong) ≤ P(W² ≥ ¼) ≤ 4 E[W²] = 4 E_ρ²[L(h, h′)]. The rest is the PAC-Bayes inequality for pairs, whose prior is π × π, with
 * KL(ρ × ρ‖π × π) = 2 KL(ρ‖π); given which rows are in which bags, the numbers of rows are fixed. It is below the first-order
 * bound if trees err on different rows and many rows are out of bag for both.
 */
export function forestTandem(evidence: TandemEvidence): Certificate {
  const delta = riskOfFailure(evidence.confidence);
  const { rows, tandemLoss, outOfBagRows, divergence } = evidence;
  const loss = pacBayesLoss({ loss: tandemLoss, divergence: 2 * divergence, rows: outOfBagRows }, delta);
  const bound = {
    name: "forest-tandem",
    reference: "Masegosa, Lorenzen, Igel and Seldin (2020), Theorems 1 and 8",
    value: 4 * loss,
    terms: {
      "out-of-bag tandem loss": tandemLoss,
      "tandem loss, at most": loss,
      "2 KL(ρ‖π)": 2 * divergence,
      "rows out of bag for two trees": outOfBagRows,
      rows,
      delta,
    },
    parts: partsAbove("four times the tandem loss", 4 * tandemLoss, 4 * loss),
    premises: FOREST_PREMISES,
  };
  return trainingCertificate(bound, evidence);
}

/** Computes KL(ρ‖uniform) = Σ ρ_h ln(ρ_h T) of the weights of T trees, which sum to one. */
export function voteDivergence(weights: ArrayLike<number>): number {
  let divergence = 0;
  for (let h = 0; h < weights.length; h++) {
    if (weights[h] > 0) divergence += weights[h] * real.log(weights[h] * weights.length);
  }
  return Math.max(0, divergence);
}

const FOREST_PREMISES: readonly Premise[] = [
  INDEPENDENT_ROWS,
  FIXED_LEARNER,
  { text: "The bag of each tree was drawn without looking at the rows.", status: "checked" },
  {
    text: "Each tree was grown from its bag alone: bin boundaries and groups of rare categories are as good as known in advance, although they come from all training rows.",
    status: "assumed",
  },
];
