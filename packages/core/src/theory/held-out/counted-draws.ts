import * as real from "../../runtime/maths/portable-math.js";
import { mean } from "../../runtime/maths/statistics.js";
import { type MeanBounds, type MeanRange, meanLowerBounds, meanUpperBounds } from "./bounded-mean.js";

/** A value, and the number of draws that have it. */
export interface CountedValue {
  readonly value: number;
  readonly times: number;
}

/** Bets are placed on up to this many draws, one by one; more draws are only counted. */
const MOST_BETTING_DRAWS = 200_000;

/** Names the source of the bound on the mean of this many counted draws. */
export function meanReference(draws: number): string {
  return draws <= MOST_BETTING_DRAWS
    ? "Waudby-Smith and Ramdas (2024), betting bound on a mean"
    : "Maurer and Pontil (2009), empirical Bernstein bound on a mean";
}

const UNIT: MeanRange = { low: 0, high: 1 };

/**
 * Independent draws from a distribution on an interval, equal ones counted together. Their mean is bounded by betting; with more
 * than 200,000 draws by empirical Bernstein (`meanUpperBounds` explains both), which is hardly larger then and takes no time per
 * draw. So a file with a few counts cannot ask for more work than it has counts. The number of draws is known before their values,
 * so either bound holds.
 */
export class CountedDraws {
  /** The number of draws. */
  readonly length: number;
  readonly #counted: readonly CountedValue[];
  readonly #range: MeanRange;
  /** All draws, if there are not too many. */
  readonly #draws: Float64Array | undefined;

  constructor(counted: readonly CountedValue[], range = UNIT) {
    this.#counted = counted;
    this.#range = range;
    this.length = counted.reduce((total, { times }) => total + times, 0);
    if (this.length <= MOST_BETTING_DRAWS) this.#draws = oneByOne(counted, this.length);
  }

  /** The source of the bounds. */
  get reference(): string {
    return meanReference(this.length);
  }

  /** The sum of all draws. */
  get sum(): number {
    if (this.#draws) return this.#draws.reduce((sum, value) => sum + value, 0);
    return this.#counted.reduce((sum, { value, times }) => sum + value * times, 0);
  }

  /** The mean of the draws; NaN if there are none. */
  get mean(): number {
    return this.#draws ? mean(this.#draws) : this.sum / this.length;
  }

  /** Bounds the mean of the distribution from above with risk δ; the end of the interval without draws. */
  upperBound(delta: number): number {
    return this.upperBounds(delta).betting;
  }

  /** Bounds the mean of the distribution from below with risk δ; the end of the interval without draws. */
  lowerBound(delta: number): number {
    if (this.#draws) return meanLowerBounds(this.#draws, this.#range, delta).betting;
    return Math.max(this.#range.low, this.mean - this.#bernstein(delta));
  }

  /** Bounds the mean in several ways; for many draws, empirical Bernstein takes the place of betting. */
  upperBounds(delta: number): MeanBounds {
    if (this.#draws) return meanUpperBounds(this.#draws, this.#range, delta);
    const { low, high } = this.#range;
    const atMost = (distance: number) => Math.min(high, this.mean + distance);
    const empiricalBernstein = atMost(this.#bernstein(delta));
    const hoeffding = atMost((high - low) * Math.sqrt(-real.log(delta) / (2 * this.length)));
    return { mean: this.mean, hoeffding, empiricalBernstein, betting: empiricalBernstein };
  }

  /** Computes √(2V ln(2/δ) / n) + 7 (high − low) ln(2/δ) / (3(n − 1)), where V is the sample variance. */
  #bernstein(delta: number): number {
    const { length, mean: centre } = this;
    const { low, high } = this.#range;
    const squares = this.#counted.reduce((sum, { value, times }) => sum + times * (value - centre) ** 2, 0);
    const log = real.log(2 / delta);
    const spread = Math.sqrt((2 * (squares / (length - 1)) * log) / length);
    return spread + (7 * (high - low) * log) / (3 * (length - 1));
  }
}

function oneByOne(counted: readonly CountedValue[], length: number): Float64Array {
  const draws = new Float64Array(length);
  let filled = 0;
  for (const { value, times } of counted) {
    draws.fill(value, filled, filled + times);
    filled += times;
  }
  return draws;
}
