import { sharedBytes } from "../runtime/shared-array.js";
import type { State } from "../runtime/state.js";
import { inOneGo, type Steps } from "../runtime/steps.js";
import { VouchError } from "../runtime/vouch-error.js";
import { conform, conformNotices } from "../table/conform.js";
import { fitLevels, OTHER_LEVELS, UNKNOWN_LEVEL } from "../table/levels.js";
import { type ColumnSchema, type Schema, schemaToJson } from "../table/schema.js";
import type { CategoricalColumn, NumericColumn, Table } from "../table/table.js";
import type { Target } from "../table/target.js";
import { forEachBlock, notFinite, rangeOf } from "../table/value-blocks.js";
import { BinnedColumns, type BinnedFeature, MISSING_BIN } from "./binned-columns.js";
import { checkMaxBins, cutPoints } from "./bins.js";
import type { BinnedEncoding, Encoder, OnNotice } from "./encoder.js";
import { LeftOutColumns } from "./left-out-columns.js";

/** Fewer rows than this are not worth preparing for. */
const ROWS_WORTH_A_TABLE = 1024;

/**
 * Writes the bin of every cell: the number of cuts below it, so that bin b is (cuts[b−1], cuts[b]]. NaN falls
 * into the bin for missing cells, an infinite cell is an error.
 */
export function writeNumberBins(
  table: string,
  column: NumericColumn,
  cuts: Float64Array,
  bins: Uint8Array,
): void {
  const { values } = column;
  const search = new CutSearch(cuts, values.length < ROWS_WORTH_A_TABLE ? 1 : 8 * cuts.length + 1);
  if ((values instanceof Uint8Array || values instanceof Int8Array) && values.length >= ROWS_WORTH_A_TABLE) {
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

/** The hot loop; returns the place of the first infinite cell in the block, or −1. */
function binBlock(block: Float64Array, search: CutSearch, bins: Uint8Array, start: number): number {
  for (let i = 0; i < block.length; i++) {
    const x = block[i];
    if (x - x === 0) bins[start + i] = search.cutsBelow(x);
    else if (Number.isNaN(x)) bins[start + i] = MISSING_BIN;
    else return i;
  }
  return -1;
}

/**
 * Counts the cuts below a value: an even grid over the range of the cuts says between which of them the
 * value lies, and a binary search does the rest. On evenly spread values the grid leaves nothing to search.
 */
class CutSearch {
  readonly #cuts: Float64Array;
  readonly #lowest: number;
  readonly #cellsPerUnit: number;
  readonly #lastCell: number;
  /** Number of cuts in the grid cells before each cell. */
  readonly #before: Uint8Array;

  constructor(cuts: Float64Array, cells: number) {
    this.#cuts = cuts;
    this.#lowest = cuts[0];
    const cellsPerUnit = cells / (cuts[cuts.length - 1] - cuts[0]);
    this.#cellsPerUnit = Number.isFinite(cellsPerUnit) ? cellsPerUnit : 0;
    this.#lastCell = cells - 1;
    this.#before = new Uint8Array(cells + 1);
    for (const cut of cuts) this.#before[this.#cell(cut) + 1]++;
    for (let cell = 0; cell < cells; cell++) this.#before[cell + 1] += this.#before[cell];
  }

  cutsBelow(x: number): number {
    const cuts = this.#cuts;
    const cell = this.#cell(x);
    let low = this.#before[cell];
    let high = this.#before[cell + 1];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (cuts[middle] < x) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Rounding keeps order, so a cut in an earlier cell than x is below x, and one in a later cell above. */
  #cell(x: number): number {
    const position = (x - this.#lowest) * this.#cellsPerUnit;
    return position > 0 ? Math.min(position, this.#lastCell) | 0 : 0;
  }
}

/** Writes the code of every cell as its bin; unknown levels fall into the given bin. */
function writeLevelBins({ codes }: CategoricalColumn, unknownBin: number, bins: Uint8Array): void {
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i];
    bins[i] = code >= 0 ? code : code === UNKNOWN_LEVEL ? unknownBin : MISSING_BIN;
  }
}

/** How one raw column is binned. */
export interface FittedBins {
  readonly column: ColumnSchema;
  readonly feature: BinnedFeature;
}

/**
 * Raw columns as one byte per cell, for trees.
 *
 * - Numbers fall into at most `maxBins` bins with about equally many training rows each (see `cutPoints`).
 * - Categories have a bin each; if there are more than `maxBins`, all but the `maxBins` − 1 most frequent ones
 *   share the bin `(other)`, and so do those that training did not see. Otherwise an unseen category falls
 *   into the bin for missing cells.
 * - Missing cells have the bin 255, in every column.
 * - Constant columns (unless they are to be kept), and columns with another category in every row, are left out with a
 *   notice.
 */
export class BinnedEncoder implements Encoder<BinnedColumns> {
  readonly encoding: BinnedEncoding;
  readonly schema: Schema;
  readonly featureNames: readonly string[];
  /** Each column has one feature. */
  readonly featureColumns: readonly number[];
  readonly notices: readonly string[];
  readonly #features: readonly BinnedFeature[];

  constructor(
    encoding: BinnedEncoding,
    { target, classes }: Target,
    bins: readonly FittedBins[],
    notices: readonly string[],
  ) {
    this.encoding = encoding;
    this.schema = { columns: bins.map(({ column }) => column), target, classes };
    this.notices = notices;
    this.#features = bins.map(({ feature }) => feature);
    this.featureNames = this.#features.map(({ name }) => name);
    this.featureColumns = bins.map((_, j) => j);
  }

  /** Fits the encoder to training rows. */
  static *fit(features: Table, target: Target, encoding: BinnedEncoding): Steps<BinnedEncoder> {
    if (features.rows === 0) throw new VouchError("data/no-rows", `${features.name} has no rows.`);
    checkMaxBins(encoding.maxBins);
    const leftOut = new LeftOutColumns();
    const bins: FittedBins[] = [];
    for (const column of features.columns) {
      const fitted =
        column.kind === "numeric"
          ? fitNumbers(features.name, column, encoding, leftOut)
          : fitCategories(column, encoding.maxBins, leftOut);
      if (fitted) bins.push(fitted);
      yield;
    }
    if (bins.length === 0) throw leftOut.nothingLeft(features);
    return new BinnedEncoder(encoding, target, bins, leftOut.notices());
  }

  encode(table: Table, onNotice?: OnNotice): BinnedColumns {
    return inOneGo(this.encodeInSteps(table, onNotice));
  }

  *encodeInSteps(table: Table, onNotice?: OnNotice): Steps<BinnedColumns> {
    const { columns, extra, unknown } = conform(table, this.schema);
    if (onNotice) {
      const grouped = new Set(this.#features.filter((_, j) => this.#isGrouped(j)).map(({ name }) => name));
      const lost = unknown.filter(({ column }) => !grouped.has(column));
      conformNotices({ extra, unknown: lost }).forEach(onNotice);
    }
    const bins = sharedBytes(table.rows * columns.length);
    for (const [j, column] of columns.entries()) {
      const feature = this.#features[j];
      const cells = bins.subarray(j * table.rows, (j + 1) * table.rows);
      if (column.kind === "numeric" && feature.kind === "numeric") {
        writeNumberBins(table.name, column, feature.cuts, cells);
      } else if (column.kind === "categorical" && feature.kind === "categorical") {
        writeLevelBins(column, this.#isGrouped(j) ? feature.levels.length - 1 : MISSING_BIN, cells);
      }
      yield;
    }
    return new BinnedColumns(table.rows, this.#features, bins);
  }

  toState(): State {
    const cuts = this.#features.map((feature) => (feature.kind === "numeric" ? feature.cuts : NO_CUTS));
    const total = cuts.reduce((sum, own) => sum + own.length, 0);
    const joined = new Float64Array(total);
    cuts.reduce((at, own) => {
      joined.set(own, at);
      return at + own.length;
    }, 0);
    return {
      json: {
        kind: "binned",
        maxBins: this.encoding.maxBins,
        schema: schemaToJson(this.schema),
        grouped: Array.from(this.#features.keys()).filter((j) => this.#isGrouped(j)),
        notices: this.notices,
      },
      tensors: {
        cuts: { shape: [total], data: joined },
        cutCounts: { shape: [cuts.length], data: Int32Array.from(cuts, (own) => own.length) },
      },
    };
  }

  /** Whether column j has a bin for all levels besides those of the schema. */
  #isGrouped(j: number): boolean {
    const column = this.schema.columns[j];
    const feature = this.#features[j];
    return (
      column.kind === "categorical" &&
      feature.kind === "categorical" &&
      feature.levels.length > column.levels.length
    );
  }
}

const NO_CUTS = new Float64Array(0);

/** The feature of a column of categories; rarer levels share a last bin of their own if they are grouped. */
export function categoricalBins(name: string, levels: readonly string[], grouped: boolean): FittedBins {
  return {
    column: { kind: "categorical", name, levels },
    feature: { kind: "categorical", name, levels: grouped ? [...levels, OTHER_LEVELS] : levels },
  };
}

/** The feature of a column of numbers. */
export function numericBins(name: string, cuts: Float64Array): FittedBins {
  return { column: { kind: "numeric", name }, feature: { kind: "numeric", name, cuts } };
}

function fitNumbers(
  table: string,
  column: NumericColumn,
  { maxBins, constants }: BinnedEncoding,
  leftOut: LeftOutColumns,
): FittedBins | undefined {
  const { name, values } = column;
  const range = rangeOf(table, column);
  const varies = range.min < range.max || (range.missing > 0 && range.missing < values.length);
  if (varies || constants === "keep") {
    return numericBins(name, cutPoints(values, range, maxBins));
  }
  leftOut.constant.push(name);
  return undefined;
}

function fitCategories(
  column: CategoricalColumn,
  maxBins: number,
  leftOut: LeftOutColumns,
): FittedBins | undefined {
  const fitted = fitLevels(column, { most: maxBins, kept: maxBins - 1 }, leftOut);
  return fitted && categoricalBins(column.name, fitted.levels, fitted.others > 0);
}
