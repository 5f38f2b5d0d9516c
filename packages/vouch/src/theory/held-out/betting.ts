import { Random } from "../../runtime/random.js";

/**
 * Bets against a hypothesis about a mean, after Waudby-Smith and Ramdas, "Estimating means of bounded random variables by
 * betting" (JRSS B 86, 2024). If independent X₁, …, Xₙ in [0, 1] have a mean of at least m, the capital
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
 * The second term keeps the capital from falling below 0, the third from rising above T, where more is of no use.
 *
 * A capital that is averaged over several orders of the same values has E ≤ 1 as well. So the orders are shuffled with fixed
 * seeds, and the average hardly depends on the order in which the values come.
 */
export interface BettingOrder {
  /** The values in [0, 1], in the order of the bets. */
  readonly values: Float64Array;
  /** 2 / ((n − t + 1) σ̂²ₜ₋₁) for each bet t. */
  readonly rates: Float64Array;
}

/** Weight of the variance ¼ of a fair coin, the largest there is, in the first estimates of the variance. */
const PRIOR_VALUES = 8;
const MOST_ORDERS = 16;
const LEAST_ORDERS = 2;
/** Bets per hypothesis: a sample of 100,000 is shuffled four times. */
const BETS = 400_000;
const SEED = 1;

/** Shuffles values in [0, 1] into the orders in which bets are placed on them. */
export function bettingOrders(values: Float64Array): BettingOrder[] {
  const count = Math.floor(BETS / Math.max(1, values.length));
  const orders = Math.min(MOST_ORDERS, Math.max(LEAST_ORDERS, count));
  const random = new Random(SEED);
  return Array.from({ length: orders }, (_, i) => {
    const order = random.fork(i).shuffle(Uint32Array.from(values, (_value, row) => row));
    return withRates(Float64Array.from(order, (row) => values[row]));
  });
}

/** Computes the rates of the bets from running means and variances (Welford), each from the values before it. */
function withRates(values: Float64Array): BettingOrder {
  const rates = new Float64Array(values.length);
  let mean = 0.5;
  let squares = PRIOR_VALUES * 0.25;
  for (let t = 0; t < values.length; t++) {
    const seen = PRIOR_VALUES + t;
    rates[t] = (2 * seen) / ((values.length - t) * squares);
    const deviation = values[t] - mean;
    mean += deviation / (seen + 1);
    squares += deviation * (values[t] - mean);
  }
  return { values, rates };
}

/**
 * Computes the final capital of bets against "the mean is at least m" for 0 < m < 1, averaged over the orders. Lies between 0 and
 * the target, and never falls as m grows.
 *
 * Proof of the latter: let f(W, m) = W · (1 + λ(m − x)) be the capital after a value x. f does not fall in m: for each of the
 * three terms as λ the factor 1 + λ(m − x) is non-decreasing, (1 − x)/(1 − m) for the second and 1 + (T/W − 1)(1 − x/m) for the third, and
 * the smallest λ takes the least of the three factors if m > x and the largest otherwise. Nor does it fall in W: for the second term f is
 * proportional to W, and for the third W + (T − W)(1 − x/m) = T(1 − x/m) + W x/m. For the first and g = ln(T/W),
 * ∂ ln f/∂ ln W = 1 − λ(m − x)/(2g (1 + λ(m − x))) ≥ 1 − λm/(2g (1 + λm)), and since λ is below the third term, 1 + λm ≤ T/W = e^g, so this is
 * at least 1 − (1 − e^−g)/(2g) ≥ ½. By induction over the values the final capital does not fall in m. ∎
 */
export function bettingCapital(orders: readonly BettingOrder[], m: number, target: number): number {
  return orders.reduce((sum, order) => sum + capitalOf(order, m, target), 0) / orders.length;
}

function capitalOf({ values, rates }: BettingOrder, m: number, target: number): number {
  const solvent = 1 / (1 - m);
  let capital = 1;
  for (let t = 0; t < values.length; t++) {
    const ratio = target / capital;
    // Rounding leaves a capital that has reached its target a little below it.
    if (ratio <= 1 + 1e-12) return target;
    const bet = Math.min(Math.sqrt(Math.log(ratio) * rates[t]), solvent, (ratio - 1) / m);
    capital *= 1 + bet * (m - values[t]);
    // A capital of 10⁻¹⁵⁰ of the target comes from values of 1 at the highest stake: it is lost.
    if (!(capital > target * 1e-150)) return 0;
  }
  return Math.min(capital, target);
}
