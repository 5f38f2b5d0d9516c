import { shortList } from "../runtime/number-format.js";
import type { CategoricalColumn } from "./column.js";
import type { Table } from "./table.js";

/** A notation of numbers or dates that is read as text. */
interface Spelling {
  readonly of: string;
  /** All cells match it; plain numbers do, too. */
  readonly pattern: RegExp;
  /** At least one cell matches it, so that not all are plain numbers. */
  readonly mark: RegExp;
  readonly advice: string;
}

const NUMBER = String.raw`[+-]?\d+(?:[.,]\d+)*`;
const CURRENCY = "(?:[$€£¥]|USD|EUR|GBP|CHF)";
const TIME = String.raw`(?:[T ]\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?: ?[AP]M|Z|[+-]\d{2}:?\d{2})?)?`;

/** The first that a column matches counts. */
const SPELLINGS: readonly Spelling[] = [
  {
    of: "numbers with thousands separators",
    pattern: /^[+-]?(?:[1-9]\d{0,2}(?:,\d{3})+|\d+)(?:\.\d+)?$/,
    mark: /,/,
    advice: "Remove the commas to read them as numbers.",
  },
  {
    of: "numbers with a decimal comma",
    pattern: /^[+-]?(?:\d+(?:,\d*)?|,\d+)$/,
    mark: /,/,
    advice: "Use --decimal-comma to read them as numbers.",
  },
  {
    of: "percentages",
    pattern: new RegExp(`^${NUMBER}(?: ?%)?$`),
    mark: /%/,
    advice: "Remove the percent signs to read them as numbers.",
  },
  {
    of: "amounts of money",
    pattern: new RegExp(`^(?:-?${CURRENCY} ?)?${NUMBER}(?: ?${CURRENCY})?$`),
    mark: new RegExp(CURRENCY),
    advice: "Remove the currency to read them as numbers.",
  },
  {
    of: "dates",
    pattern: new RegExp(`^(?:\\d{4}[-/.]\\d{1,2}[-/.]\\d{1,2}|\\d{1,2}[-/.]\\d{1,2}[-/.]\\d{2,4})${TIME}$`),
    mark: /[-/.]/,
    advice: "It is not clear which number is the month: write them as 2024-03-31 to use them as dates.",
  },
];

/** At most this many columns are named. */
const MOST_NAMED = 5;

/** Warns about columns whose cells are all dates that cannot be read, or numbers in a notation that is read as text. */
export function oddSpellings(table: Table, target: string, categorical: readonly string[]): string[] {
  const own = new Set([target, ...categorical]);
  const columns = table.columns.filter(
    (column): column is CategoricalColumn =>
      column.kind === "categorical" && column.holds?.kind !== "dates" && !own.has(column.name),
  );
  const found = columns.map((column) => spellingOf(column));
  return SPELLINGS.flatMap((spelling) => {
    const spelt = columns.filter((_, j) => found[j] === spelling);
    return spelt.length > 0 ? [noticeOf(spelling, spelt)] : [];
  });
}

function spellingOf({ levels }: CategoricalColumn): Spelling | undefined {
  return SPELLINGS.find(
    ({ pattern, mark }) =>
      levels.every((level) => pattern.test(level.trim())) && levels.some((level) => mark.test(level)),
  );
}

function noticeOf({ of, advice }: Spelling, columns: readonly CategoricalColumn[]): string {
  const named = shortList(columns, MOST_NAMED, ({ name, levels }) => `"${name}" (such as ${levels[0]})`);
  const one = columns.length === 1;
  return `${one ? "Column" : "Columns"} ${named} ${one ? "contains" : "contain"} ${of}, which are read as categories. ${advice}`;
}
