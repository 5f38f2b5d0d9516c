/** Items in the order of their cost, and the total cost of the cheapest ones. */
export interface SortedCosts {
  /** Index of the cheapest item, the second cheapest, … */
  readonly order: readonly number[];
  readonly costs: readonly number[];
  /** Entry m is the sum of the m lowest costs. */
  readonly totals: Float64Array;
}

/** Sorts costs; equal ones stay in order. */
export function sortCosts(costs: readonly number[]): SortedCosts {
  const order = costs.map((_, i) => i).sort((i, j) => costs[i] - costs[j]);
  const totals = new Float64Array(costs.length + 1);
  order.forEach((i, rank) => {
    totals[rank + 1] = totals[rank] + costs[i];
  });
  return { order, costs, totals };
}

/** Some items at their cost and one further item, the exception, at its other cost. */
export interface SelectionWithException {
  readonly cost: number;
  readonly exception: number;
}

/**
 * Finds the cheapest selection of m items at their cost and one further item at its other cost, for every m below the
 * number of items. If the exception is not among the m cheapest items, they are selected; if it is among the m + 1 cheapest,
 * the others of them are. So the cost is the smaller of two sums: one over the ranks before m, the other over those after.
 * Linear in the number of items.
 */
export function cheapestWithException(
  { order, costs, totals }: SortedCosts,
  otherCosts: readonly number[],
): SelectionWithException[] {
  const count = order.length;
  const best: SelectionWithException[] = new Array(count);
  let exception = order[count - 1];
  for (let m = count - 1; m >= 0; m--) {
    if (otherCosts[order[m]] <= otherCosts[exception]) exception = order[m];
    best[m] = { exception, cost: totals[m] + otherCosts[exception] };
  }
  const surcharge = (i: number) => otherCosts[i] - costs[i];
  exception = order[0];
  for (let m = 0; m < count; m++) {
    if (surcharge(order[m]) < surcharge(exception)) exception = order[m];
    const cost = totals[m + 1] + surcharge(exception);
    if (cost < best[m].cost) best[m] = { exception, cost };
  }
  return best;
}

/** Lists the m cheapest items other than the exception, if there is one. */
export function cheapestItems({ order }: SortedCosts, m: number, exception?: number): number[] {
  return order
    .slice(0, m + 1)
    .filter((i) => i !== exception)
    .slice(0, m);
}
