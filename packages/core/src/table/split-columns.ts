import { formatCount, formatNumber } from "../runtime/text/number-format.js";
import { columnHint } from "../runtime/text/suggestions.js";
import { VouchError } from "../runtime/vouch-error.js";
import type { CategoricalColumn, Column, NumericColumn } from "./column.js";
import { timeOfText } from "./date-text.js";
import { numberOf, shortestDecimal } from "./number-text.js";
import type { Table } from "./table.js";

/**
 * Columns that define which rows belong together, or their order in time; at most one of them. They are not features.
 */
export interface SplitColumns {
  /** Column whose equal values mark rows that belong together, such as the rows of one patient. */
  readonly group?: string;
  /** Column with the time of each row: numbers, or ISO 8601 dates. */
  readonly time?: string;
}

/** The group or the time of each row. */
export interface SplitValues {
  /** Present if there is a group column: a number for each group. */
  readonly groups?: Int32Array;
  /** Group names by number; a row without a group is its own group, with a number beyond this list. */
  readonly groupNames?: readonly string[];
  /** Present if there is a time column: times ascend. */
  readonly times?: Float64Array;
}

/** Throws if both columns are named, one does not exist, or one is the target. */
export function checkSplitColumns(table: Table, target: string, { group, time }: SplitColumns): void {
  if (group !== undefined && time !== undefined) {
    throw new VouchError("option/invalid", "Use only one of group and time.", {
      hint: "Rows are kept together by group, or split by time.",
    });
  }
  for (const [role, name] of Object.entries({ group, time })) {
    if (name === undefined) continue;
    if (name === target) {
      throw new VouchError("option/invalid", `Column "${name}" is the target, so it cannot be the ${role}.`);
    }
    if (table.has(name)) continue;
    throw new VouchError("data/missing-column", `${table.name} has no ${role} column "${name}".`, {
      hint: columnHint(
        name,
        table.columns.map((column) => column.name),
      ),
    });
  }
}

/** Reads the group or the time of each row; skips columns that the table lacks. */
export function splitValues(table: Table, { group, time }: SplitColumns): SplitValues {
  return {
    ...(group !== undefined && table.has(group) && groupsOf(table.column(group))),
    ...(time !== undefined && table.has(time) && { times: timesOf(table, table.column(time)) }),
  };
}

/** Says that the columns are not features. */
export function notFeatures({ group, time }: SplitColumns): string[] {
  if (group !== undefined) return [`Column "${group}" is not used as a feature: it groups the rows.`];
  return time === undefined ? [] : [`Column "${time}" is not used as a feature: it orders the rows by time.`];
}

/** Warns about rows without a group, and throws on rows without a time. */
export function splitNotices(
  table: Table,
  { time }: SplitColumns,
  { groups, groupNames = [], times }: SplitValues,
): string[] {
  if (times) checkTimes(table, time, times);
  const alone = groups?.reduce((count, own) => count + (own < groupNames.length ? 0 : 1), 0) ?? 0;
  if (alone === 0) return [];
  if (alone === 1) return ["1 row has no group and counts as a group of its own."];
  return [`${formatNumber(alone)} rows have no group: each counts as a group of its own.`];
}

/** Numbers the groups by their values; missing cells get separate numbers. */
function groupsOf(column: Column): Pick<SplitValues, "groups" | "groupNames"> {
  const numberOfGroup = new Map<string | number, number>();
  const code = (value: string | number) => {
    const known = numberOfGroup.get(value);
    if (known !== undefined) return known;
    numberOfGroup.set(value, numberOfGroup.size);
    return numberOfGroup.size - 1;
  };
  const groups = column.kind === "categorical" ? codesOfText(column, code) : codesOfNumbers(column, code);
  let next = numberOfGroup.size;
  for (let row = 0; row < groups.length; row++) if (groups[row] < 0) groups[row] = next++;
  const single = column.kind === "numeric" && column.values instanceof Float32Array;
  const groupNames = Array.from(numberOfGroup.keys(), (value) =>
    typeof value === "number" ? shortestDecimal(value, single) : value,
  );
  return { groups, groupNames };
}

function codesOfText({ codes, levels }: CategoricalColumn, code: (level: string) => number): Int32Array {
  return codes.map((level) => (level < 0 ? -1 : code(levels[level])));
}

function codesOfNumbers({ values }: NumericColumn, code: (value: number) => number): Int32Array {
  return Int32Array.from(values, (value) => (Number.isNaN(value) ? -1 : code(value)));
}

/** Reads times: numbers as they are, strings as numbers if all are, otherwise as dates. Missing cells are NaN. */
function timesOf(table: Table, column: Column): Float64Array {
  if (column.kind === "numeric") return Float64Array.from(column.values);
  const { name, codes, levels } = column;
  const numbers = levels.map(numberOf);
  const times = numbers.some(Number.isNaN) ? levels.map(timeOfText) : numbers;
  return Float64Array.from(codes, (code, row) => {
    if (code < 0) return Number.NaN;
    if (!Number.isNaN(times[code])) return times[code];
    throw new VouchError(
      "data/malformed",
      `${table.name}, row ${row + 1}, column "${name}": "${levels[code]}" is not a time.`,
      { hint: "Write times as numbers, or as dates such as 2024-03-01 or 2024-03-01T12:00:00Z." },
    );
  });
}

function checkTimes(table: Table, name: string | undefined, times: Float64Array): void {
  const missing = times.reduce((count, time) => count + (Number.isFinite(time) ? 0 : 1), 0);
  if (missing === 0) return;
  throw new VouchError(
    "data/malformed",
    `${table.name}, column "${name}": ${formatNumber(missing)} of ${formatCount(times.length, "row")} ${missing === 1 ? "has" : "have"} no time.`,
    { hint: "Complete the times, or leave these rows out." },
  );
}
