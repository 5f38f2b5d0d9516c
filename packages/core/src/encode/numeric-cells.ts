import type { Column } from "../table/column.js";
import type { NumericEncoding } from "./encoder.js";
import type { FeatureCells, FlagCells, NumberCells } from "./encoding-steps.js";
import { NUMBER, type NumericFeature } from "./numeric-features.js";

/** Standardised cells are clipped at this many deviations from the mean, so that products of cells stay finite. */
const MAX_DEVIATIONS = 1e15;
const MAX_SINGLE = 2 ** 128 - 2 ** 104;

/** The features of one raw column. */
export interface ColumnCells extends FeatureCells {
  readonly column: Column;
}

/** Lists how the cells of conformed columns become features, column by column. */
export function cellsOf(
  columns: readonly Column[],
  features: readonly NumericFeature[],
  encoding: NumericEncoding,
): ColumnCells[] {
  const cells = featureCells(columns.length, features, encoding);
  return columns.map((column, j) => ({ column, ...cells[j] }));
}

/** Lists how the cells of each of so many columns become features. */
export function featureCells(
  columns: number,
  features: readonly NumericFeature[],
  encoding: NumericEncoding,
): FeatureCells[] {
  const cells = Array.from({ length: columns }, () => ({
    numbers: [] as NumberCells[],
    flags: [] as FlagCells[],
  }));
  const featuresOf = new Int32Array(columns);
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
  const shift = standardise && standardise !== "keep-zeros" ? mean : 0;
  const unit = standardise ? deviation : 1;
  const [on, off, middle] = [(1 - shift) / unit, (0 - shift) / unit, (mean - shift) / unit];
  return { offset, code, on, off, neutral: only && code >= 0 ? middle : off };
}

/** Encodes one number; NaN if it is infinite. */
export function encodedNumber(x: number, { scale, shift, factor, fill, limit }: NumberCells): number {
  const value = (x * scale - shift) * factor;
  if (value <= limit && value >= -limit) return value;
  if (Number.isNaN(x)) return fill;
  if (Math.abs(x) === Number.POSITIVE_INFINITY) return Number.NaN;
  return value > 0 ? limit : -limit;
}
