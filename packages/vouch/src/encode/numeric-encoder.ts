import * as z from "zod";
import { type FloatArray, Matrix } from "../runtime/matrix.js";
import { readParts, writeParts } from "../runtime/parts.js";
import { sharedFloats } from "../runtime/shared-array.js";
import { corrupt, type State } from "../runtime/state.js";
import { inOneGo, type Steps } from "../runtime/steps.js";
import { records } from "../runtime/tensor-parts.js";
import { VouchError } from "../runtime/vouch-error.js";
import type { Column } from "../table/column.js";
import { conform, conformPart } from "../table/conform.js";
import { MISSING_LEVEL, UNKNOWN_LEVEL } from "../table/levels.js";
import {
  categoricalNames,
  type PlainColumnSchema,
  type PlainSchema,
  plainSchemaShape,
} from "../table/schema.js";
import type { SchemaMatch } from "../table/schema-match.js";
import type { Table } from "../table/table.js";
import type { Target } from "../table/target.js";
import { doublesOf, notFinite } from "../table/value-blocks.js";
import { type Encoder, encodeWithNotices, type NumericEncoding, type OnNotice } from "./encoder.js";
import type { LearnedEncoding } from "./learned-encoding.js";
import {
  featureName,
  filledColumns,
  fitNumericFeatures,
  NUMBER,
  type NumericFeature,
} from "./numeric-features.js";

/** Rows that are transposed at a time; their cells stay in the cache, however many columns there are. */
const BLOCK_ROWS = 256;
/** A few milliseconds of work. */
const CELLS_BETWEEN_PAUSES = 2 ** 19;
/** Standardised cells are clipped at this many deviations from the mean, so that products of cells stay finite. */
const MAX_DEVIATIONS = 1e15;
const MAX_SINGLE = 2 ** 128 - 2 ** 104;

/** Scales are powers of two, or deviations of numbers near 1; the inverse of a smaller number is infinite. */
const MIN_SCALE = 2 ** -1022;

const parts = {
  kind: z.literal("numeric"),
  standardise: z.union([z.boolean(), z.literal("keep-zeros")]),
  precision: z.enum(["f32", "f64"]),
  schema: plainSchemaShape,
  notices: z.array(z.string()).readonly(),
  features: records("features", {
    column: { type: "int32", min: 0 },
    code: { type: "int32" },
    scale: { type: "float64", min: MIN_SCALE },
    mean: { type: "float64" },
    deviation: { type: "float64", min: MIN_SCALE },
  }),
};

/**
 * Encodes raw columns as numbers in rows.
 *
 * - A number stays a number; a missing cell becomes the training mean. If the training rows have missing cells, a feature
 *   `NAME is missing` flags them; otherwise missing cells are not flagged.
 * - A column of categories becomes one 0/1 feature `NAME=LEVEL` for each of the 255 most frequent levels, and `NAME=(other)`
 *   for the rest, unseen levels included. Without a rest, all features of an unseen level or a missing cell are 0.
 * - Two levels without missing cells become one feature, for the second level; an unseen level or a missing cell gets the
 *   training mean.
 * - With `standardise`, every feature is then shifted and scaled to mean 0 and deviation 1, and clipped at ±10¹⁵. With
 *   "keep-zeros", a numeric column of which more than half of the cells are 0 is only scaled, and its missing cells become 0;
 *   flags are only scaled, too.
 * - Constant columns, and columns with a different category in every row, are left out with a notice.
 */
export class NumericEncoder implements Encoder<Matrix> {
  readonly encoding: NumericEncoding;
  readonly schema: PlainSchema;
  readonly featureNames: readonly string[];
  readonly featureColumns: readonly number[];
  readonly learned: LearnedEncoding;
  readonly notices: readonly string[];
  readonly #features: readonly NumericFeature[];
  /** Names of columns with a feature for all levels besides those of the schema. */
  readonly #grouped: ReadonlySet<string>;

  constructor(
    encoding: NumericEncoding,
    schema: PlainSchema,
    features: readonly NumericFeature[],
    notices: readonly string[],
  ) {
    this.encoding = encoding;
    this.schema = schema;
    this.learned = {
      categories: categoricalNames(schema),
      filled: filledColumns(features, encoding).map((column) => schema.columns[column].name),
      words: [],
      dates: [],
    };
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
    const { columns, features: made, dropped } = yield* fitNumericFeatures(features, encoding);
    if (columns.length === 0) throw dropped.nothingLeft(features);
    return new NumericEncoder(encoding, { columns, target, classes }, made, dropped.notices());
  }

  encode(table: Table, onNotice?: OnNotice): Matrix {
    return inOneGo(encodeWithNotices(this, table, onNotice));
  }

  *encodeInSteps(table: Table, match?: SchemaMatch): Steps<Matrix> {
    const conformed = match ? conformPart(table, this.schema) : conform(table, this.schema);
    const { columns, unknown } = conformed;
    match?.add({ ...conformed, unknown: unknown.filter(({ column }) => !this.#grouped.has(column)) });
    return yield* writeMatrix(table, columns, this.#features, this.encoding);
  }

  toState(): State {
    const { encoding, schema, notices } = this;
    const { standardise, precision = "f64" } = encoding;
    const values = {
      kind: "numeric" as const,
      standardise,
      precision,
      schema,
      notices,
      features: this.#features,
    };
    return writeParts(parts, values, {});
  }

  /** Restores an encoder from the result of `toState`; throws `model/corrupt` for anything else. */
  static restore(state: State): NumericEncoder {
    const { standardise, precision, schema, notices, features } = readParts("encoder", parts, state, {});
    const fault = faultOf(features, schema.columns);
    if (fault !== undefined) throw corrupt(`The encoder is damaged: ${fault}.`);
    return new NumericEncoder({ kind: "numeric", standardise, precision }, schema, features, notices);
  }
}

/** Says what is wrong with restored features: all columns must have features, in order, and no feature twice. */
function faultOf(
  features: readonly NumericFeature[],
  columns: readonly PlainColumnSchema[],
): string | undefined {
  let current = -1;
  const codes = new Set<number>();
  for (const { column, code, scale, mean } of features) {
    if (column === current + 1 && column < columns.length) codes.clear();
    else if (column !== current) return "features are out of order";
    const { name } = columns[column];
    if (!hasCode(columns[column], code)) return `column "${name}" has no code ${code}`;
    if (code !== NUMBER && !(scale === 1 && mean > 0 && mean < 1)) {
      return `a flag of column "${name}" is not set in some rows only`;
    }
    if (codes.has(code)) return `column "${name}" has a feature twice`;
    codes.add(code);
    current = column;
  }
  return current === columns.length - 1 ? undefined : "a column has no feature";
}

function hasCode(column: PlainColumnSchema, code: number): boolean {
  if (code === MISSING_LEVEL) return true;
  if (column.kind === "numeric") return code === NUMBER;
  return code === UNKNOWN_LEVEL || (code >= 0 && code < column.levels.length);
}

/** A cell x becomes (scale · x − shift) · factor, clipped at ±limit; a missing cell becomes `fill`. */
interface NumberCells {
  readonly offset: number;
  readonly scale: number;
  readonly shift: number;
  readonly factor: number;
  readonly fill: number;
  readonly limit: number;
}

/** A cell with the code becomes `on`, a missing cell or an unseen level `neutral`, any other `off`. */
interface FlagCells {
  readonly offset: number;
  readonly code: number;
  readonly on: number;
  readonly off: number;
  readonly neutral: number;
}

/** The features of one raw column. */
interface ColumnCells {
  readonly column: Column;
  readonly numbers: readonly NumberCells[];
  readonly flags: readonly FlagCells[];
}

/** Writes the features of conformed columns row by row. Throws on an infinite cell. */
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
  const numbers = columns.map((): NumberCells[] => []);
  const flags = columns.map((): FlagCells[] => []);
  const featuresOf = new Int32Array(columns.length);
  for (const { column } of features) featuresOf[column]++;
  features.forEach((feature, offset) => {
    const { column, code } = feature;
    if (code === NUMBER) numbers[column].push(numberCells(feature, offset, encoding));
    else flags[column].push(flagCells(feature, offset, encoding, featuresOf[column] === 1));
  });
  return columns.map((column, j) => ({ column, numbers: numbers[j], flags: flags[j] }));
}

function numberCells(
  { scale, mean, deviation }: NumericFeature,
  offset: number,
  { standardise, precision }: NumericEncoding,
): NumberCells {
  if (standardise) {
    return { offset, scale, shift: mean, factor: 1 / deviation, fill: 0, limit: MAX_DEVIATIONS };
  }
  const limit = precision === "f32" ? MAX_SINGLE : Number.MAX_VALUE;
  const fill = Math.max(-limit, Math.min(limit, mean / scale));
  return { offset, scale: 1, shift: 0, factor: 1, fill, limit };
}

/** Makes a flag. The only flag of a column cannot express "neither", so unseen levels and missing cells get its mean. */
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

/** Writes the numbers of a block, the hot loop; returns the index of its first infinite cell, or −1. */
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
