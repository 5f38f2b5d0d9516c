import { binomialAtMost, largestProbability } from "../distributions.js";
import type { SelectiveRows } from "./selective-rows.js";

/** Numbers of answers that are considered as the first one of the sequence, and as its end. */
const CANDIDATES = 100;
/** More would answer slightly more rows; each costs the bound on the answer rate a share of δ. */
const MOST_THRESHOLDS = 30;
/** The sequence ends where a test would succeed with a smaller probability. */
const LEAST_POWER = 0.001;

/**
 * Fixes the thresholds for abstention and the order in which they are tested, from out-of-fold rows alone. The order is the
 * order of the result: from the surest answers to more of them. −∞ answers every row.
 *
 * The first threshold is the most promising one: that for which n rows are expected to give the smallest upper bound on the
 * error of answers. Fewer answers have fewer errors, but also less evidence. The sequence ends with the last threshold whose test
 * at the target would succeed with a probability of 0.1% or more, if the error on out-of-fold rows were the true one. In simulations
 * several starts with shares of δ mostly answer fewer rows than one, and a hundred thresholds hardly more than twenty.
 *
 * @param units number of independent units, rows or groups, that the tests will have
 */
export function thresholdSequence(
  { confidences, wrong }: SelectiveRows,
  units: number,
  target: number,
  delta: number,
): number[] {
  const order = descending(confidences);
  const errors = errorsAmongFirst(order, wrong);
  const candidates = candidateCounts(order, confidences);
  const expected = candidates.map((answers) => {
    const rows = Math.max(1, Math.round((units * answers) / order.length));
    // Half an error more, so that a few rows without errors do not count as perfect.
    const rate = (errors[answers] + 0.5) / (answers + 1);
    return { rows, rate };
  });
  const bounds = expected.map(({ rows, rate }) =>
    largestProbability(Math.min(rows, Math.round(rows * rate)), rows, delta),
  );
  const first = bounds.indexOf(Math.min(...bounds));
  const powers = expected.map(({ rows, rate }) => power(rows, rate, target, delta));
  const end = powers.findLastIndex((value) => value >= LEAST_POWER);
  const inReach = candidates.slice(first, Math.max(first, end) + 1);
  return spread(inReach).map((answers) =>
    answers === order.length ? Number.NEGATIVE_INFINITY : confidences[order[answers - 1]],
  );
}

function descending(confidences: Float64Array): Uint32Array {
  return Uint32Array.from(confidences.keys()).sort((a, b) => confidences[b] - confidences[a]);
}

function errorsAmongFirst(order: Uint32Array, wrong: Uint8Array): Uint32Array {
  const errors = new Uint32Array(order.length + 1);
  for (let i = 0; i < order.length; i++) errors[i + 1] = errors[i] + wrong[order[i]];
  return errors;
}

/** Lists increasing numbers of answers, at even steps; rows with equal confidences are answered together. */
function candidateCounts(order: Uint32Array, confidences: Float64Array): number[] {
  const rows = order.length;
  const counts = new Set<number>();
  let answers = 0;
  for (let step = 1; step <= CANDIDATES; step++) {
    answers = Math.max(answers, Math.ceil((step * rows) / CANDIDATES));
    while (answers < rows && confidences[order[answers]] === confidences[order[answers - 1]]) answers++;
    counts.add(answers);
  }
  return [...counts];
}

/** Computes the probability that the test of "the error is at least the target" rejects, if the error is `rate`. */
function power(rows: number, rate: number, target: number, delta: number): number {
  return binomialAtMost(criticalErrors(rows, target, delta), rows, rate);
}

/** Finds the largest k with P(Binomial(n, p) ≤ k) ≤ δ; −1 if there is none. */
export function criticalErrors(n: number, p: number, delta: number): number {
  let low = -1;
  let high = n;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (binomialAtMost(middle, n, p) <= delta) low = middle;
    else high = middle;
  }
  return low;
}

/** Picks a limited number of the items at even steps, the first and the last included. */
function spread(items: readonly number[]): number[] {
  if (items.length <= MOST_THRESHOLDS) return [...items];
  const step = (items.length - 1) / (MOST_THRESHOLDS - 1);
  return Array.from({ length: MOST_THRESHOLDS }, (_, i) => items[Math.round(i * step)]);
}
