import { type Column, chooseTarget, formatCount, formatNumber, type Table } from "vouch";
import { printable, wrap } from "./terminal.js";

/** Classes that are named with their counts; more are only counted. */
const MOST_CLASSES = 6;

/** What was read, in a sentence or two: rows, columns by kind, identifiers apart, classes, missing cells. */
export function dataLines(
  table: Table,
  target: string | undefined,
  columns: number,
  identifiers: readonly string[] = [],
): string {
  const name = chooseTarget(table, target);
  const features = table.columns.filter(
    (column) => column.name !== name && !identifiers.includes(column.name),
  );
  const numeric = features.filter(({ kind }) => kind === "numeric").length;
  const kinds = [
    ...(numeric > 0 ? [formatCount(numeric, "numeric column")] : []),
    ...(features.length > numeric ? [formatCount(features.length - numeric, "categorical column")] : []),
  ];
  const missing = features.reduce((sum, column) => sum + missingCells(column), 0);
  const facts = [
    formatCount(table.rows, "row"),
    ...kinds,
    ...(identifiers.length > 0 ? [formatCount(identifiers.length, "identifier column")] : []),
    ...(missing > 0 ? [formatCount(missing, "missing cell")] : []),
    `target "${name}" with ${classesIn(table.column(name))}`,
  ];
  return wrap(printable(`${table.name}: ${facts.join(", ")}`), columns);
}

/** How many cells of a column are missing. */
export function missingCells(column: Column): number {
  let missing = 0;
  if (column.kind === "categorical") {
    for (const code of column.codes) if (code < 0) missing++;
  } else if (column.values instanceof Float64Array || column.values instanceof Float32Array) {
    for (const value of column.values) if (Number.isNaN(value)) missing++;
  }
  return missing;
}

function classesIn(column: Column): string {
  const counts = new Map<string | number, number>();
  const count = (value: string | number) => counts.set(value, (counts.get(value) ?? 0) + 1);
  if (column.kind === "categorical") {
    for (const code of column.codes) if (code >= 0) count(column.levels[code]);
  } else {
    for (const value of column.values) if (!Number.isNaN(value)) count(value);
  }
  const number = formatCount(counts.size, "class", "classes");
  if (counts.size > MOST_CLASSES) return number;
  return `${number} (${[...counts].map(([name, rows]) => `${name} ${formatNumber(rows)}`).join(", ")})`;
}
