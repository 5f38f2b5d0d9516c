import { type Column, denseValues, type NumericValues } from "./column.js";
import { contentOf } from "./column-content.js";
import { SparseValues } from "./sparse-cells.js";
import type { Table } from "./table.js";

/** With fewer rows, any column may have a distinct value in every row. */
const MIN_ROWS = 20;

/** Whole numbers that fill at least this fraction of their range are row numbers. */
const DENSE = 0.9;

/** Names of identifiers: id, customer_id, orderId, uuid. */
const IDENTIFIER_NAMES = [/(^|[^a-z])(id|uid|uuid|guid|rowid|rownum|index)$/i, /[a-z](Id|ID)$/];

/**
 * Finds columns that identify rows, such as customer numbers, and say nothing about new rows. In such a column every
 * row has a distinct category or whole number; the numbers enumerate the rows, in any order, or the column has a name
 * such as `id`. A model that uses it memorises the rows, and even seems to do well if they are sorted by class. Dates
 * and free text, which also differ in every row, are not identifiers.
 */
export function identifierColumns(features: Table): string[] {
  if (features.rows < MIN_ROWS) return [];
  return features.columns.filter(isIdentifier).map(({ name }) => name);
}

function isIdentifier(column: Column): boolean {
  if (column.kind === "categorical") {
    const { codes, levels } = column;
    if (levels.length < codes.length || hasRepeats(Float64Array.from(codes)) || codes.includes(-1))
      return false;
    return contentOf(column).kind === "categories";
  }
  const { name } = column;
  if (column.values instanceof SparseValues && column.values.length - column.values.entries > 1) return false;
  const values = denseValues(column.values);
  const range = wholeRange(values);
  if (range === undefined || range < values.length) return false;
  if (values.length >= DENSE * range) return !hasRepeats(Float64Array.from(values));
  const hasIdentifierName = IDENTIFIER_NAMES.some((pattern) => pattern.test(name));
  return hasIdentifierName && !hasRepeats(Float64Array.from(values));
}

/** Counts the whole numbers from the least to the greatest value; undefined if a value is missing or not whole. */
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
