import { type Column, denseValues, type NumericColumn, numberAt } from "../table/column.js";
import { holdsProseOrDates } from "../table/column-content.js";
import { timeIn } from "../table/date-form.js";
import type { Table } from "../table/table.js";
import type { Labelled } from "../table/target.js";

/** Minimum number of values for comparing rows of the same and of other values. */
export const LEAST_BLOCKS = 5;
/** Minimum number of values of a possible grouping column whose name is not telling. */
const LEAST_UNNAMED_VALUES = 20;
/**
 * Number of stretches that dates are cut into, and the maximum rows of each; rows of the same time as the last one are
 * added.
 */
const STRETCHES = 20;
const LONGEST_STRETCH = 50;
/** Number of rows that show whether a value is common. */
const LOOKED_AT = 200;
/** Maximum number of columns to try. */
const MOST_CANDIDATES = 4;

/** Names of owners of several rows. */
const OWNERS = new Set(
  (
    "id ids uid guid uuid patient subject person participant respondent donor customer client user member account owner " +
    "household family student pupil school teacher device sensor machine vehicle robot camera session visitor visit trip " +
    "batch plate slide site hospital clinic centre center store shop company merchant author writer speaker station animal " +
    "specimen group cluster"
  ).split(" "),
);
/** Words after the name of an owner. */
const KEYS = new Set("id ids nr no number num name code key".split(" "));
const TIMES = new Set("date datetime timestamp epoch".split(" "));

/** A column whose equal values, or near times, may mark similar rows. */
export interface BlockCandidate {
  readonly column: string;
  readonly kind: "group" | "time";
  /** Block of each row: rows of one value, or a stretch of time, ascending; −1 without a value. */
  readonly blocks: Int32Array;
}

/**
 * Lists up to four columns that may mark similar rows, most likely ones first:
 *
 * 1. columns named after the owner of several rows, such as `patient` or `customer_id`;
 * 2. columns that the user set aside, which are often identifiers;
 * 3. dates, and numbers named after a date;
 * 4. other columns of many categories, or of whole numbers that occur about equally often, as personal numbers do and
 *    quantities do not; most values first.
 *
 * Blocks are neither too few to compare nor too small, with two rows each on average.
 */
export function blockCandidates({ features, aside }: Pick<Labelled, "features" | "aside">): BlockCandidate[] {
  const all = [...(aside?.columns ?? []), ...features.columns];
  const ranked = all.flatMap((column) => {
    const isExpected = isNamedAfterOwner(column.name) || aside?.columns.includes(column);
    if (!isExpected && column.kind === "numeric" && !isTime(column) && hasCommonValue(column)) return [];
    const candidate = isTime(column) ? timeCandidate(column) : groupCandidate(column);
    if (!candidate) return [];
    const sizes = blockSizes(candidate.blocks);
    const rows = sizes.reduce((sum, size) => sum + size, 0);
    if (sizes.length < LEAST_BLOCKS || sizes.length > rows / 2) return [];
    const rank = rankOf(column, candidate, sizes, aside);
    return rank === undefined ? [] : [{ candidate, rank, values: sizes.length }];
  });
  ranked.sort((a, b) => a.rank - b.rank || b.values - a.values);
  return ranked.slice(0, MOST_CANDIDATES).map(({ candidate }) => candidate);
}

function rankOf(
  column: Column,
  { kind }: BlockCandidate,
  sizes: Float64Array,
  aside: Table | undefined,
): number | undefined {
  if (kind === "time") return 3;
  if (isNamedAfterOwner(column.name)) return 1;
  if (aside?.columns.includes(column)) return 2;
  if (sizes.length < LEAST_UNNAMED_VALUES) return undefined;
  return column.kind === "categorical" || areEven(sizes) ? 4 : undefined;
}

/**
 * Returns whether one value fills half of a few rows, as 0 does in many columns; such columns are uneven and need no
 * closer look.
 */
function hasCommonValue({ values }: NumericColumn): boolean {
  const counts = new Map<number, number>();
  const rows = Math.min(LOOKED_AT, values.length);
  for (let i = 0; i < rows; i++) {
    const value = numberAt(values, Math.floor((i * values.length) / rows));
    counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return Math.max(...counts.values()) > rows / 2;
}

/**
 * Returns whether values occur about equally often: no more unevenly than draws from shares that vary by half of their
 * mean.
 */
function areEven(sizes: Float64Array): boolean {
  const mean = sizes.reduce((sum, size) => sum + size, 0) / sizes.length;
  const variance = sizes.reduce((sum, size) => sum + (size - mean) ** 2, 0) / sizes.length;
  return variance <= mean + (mean / 2) ** 2;
}

function isNamedAfterOwner(name: string): boolean {
  const words = wordsOf(name);
  const last = words.at(-1) ?? "";
  return OWNERS.has(last) || words[0] === "id" || (KEYS.has(last) && words.some((word) => OWNERS.has(word)));
}

/** Splits a name into lower-case words; customerId, customer_id and "customer id" give the same words. */
function wordsOf(name: string): string[] {
  return name
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter((word) => word !== "");
}

function isTime(column: Column): boolean {
  if (column.kind === "categorical") return column.holds?.kind === "dates";
  return TIMES.has(wordsOf(column.name).at(-1) ?? "");
}

/** Numbers the values of categories and whole numbers; undefined for free text and for quantities. */
function groupCandidate(column: Column): BlockCandidate | undefined {
  if (holdsProseOrDates(column)) return undefined;
  const codeOf = new Map<number, number>();
  const cells = column.kind === "categorical" ? column.codes : denseValues(column.values);
  const blocks = new Int32Array(cells.length);
  for (let row = 0; row < blocks.length; row++) {
    const cell = cells[row];
    const isMissing = column.kind === "categorical" ? cell < 0 : Number.isNaN(cell);
    if (!isMissing && !Number.isInteger(cell)) return undefined;
    const code = isMissing ? -1 : (codeOf.get(cell) ?? codeOf.size);
    if (code === codeOf.size) codeOf.set(cell, code);
    // Most columns end here after a few rows, because all values differ.
    if (2 * codeOf.size > blocks.length) return undefined;
    blocks[row] = code;
  }
  return { column: column.name, kind: "group", blocks };
}

/**
 * Cuts the time into stretches with about equally many rows. Takes the first rows of long stretches, because near rows
 * are what matters.
 */
function timeCandidate(column: Column): BlockCandidate {
  const times = timesOf(column);
  const sorted = times.filter(Number.isFinite).sort();
  const places = Array.from({ length: STRETCHES }, (_, i) => Math.floor((i * sorted.length) / STRETCHES));
  const starts = places.filter((place, i) => i === 0 || sorted[place] > sorted[places[i - 1]]);
  const ends = starts.map(
    (place, i) => Math.min(place + LONGEST_STRETCH, starts[i + 1] ?? sorted.length) - 1,
  );
  const blocks = Int32Array.from(times, (time) => {
    const block = starts.findLastIndex((place) => time >= sorted[place]);
    return block >= 0 && time <= sorted[ends[block]] ? block : -1;
  });
  return { column: column.name, kind: "time", blocks };
}

function timesOf(column: Column): Float64Array {
  if (column.kind === "numeric") return Float64Array.from(denseValues(column.values));
  const form = column.holds?.kind === "dates" ? column.holds.form : "iso";
  const times = column.levels.map((level) => timeIn(form, level));
  return Float64Array.from(column.codes, (code) => times[code] ?? Number.NaN);
}

/** Counts the rows of each non-empty block. */
function blockSizes(blocks: Int32Array): Float64Array {
  const sizes = new Map<number, number>();
  for (const block of blocks) if (block >= 0) sizes.set(block, (sizes.get(block) ?? 0) + 1);
  return Float64Array.from(sizes.values());
}
