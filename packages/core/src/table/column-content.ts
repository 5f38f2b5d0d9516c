import { VouchError } from "../runtime/vouch-error.js";
import type { CategoricalColumn, CellContent, Column } from "./column.js";
import { DATE_FORMS, type DateOrder, dateFormOf, timeIn } from "./date-form.js";
import { evenRows } from "./even-rows.js";
import { countProseWords, wordsOf } from "./words.js";

/** A column contains dates if at least this fraction of its present cells are dates of one form. */
const DATE_SHARE = 0.95;

/** A column contains text if half of its present cells have at least this many words with letters and spaces… */
const TEXT_WORDS = 3;
/** …there are at least this many different ones… */
const MIN_DISTINCT = 20;
/** …and more than this fraction of them are different, or else they combine the same words: */
const DISTINCT_SHARE = 0.5;
/** at least this many different cells… */
const MIN_COMBINED = 50;
/** …fewer rows of each than this, or more different cells than encoders keep as categories… */
const ROWS_OF_CATEGORY = 20;
const KEPT_CATEGORIES = 255;
/** …and each word occurs this many times among the distinct cells, because names of categories have their own words. */
const WORD_REUSE = 5;

/**
 * Number of cells whose words are counted, of distinct cells whose words are compared, and of characters of a cell to
 * examine.
 */
const COUNTED_CELLS = 1000;
const COMPARED_CELLS = 2000;
const COUNTED_LETTERS = 1000;

/** Counts the rows of each level, and the present cells. */
function countCodes({ codes, levels }: CategoricalColumn): { counts: Float64Array; present: number } {
  const counts = new Float64Array(levels.length);
  let present = 0;
  for (let i = 0; i < codes.length; i++) {
    if (codes[i] < 0) continue;
    counts[codes[i]]++;
    present++;
  }
  return { counts, present };
}

/**
 * Returns the meaning of a column of texts: the declared one, or else the one that its cells suggest. Dates are at least 95% of
 * the present cells, all in one form. Text is prose: at least 20 different cells, with three words or more in half of
 * all cells, which have letters and space between them. More than half of the cells are different, or at least 50 different cells
 * combine the same words, each of which occurs five times among them on average. Everything else is categories.
 *
 * @param order order of day and month in dates that do not show theirs; without it such dates are categories
 */
export function contentOf(column: CategoricalColumn, order?: DateOrder): CellContent {
  if (column.holds) return column.holds;
  const { counts, present } = countCodes(column);
  if (present === 0) return CATEGORIES;
  const form = dateFormOf({ levels: column.levels, counts }, DATE_SHARE, { order });
  if (form !== undefined && form !== "ambiguous") return { kind: "dates", form };
  const phrases = phrasesOf(column, counts, present);
  return phrases && phrases !== "names" ? { kind: "text" } : CATEGORIES;
}

const CATEGORIES: CellContent = { kind: "categories" };

/**
 * Kinds of cells with three words or more: mostly distinct texts, repeated texts that combine the same words, or names
 * that share few words.
 */
export type Phrases = "different" | "combined" | "names";

/** Determines the kind of phrases in a column; undefined if there are none or few distinct ones. */
export function findPhrases(column: CategoricalColumn): Phrases | undefined {
  const { counts, present } = countCodes(column);
  return phrasesOf(column, counts, present);
}

function phrasesOf(column: CategoricalColumn, counts: Float64Array, present: number): Phrases | undefined {
  const { codes, levels } = column;
  const distinct = counts.reduce((sum, count) => sum + (count > 0 ? 1 : 0), 0);
  if (distinct < MIN_DISTINCT) return undefined;
  const rows = Int32Array.from(codes.keys()).filter((row) => codes[row] >= 0);
  const looked = evenRows(rows.length, COUNTED_CELLS);
  const long = looked.reduce((count, place) => {
    const text = levels[codes[rows[place]]].slice(0, COUNTED_LETTERS);
    return count + (countProseWords(text) >= TEXT_WORDS ? 1 : 0);
  }, 0);
  if (2 * long < looked.length) return undefined;
  if (distinct > DISTINCT_SHARE * present) return "different";
  const areCategories = distinct <= KEPT_CATEGORIES && present >= ROWS_OF_CATEGORY * distinct;
  if (distinct < MIN_COMBINED || areCategories) return "names";
  return wordReuse(levels.filter((_, code) => counts[code] > 0)) >= WORD_REUSE ? "combined" : "names";
}

/** Computes how many times a word occurs in distinct texts, on average. */
function wordReuse(texts: readonly string[]): number {
  let count = 0;
  const different = new Set<string>();
  for (const place of evenRows(texts.length, COMPARED_CELLS)) {
    for (const word of wordsOf(texts[place].slice(0, COUNTED_LETTERS))) {
      count++;
      different.add(word);
    }
  }
  return count / different.size;
}

/** Returns whether a column contains dates or text, which become several features. */
export function holdsProseOrDates(column: Column): column is ContentColumn {
  return column.kind === "categorical" && column.holds !== undefined && column.holds.kind !== "categories";
}

/** A column of dates or text. */
export type ContentColumn = CategoricalColumn & {
  readonly holds: Exclude<CellContent, { kind: "categories" }>;
};

/** Declares that a column holds dates. Throws if its present cells are not dates of one form. */
export function asDates(table: string, column: CategoricalColumn, order?: DateOrder): CategoricalColumn {
  const { counts } = countCodes(column);
  const form = dateFormOf({ levels: column.levels, counts }, DATE_SHARE, { compact: true, order });
  if (form === "ambiguous") {
    throw new VouchError(
      "data/wrong-kind",
      `${table}, column "${column.name}": it is not clear which number is the month, as in "${column.levels[0]}".`,
      { hint: "Write dates as 2024-03-31, or pass --date-order day-first or month-first." },
    );
  }
  if (form !== undefined) return { ...column, holds: { kind: "dates", form } };
  const row = column.codes.findIndex((code) => code >= 0 && !isDate(column.levels[code]));
  if (row < 0) return { ...column, holds: { kind: "dates", form: "iso" } };
  throw new VouchError(
    "data/wrong-kind",
    `${table}, row ${row + 1}, column "${column.name}": "${shortText(column.levels[column.codes[row]])}" is not a date.`,
    { hint: "Write dates as 2024-03-31 or 2024-03-31T12:00:00Z, all in the same way." },
  );
}

function isDate(text: string): boolean {
  return DATE_FORMS.some((form) => !Number.isNaN(timeIn(form, text)));
}

const MOST_LETTERS = 40;

/** Truncates a long text for a message. */
export function shortText(text: string): string {
  return text.length > MOST_LETTERS ? `${text.slice(0, MOST_LETTERS - 1)}…` : text;
}
