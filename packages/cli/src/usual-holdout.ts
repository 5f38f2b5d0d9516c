/** The share of the rows that are kept apart, and how many at most: more do not make a certificate much sharper. */
const SHARE = 0.2;
const MOST_ROWS = 100_000;

/** The share of so many rows that is kept apart where the user does not say how to measure the error. */
export function usualHoldout(rows: number): number {
  return Math.min(SHARE, MOST_ROWS / rows);
}
