import { VouchError } from "../../runtime/vouch-error.js";
import { binomialAtMost, largestWhere } from "../distributions.js";

/** An AUC that was measured on held-out rows. */
export interface AucEvidence {
  /** Fraction of the pairs of a positive and a negative row in which the positive one scores higher; ties count one half. */
  readonly auc: number;
  readonly positives: number;
  readonly negatives: number;
}

/** One-sided confidence bounds on an AUC: each holds with probability ≥ 1 − δ on its own. */
export interface AucBounds {
  readonly lower: number;
  readonly upper: number;
}

/**
 * Bounds the AUC A of a fixed score from below and from above, given its value U on independent positive rows xᵢ and negative
 * rows yⱼ. U is a two-sample U-statistic, the mean of h(xᵢ, yⱼ) ∈ {0, ½, 1} with E[h] = A, and behaves at least as well as
 * k = min(positives, negatives) independent pairs (Hoeffding 1963, section 5):
 *
 *     P(U ≤ u) ≤ min over t > ku of E[(t − B)₊] / (t − ku),   B ~ Binomial(k, A).
 *
 * Proof: U is the average, over all ways to pair each row of the smaller class with another row of the larger one, of the mean
 * of h over these k pairs. The k terms are independent. For each convex f, by Jensen's inequality, E[f(kU)] ≤ E[f(S)] with S the
 * sum of k independent terms in [0, 1] with mean A; and E[f(S)] ≤ E[f(B)], since a convex function on [0, 1] lies below its chord,
 * so each term may be replaced by one in {0, 1} with the same mean. With f(s) = (t − s)₊, Markov's inequality gives the bound. ∎
 *
 * The exponential function as f would give Chernoff's P(U ≤ u) ≤ exp(−k·kl(u‖A)). The hinge is never worse, since a convex f ≥ 0 with
 * f(ku) = 1 lies above its tangent at ku, and at most e times the binomial tail (Bentkus 2004). For U = 1 the bound is A ≥ δ^(1/k).
 *
 * Without rows of one of the classes the bounds are 0 and 1.
 */
export function aucBounds(evidence: AucEvidence, delta: number): AucBounds {
  checkAuc(evidence, delta);
  const { auc, positives, negatives } = evidence;
  const pairs = Math.min(positives, negatives);
  if (pairs === 0) return { lower: 0, upper: 1 };
  return { lower: 1 - largestMean(1 - auc, pairs, delta), upper: largestMean(auc, pairs, delta) };
}

/** Finds the largest mean p for which the tail bound is at least δ; the tail falls as p grows. */
function largestMean(u: number, k: number, delta: number): number {
  return Math.max(
    u,
    largestWhere((p) => hingeTail(k * u, k, p) >= delta),
  );
}

/**
 * Computes min over integers t > x of E[(t − B)₊] / (t − x) for B ~ Binomial(k, p). Between integers the quotient is monotone in t,
 * so no other t is better. It falls as long as E[B | B < t] < x.
 */
function hingeTail(x: number, k: number, p: number): number {
  if (x >= k * p) return 1;
  const below = (t: number) => binomialAtMost(t - 1, k, p);
  // E[B; B < t] = kp · P(Binomial(k − 1, p) < t − 1)
  const sumBelow = (t: number) => k * p * binomialAtMost(t - 2, k - 1, p);
  let first = Math.floor(x) + 1;
  let last = k;
  while (first < last) {
    const t = Math.floor((first + last) / 2);
    if (sumBelow(t + 1) >= x * below(t + 1)) last = t;
    else first = t + 1;
  }
  return Math.min(1, (first * below(first) - sumBelow(first)) / (first - x));
}

function checkAuc({ auc, positives, negatives }: AucEvidence, delta: number): void {
  const counts = [positives, negatives].every((count) => Number.isSafeInteger(count) && count >= 0);
  if (counts && auc >= 0 && auc <= 1 && delta > 0 && delta < 1) return;
  throw new VouchError(
    "option/invalid",
    `Got an AUC of ${auc} on ${positives} positive and ${negatives} negative rows at a risk of ${delta}: the AUC must lie between 0 and 1, and the risk strictly between them.`,
  );
}

/** Computes an upper bound on the p-value of "the AUC is at most ½"; 1 without rows of one of the classes. */
export function aucPValue({ auc, positives, negatives }: AucEvidence): number {
  const pairs = Math.min(positives, negatives);
  return pairs === 0 ? 1 : hingeTail(pairs * (1 - auc), pairs, 0.5);
}
