import { cheapestBut, type OneApart, oneApart, type PriceList, priceList } from "./one-apart.js";

/** What the colours −1 and +1 of each class cost; colour 0 costs nothing. */
export interface ColourCosts {
  readonly negative: readonly number[];
  readonly positive: readonly number[];
}

/**
 * Colours with a given sum and the lowest cost Σ f_k(μ_k), in O(K) for each sum after O(K log K).
 *
 * All classes begin at −1, and s + K steps upwards are to be made. A class is *convex* if its first step costs no more than
 * its second, f(0) − f(−1) ≤ f(+1) − f(0): then the cheapest steps of all convex classes can be made in the order of
 * their cost, since no class's second step comes before its first. Any other class makes both steps or none, **with at
 * most one exception**: were two of them, i and j, at 0, then moving one to +1 and the other to −1 would leave the sum and
 * change the cost by f_i(+1) + f_j(−1) or f_i(−1) + f_j(+1), which together are less than 0, as f(−1) + f(+1) < 2f(0) = 0 in
 * both classes: so one of them is. What is left to be found is how many classes make both steps and which one makes a
 * single step, if any.
 */
export class FixedSum {
  readonly #costs: ColourCosts;
  readonly #convex: readonly number[] = [];
  readonly #others: readonly number[] = [];
  /** Both steps of convex classes, at the places 2i and 2i + 1. */
  readonly #steps: PriceList;
  /** Both steps at once, of the other classes. */
  readonly #leaps: PriceList;
  /** So many leaps and one first step. */
  readonly #leapsAndStep: readonly OneApart[];

  constructor(costs: ColourCosts) {
    const { negative, positive } = costs;
    this.#costs = costs;
    const convex: number[] = [];
    const others: number[] = [];
    for (let k = 0; k < negative.length; k++) {
      if (-negative[k] <= positive[k]) convex.push(k);
      else others.push(k);
    }
    this.#convex = convex;
    this.#others = others;
    this.#steps = priceList(convex.flatMap((k) => [-negative[k], positive[k]]));
    this.#leaps = priceList(others.map((k) => positive[k] - negative[k]));
    this.#leapsAndStep = oneApart(
      this.#leaps,
      others.map((k) => -negative[k]),
    );
  }

  /** The colours; undefined if no colours have this sum. */
  colours(sum: number): Int8Array | undefined {
    const steps = sum + this.#costs.negative.length;
    let best: { cost: number; leaps: number; apart?: number } | undefined;
    for (let leaps = 0; leaps <= this.#others.length; leaps++) {
      const cost = this.#leaps.totals[leaps] + this.#stepsCost(steps - 2 * leaps);
      if (cost < (best?.cost ?? Number.POSITIVE_INFINITY)) best = { cost, leaps };
    }
    for (let leaps = 0; leaps < this.#others.length; leaps++) {
      const { cost: leapsCost, apart } = this.#leapsAndStep[leaps];
      const cost = leapsCost + this.#stepsCost(steps - 2 * leaps - 1);
      if (cost < (best?.cost ?? Number.POSITIVE_INFINITY)) best = { cost, leaps, apart };
    }
    return best && this.#coloursOf(steps, best.leaps, best.apart);
  }

  /** What the cheapest so many steps of convex classes cost; infinite if they do not have so many. */
  #stepsCost(steps: number): number {
    return steps < 0 || steps > 2 * this.#convex.length
      ? Number.POSITIVE_INFINITY
      : this.#steps.totals[steps];
  }

  #coloursOf(steps: number, leaps: number, apart: number | undefined): Int8Array {
    const colours = new Int8Array(this.#costs.negative.length).fill(-1);
    for (const i of cheapestBut(this.#leaps, apart ?? -1, leaps)) colours[this.#others[i]] = 1;
    if (apart !== undefined) colours[this.#others[apart]] = 0;
    const left = steps - 2 * leaps - (apart === undefined ? 0 : 1);
    for (const step of this.#steps.order.slice(0, left)) colours[this.#convex[step >> 1]]++;
    return colours;
  }
}
