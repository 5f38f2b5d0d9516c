/** The question a stump asks: is `x[feature] ≤ threshold`? */
export interface Split {
  readonly feature: number;
  readonly threshold: number;
}

/**
 * The threshold between two neighbouring values: their midpoint, or the lower one where rounding would not
 * leave the midpoint in [lower, upper).
 */
export function thresholdBetween(lower: number, upper: number): number {
  const middle = lower / 2 + upper / 2;
  return middle >= lower && middle < upper ? middle : lower;
}
