import * as real from "../../runtime/maths/portable-math.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { riskOfFailure } from "../certificate.js";
import { largestProbability } from "../distributions.js";
import { pairedMeanTest } from "../held-out/exact-tests.js";
import { type AbstentionRule, abstentionRuleSchema } from "./abstention-rule.js";
import {
  checkSelectiveRows,
  countAnswers,
  eachGroup,
  groupDraws,
  type SelectiveCounts,
  type SelectiveRows,
} from "./selective-rows.js";
import { thresholdSequence } from "./threshold-sequence.js";

/** The task of choosing a threshold. */
export interface AbstentionTask {
  /** Training rows with the scores of models that did not see them. They fix which thresholds are tested, in which order. */
  readonly outOfFold: SelectiveRows;
  /** Held-out rows that count as evidence. They decide. */
  readonly heldOut: SelectiveRows;
  /** The largest error of answers that is acceptable, in (0, 1). */
  readonly target: number;
  /** 1 − δ, in (0, 1). */
  readonly confidence: number;
}

/**
 * Chooses the threshold that answers most rows such that, with probability ≥ 1 − δ over the held-out rows, at most the target
 * share of the answers for new cases is wrong. If that cannot be kept, chooses the threshold whose error is expected to have the
 * smallest bound, with this bound as its target. If nothing can be certified for that one, as when new rows never reach it,
 * chooses to answer every row. Returns undefined if no error below 1 can be certified for that either.
 *
 * The method is the fixed-sequence test of Angelopoulos, Bates, Candès, Jordan and Lei, "Learn then test: calibrating
 * predictive algorithms to achieve risk control" (Annals of Applied Statistics 19, 2025; arXiv 2110.01052). Let t₁, …, t_m be the
 * thresholds, fixed by out-of-fold rows, R_j = P(wrong | confidence ≥ t_j) the error of answers, and n_j and k_j the numbers
 * of answers and of errors on held-out rows. The hypotheses are tested in a fixed order, each at level δ, up to the first that is
 * not rejected:
 *
 *     R₁ ≥ τ  for τ falling from 1 to the target,   then   R₂ ≥ target, …, R_m ≥ target.
 *
 * The p-value of R_j ≥ τ is P(Binomial(n_j, τ) ≤ k_j). It is valid: whether a row is answered depends on the row alone,
 * so given which rows are answered, these are independent draws from the cases that are, each wrong with probability R_j, and
 * k_j ~ Binomial(n_j, R_j). No true hypothesis is rejected with probability ≥ 1 − δ: to reject any, the first true one in the
 * order must be rejected, which has probability ≤ δ. The first part of the order ends at the Clopper–Pearson bound of t₁. If that is
 * above the target, it is the smallest error that can be certified, otherwise the last rejected t_j keeps the target. ∎
 *
 * These tests have 0.9 δ. The rest is for the hypotheses about answering every row, R ≥ τ for τ falling from 1 to the target.
 *
 * If rows are drawn by groups, R_j = E[wrong answers of a group / its rows] / E[answers of a group / its rows], and the hypothesis
 * R_j ≥ τ is E[τ · answered − wrong] ≤ 0 for these shares of a group. Its p-value comes from bets on group means (`pairedMeanTest`),
 * and τ falls in steps.
 */
export function chooseAbstention(task: AbstentionTask): AbstentionRule | undefined {
  const { outOfFold, heldOut, target, confidence } = task;
  checkTask(task);
  const delta = riskOfFailure(confidence);
  const units = heldOut.groups ? new Set(heldOut.groups).size : heldOut.confidences.length;
  if (units === 0) return undefined;
  const own = (1 - SHARE_OF_ALL) * delta;
  const sequence = thresholdSequence(outOfFold, units, target, own);
  const rule = (threshold: number, certified: number): AbstentionRule =>
    abstentionRuleSchema.parse({
      threshold: threshold === Number.NEGATIVE_INFINITY ? null : threshold,
      asked: target,
      target: certified,
      confidence,
      // Answering every row is one more.
      thresholds: sequence.length + 1,
      counts: countAnswers(heldOut, threshold),
    });
  const certified = smallestTarget(countAnswers(heldOut, sequence[0]), target, own);
  if (certified >= 1) {
    const all = smallestTarget(countAnswers(heldOut, EVERY_ROW), target, SHARE_OF_ALL * delta);
    return all < 1 ? rule(EVERY_ROW, all) : undefined;
  }
  if (certified > target) return rule(sequence[0], certified);
  const stop = sequence.findIndex((threshold, j) => {
    return j > 0 && !rejects(countAnswers(heldOut, threshold), target, own);
  });
  return rule(sequence[(stop < 0 ? sequence.length : stop) - 1], certified);
}

/** The share of δ for answering every row. */
const SHARE_OF_ALL = 0.1;
const EVERY_ROW = Number.NEGATIVE_INFINITY;

/** Computes how many answers without an error certify a target: the least n with (1 − target)ⁿ ≤ 0.9 δ. */
export function leastAnswers(target: number, confidence: number): number {
  return Math.ceil(real.log((1 - SHARE_OF_ALL) * riskOfFailure(confidence)) / real.log1p(-target));
}

/** Steps in which the target falls for groups; between them nothing is certified. */
const STEPS = 40;

/** Finds the smallest target that is kept at a threshold that was fixed before, but none below the one asked for. */
function smallestTarget(counts: SelectiveCounts, asked: number, delta: number): number {
  if (!counts.groups) return Math.max(asked, largestProbability(counts.errors, counts.answered, delta));
  let smallest = 1;
  for (let step = 1; step <= STEPS; step++) {
    const target = step === STEPS ? asked : real.exp((step / STEPS) * real.log(asked));
    if (!rejects(counts, target, delta)) break;
    smallest = target;
  }
  return smallest;
}

/** Tests whether the error of answers is below a target, at level δ. */
function rejects({ answered, errors, groups }: SelectiveCounts, target: number, delta: number): boolean {
  // Uses the inverted tail rather than the tail itself: the certificates show it, and rounding must not separate the
  // two.
  if (!groups) return largestProbability(errors, answered, delta) <= target;
  const gains = eachGroup(groups, (answeredShare, wrong) => target * answeredShare - wrong);
  return pairedMeanTest(gains, Math.max(target, 1 - target), delta) <= delta;
}

/** Facts about the choice of a threshold that a bound must allow for; `thresholds` is 1 if it was fixed before. */
export type ThresholdChoice = Pick<AbstentionRule, "thresholds" | "target" | "confidence">;

/**
 * Bounds the error of answers from above. For a threshold that was chosen on the same rows this is its target, at its confidence
 * or a smaller one. At a larger confidence it is the bound that holds for all m thresholds together, because each has an
 * equal share of δ: Clopper and Pearson's, or for groups the quotient of two betting bounds.
 */
export function answeredErrorBound(
  { answered, errors, groups }: SelectiveCounts,
  confidence: number,
  choice?: ThresholdChoice,
): number {
  if (choice && confidence <= choice.confidence) return choice.target;
  const delta = riskOfFailure(confidence) / (choice?.thresholds ?? 1);
  if (!groups) return largestProbability(errors, answered, delta);
  const wrong = groupDraws(groups, (_, share) => share).upperBound(delta / 2);
  const least = groupDraws(groups, (share) => share).lowerBound(delta / 2);
  return least > 0 ? Math.min(1, wrong / least) : 1;
}

/** Bounds on the share of new cases that are answered; each holds by itself. */
export interface AnswerRateBounds {
  readonly measured: number;
  readonly lower: number;
  readonly upper: number;
}

/**
 * Bounds the share of new cases that are answered: by Clopper and Pearson's bounds, or for groups by betting on the mean share of a
 * group. If the threshold was chosen among m on the same rows, each bound has an equal share of δ for every one of them.
 */
export function answerRateBounds(
  { rows, answered, groups }: SelectiveCounts,
  confidence: number,
  choice?: Pick<ThresholdChoice, "thresholds">,
): AnswerRateBounds {
  const delta = riskOfFailure(confidence) / (choice?.thresholds ?? 1);
  if (rows === 0) return { measured: 0, lower: 0, upper: 1 };
  if (!groups) {
    return {
      measured: answered / rows,
      lower: 1 - largestProbability(rows - answered, rows, delta),
      upper: largestProbability(answered, rows, delta),
    };
  }
  const shares = groupDraws(groups, (share) => share);
  return { measured: shares.mean, lower: shares.lowerBound(delta), upper: shares.upperBound(delta) };
}

function checkTask({ outOfFold, heldOut, target }: AbstentionTask): void {
  if (!(target > 0 && target < 1)) {
    throw new VouchError("option/invalid", `The target must be between 0 and 1, not ${target}.`, {
      hint: "Use 0.02 to keep the error of the answers at 2% or less.",
    });
  }
  checkSelectiveRows(outOfFold, "out-of-fold");
  checkSelectiveRows(heldOut, "held-out");
  if (outOfFold.confidences.length > 0) return;
  throw new VouchError("data/no-rows", "There are no out-of-fold rows to take thresholds from.");
}
