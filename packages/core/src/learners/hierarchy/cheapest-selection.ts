/** Items in the order of their price, and the total price of the cheapest ones. */
export interface PriceList {
  /** Index of the cheapest item, the second cheapest, … */
  readonly order: readonly number[];
  readonly prices: readonly number[];
  /** Entry m is the sum of the m lowest prices. */
  readonly totals: Float64Array;
}

/** Sorts prices; equal ones stay in order. */
export function priceList(prices: readonly number[]): PriceList {
  const order = prices.map((_, i) => i).sort((i, j) => prices[i] - prices[j]);
  const totals = new Float64Array(prices.length + 1);
  order.forEach((i, rank) => {
    totals[rank + 1] = totals[rank] + prices[i];
  });
  return { order, prices, totals };
}

/** Some items at their price and one further item, the exception, at its other price. */
export interface SelectionWithException {
  readonly cost: number;
  readonly exception: number;
}

/**
 * Finds the cheapest purchase of m items at their price and one further item at its other price, for every m below the
 * number of items. If the exception is not among the m cheapest items, these are bought; if it is among the m + 1 cheapest,
 * the others of them are. So the cost is the smaller of two sums: one over the ranks before m, the other over those after.
 * Linear in the number of items.
 */
export function cheapestWithException(
  { order, prices, totals }: PriceList,
  otherPrices: readonly number[],
): SelectionWithException[] {
  const count = order.length;
  const best: SelectionWithException[] = new Array(count);
  let exception = order[count - 1];
  for (let m = count - 1; m >= 0; m--) {
    if (otherPrices[order[m]] <= otherPrices[exception]) exception = order[m];
    best[m] = { exception, cost: totals[m] + otherPrices[exception] };
  }
  const surcharge = (i: number) => otherPrices[i] - prices[i];
  exception = order[0];
  for (let m = 0; m < count; m++) {
    if (surcharge(order[m]) < surcharge(exception)) exception = order[m];
    const cost = totals[m + 1] + surcharge(exception);
    if (cost < best[m].cost) best[m] = { exception, cost };
  }
  return best;
}

/** Lists the m cheapest items other than the exception, if there is one. */
export function cheapestItems({ order }: PriceList, m: number, exception?: number): number[] {
  return order
    .slice(0, m + 1)
    .filter((i) => i !== exception)
    .slice(0, m);
}
