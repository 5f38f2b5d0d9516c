import type { NumericColumn } from "../table/column.js";
import { CutSearch } from "../table/cut-search.js";
import { forEachBlock, notFinite } from "../table/value-blocks.js";
import { MISSING_BIN } from "./binned-columns.js";

/** With fewer rows, a lookup table takes longer to prepare than it saves. */
const MIN_ROWS_FOR_TABLE = 1024;

/**
 * Writes the bin of every cell: the number of cuts below it, so that bin b is (cuts[b−1], cuts[b]]. NaN gets the bin of missing
 * cells. Throws on an infinite cell.
 */
export function writeNumberBins(
  table: string,
  column: NumericColumn,
  cuts: Float64Array,
  bins: Uint8Array,
): void {
  const { values } = column;
  const search = new CutSearch(cuts, values.length < MIN_ROWS_FOR_TABLE ? 1 : 8 * cuts.length + 1);
  if ((values instanceof Uint8Array || values instanceof Int8Array) && values.length >= MIN_ROWS_FOR_TABLE) {
    const lowest = values instanceof Int8Array ? -128 : 0;
    const binOf = Uint8Array.from({ length: 256 }, (_, i) => search.cutsBelow(lowest + i));
    for (let i = 0; i < values.length; i++) bins[i] = binOf[values[i] - lowest];
    return;
  }
  forEachBlock(values, (block, start) => {
    const infinite = binBlock(block, search, bins, start);
    if (infinite >= 0) throw notFinite(table, column, start + infinite);
  });
}

/** Bins a block, the hot loop; returns the index of its first infinite cell, or −1. */
function binBlock(block: Float64Array, search: CutSearch, bins: Uint8Array, start: number): number {
  for (let i = 0; i < block.length; i++) {
    const x = block[i];
    if (x - x === 0) bins[start + i] = search.cutsBelow(x);
    else if (Number.isNaN(x)) bins[start + i] = MISSING_BIN;
    else return i;
  }
  return -1;
}
