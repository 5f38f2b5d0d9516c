import type { Random } from "../runtime/maths/random.js";
import type { ColumnSpread } from "./continuous-columns.js";

/** Rows as points: numeric columns in units of their standard deviations, row by row. */
export interface RowPoints {
  readonly rows: number;
  readonly columns: number;
  readonly values: Float64Array;
}

/**
 * Makes points of some rows. With random numbers, values on a grid are spread evenly over their cells, so that their
 * distances resemble unrounded values instead of a few common ones.
 */
export function rowPoints(
  spreads: readonly ColumnSpread[],
  rows: Int32Array,
  read: (spread: ColumnSpread) => Float64Array,
  random?: Random,
): RowPoints {
  const columns = spreads.length;
  const values = new Float64Array(rows.length * columns);
  spreads.forEach((spread, j) => {
    const cells = read(spread);
    const width = spread.step / spread.scale;
    for (let i = 0, at = j; i < rows.length; i++, at += columns) {
      values[at] = cells[rows[i]];
      if (random && width > 0) values[at] += width * (random.uniform() - 0.5);
    }
  });
  return { rows: rows.length, columns, values };
}

/** Number of rows that a cut is taken from. */
const SAMPLED_ROWS = 31;

/** Draws a number near the median of the values of some rows, and the range of the middle half of them. */
export function drawCut(
  random: Random,
  rows: Int32Array,
  value: (row: number) => number,
): { readonly cut: number; readonly range: number } {
  const sample = new Float64Array(SAMPLED_ROWS);
  for (let k = 0; k < SAMPLED_ROWS; k++) sample[k] = value(rows[random.integer(rows.length)]);
  sample.sort();
  const middle = SAMPLED_ROWS >> 1;
  const quarter = SAMPLED_ROWS >> 2;
  return {
    cut: (sample[middle] + sample[middle + 1]) / 2,
    range: sample[middle + quarter] - sample[middle - quarter],
  };
}

/** Number of columns to try; the one with the largest range divides rows. */
const TRIED_COLUMNS = 3;

/**
 * Divides points into sets of at most `size` neighbours, by random cuts near medians (a random k-d tree). Points that are much
 * closer to each other than to others are rarely separated.
 */
export function* neighbourhoods(points: RowPoints, size: number, random: Random): Generator<Int32Array> {
  const { columns, values } = points;
  const pending = [Int32Array.from({ length: points.rows }, (_, i) => i)];
  for (let rows = pending.pop(); rows; rows = pending.pop()) {
    if (rows.length <= size) {
      yield rows;
      continue;
    }
    let column = 0;
    let best = { cut: 0, range: -1 };
    for (let trial = 0; trial < TRIED_COLUMNS; trial++) {
      const drawn = random.integer(columns);
      const tried = drawCut(random, rows, (row) => values[row * columns + drawn]);
      if (tried.range > best.range) {
        best = tried;
        column = drawn;
      }
    }
    let end = 0;
    let begin = rows.length;
    while (end < begin) {
      const row = rows[end];
      if (values[row * columns + column] < best.cut) end++;
      else {
        rows[end] = rows[--begin];
        rows[begin] = row;
      }
    }
    // Rows that no cut separates are divided arbitrarily.
    const middle = end === 0 || end === rows.length ? rows.length >> 1 : end;
    pending.push(rows.subarray(middle), rows.subarray(0, middle));
  }
}

/** Computes the squared distance of two points. */
export function distanceSquared({ columns, values }: RowPoints, a: number, b: number): number {
  let sum = 0;
  for (let j = 0, u = a * columns, v = b * columns; j < columns; j++, u++, v++) {
    const difference = values[u] - values[v];
    sum += difference * difference;
  }
  return sum;
}
