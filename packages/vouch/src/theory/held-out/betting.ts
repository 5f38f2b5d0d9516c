/**
 * Bets against a hypothesis about a mean, after Waudby-Smith and Ramdas, "Estimating means of bounded random variables by
 * betting" (JRSS B 86, 2024). If independent X₁, …, Xₙ in [0, 1] have means of at least m, the capital
 *
 *     W₀ = 1,   Wₜ = Wₜ₋₁ · (1 + λₜ (m − Xₜ)),   0 ≤ λₜ ≤ 1/(1 − m), chosen from X₁, …, Xₜ₋₁,
 *
 * is never negative and grows by nothing on average: E[Wₙ] ≤ 1, and P(Wₙ ≥ 1/δ) ≤ δ by Markov's inequality. A large capital
 * is evidence that the mean is below m.
 *
 * Their bet for a fixed n is λₜ = √(2 ln(1/δ) / (n σ̂²ₜ₋₁)). This one aims at a target T and recalculates the rate at every step from
 * the capital and the steps that are left (Voráček and Orabona, "STaR-Bets", NeurIPS 2025):
 *
 *     λₜ = min { √(2 ln(T/Wₜ₋₁) / ((n − t + 1) σ̂²ₜ₋₁)),  1/(1 − m),  (T/Wₜ₋₁ − 1)/m }.
 *
 * The second term keeps the capital from falling below 0, the third from rising above T, where more is of no use. Large
 * samples keep a bet for a block of B values, to save time: the third term is then ((T/W)^(1/B) − 1)/m.
 *
 * A capital that is averaged over several orders of the same values has E ≤ 1 as well. So the orders are shuffled with fixed
 * seeds, and the average hardly depends on the order in which the values come. Values that come sorted, as from counts, are not
 * independent in their order: only the average over all orders has E ≤ 1 then. Few values take more orders to come close to it.
 */

import { Random } from "../../runtime/random.js";
import * as real from "../../runtime/real-functions.js";

/** Values in a shuffled order, and the rates of the bets on them. */
export interface BettingOrder {
  /** The values in [0, 1], in the order of the bets. */
  readonly values: Float64Array;
  /** Number B of values for which a bet is kept. */
  readonly block: number;
  /** 2 / ((n − t + 1) σ̂²ₜ₋₁) for the first value t of each block. */
  readonly rates: Float64Array;
}

/** Weight of the variance ¼ of a fair coin, the largest there is, in the first estimates of the variance. */
const PRIOR_VALUES = 8;
/** With 16 orders, the bound from 2 errors of 12 sorted values fails in 6 % of samples at δ = 5 %; with 64 it does not. */
const MOST_ORDERS = 64;
const USUAL_ORDERS = 16;
const LEAST_ORDERS = 2;
/** Values of all orders together: a sample of 60 is shuffled 64 times, one of 250 to 50,000 16 times, one of 100,000 eight times. */
const VALUES_OF_SMALL_SAMPLES = 4000;
const MOST_VALUES = 800_000;
/** Number of bets from which on they are kept for a block of values. */
const MOST_BETS = 2000;
const SEED = 1;

/** The average of the orders must reach 1/δ. Each aims at this multiple of it, so that a few of them may fail. */
export const TARGET_MARGIN = 1.25;

/** Shuffles values in [0, 1] into the orders in which bets are placed on them. */
export function bettingOrders(values: Float64Array): BettingOrder[] {
  return shuffledRows(values.length).map((rows) => {
    const shuffled = new Float64Array(values.length);
    for (let t = 0; t < shuffled.length; t++) shuffled[t] = values[rows[t]];
    return withRates(shuffled);
  });
}

/** The shuffled rows of the last number of values: a test makes several bounds on means of the same rows. */
let latest: { readonly length: number; readonly orders: readonly Uint32Array[] } | undefined;

/** Returns the orders of this many values. */
function shuffledRows(length: number): readonly Uint32Array[] {
  if (latest?.length === length) return latest.orders;
  const within = (total: number) => Math.floor(total / Math.max(1, length));
  const usual = Math.min(USUAL_ORDERS, Math.max(LEAST_ORDERS, within(MOST_VALUES)));
  const count = Math.max(usual, Math.min(MOST_ORDERS, within(VALUES_OF_SMALL_SAMPLES)));
  const random = new Random(SEED);
  const rows = new Uint32Array(length);
  for (let i = 0; i < length; i++) rows[i] = i;
  const orders = Array.from({ length: count }, () => random.shuffle(rows).slice());
  latest = { length, orders };
  return orders;
}

/** Computes the rates of the bets from running means and variances (Welford), each from the values before it. */
function withRates(values: Float64Array): BettingOrder {
  const block = Math.ceil(values.length / MOST_BETS);
  const rates = new Float64Array(Math.ceil(values.length / Math.max(1, block)));
  let mean = 0.5;
  let squares = PRIOR_VALUES * 0.25;
  for (let t = 0; t < values.length; t++) {
    const seen = PRIOR_VALUES + t;
    if (t % block === 0) rates[t / block] = (2 * seen) / ((values.length - t) * squares);
    const deviation = values[t] - mean;
    mean += deviation / (seen + 1);
    squares += deviation * (values[t] - mean);
  }
  return { values, block, rates };
}

/**
 * Computes the final capital of bets against "the mean is at least m" for 0 < m < 1, averaged over the orders. Lies between 0 and
 * the target, and never falls as m grows.
 *
 * Proof of the latter: let f(W, m) = W · Π(1 + λ(m − xᵢ)) be the capital after a block. f does not fall in m: for each of
 * the three terms as λ the factor 1 + λ(m − x) is non-decreasing, namely (1 − x)/(1 − m) for the second and 1 + (r − 1)(1 − x/m) with
 * r = (T/W)^(1/B) for the third, and the smallest λ takes the least of the three factors if m > x and the largest otherwise.
 * Nor does it fall in W: for the second term f is proportional to W, and for the third it is T · Π(1 − (1 − 1/r)xᵢ/m), where r falls
 * in W. For the first and g = ln(T/W), ∂ ln f/∂ ln W = 1 − Σ λ(m − xᵢ)/(1 + λ(m − xᵢ))/(2g) ≥ 1 − Bλm/(1 + λm)/(2g). As λ is below the third
 * term, 1 + λm ≤ e^(g/B), and λm/(1 + λm) ≤ 1 − e^(−g/B) ≤ g/B, so the derivative is at least ½. By induction over the blocks the
 * final capital does not fall in m. ∎
 */
export function bettingCapital(orders: readonly BettingOrder[], m: number, target: number): number {
  return orders.reduce((sum, order) => sum + capitalOf(order, m, target), 0) / orders.length;
}

/**
 * Tells whether the average capital reaches a level below the target. It stops at the order after which the answer is certain,
 * since no order wins more than the target or less than nothing.
 */
export function capitalReaches(
  level: number,
  orders: readonly BettingOrder[],
  m: number,
  target: number,
): boolean {
  const needed = level * orders.length;
  let sum = 0;
  for (const [k, order] of orders.entries()) {
    sum += capitalOf(order, m, target);
    if (sum >= needed) return true;
    if (sum + (orders.length - k - 1) * target < needed) return false;
  }
  return false;
}

function capitalOf({ values, block, rates }: BettingOrder, m: number, target: number): number {
  const solvent = 1 / (1 - m);
  let capital = 1;
  for (let i = 0; i < rates.length; i++) {
    const ratio = target / capital;
    // Rounding leaves a capital that has reached its target a little below it.
    if (ratio <= 1 + 1e-12) return target;
    const gap = real.log(ratio);
    const growth = block === 1 ? ratio - 1 : real.expm1(gap / block);
    const bet = Math.min(Math.sqrt(gap * rates[i]), solvent, growth / m);
    const end = Math.min(values.length, (i + 1) * block);
    for (let t = i * block; t < end; t++) capital *= 1 + bet * (m - values[t]);
    // Several values of 1 at the highest stake take everything.
    if (!(capital > 1e-150)) return 0;
  }
  return Math.min(capital, target);
}
