import { VouchError } from "../../runtime/vouch-error.js";
import { type Certificate, type Premise, partsAbove, riskOfFailure } from "../certificate.js";
import { largestProbability } from "../distributions.js";
import {
  FIXED_LEARNER,
  INDEPENDENT_ROWS,
  type SampleEvidence,
  trainingCertificate,
} from "../training-certificate.js";

/** Errors of one half of a committee on rows that none of its members has seen. */
export interface HalfTest {
  readonly rows: number;
  /** Rows on which its own class is not ahead of every other class. */
  readonly errors: number;
}

/** The tests of both halves of a committee, each on the rows that the other one was trained on. */
export interface TestedHalves {
  readonly first: HalfTest;
  readonly second: HalfTest;
}

/** A committee of two halves. */
export interface TestedHalvesEvidence extends SampleEvidence, TestedHalves {}

/**
 * Bounds the error of a committee F = w₁F₁ + w₂F₂ of two halves, whatever the weights w₁, w₂ > 0: with probability ≥ 1 − δ
 *
 *     L(F) ≤ p₁ + p₂,   p_g = the largest p with P(Binomial(n_g, p) ≤ k_g) ≥ δ/2,
 *
 * where F₁ is trained without the n₁ rows on which it makes k₁ errors, and F₂ without n₂ others. Let γ_g be the margin of a row
 * in half g: the score of its own class minus the largest other score. If F is wrong, some class c has at least the score of the
 * own class y, so w₁(F₁,y − F₁,c) + w₂(F₂,y − F₂,c) ≤ 0, and as γ_g ≤ F_g,y − F_g,c one of the margins is not positive: one of
 * the halves errs. Hence L(F) ≤ L(F₁) + L(F₂) by the union bound. Given the rows that it was trained on, half g is one fixed
 * classifier and its test rows are independent of it, so p_g is the bound of Clopper and Pearson at confidence 1 − δ/2; the
 * union bound again makes both hold together, although the two tests depend on each other. ∎
 *
 * Both halves predict, so the committee uses every row for training and every row for testing.
 */
export function testedHalves(evidence: TestedHalvesEvidence): Certificate {
  const { first, second, rows } = evidence;
  const delta = riskOfFailure(evidence.confidence);
  const ofFirst = halfBound(first, delta / 2);
  const ofSecond = halfBound(second, delta / 2);
  const value = ofFirst + ofSecond;
  const bound = {
    name: "tested-halves",
    reference: "Clopper and Pearson (1934) for each half; union bound over the halves",
    value,
    terms: {
      "errors of the first half": first.errors,
      "test rows of the first half": first.rows,
      "error of the first half, at most": ofFirst,
      "errors of the second half": second.errors,
      "test rows of the second half": second.rows,
      "error of the second half, at most": ofSecond,
      rows,
      delta,
    },
    parts: partsAbove("sum of the errors of both halves", computeShare(first) + computeShare(second), value),
    premises: HALVES_PREMISES,
  };
  return trainingCertificate(bound, evidence);
}

function computeShare({ rows, errors }: HalfTest): number {
  return rows === 0 ? 1 : errors / rows;
}

function halfBound({ rows, errors }: HalfTest, delta: number): number {
  if (!(Number.isSafeInteger(rows) && Number.isSafeInteger(errors) && errors >= 0 && errors <= rows)) {
    throw new VouchError(
      "option/invalid",
      `Got ${errors} errors of a half on ${rows} rows: both must be counts, with no more errors than rows.`,
    );
  }
  return rows === 0 ? 1 : largestProbability(errors, rows, delta);
}

const HALVES_PREMISES: readonly Premise[] = [
  INDEPENDENT_ROWS,
  FIXED_LEARNER,
  { text: "The rows were divided at random, without looking at them.", status: "checked" },
  {
    text: "Each half of the trees was grown from its half of the rows alone: bin boundaries and groups of rare categories are as good as known in advance, although they come from all training rows.",
    status: "assumed",
  },
];
