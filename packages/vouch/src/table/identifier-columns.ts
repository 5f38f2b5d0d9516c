import type { Column, NumericValues, Table } from "./table.js";

/** Below this many rows any column may well have another value in every row. */
const FEW_ROWS = 20;

/** Whole numbers that fill at least this share of their range count rows. */
const DENSE = 0.9;

/** Names that people give to identifiers: id, customer_id, orderId, uuid. */
const NAMES_OF_IDENTIFIERS = [/(^|[^a-z])(id|uid|uuid|guid|rowid|rownum|index)$/i, /[a-z](Id|ID)$/];

/**
 * Columns that name rows and say nothing of new ones, such as customer numbers. In such a column every row has another
 * category; or another whole number, and these either count the rows, in any order, or the column is called as identifiers
 * are. A model that asks it has learned the rows by heart, and where the rows are sorted by class it even seems to do well.
 */
export function identifierColumns(features: Table): string[] {
  if (features.rows < FEW_ROWS) return [];
  return features.columns.filter(isIdentifier).map(({ name }) => name);
}

function isIdentifier(column: Column): boolean {
  if (column.kind === "categorical") {
    const { codes, levels } = column;
    return levels.length >= codes.length && !hasRepeats(Float64Array.from(codes)) && !codes.includes(-1);
  }
  const { name, values } = column;
  const range = wholeRange(values);
  if (range === undefined || range < values.length) return false;
  if (values.length >= DENSE * range) return !hasRepeats(Float64Array.from(values));
  const isCalledSo = NAMES_OF_IDENTIFIERS.some((pattern) => pattern.test(name));
  return isCalledSo && !hasRepeats(Float64Array.from(values));
}

/** How many whole numbers there are from the least to the greatest value; undefined if some are missing or no whole numbers. */
function wholeRange(values: NumericValues): number | undefined {
  let least = Number.POSITIVE_INFINITY;
  let greatest = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    if (!Number.isInteger(value)) return undefined;
    if (value < least) least = value;
    if (value > greatest) greatest = value;
  }
  return greatest - least + 1;
}

function hasRepeats(values: Float64Array): boolean {
  values.sort();
  for (let i = 1; i < values.length; i++) if (values[i] === values[i - 1]) return true;
  return false;
}
