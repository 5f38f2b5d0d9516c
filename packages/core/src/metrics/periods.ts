import { fisherTwoSided } from "../theory/held-out/exact-tests.js";

/** Test rows of one period. */
export interface Period {
  /** Times of the earliest and the latest row. */
  readonly from: number;
  readonly to: number;
  readonly rows: number;
  readonly errors: number;
}

/** The error over time, and whether it changes. */
export interface ErrorByPeriod {
  readonly periods: readonly Period[];
  /** p-value of Fisher's exact test for equal errors in the earlier and the later half of the rows. */
  readonly p: number;
}

/** Minimum number of rows of a period. */
const MIN_ROWS = 25;
const MOST_PERIODS = 6;

/**
 * Divides test rows into up to six periods of about equal size and counts the errors in each. Rows of the same time
 * stay together.
 */
export function errorByPeriod(times: Float64Array, mistakes: Uint8Array): ErrorByPeriod {
  const order = Array.from(times, (_, row) => row).sort((a, b) => times[a] - times[b]);
  const count = Math.max(1, Math.min(MOST_PERIODS, Math.floor(order.length / MIN_ROWS)));
  return {
    periods: divided(order, times, count).map((rows) => periodOf(rows, times, mistakes)),
    p: changeBetweenHalves(divided(order, times, 2), mistakes),
  };
}

/** Cuts ordered rows into at most `count` parts, only between different times. */
function divided(order: readonly number[], times: Float64Array, count: number): number[][] {
  const parts: number[][] = [];
  let start = 0;
  for (let part = 1; part <= count; part++) {
    let end = part === count ? order.length : Math.round((part * order.length) / count);
    while (end > 0 && end < order.length && times[order[end]] === times[order[end - 1]]) end++;
    if (end > start) parts.push(order.slice(start, end));
    start = Math.max(start, end);
  }
  return parts;
}

function periodOf(rows: readonly number[], times: Float64Array, mistakes: Uint8Array): Period {
  return {
    from: times[rows[0]],
    to: times[rows[rows.length - 1]],
    rows: rows.length,
    errors: errorsIn(rows, mistakes),
  };
}

function changeBetweenHalves([earlier, later]: readonly number[][], mistakes: Uint8Array): number {
  if (!earlier || !later) return 1;
  return fisherTwoSided(
    { count: errorsIn(earlier, mistakes), rows: earlier.length },
    { count: errorsIn(later, mistakes), rows: later.length },
  );
}

function errorsIn(rows: readonly number[], mistakes: Uint8Array): number {
  return rows.reduce((sum, row) => sum + mistakes[row], 0);
}
