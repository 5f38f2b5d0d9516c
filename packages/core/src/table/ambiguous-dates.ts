import { shortList } from "../runtime/text/number-format.js";
import type { CategoricalColumn } from "./column.js";
import { contentOf } from "./column-content.js";
import { timeIn } from "./date-form.js";
import type { Table, TableNotice } from "./table.js";

const TIME = String.raw`(?:[T ]\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?: ?[AP]M|Z|[+-]\d{2}:?\d{2})?)?`;
const DATE = new RegExp(`^(?:\\d{4}[-/.]\\d{1,2}[-/.]\\d{1,2}|\\d{1,2}[-/.]\\d{1,2}[-/.]\\d{2,4})${TIME}$`);

const ISO = /^\d{4}[-/]\d{1,2}[-/]\d{1,2}/;

/** Maximum number of columns to name. */
const MOST_NAMED = 5;

/** Warns about columns whose values all look like dates, but do not tell the day from the month, or are not in the calendar. */
export function ambiguousDates(table: Table, except: readonly string[]): TableNotice[] {
  const columns = table.columns.filter(
    (column): column is CategoricalColumn =>
      column.kind === "categorical" &&
      column.holds?.kind !== "dates" &&
      column.levels.length > 0 &&
      column.levels.every((level) => DATE.test(level.trim())) &&
      !except.includes(column.name),
  );
  const impossible = columns.flatMap((column) => impossibleDates(column));
  const unclear = columns.filter(({ name }) => !impossible.some(({ columns }) => columns?.includes(name)));
  const settledByOrder = ({ holds: _, ...column }: CategoricalColumn) =>
    contentOf(column, "day-first").kind === "dates";
  const asIso = "write them as 2024-03-31 to use them as dates.";
  return [
    ...impossible,
    ...unclearNotices(
      unclear.filter(settledByOrder),
      `pass --date-order day-first or month-first, or ${asIso}`,
    ),
    ...unclearNotices(
      unclear.filter((column) => !settledByOrder(column)),
      asIso,
    ),
  ];
}

/** Warns about a column of ISO dates of which too many are not in the calendar, as 2023-02-30. */
function impossibleDates({ name, levels }: CategoricalColumn): TableNotice[] {
  const written = levels.filter((level) => ISO.test(level.trim()));
  const impossible = written.filter((level) => Number.isNaN(timeIn("iso", level)));
  if (2 * written.length < levels.length || impossible.length === 0) return [];
  const example = impossible[0].trim();
  const message = `Column "${name}" contains dates that do not exist, such as ${example}, and is read as categories. Correct them to use the column as dates.`;
  return [{ message, columns: [name], isDoubtful: true }];
}

function unclearNotices(columns: readonly CategoricalColumn[], advice: string): TableNotice[] {
  if (columns.length === 0) return [];
  const named = shortList(columns, MOST_NAMED, ({ name, levels }) => `"${name}" (such as ${levels[0]})`);
  const isOne = columns.length === 1;
  const message = `${isOne ? "Column" : "Columns"} ${named} ${isOne ? "contains" : "contain"} dates, which are read as categories. It is not clear which number is the month: ${advice}`;
  return [{ message, columns: columns.map(({ name }) => name), isDoubtful: true }];
}
