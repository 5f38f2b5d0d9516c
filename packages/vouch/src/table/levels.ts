import type { LeftOutColumns } from "../encode/left-out-columns.js";
import type { CategoricalColumn } from "./table.js";

/** The number that a text spells, or NaN: "+1", "2.50", "1e3", but not "", "0x10" or "Infinity". */
export function numberOf(text: string): number {
  return /^\s*[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?\s*$/i.test(text) ? finiteOrNaN(Number(text)) : Number.NaN;
}

function finiteOrNaN(value: number): number {
  return Number.isFinite(value) ? value : Number.NaN;
}

/**
 * Names in the order people expect, whatever order they came in: by value when all of them are numbers
 * ("2" before "10", "-1" before "+1"), by code point otherwise.
 */
export function inNaturalOrder(names: Iterable<string>): string[] {
  const sorted = [...names].sort(compareCodePoints);
  const values = new Map(sorted.map((name) => [name, numberOf(name)]));
  for (const value of values.values()) if (Number.isNaN(value)) return sorted;
  return sorted.sort((a, b) => (values.get(a) ?? 0) - (values.get(b) ?? 0));
}

function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const difference = rank(a.charCodeAt(i)) - rank(b.charCodeAt(i));
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** Moves the halves of surrogate pairs behind all other UTF-16 units: then unit order is code-point order. */
function rank(unit: number): number {
  if (unit >= 0xe000) return unit - 0x800;
  return unit >= 0xd800 ? unit + 0x2000 : unit;
}

/** Code of a missing cell. */
export const MISSING_LEVEL = -1;
/** Code that `conform` gives to a category that the schema does not have. */
export const UNKNOWN_LEVEL = -2;
/** What the group of all rarer categories of a column is called. */
export const OTHER_LEVELS = "(other)";

/** How often each category of a column occurs. */
interface LevelCounts {
  /** The categories that occur, in natural order. */
  readonly levels: readonly string[];
  /** Rows of each of `levels`. */
  readonly counts: readonly number[];
  /** Rows with a missing cell. */
  readonly missing: number;
}

/** The categories that an encoder tells apart. */
interface FittedLevels extends LevelCounts {
  /** Rows with any of the rarer categories, which are taken together. */
  readonly others: number;
}

/** Counts the categories that occur; levels without rows are not among them. */
export function countLevels({ codes, levels }: CategoricalColumn): LevelCounts {
  const countOfCode = new Float64Array(levels.length);
  let missing = 0;
  for (let i = 0; i < codes.length; i++) {
    if (codes[i] < 0) missing++;
    else countOfCode[codes[i]]++;
  }
  const countOf = new Map<string, number>();
  levels.forEach((level, code) => {
    if (countOfCode[code] > 0) countOf.set(level, (countOf.get(level) ?? 0) + countOfCode[code]);
  });
  const sorted = inNaturalOrder(countOf.keys());
  return { levels: sorted, counts: sorted.map((level) => countOf.get(level) ?? 0), missing };
}

/**
 * The categories of a column that an encoder tells apart: all of them if there are at most `most`, else the
 * `kept` most frequent ones. Undefined, and noted in `leftOut`, when there is nothing to learn from the column.
 */
export function fitLevels(
  column: CategoricalColumn,
  { most, kept }: { most: number; kept: number },
  leftOut: LeftOutColumns,
): FittedLevels | undefined {
  const all = countLevels(column);
  if (all.levels.length + (all.missing > 0 ? 1 : 0) < 2) {
    leftOut.constant.push(column.name);
    return undefined;
  }
  if (namesRows(all)) {
    leftOut.namesOfRows.push(column.name);
    return undefined;
  }
  if (all.levels.length <= most) return { ...all, others: 0 };
  leftOut.grouped.push(column.name);
  return mostFrequent(all, kept);
}

/** Of equally frequent levels the first in natural order is kept. */
function mostFrequent({ levels, counts, missing }: LevelCounts, kept: number): FittedLevels {
  const byCount = levels.map((_, index) => index).sort((a, b) => counts[b] - counts[a] || a - b);
  const others = byCount.slice(kept).reduce((sum, index) => sum + counts[index], 0);
  const indices = byCount.slice(0, kept).sort((a, b) => a - b);
  return {
    levels: indices.map((index) => levels[index]),
    counts: indices.map((index) => counts[index]),
    missing,
    others,
  };
}

/**
 * Whether the categories are names of the rows rather than properties of them: no two rows share one.
 * A handful of rows is too few to tell.
 */
function namesRows({ levels, counts }: LevelCounts): boolean {
  return levels.length > 10 && counts.every((count) => count === 1);
}

/**
 * Finds the index of a level: by its text, or else by its value if exactly one level has that value, so that
 * "+1.0" in one file is 1 in another.
 */
export function levelFinder(levels: readonly string[]): (text: string) => number | undefined {
  const byText = new Map(levels.map((level, index) => [level, index]));
  const byValue = new Map<number, number | undefined>();
  levels.forEach((level, index) => {
    const value = numberOf(level);
    if (!Number.isNaN(value)) byValue.set(value, byValue.has(value) ? undefined : index);
  });
  return (text) => byText.get(text) ?? byValue.get(numberOf(text));
}

/**
 * The shortest decimal form that reads back as the same number: 1 → "1", −0 → "0". A number of a
 * single-precision column takes the shortest form of that precision: "0.1", not "0.10000000149011612".
 */
export function shortestDecimal(value: number, single = false): string {
  if (!single) return String(value);
  for (let digits = 6; digits < 9; digits++) {
    const rounded = Number(value.toPrecision(digits));
    if (Math.fround(rounded) === value) return String(rounded);
  }
  return String(Number(value.toPrecision(9)));
}
