/** Things in the order of their price, and what the first so many of them cost together. */
export interface PriceList {
  /** Index of the cheapest thing, the second cheapest, … */
  readonly order: readonly number[];
  readonly prices: readonly number[];
  /** Entry m is the sum of the m lowest prices. */
  readonly totals: Float64Array;
}

/** Sorts prices; those that are the same stay in order. */
export function priceList(prices: readonly number[]): PriceList {
  const order = prices.map((_, i) => i).sort((i, j) => prices[i] - prices[j]);
  const totals = new Float64Array(prices.length + 1);
  order.forEach((i, rank) => {
    totals[rank + 1] = totals[rank] + prices[i];
  });
  return { order, prices, totals };
}

/** A purchase of m things at their price and of one other thing, apart, at its other price. */
export interface OneApart {
  readonly cost: number;
  /** Which thing is apart. */
  readonly apart: number;
}

/**
 * The cheapest purchase of m things at their price and one further thing at its other price, for every m from 0 to one
 * less than there are things. If the one apart is not among the m cheapest things, these are bought; if it is among the
 * m + 1 cheapest, the others of them are: so the smallest of two sums, over what is known from all ranks before and from
 * all ranks after m. Linear in the number of things.
 */
export function oneApart({ order, prices, totals }: PriceList, otherPrices: readonly number[]): OneApart[] {
  const count = order.length;
  const best: OneApart[] = new Array(count);
  let apart = order[count - 1];
  for (let m = count - 1; m >= 0; m--) {
    if (otherPrices[order[m]] <= otherPrices[apart]) apart = order[m];
    best[m] = { apart, cost: totals[m] + otherPrices[apart] };
  }
  const surcharge = (i: number) => otherPrices[i] - prices[i];
  apart = order[0];
  for (let m = 0; m < count; m++) {
    if (surcharge(order[m]) < surcharge(apart)) apart = order[m];
    const cost = totals[m + 1] + surcharge(apart);
    if (cost < best[m].cost) best[m] = { apart, cost };
  }
  return best;
}

/** The m cheapest things but one. */
export function cheapestBut({ order }: PriceList, apart: number, m: number): number[] {
  return order
    .slice(0, m + 1)
    .filter((i) => i !== apart)
    .slice(0, m);
}
