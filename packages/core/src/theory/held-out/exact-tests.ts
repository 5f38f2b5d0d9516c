import * as real from "../../runtime/maths/portable-math.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { binomialAtMost } from "../distributions.js";
import { logBinomialCoefficient, logHypergeometricAtMost } from "../log-tails.js";
import { bettingCapital, bettingOrders, TARGET_MARGIN } from "./betting.js";

/** Rows with some property among all rows of a group. */
export interface Proportion {
  readonly count: number;
  readonly rows: number;
}

/**
 * Computes the p-value of the one-sided sign test, P(Binomial(b + c, ½) ≥ b), for b wins and c losses: McNemar's test in its exact
 * form, with b the rows that only the first of two classifiers gets right and c those that only the second does. 1 without
 * any. If the first is no better, each such row is a win with probability ≤ ½.
 */
export function exactSignTest(wins: number, losses: number): number {
  checkProportion({ count: wins, rows: wins + losses });
  // By symmetry, since this is the tail that distributions.ts sums.
  return binomialAtMost(losses, wins + losses, 0.5);
}

/**
 * Computes the p-value of Fisher's exact test of "the first proportion is no larger than the second" against "it is larger":
 * P(A ≥ a), where A is hypergeometric given the margins of the table.
 */
export function fisherGreater(first: Proportion, second: Proportion): number {
  const table = tableOf(first, second);
  return real.exp(logAtLeast(table, first.count));
}

/**
 * Computes the p-value of the two-sided Fisher's exact test of "the two proportions are equal": the sum over all tables with the same
 * margins that are no more likely than the observed one. Tables whose probabilities differ by less than 10⁻⁷ of their size
 * count as equally likely, so that rounding does not split ties.
 */
export function fisherTwoSided(first: Proportion, second: Proportion): number {
  const table = tableOf(first, second);
  const { drawn, others, marked } = table;
  const most = logProbability(table, first.count) + 1e-7;
  const mode = Math.floor(((drawn + 1) * (marked + 1)) / (drawn + others + 2));
  if (logProbability(table, mode) <= most) return 1;
  // Probabilities rise up to the mode and fall after it, so on each side the tables form a tail.
  const below = lastUpTo(mode, Math.max(0, marked - others), (k) => logProbability(table, k) <= most);
  const above = lastUpTo(-mode, -Math.min(drawn, marked), (k) => logProbability(table, -k) <= most);
  const lower = below === undefined ? 0 : real.exp(logAtMost(table, below));
  const upper = above === undefined ? 0 : real.exp(logAtLeast(table, -above));
  return Math.min(1, lower + upper);
}

/** A hypergeometric variable: how many of `drawn` rows are marked, if `marked` of `drawn + others` are. */
interface Table {
  readonly drawn: number;
  readonly others: number;
  readonly marked: number;
}

function tableOf(first: Proportion, second: Proportion): Table {
  checkProportion(first);
  checkProportion(second);
  return { drawn: first.rows, others: second.rows, marked: first.count + second.count };
}

function logProbability({ drawn, others, marked }: Table, k: number): number {
  return (
    logBinomialCoefficient(drawn, k) +
    logBinomialCoefficient(others, marked - k) -
    logBinomialCoefficient(drawn + others, marked)
  );
}

/** Computes ln P(A ≤ k): the upper tail is summed instead if it is the smaller one. */
function logAtMost(table: Table, k: number): number {
  const { drawn, others, marked } = table;
  if (k * (drawn + others) <= drawn * marked) return logHypergeometricAtMost(k, drawn, others, marked);
  return real.log1p(-real.exp(logAtLeast(table, k + 1)));
}

/** Computes ln P(A ≥ k) as the lower tail of the number of drawn rows that are not marked. */
function logAtLeast({ drawn, others, marked }: Table, k: number): number {
  return logAtMost({ drawn, others, marked: drawn + others - marked }, drawn - k);
}

/** Finds the largest integer in [least, most) for which a condition holds that holds up to some integer; none: undefined. */
function lastUpTo(most: number, least: number, holds: (k: number) => boolean): number | undefined {
  let low = least - 1;
  let high = most;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) low = middle;
    else high = middle;
  }
  return low < least ? undefined : low;
}

/** Shares of the capital that aim at p-values of the level, a tenth of it, a hundredth, … */
const SHARES = [0.75, 0.125, 0.0625, 0.03125, 0.03125];

/**
 * Computes a p-value of "the mean of the differences is at most 0", for independent differences in [−range, range] of any
 * distribution, symmetric or not: min(1, 1/capital) of bets against it, which is valid by Markov's inequality (Waudby-Smith and
 * Ramdas 2024; see `bettingCapital`). Use it for differences of log-loss, or of errors by group.
 *
 * The test is most powerful at the given level. Most of the capital is bet to reach 1/level, and small shares of it for
 * smaller p-values, down to 10⁻⁴ of the level. 1 without differences.
 */
export function pairedMeanTest(differences: Float64Array, range: number, level = 0.05): number {
  if (!(range > 0 && Number.isFinite(range) && level > 0 && level < 1)) {
    throw new VouchError(
      "option/invalid",
      `Got a range of ${range} and a level of ${level}: the range must be positive, and the level between 0 and 1.`,
    );
  }
  const scaled = differences.map((difference, i) => {
    if (Math.abs(difference) <= range) return 0.5 - difference / (2 * range);
    throw new VouchError("data/not-finite", `Difference ${i + 1} is ${difference}, outside of ±${range}.`);
  });
  const orders = bettingOrders(scaled);
  const capital = SHARES.reduce((sum, share, i) => {
    const target = (TARGET_MARGIN * real.wholePower(10, i)) / (share * level);
    return sum + share * bettingCapital(orders, 0.5, target);
  }, 0);
  return Math.min(1, 1 / capital);
}

function checkProportion({ count, rows }: Proportion): void {
  if (Number.isSafeInteger(count) && Number.isSafeInteger(rows) && count >= 0 && count <= rows) return;
  throw new VouchError(
    "option/invalid",
    `Got ${count} of ${rows} rows: both must be counts, the first not above the second.`,
  );
}
