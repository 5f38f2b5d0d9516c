import { checkpoint, type Run } from "../learning/run.js";
import { indexOfLargest } from "../learning/scores.js";
import type { Matrix } from "../numeric/matrix.js";
import { distinctValues, ranksOf } from "./ranks.js";

/** The question a stump asks: is `x[feature] ≤ threshold`? */
export interface Split {
  readonly feature: number;
  readonly threshold: number;
}

/**
 * The rows of one feature in ascending order of its values, except the rows of its most frequent value.
 * Those are not needed: what lies below that value is summed from the left, what lies above it from the right.
 * So a one-hot column costs as many steps as it has ones (or zeros, if those are fewer).
 */
export interface SortedFeature {
  readonly feature: number;
  /** First the rows below the most frequent value, then the rows above it. */
  readonly order: Uint32Array;
  /** One threshold between each two neighbouring values, ascending. */
  readonly thresholds: Float64Array;
  /**
   * Where threshold c cuts `order`: for c < below the rows order[0 … cuts[c]) are left of it and all others
   * right; from there on the rows order[cuts[c] … end) are right of it and all others left.
   */
  readonly cuts: Uint32Array;
  /** How many thresholds lie below the most frequent value. */
  readonly below: number;
}

/** A matrix whose features were sorted once, to look for splits under many weightings. */
export class SortedFeatures {
  readonly rows: number;
  /** Ascending by feature; features that are constant are left out. */
  readonly features: readonly SortedFeature[];

  private constructor(rows: number, features: readonly SortedFeature[]) {
    this.rows = rows;
    this.features = features;
  }

  /** Sorts all features of a matrix of finite numbers. */
  static async of(matrix: Matrix, run: Run): Promise<SortedFeatures> {
    const { rows, columns } = matrix;
    const features: SortedFeature[] = [];
    const most = Math.max(1, Math.min(columns, Math.floor(BLOCK_CELLS / rows)));
    const block = new Float64Array(rows * most);
    for (let j = 0; j < columns; j++) {
      await checkpoint(run);
      if (j % most === 0) copyColumns(matrix, j, Math.min(most, columns - j), block);
      const column = block.subarray((j % most) * rows, ((j % most) + 1) * rows);
      const distinct = distinctValues(column);
      if (distinct.length === 2) features.push(sortTwoValued(j, column, distinct));
      if (distinct.length > 2) {
        await checkpoint(run);
        const ranks = ranksOf(column, distinct);
        await checkpoint(run);
        features.push(sortByRank(j, ranks, distinct));
      }
      run.progress({ stage: "sorting features", done: j + 1, total: columns });
    }
    return new SortedFeatures(rows, features);
  }
}

/** Columns are taken out of the rows in blocks of about this many cells, so that a cache line serves many. */
const BLOCK_CELLS = 1 << 22;

/** Writes `count` columns of the matrix, from column `first` on, one after the other. */
function copyColumns(
  { rows, columns, values }: Matrix,
  first: number,
  count: number,
  to: Float64Array,
): void {
  for (let i = 0; i < rows; i++) {
    const start = i * columns + first;
    for (let j = 0; j < count; j++) to[j * rows + i] = values[start + j];
  }
}

/** Sets `sides[i]` to 0 for rows left of threshold c and to 1 for rows right of it. */
export function markSides({ order, cuts, below }: SortedFeature, c: number, sides: Uint8Array): void {
  if (c < below) {
    sides.fill(1);
    for (let k = 0; k < cuts[c]; k++) sides[order[k]] = 0;
  } else {
    sides.fill(0);
    for (let k = cuts[c]; k < order.length; k++) sides[order[k]] = 1;
  }
}

/**
 * The threshold between two neighbouring values: their midpoint, or the lower one where rounding would not
 * leave the midpoint in [lower, upper).
 */
export function thresholdBetween(lower: number, upper: number): number {
  const middle = lower / 2 + upper / 2;
  return middle >= lower && middle < upper ? middle : lower;
}

/** Lists the rows of the rarer of two values. */
function sortTwoValued(feature: number, column: Float64Array, distinct: Float64Array): SortedFeature {
  const [lower, upper] = distinct;
  let ofUpper = 0;
  for (let i = 0; i < column.length; i++) ofUpper += column[i] === upper ? 1 : 0;
  const upperIsRarer = 2 * ofUpper <= column.length;
  const rarer = upperIsRarer ? upper : lower;
  const order = new Uint32Array(upperIsRarer ? ofUpper : column.length - ofUpper);
  for (let i = 0, k = 0; k < order.length; i++) if (column[i] === rarer) order[k++] = i;
  const thresholds = Float64Array.of(thresholdBetween(lower, upper));
  return upperIsRarer
    ? { feature, order, thresholds, cuts: Uint32Array.of(0), below: 0 }
    : { feature, order, thresholds, cuts: Uint32Array.of(order.length), below: 1 };
}

/** Sorts the rows by counting how often each distinct value occurs. */
function sortByRank(feature: number, ranks: Uint32Array, distinct: Float64Array): SortedFeature {
  const counts = new Uint32Array(distinct.length);
  for (let i = 0; i < ranks.length; i++) counts[ranks[i]]++;
  const frequent = indexOfLargest(counts);
  const cuts = new Uint32Array(distinct.length - 1);
  const next = new Uint32Array(distinct.length);
  let place = 0;
  for (let g = 0; g < distinct.length; g++) {
    next[g] = place;
    if (g !== frequent) place += counts[g];
    // Below the frequent value a cut is the end of the group on its left, above it the same place is the
    // start of the group on its right.
    if (g < cuts.length) cuts[g] = place;
  }
  const order = new Uint32Array(place);
  for (let i = 0; i < ranks.length; i++) if (ranks[i] !== frequent) order[next[ranks[i]]++] = i;
  const thresholds = Float64Array.from(cuts, (_, g) => thresholdBetween(distinct[g], distinct[g + 1]));
  return { feature, order, thresholds, cuts, below: frequent };
}
