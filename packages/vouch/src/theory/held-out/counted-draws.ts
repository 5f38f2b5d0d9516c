import { mean } from "../../runtime/statistics.js";
import { meanLowerBounds, meanUpperBounds } from "./bounded-mean.js";

/** A value in [0, 1], and the number of draws that have it. */
export interface CountedValue {
  readonly value: number;
  readonly times: number;
}

/** Bets are placed on up to this many draws, one by one; more draws are only counted. */
const MOST_BETTING_DRAWS = 100_000;

const UNIT = { low: 0, high: 1 };

/**
 * Independent draws from a distribution on [0, 1], equal ones counted together. Their mean is bounded by betting; with more than
 * 100,000 draws by empirical Bernstein (`meanUpperBounds` has both), which is hardly larger then and takes no time per draw. So a
 * file cannot ask for more work than it has values. The number of draws is known before their values, and either bound holds.
 */
export class CountedDraws {
  /** The number of draws. */
  readonly length: number;
  readonly #counted: readonly CountedValue[];
  /** All draws, if there are not too many. */
  readonly #draws: Float64Array | undefined;

  constructor(counted: readonly CountedValue[]) {
    this.#counted = counted;
    this.length = counted.reduce((total, { times }) => total + times, 0);
    if (this.length <= MOST_BETTING_DRAWS) {
      this.#draws = Float64Array.from(
        counted.flatMap(({ value, times }) => new Array<number>(times).fill(value)),
      );
    }
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

  /** Bounds the mean of the distribution from above with risk δ; 1 without draws. */
  upperBound(delta: number): number {
    if (this.#draws) return meanUpperBounds(this.#draws, UNIT, delta).betting;
    return Math.min(1, this.mean + this.#bernstein(delta));
  }

  /** Bounds the mean of the distribution from below with risk δ; 0 without draws. */
  lowerBound(delta: number): number {
    if (this.#draws) return meanLowerBounds(this.#draws, UNIT, delta).betting;
    return Math.max(0, this.mean - this.#bernstein(delta));
  }

  /** Computes √(2V ln(2/δ) / n) + 7 ln(2/δ) / (3(n − 1)), V being the sample variance (Maurer and Pontil 2009, Theorem 4). */
  #bernstein(delta: number): number {
    const { length, mean: centre } = this;
    const squares = this.#counted.reduce((sum, { value, times }) => sum + times * (value - centre) ** 2, 0);
    const log = Math.log(2 / delta);
    return Math.sqrt((2 * (squares / (length - 1)) * log) / length) + (7 * log) / (3 * (length - 1));
  }
}
