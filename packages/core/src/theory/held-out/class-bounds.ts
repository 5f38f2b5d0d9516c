import * as real from "../../runtime/maths/portable-math.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { largestProbability } from "../distributions.js";
import type { MeanBounds } from "./bounded-mean.js";
import { CountedDraws } from "./counted-draws.js";

/** Counts of held-out rows: one row per true class, one column per predicted class. */
export type ConfusionCounts = readonly (readonly number[])[];

/** The errors among some held-out rows, and an upper confidence bound on their probability. */
export interface ErrorBound {
  readonly rows: number;
  readonly errors: number;
  /** 1 without rows. */
  readonly upper: number;
}

/**
 * Bounds the error of each class, 1 − recall. Given how many of the held-out rows are of each class, the errors of the classes
 * are independent binomial variables, for a stratified hold-out as well, so each bound is the exact binomial one. Each holds
 * with probability ≥ 1 − δ; take δ/K for all K together.
 */
export function classErrorBounds(confusion: ConfusionCounts, delta: number): ErrorBound[] {
  checkConfusion(confusion, delta);
  return confusion.map((row, c) => errorBound(row[c], total(row), delta));
}

/**
 * Bounds 1 − precision of each predicted class: given how many independent rows are predicted as the class, the wrong ones
 * among them are binomial. Each holds with probability ≥ 1 − δ. In a stratified hold-out the class proportions are set, and
 * precision depends on them: there the rows are not independent draws.
 */
export function precisionErrorBounds(confusion: ConfusionCounts, delta: number): ErrorBound[] {
  checkConfusion(confusion, delta);
  return confusion.map((predictedRow, c) =>
    errorBound(predictedRow[c], total(confusion.map((row) => row[c])), delta),
  );
}

function errorBound(correct: number, rows: number, delta: number): ErrorBound {
  const errors = rows - correct;
  return { rows, errors, upper: largestProbability(errors, rows, delta) };
}

/**
 * Bounds the balanced error, the mean of the errors e₁, …, e_K of the classes that occur; 1 without rows. Takes the smaller of
 * two bounds that hold with probability ≥ 1 − δ/2 each: the mean of K exact binomial bounds at δ/(2K), which is best if one class
 * is rare or is always misclassified, and `chernoffBalancedError`. A single class has the exact binomial bound.
 */
export function balancedErrorBound(confusion: ConfusionCounts, delta: number): number {
  const occurring = confusion.filter((row) => total(row) > 0).length;
  if (occurring === 0) return 1;
  const each = occurring === 1 ? delta : delta / (2 * occurring);
  const classes = classErrorBounds(confusion, each).filter(({ rows }) => rows > 0);
  const union = total(classes.map(({ upper }) => upper)) / occurring;
  return occurring === 1 ? union : Math.min(union, chernoffBalancedError(classes, delta / 2));
}

/**
 * Bounds the balanced error by Chernoff's method. Given the numbers of rows n_c, the measured balanced error is
 * ŵ = (1/K) Σ Y_c/n_c with independent Y_c ~ Binomial(n_c, e_c), so for every s > 0
 *
 *     P(ŵ ≤ w) ≤ exp(sw) · Π (1 − a_c e_c)^{n_c},   a_c = 1 − exp(−s/(K n_c)).
 *
 * The bound is the largest mean of e₁, …, e_K in [0, 1] for which some choice of them keeps the right-hand side at δ or above,
 * minimised over s; by convex duality,
 *
 *     max { mean(e) : Σ n_c kl(y_c‖e_c) ≤ ln(1/δ) for some y in [0, 1]^K with mean(y) = w }.
 *
 * Hoeffding's w + √(ln(1/δ) Σ 1/(2K² n_c)) bounds each factor further, so it is never smaller.
 */
function chernoffBalancedError(classes: readonly ErrorBound[], delta: number): number {
  const sizes = classes.map(({ rows }) => rows);
  const measured = total(classes.map(({ errors, rows }) => errors / rows)) / sizes.length;
  if (measured >= 1) return 1;
  const logDelta = real.log(delta);
  // A smaller s excludes nothing: exp(sw − s) ≥ δ even if all rows were misclassified.
  const least = real.log(-logDelta / (1 - measured));
  const most = real.log(100 * sizes.length * Math.max(...sizes) * (1 - logDelta));
  return smallestValue(
    (logS) => largestBalancedError(real.exp(logS), measured, sizes, logDelta),
    least,
    most,
  );
}

/**
 * Finds the largest mean of e₁, …, e_K with sw + Σ n_c ln(1 − a_c e_c) ≥ ln δ. The sum is concave in e, so at the maximum all
 * n_c a_c/(1 − a_c e_c) are the same e^y, where 0 ≤ e_c ≤ 1 allows it: ln(1 − a_c e_c) is ln(n_c a_c) − y, within [−s/(K n_c), 0].
 */
function largestBalancedError(
  s: number,
  measured: number,
  sizes: readonly number[],
  logDelta: number,
): number {
  const exponents = sizes.map((rows) => s / (sizes.length * rows));
  const logRates = sizes.map((rows, c) => real.log(rows * -real.expm1(-exponents[c])));
  const logFactor = (c: number, y: number) => Math.max(-exponents[c], Math.min(0, logRates[c] - y));
  let low = Math.min(...logRates);
  let high = Math.max(...logRates.map((logRate, c) => logRate + exponents[c]));
  for (let step = 0; step < 60; step++) {
    const y = low + (high - low) / 2;
    let log = s * measured;
    for (let c = 0; c < sizes.length; c++) log += sizes[c] * logFactor(c, y);
    if (log >= logDelta) low = y;
    else high = y;
  }
  const errors = exponents.map((exponent, c) => real.expm1(logFactor(c, high)) / real.expm1(-exponent));
  return Math.min(1, total(errors) / sizes.length);
}

/** Finds the minimum of a function that falls and then rises, by golden-section search. */
function smallestValue(f: (x: number) => number, least: number, most: number): number {
  const ratio = (Math.sqrt(5) - 1) / 2;
  let [low, high] = [least, most];
  let [left, right] = [high - ratio * (high - low), low + ratio * (high - low)];
  let [atLeft, atRight] = [f(left), f(right)];
  for (let step = 0; step < 45; step++) {
    if (atLeft <= atRight) {
      [high, right, atRight] = [right, left, atLeft];
      left = high - ratio * (high - low);
      atLeft = f(left);
    } else {
      [low, left, atLeft] = [left, right, atRight];
      right = low + ratio * (high - low);
      atRight = f(right);
    }
  }
  return Math.min(atLeft, atRight);
}

/**
 * Bounds the expected cost of a prediction, for a matrix of costs by true and predicted class that was fixed before the rows were
 * seen. Costs are bounded values: the range covers the whole matrix, even cells that do not occur. Counts have no order,
 * so the guarantee of the betting bound is over the rows and the shuffled orders of its bets.
 */
export function expectedCostBounds(
  confusion: ConfusionCounts,
  costs: ConfusionCounts,
  delta: number,
): MeanBounds {
  checkConfusion(confusion, delta);
  if (costs.length !== confusion.length || costs.some((row) => row.length !== confusion.length)) {
    throw new VouchError(
      "option/invalid",
      `The cost matrix must have ${confusion.length} rows and as many columns.`,
    );
  }
  const low = Math.min(...costs.map((row) => Math.min(...row)));
  const high = Math.max(...costs.map((row) => Math.max(...row)));
  if (!Number.isFinite(high - low)) throw new VouchError("option/invalid", "Costs must be finite numbers.");
  if (low === high) return { mean: low, hoeffding: low, empiricalBernstein: low, betting: low };
  const counted = confusion.flatMap((row, actual) =>
    row.map((times, predicted) => ({ value: costs[actual][predicted], times })),
  );
  return new CountedDraws(counted, { low, high }).upperBounds(delta);
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function checkConfusion(confusion: ConfusionCounts, delta: number): void {
  const counts = confusion.every(
    (row) =>
      row.length === confusion.length && row.every((count) => Number.isSafeInteger(count) && count >= 0),
  );
  if (!counts) {
    throw new VouchError(
      "option/invalid",
      "A confusion matrix must be square, and its entries must be counts.",
    );
  }
  if (delta > 0 && delta < 1) return;
  throw new VouchError("option/invalid", `The risk of failure must be between 0 and 1, not ${delta}.`);
}
