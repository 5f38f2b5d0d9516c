import * as real from "../../runtime/maths/portable-math.js";
import { mean, standardDeviation } from "../../runtime/maths/statistics.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { bettingOrders, capitalReaches, TARGET_MARGIN } from "./betting.js";

/** The interval in which all values of a distribution lie, known before the data. */
export interface MeanRange {
  readonly low: number;
  readonly high: number;
}

/**
 * One-sided confidence bounds on the mean of a distribution. Each holds with probability ≥ 1 − δ on its own; the smallest of the
 * three does not.
 */
export interface MeanBounds {
  /** Mean of the values; NaN if there are none. */
  readonly mean: number;
  readonly hoeffding: number;
  readonly empiricalBernstein: number;
  readonly betting: number;
}

/** The betting bound is found to this fraction of its distance from the mean, and rounded up. */
const PRECISION = 2e-3;

/**
 * Bounds the mean of a distribution on [low, high] from above, from independent draws. For values scaled to [0, 1], with
 * mean x̄ and sample variance V:
 *
 *     Hoeffding (1963):                            x̄ + √(ln(1/δ) / 2n)
 *     empirical Bernstein (Maurer and Pontil
 *     2009, Theorem 4):                            x̄ + √(2V ln(2/δ) / n) + 7 ln(2/δ) / (3(n − 1))
 *     betting (Waudby-Smith and Ramdas 2024):      the largest m against which bets do not win 1/δ; see `bettingCapital`
 *
 * No bound is above `high`, and without values all are `high`. The betting bound adapts to the variance like empirical
 * Bernstein's, at a much lower price, and stays below Hoeffding's.
 */
export function meanUpperBounds(values: Float64Array, range: MeanRange, delta: number): MeanBounds {
  checkRange(range, delta);
  const scaled = scale(values, range);
  const bounds = unitBounds(scaled, delta);
  const width = range.high - range.low;
  const unscaled = (bound: number) => (bound >= 1 ? range.high : range.low + width * bound);
  return {
    mean: mean(values),
    hoeffding: unscaled(bounds.hoeffding),
    empiricalBernstein: unscaled(bounds.empiricalBernstein),
    betting: unscaled(bounds.betting),
  };
}

/** Bounds the mean from below: the upper bounds on the mean of −X, reflected. Without values all bounds are `low`. */
export function meanLowerBounds(values: Float64Array, { low, high }: MeanRange, delta: number): MeanBounds {
  const reflected = meanUpperBounds(
    values.map((value) => -value),
    { low: -high, high: -low },
    delta,
  );
  return {
    mean: -reflected.mean,
    hoeffding: -reflected.hoeffding,
    empiricalBernstein: -reflected.empiricalBernstein,
    betting: -reflected.betting,
  };
}

function unitBounds(values: Float64Array, delta: number): Omit<MeanBounds, "mean"> {
  const n = values.length;
  if (n === 0) return { hoeffding: 1, empiricalBernstein: 1, betting: 1 };
  const centre = mean(values);
  const logTwo = real.log(2 / delta);
  const spread = standardDeviation(values) * Math.sqrt((2 * logTwo) / n);
  const hoeffding = centre + Math.sqrt(-real.log(delta) / (2 * n));
  return {
    hoeffding,
    empiricalBernstein: n === 1 ? 1 : centre + spread + (7 * logTwo) / (3 * (n - 1)),
    betting: bettingBound(values, centre, hoeffding, delta),
  };
}

/**
 * Finds the largest m that bets do not reject, by bisection: their capital does not fall as m grows. It is hardly ever above
 * Hoeffding's bound, so that the search begins there.
 */
function bettingBound(values: Float64Array, centre: number, hoeffding: number, delta: number): number {
  const orders = bettingOrders(values);
  const rejects = (m: number) => capitalReaches(1 / delta, orders, m, TARGET_MARGIN / delta);
  let low = Math.min(1, centre);
  let high = 1;
  if (hoeffding < 1) {
    if (rejects(hoeffding)) high = hoeffding;
    else low = hoeffding;
  }
  while (high - low > PRECISION * (high - centre)) {
    const m = low + (high - low) / 2;
    if (m <= low || m >= high) break;
    if (rejects(m)) high = m;
    else low = m;
  }
  return high;
}

/** Scales values to [0, 1]. Throws on values that are not numbers in the range. */
function scale(values: Float64Array, { low, high }: MeanRange): Float64Array {
  const scaled = new Float64Array(values.length);
  for (let i = 0; i < values.length; i++) {
    if (!(values[i] >= low && values[i] <= high)) throw outOfRange(i, values[i], { low, high });
    scaled[i] = Math.min(1, (values[i] - low) / (high - low));
  }
  return scaled;
}

function outOfRange(index: number, value: number, { low, high }: MeanRange): VouchError {
  if (Number.isNaN(value)) {
    return new VouchError("data/not-finite", `Value ${index + 1} is not a number.`);
  }
  const message = `Value ${index + 1} is ${value}, outside of the range from ${low} to ${high}.`;
  return new VouchError("option/invalid", message, {
    hint: "A bound on a mean needs the true range of the values.",
  });
}

function checkRange({ low, high }: MeanRange, delta: number): void {
  if (!(Number.isFinite(high - low) && low < high)) {
    throw new VouchError("option/invalid", `The range from ${low} to ${high} is not an interval of numbers.`);
  }
  if (!(delta > 0 && delta < 1)) {
    throw new VouchError("option/invalid", `The risk of failure must be between 0 and 1, not ${delta}.`);
  }
}
