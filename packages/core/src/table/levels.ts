import type { CategoricalColumn } from "./column.js";
import { inNaturalOrder, numberOf } from "./number-text.js";

/** Code of a missing cell. */
export const MISSING_LEVEL = -1;
/** Code of a category that the schema lacks, given by `conform`. */
export const UNKNOWN_LEVEL = -2;
/** Name of the group of a column's rare categories. */
export const OTHER_LEVELS = "(other)";

/** How often each category of a column occurs. */
export interface LevelCounts {
  /** The categories that occur, in natural order. */
  readonly levels: readonly string[];
  /** Number of rows of each of `levels`. */
  readonly counts: readonly number[];
  /** Number of missing cells. */
  readonly missing: number;
}

/** Counts the rows of each category that occurs. */
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
 * Returns a function that finds the index of a level by its text, or else by its value if exactly one level has that
 * value, so that "+1.0" in one file is 1 in another.
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
