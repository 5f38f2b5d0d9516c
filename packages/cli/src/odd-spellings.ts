import { type CategoricalColumn, chooseTarget, type Table } from "vouch";
import type { ReadingFlags } from "./program.js";

/** A way to write numbers or dates that is read as text. */
interface Spelling {
  readonly of: string;
  /** What all cells fit; plain numbers do, too. */
  readonly pattern: RegExp;
  /** What at least one cell has, so that it is not a plain number. */
  readonly mark: RegExp;
  readonly advice: string;
}

const NUMBER = String.raw`[+-]?\d+(?:[.,]\d+)*`;
const CURRENCY = "(?:[$€£¥]|USD|EUR|GBP|CHF)";
const TIME = String.raw`(?:[T ]\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?: ?[AP]M|Z|[+-]\d{2}:?\d{2})?)?`;

/** The first that a column fits counts. */
const SPELLINGS: readonly Spelling[] = [
  {
    of: "numbers with commas between thousands",
    pattern: /^[+-]?(?:[1-9]\d{0,2}(?:,\d{3})+|\d+)(?:\.\d+)?$/,
    mark: /,/,
    advice: "Without these commas they are read as numbers.",
  },
  {
    of: "numbers with a decimal comma",
    pattern: /^[+-]?(?:\d+(?:,\d*)?|,\d+)$/,
    mark: /,/,
    advice: "--decimal-comma reads them as numbers.",
  },
  {
    of: "percentages",
    pattern: new RegExp(`^${NUMBER}(?: ?%)?$`),
    mark: /%/,
    advice: "Without the sign they are read as numbers.",
  },
  {
    of: "amounts of money",
    pattern: new RegExp(`^(?:-?${CURRENCY} ?)?${NUMBER}(?: ?${CURRENCY})?$`),
    mark: new RegExp(CURRENCY),
    advice: "Without the currency they are read as numbers.",
  },
  {
    of: "dates",
    pattern: new RegExp(`^(?:\\d{4}[-/.]\\d{1,2}[-/.]\\d{1,2}|\\d{1,2}[-/.]\\d{1,2}[-/.]\\d{2,4})${TIME}$`),
    mark: /[-/.]/,
    advice: "Numbers made of them, such as years or days since 2000-01-01, may tell more.",
  },
];

/** At most so many columns are named. */
const MOST_NAMED = 5;

/** What to tell of columns whose cells are all dates, or numbers in a spelling that is not read as such. */
export function oddSpellings(
  table: Table,
  target: string | undefined,
  { categorical = [] }: ReadingFlags,
): string[] {
  const own = new Set([chooseTarget(table, target), ...categorical]);
  const columns = table.columns.filter(
    (column): column is CategoricalColumn => column.kind === "categorical" && !own.has(column.name),
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
  const named = columns.slice(0, MOST_NAMED).map(({ name, levels }) => `"${name}" (such as ${levels[0]})`);
  const more = columns.length > MOST_NAMED ? ` and ${columns.length - MOST_NAMED} more` : "";
  const one = columns.length === 1;
  return `${one ? "Column" : "Columns"} ${named.join(", ")}${more} ${one ? "holds" : "hold"} ${of}, which are read as categories. ${advice}`;
}
