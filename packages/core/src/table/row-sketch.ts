import * as z from "zod";
import { readParts, sized, writeParts } from "../runtime/codec/parts.js";
import { nonNegativeInteger } from "../runtime/codec/schema-numbers.js";
import { corrupt, type State } from "../runtime/codec/state.js";
import { float64, int32, uint8 } from "../runtime/codec/tensor-parts.js";
import type { Standard } from "./continuous-columns.js";
import type { Schema } from "./schema.js";

/** Maximum number of columns to compare, those whose values repeat least. */
export const MOST_COLUMNS = 16;
/** Number of groups of columns. One band has all groups, and each other band omits one. */
const GROUPS = 3;
/** Maximum number of kinds of rows per band: 31 kB in total. */
export const MOST_KINDS = 1536;

/** Cells that contain rows: all of them, or those with the smallest hashes. */
export interface Cells {
  /** Ascending. */
  readonly hashes: Int32Array;
  /** Number of rows in each. */
  readonly counts: Uint8Array;
}

/** Columns that are compared together, and the cells of training rows. */
export interface Band extends Cells {
  /** Width of a cell, in standard deviations. */
  readonly width: number;
}

const parts = {
  rows: nonNegativeInteger,
  columns: sized("columns", z.array(nonNegativeInteger).min(1).max(MOST_COLUMNS).readonly()),
  medians: float64(["columns"]),
  scales: float64(["columns"], { min: 0 }),
  widths: float64(["bands"], { min: 0 }),
  /** Number of hashes of each band. */
  sizes: int32(["bands"], { min: 0, max: MOST_KINDS }),
  hashes: int32(["hashes"], { min: 0 }),
  counts: uint8(["hashes"], { min: 1 }),
};

/**
 * A small sketch of the training rows, which detects whether other rows are near copies of them: rounded, with some
 * noise, or changed in a column. It divides space into cells, whose width in standard deviations is chosen so that few
 * training rows share one. It keeps hashes of the cells with training rows, but no value. Each of several bands of
 * columns is compared separately, so that rows with one changed value match in another band.
 *
 * Fresh rows from the same source share cells with training rows as often as training rows do with each other. Given
 * how often each cell occurs, chance decides which of its rows are training rows, so the number of common cells is
 * tested exactly for any distribution (`findNearRows`). For long tables, cells with the smallest hashes are kept, which
 * is a uniform sample. Rows with few possible values are not evidence.
 */
export class RowSketch {
  /** Number of sketched training rows. */
  readonly rows: number;
  /** The compared columns. */
  readonly columns: readonly Standard[];
  readonly bands: readonly Band[];

  constructor(rows: number, columns: readonly Standard[], bands: readonly Band[]) {
    this.rows = rows;
    this.columns = columns;
    this.bands = bands;
  }

  toState(): State {
    const bands = this.bands;
    const joined = bands.flatMap(({ hashes }) => Array.from(hashes));
    const values = {
      rows: this.rows,
      columns: this.columns.map(({ index }) => index),
      medians: Float64Array.from(this.columns, ({ median }) => median),
      scales: Float64Array.from(this.columns, ({ scale }) => scale),
      widths: Float64Array.from(bands, ({ width }) => width),
      sizes: Int32Array.from(bands, ({ hashes }) => hashes.length),
      hashes: Int32Array.from(joined),
      counts: Uint8Array.from(bands.flatMap(({ counts }) => Array.from(counts))),
    };
    return writeParts(parts, values, { bands: bands.length, hashes: joined.length });
  }

  /** Restores the sketch of a model with this schema from the result of `toState`; otherwise throws `model/corrupt`. */
  static restore(state: State, schema: Schema): RowSketch {
    const { rows, columns, medians, scales, widths, sizes, hashes, counts } = readParts(
      "row sketch",
      parts,
      state,
      {},
    );
    const standards = columns.map((index, c): Standard => ({ index, median: medians[c], scale: scales[c] }));
    let end = 0;
    const bands = Array.from(widths, (width, b): Band => {
      const start = end;
      end += sizes[b];
      return { width, hashes: hashes.subarray(start, end), counts: counts.subarray(start, end) };
    });
    const isBand = ({ width, hashes: own, counts: many }: Band) =>
      width > 0 &&
      own.length > 0 &&
      own.every((hash, i) => i === 0 || hash > own[i - 1]) &&
      many.reduce((sum, count) => sum + count, 0) <= rows;
    if (
      end !== hashes.length ||
      bands.length !== bandsOf(standards).length ||
      new Set(columns).size < columns.length ||
      !standards.every(({ index, scale }) => index < schema.columns.length && scale > 0) ||
      !bands.every(isBand)
    ) {
      throw corrupt("The row sketch is damaged.");
    }
    return new RowSketch(rows, standards, bands);
  }
}

/** Lists the columns of each band. */
export function bandsOf(columns: readonly Standard[]): (readonly Standard[])[] {
  const groups = columns.length < 2 ? 0 : Math.min(GROUPS, columns.length);
  const without = Array.from({ length: groups }, (_, group) =>
    columns.filter((_, c) => c % groups !== group),
  );
  return [columns, ...without];
}
