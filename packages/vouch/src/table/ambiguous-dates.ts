import { shortList } from "../runtime/number-format.js";
import type { CategoricalColumn } from "./column.js";
import type { Table } from "./table.js";

const TIME = String.raw`(?:[T ]\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?: ?[AP]M|Z|[+-]\d{2}:?\d{2})?)?`;
const DATE = new RegExp(`^(?:\\d{4}[-/.]\\d{1,2}[-/.]\\d{1,2}|\\d{1,2}[-/.]\\d{1,2}[-/.]\\d{2,4})${TIME}$`);

/** Maximum number of columns to name. */
const MOST_NAMED = 5;

/** Warns about columns whose values are all dates, but do not tell the day from the month. */
export function ambiguousDates(table: Table, except: readonly string[]): string[] {
  const columns = table.columns.filter(
    (column): column is CategoricalColumn =>
      column.kind === "categorical" &&
      column.holds?.kind !== "dates" &&
      column.levels.length > 0 &&
      column.levels.every((level) => DATE.test(level.trim())) &&
      !except.includes(column.name),
  );
  if (columns.length === 0) return [];
  const named = shortList(columns, MOST_NAMED, ({ name, levels }) => `"${name}" (such as ${levels[0]})`);
  const isOne = columns.length === 1;
  return [
    `${isOne ? "Column" : "Columns"} ${named} ${isOne ? "contains" : "contain"} dates, which are read as categories. It is not clear which number is the month: write them as 2024-03-31 to use them as dates.`,
  ];
}
