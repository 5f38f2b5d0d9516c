import { type FloatArray, Matrix } from "../runtime/matrix.js";
import { sharedFloats } from "../runtime/shared-array.js";
import type { State, Tensor } from "../runtime/state.js";
import { inOneGo, type Steps } from "../runtime/steps.js";
import { VouchError } from "../runtime/vouch-error.js";
import { conform, conformNotices } from "../table/conform.js";
import { UNKNOWN_LEVEL } from "../table/levels.js";
import { type Schema, schemaToJson } from "../table/schema.js";
import type { Column, Table } from "../table/table.js";
import type { Target } from "../table/target.js";
import { doublesOf, notFinite } from "../table/value-blocks.js";
import type { Encoder, NumericEncoding, OnNotice } from "./encoder.js";
import { featureName, fitNumericFeatures, NUMBER, type NumericFeature } from "./numeric-features.js";

/** Rows that are turned from columns into rows at a time: their cells stay in the cache, whatever the width. */
const BLOCK_ROWS = 256;
/** Some milliseconds of work. */
const CELLS_BETWEEN_PAUSES = 2 ** 19;
/** A standardised cell is cut at this many deviations from the mean, so that products of cells stay finite. */
const MOST_DEVIATIONS = 1e15;
const LARGEST_SINGLE = 2 ** 128 - 2 ** 104;

/** Cell x becomes (scale · x − shift) · factor, cut to ±limit; a missing cell becomes `fill`. */
interface NumberCells {
  readonly offset: number;
  readonly scale: number;
  readonly shift: number;
  readonly factor: number;
  readonly fill: number;
  readonly limit: number;
}

/** A cell with the code becomes `on`, a missing one or one of an unseen level `neutral`, another one `off`. */
interface FlagCells {
  readonly offset: number;
  readonly code: number;
  readonly on: number;
  readonly off: number;
  readonly neutral: number;
}

/** What one raw column contributes to each row. */
interface ColumnCells {
  readonly column: Column;
  readonly numbers: readonly NumberCells[];
  readonly flags: readonly FlagCells[];
}

/** The features of conformed columns, row after row. An infinite cell is an error that names the table. */
function* writeMatrix(
  table: Table,
  columns: readonly Column[],
  features: readonly NumericFeature[],
  encoding: NumericEncoding,
): Steps<Matrix> {
  const width = features.length;
  const values = sharedFloats(table.rows * width, encoding.precision ?? "f64");
  const cells = cellsOf(columns, features, encoding);
  const scratch = new Float64Array(BLOCK_ROWS);
  let sincePause = 0;
  for (let start = 0; start < table.rows; start += BLOCK_ROWS) {
    const end = Math.min(start + BLOCK_ROWS, table.rows);
    for (const { column, numbers, flags } of cells) {
      sincePause += (end - start) * (numbers.length + flags.length);
      if (sincePause > CELLS_BETWEEN_PAUSES) {
        yield;
        sincePause = 0;
      }
      if (column.kind === "categorical") {
        const codes = column.codes.subarray(start, end);
        for (const flag of flags) writeLevelFlags(codes, flag, values, start * width, width);
        continue;
      }
      const block = doublesOf(column.values, start, end, scratch);
      for (const number of numbers) {
        const infinite = writeNumbers(block, number, values, start * width, width);
        if (infinite >= 0) throw notFinite(table.name, column, start + infinite);
      }
      for (const flag of flags) writeMissingFlags(block, flag, values, start * width, width);
    }
  }
  return new Matrix(table.rows, width, values);
}

function cellsOf(
  columns: readonly Column[],
  features: readonly NumericFeature[],
  encoding: NumericEncoding,
): ColumnCells[] {
  const cells = columns.map((column) => ({
    column,
    numbers: [] as NumberCells[],
    flags: [] as FlagCells[],
  }));
  const featuresOf = new Int32Array(columns.length);
  for (const { column } of features) featuresOf[column]++;
  features.forEach((feature, offset) => {
    const { column, code } = feature;
    if (code === NUMBER) cells[column].numbers.push(numberCells(feature, offset, encoding));
    else cells[column].flags.push(flagCells(feature, offset, encoding, featuresOf[column] === 1));
  });
  return cells;
}

function numberCells(
  { scale, mean, deviation }: NumericFeature,
  offset: number,
  { standardise, precision }: NumericEncoding,
): NumberCells {
  if (standardise) {
    return { offset, scale, shift: mean, factor: 1 / deviation, fill: 0, limit: MOST_DEVIATIONS };
  }
  const limit = precision === "f32" ? LARGEST_SINGLE : Number.MAX_VALUE;
  const fill = Math.max(-limit, Math.min(limit, mean / scale));
  return { offset, scale: 1, shift: 0, factor: 1, fill, limit };
}

/** The only flag of a column has no other to tell "neither" with: there such cells get the mean. */
function flagCells(
  { code, mean, deviation }: NumericFeature,
  offset: number,
  { standardise }: NumericEncoding,
  only: boolean,
): FlagCells {
  const shift = standardise === true ? mean : 0;
  const unit = standardise ? deviation : 1;
  const [on, off, middle] = [(1 - shift) / unit, (0 - shift) / unit, (mean - shift) / unit];
  return { offset, code, on, off, neutral: only && code >= 0 ? middle : off };
}

/** The hot loop of encoding; returns the place of the first infinite cell in the block, or −1. */
function writeNumbers(
  block: Float64Array,
  { offset, scale, shift, factor, fill, limit }: NumberCells,
  values: FloatArray,
  start: number,
  width: number,
): number {
  for (let i = 0, at = start + offset; i < block.length; i++, at += width) {
    const x = block[i];
    const value = (x * scale - shift) * factor;
    if (value <= limit && value >= -limit) values[at] = value;
    else if (Number.isNaN(x)) values[at] = fill;
    else if (Math.abs(x) === Number.POSITIVE_INFINITY) return i;
    else values[at] = value > 0 ? limit : -limit;
  }
  return -1;
}

function writeMissingFlags(
  block: Float64Array,
  { offset, on, off }: FlagCells,
  values: FloatArray,
  start: number,
  width: number,
): void {
  for (let i = 0, at = start + offset; i < block.length; i++, at += width) {
    values[at] = Number.isNaN(block[i]) ? on : off;
  }
}

function writeLevelFlags(
  codes: Int32Array,
  { offset, code, on, off, neutral }: FlagCells,
  values: FloatArray,
  start: number,
  width: number,
): void {
  for (let i = 0, at = start + offset; i < codes.length; i++, at += width) {
    values[at] = codes[i] === code ? on : codes[i] < 0 ? neutral : off;
  }
}

/**
 * Raw columns as numbers in rows.
 *
 * - A number stays a number; a missing cell becomes the training mean. Where training had missing cells, a
 *   feature `NAME is missing` flags them; missing cells where training had none are not flagged.
 * - A column of categories becomes one 0/1 feature `NAME=LEVEL` per level: the 255 most frequent ones, and
 *   `NAME=(other)` for the rest, which levels that training did not see then belong to. Otherwise an unseen
 *   level, like a missing cell, has all of them 0.
 * - Two levels without missing cells are one feature, for the second level; there an unseen level or a
 *   missing cell gets the training mean.
 * - If asked for, every feature is then shifted and scaled to mean 0 and deviation 1, and cut at ±10¹⁵. If zeros are to be
 *   kept, a column of numbers of which more than half are 0 is only scaled, and a missing cell of it becomes 0; flags are
 *   only scaled, too.
 * - Constant columns, and columns with another category in every row, are left out with a notice.
 */
export class NumericEncoder implements Encoder<Matrix> {
  readonly encoding: NumericEncoding;
  readonly schema: Schema;
  readonly featureNames: readonly string[];
  readonly featureColumns: readonly number[];
  readonly notices: readonly string[];
  readonly #features: readonly NumericFeature[];
  /** Names of the columns that have a feature for all levels besides those of the schema. */
  readonly #grouped: ReadonlySet<string>;

  constructor(
    encoding: NumericEncoding,
    schema: Schema,
    features: readonly NumericFeature[],
    notices: readonly string[],
  ) {
    this.encoding = encoding;
    this.schema = schema;
    this.notices = notices;
    this.#features = features;
    const grouped = features.filter(({ code }) => code === UNKNOWN_LEVEL);
    this.#grouped = new Set(grouped.map(({ column }) => schema.columns[column].name));
    this.featureColumns = features.map(({ column }) => column);
    this.featureNames = features.map(({ column, code }) => featureName(schema.columns[column], code));
  }

  /** Fits the encoder to training rows. */
  static *fit(
    features: Table,
    { target, classes }: Target,
    encoding: NumericEncoding,
  ): Steps<NumericEncoder> {
    if (features.rows === 0) throw new VouchError("data/no-rows", `${features.name} has no rows.`);
    const { columns, features: made, leftOut } = yield* fitNumericFeatures(features, encoding);
    if (columns.length === 0) throw leftOut.nothingLeft(features);
    return new NumericEncoder(encoding, { columns, target, classes }, made, leftOut.notices());
  }

  encode(table: Table, onNotice?: OnNotice): Matrix {
    return inOneGo(this.encodeInSteps(table, onNotice));
  }

  *encodeInSteps(table: Table, onNotice?: OnNotice): Steps<Matrix> {
    const { columns, extra, unknown } = conform(table, this.schema);
    if (onNotice) {
      const lost = unknown.filter(({ column }) => !this.#grouped.has(column));
      conformNotices({ extra, unknown: lost }).forEach(onNotice);
    }
    return yield* writeMatrix(table, columns, this.#features, this.encoding);
  }

  toState(): State {
    const { encoding, schema, notices } = this;
    const features = this.#features;
    const tensor = (data: Tensor["data"]): Tensor => ({ shape: [features.length], data });
    return {
      json: {
        kind: "numeric",
        standardise: encoding.standardise,
        precision: encoding.precision ?? "f64",
        schema: schemaToJson(schema),
        notices,
      },
      tensors: {
        column: tensor(Int32Array.from(features, (feature) => feature.column)),
        code: tensor(Int32Array.from(features, (feature) => feature.code)),
        scale: tensor(Float64Array.from(features, (feature) => feature.scale)),
        mean: tensor(Float64Array.from(features, (feature) => feature.mean)),
        deviation: tensor(Float64Array.from(features, (feature) => feature.deviation)),
      },
    };
  }
}
