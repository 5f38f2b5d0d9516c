import { cutPoints } from "../data/bin-cuts.js";
import { type BinnedColumns, MISSING_BIN } from "../data/binned-columns.js";
import { rangeOf } from "../data/value-blocks.js";
import { binValues } from "./bin-values.js";
import type { GridShape } from "./windows.js";

/** Bins that a byte can have. */
export const BINS = MISSING_BIN + 1;

/** So many cells of a column take part in finding the bins. */
const CELLS_PER_COLUMN = 1000;

/**
 * New bins for the cells of an image: a window sees any place, so that all pixels of a channel need the same bins, while
 * every column has bins of its own. Element `j * 256 + bin` is the new bin of that bin of column j.
 */
export function scanBins(features: BinnedColumns, { channels }: GridShape): Uint8Array {
  const valuesOf = features.features.map(binValues);
  const bins = new Uint8Array(features.columns * BINS).fill(MISSING_BIN);
  for (let channel = 0; channel < channels; channel++) {
    const columns: number[] = [];
    for (let j = channel; j < features.columns; j += channels) columns.push(j);
    const cuts = channelCuts(features, columns, valuesOf);
    for (const j of columns) {
      for (let bin = 0; bin < MISSING_BIN; bin++) {
        const value = valuesOf[j][bin];
        if (!Number.isNaN(value)) bins[j * BINS + bin] = cutsBelow(cuts, value);
      }
    }
  }
  return bins;
}

function channelCuts(
  features: BinnedColumns,
  columns: readonly number[],
  valuesOf: readonly Float64Array[],
): Float64Array {
  const step = Math.max(1, Math.floor(features.rows / CELLS_PER_COLUMN));
  const cells: number[] = [];
  for (const j of columns) {
    const column = features.column(j);
    for (let i = 0; i < column.length; i += step) cells.push(valuesOf[j][column[i]]);
  }
  const values = Float64Array.from(cells);
  return cutPoints(values, rangeOf("The image", { kind: "numeric", name: "pixels", values }), MISSING_BIN);
}

function cutsBelow(cuts: Float64Array, value: number): number {
  let count = 0;
  while (count < cuts.length && cuts[count] < value) count++;
  return count;
}
