import { Random } from "../runtime/maths/random.js";
import { type Column, denseValues } from "./column.js";
import { cellsFrom, numberSource } from "./column-cells.js";
import { conform } from "./conform.js";
import type { Schema } from "./schema.js";
import type { ReadableCells } from "./selected-values.js";
import type { Table } from "./table.js";
import { forEachBlock } from "./value-blocks.js";

/** Number of rows for judging columns. */
const SAMPLED_ROWS = 2048;
/** Maximum probability that two rows have the same value in a continuous column, apart from copies. */
const MAX_TIES = 1e-3;
const MAX_COPIES = 12;

/** Position of a numeric column and its unit. */
export interface Standard {
  /** Index in the schema. */
  readonly index: number;
  readonly median: number;
  /** A robust standard deviation; positive. */
  readonly scale: number;
}

/** A numeric column, judged by a sample of its rows. */
export interface ColumnSpread extends Standard {
  /** Probability that two rows have the same value, including missing ones. */
  readonly ties: number;
  /** The grid that contains all values; 0 if there is none. */
  readonly step: number;
}

/** Describes numeric columns and dates that vary, fewest ties first. */
export function columnSpreads(tables: readonly Table[], schema: Schema): ColumnSpread[] {
  const sampled = tables.map((table, t) => conform(table.select(sampleOf(table.rows, t)), schema).columns);
  const spreads = schema.columns.flatMap(({ kind }, index) => {
    if (kind !== "numeric" && kind !== "date") return [];
    const spread = spreadOf(sampled.map((columns) => columns[index]));
    return spread ? [{ index, ...spread }] : [];
  });
  return spreads.sort((a, b) => a.ties - b.ties || a.index - b.index);
}

/** Returns whether the values of a column hardly ever repeat by chance in a table of this many rows. */
export function isContinuous({ ties }: ColumnSpread, rows: number): boolean {
  return ties <= Math.max(MAX_TIES, MAX_COPIES / rows);
}

function sampleOf(rows: number, stream: number): Int32Array {
  if (rows <= SAMPLED_ROWS) return Int32Array.from({ length: rows }, (_, i) => i);
  const random = new Random(0).fork(stream);
  return Int32Array.from({ length: SAMPLED_ROWS }, () => random.integer(rows));
}

function spreadOf(columns: readonly Column[]): Omit<ColumnSpread, "index"> | undefined {
  const cells = columns.flatMap((column) => (column.kind === "numeric" ? [denseValues(column.values)] : []));
  const rows = cells.reduce((sum, own) => sum + own.length, 0);
  const present = new Float64Array(rows);
  let count = 0;
  for (const own of cells) {
    for (let i = 0; i < own.length; i++) if (Number.isFinite(own[i])) present[count++] = own[i];
  }
  const ascending = present.subarray(0, count).sort();
  const { length } = ascending;
  const at = (quantile: number) => ascending[Math.floor(quantile * (length - 1))];
  // 90% of a normal distribution are within 1.645 standard deviations.
  const scale = (at(0.95) - at(0.05)) / 3.29;
  if (length < 2 || !(scale > 0)) return undefined;
  const missing = rows - length;
  let pairs = missing * (missing - 1);
  const values: number[] = [];
  for (let start = 0, end = 0; start < length; start = end) {
    while (end < length && ascending[end] === ascending[start]) end++;
    pairs += (end - start) * (end - start - 1);
    values.push(ascending[start]);
  }
  const ties = pairs / (rows * (rows - 1));
  return { ties, median: at(0.5), scale, step: stepOf(values) };
}

/** Finds the smallest step between values, if all steps are multiples of it up to rounding. */
function stepOf(ascending: readonly number[]): number {
  const steps = ascending.slice(1).map((value, i) => value - ascending[i]);
  const smallest = steps.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const isMultiple = (step: number) => Math.abs(step / smallest - Math.round(step / smallest)) < 0.01;
  return steps.every(isMultiple) ? smallest : 0;
}

/**
 * Reads a column in the rows of several tables, in standard deviations from the median, which replaces missing cells.
 */
export function standardised(
  tables: readonly Table[],
  schema: Schema,
  { index, median, scale }: Standard,
): Float64Array {
  const values = new Float64Array(tables.reduce((sum, { rows }) => sum + rows, 0));
  let first = 0;
  for (const table of tables) {
    forEachBlock(numbersIn(table, schema, index), (block, start) => {
      for (let i = 0; i < block.length; i++) {
        const cell = block[i];
        values[first + start + i] = Number.isFinite(cell) ? (cell - median) / scale : 0;
      }
    });
    first += table.rows;
  }
  return values;
}

/** Returns the numbers of a column, or the times of dates. Selected rows are not copied. */
function numbersIn(table: Table, schema: Schema, index: number): ReadableCells {
  const column = table.column(schema.columns[index].name);
  const source = column.kind === "numeric" ? numberSource(column) : undefined;
  if (source) return cellsFrom(source);
  const [conformed] = conform(table, { ...schema, columns: [schema.columns[index]] }).columns;
  return conformed.kind === "numeric" ? conformed.values : conformed.codes;
}
