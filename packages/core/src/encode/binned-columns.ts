import { sharedBytes } from "../runtime/parallel/shared-array.js";
import { VouchError } from "../runtime/vouch-error.js";

/** The meaning of the bins of a column, to turn a bin back into "x ≤ 3.5" or "colour in {red}". */
export type BinnedFeature =
  | {
      readonly kind: "numeric";
      readonly name: string;
      /** Ascending cut points: the bin of x is the number of cuts < x, so bin b is (cuts[b−1], cuts[b]]. */
      readonly cuts: Float64Array;
    }
  | {
      readonly kind: "categorical";
      readonly name: string;
      /** Level of each bin; an unseen level gets the bin of missing cells. */
      readonly levels: readonly string[];
    };

/** The bin of missing cells, and of unseen categories, in every column. */
export const MISSING_BIN = 255;

/** Throws on numbers of bins that do not fit in a byte beside the bin of missing cells. */
export function checkMaxBins(maxBins: number): void {
  if (Number.isInteger(maxBins) && maxBins >= 2 && maxBins <= MISSING_BIN) return;
  throw new VouchError(
    "option/invalid",
    `maxBins is ${maxBins}, but must be an integer from 2 to ${MISSING_BIN}.`,
  );
}

/** Features for trees: one byte per cell, in column-major order. */
export class BinnedColumns {
  readonly rows: number;
  readonly features: readonly BinnedFeature[];
  /** Cell (i, j) is `bins[j * rows + i]`. */
  readonly bins: Uint8Array;

  constructor(rows: number, features: readonly BinnedFeature[], bins: Uint8Array) {
    if (bins.length !== rows * features.length) {
      throw new VouchError(
        "data/malformed",
        `${rows} rows of ${features.length} binned columns need ${rows * features.length} bins, but ${bins.length} were given.`,
      );
    }
    this.rows = rows;
    this.features = features;
    this.bins = bins;
  }

  get columns(): number {
    return this.features.length;
  }

  /** Returns column j as a view. */
  column(j: number): Uint8Array {
    return this.bins.subarray(j * this.rows, (j + 1) * this.rows);
  }

  /** Copies the given rows, in this order; rows may repeat. */
  select(rows: ArrayLike<number>): BinnedColumns {
    const bins = sharedBytes(rows.length * this.columns);
    for (let j = 0; j < this.columns; j++) {
      const from = this.column(j);
      const start = j * rows.length;
      for (let i = 0; i < rows.length; i++) bins[start + i] = from[rows[i]];
    }
    return new BinnedColumns(rows.length, this.features, bins);
  }

  /** Copies rows `begin` … `end` − 1. */
  slice(begin: number, end: number): BinnedColumns {
    const rows = end - begin;
    const bins = sharedBytes(rows * this.columns);
    for (let j = 0; j < this.columns; j++) bins.set(this.column(j).subarray(begin, end), j * rows);
    return new BinnedColumns(rows, this.features, bins);
  }
}
