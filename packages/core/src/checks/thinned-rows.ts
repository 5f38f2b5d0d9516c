import { sharedBuffer } from "../runtime/parallel/shared-array.js";
import { type Column, denseValues } from "../table/column.js";
import { conform } from "../table/conform.js";
import { evenRows } from "../table/even-rows.js";
import { MISSING_LEVEL } from "../table/levels.js";
import type { ColumnSchema } from "../table/schema.js";
import type { LabelledRows } from "../table/target.js";

/** Maximum number of rows of each part, and of their cells, for checks of raw columns. */
const MAX_ROWS = 50_000;
const MAX_CELLS = 2 ** 22;

/** Raw cells, and the class index of each row; −1 is an unknown class. */
export type RawRows = Pick<LabelledRows, "features" | "labels">;

/** Rows of a table for checks of its raw columns: all, or an even sample of many. */
export interface ThinnedRows {
  /** The columns, with dates as times; a category code means the same in all parts. */
  readonly columns: readonly Column[];
  /** The class index of each row. */
  readonly labels: Int32Array;
}

/** Thins out the parts of a data set and converts them to the columns of the first; the same in every run. */
export function thinnedRows<Parts extends readonly RawRows[]>(
  parts: Parts,
): { readonly [P in keyof Parts]: ThinnedRows };
export function thinnedRows(parts: readonly RawRows[]): ThinnedRows[] {
  const columns = parts[0].features.columns.map((column) => jointColumn(column, parts.slice(1)));
  const most = Math.ceil(Math.min(MAX_ROWS, MAX_CELLS / Math.max(1, columns.length)));
  return parts.map(({ features, labels }) => {
    const rows = evenRows(labels.length, most);
    const conformed = conform(features.select(rows), { columns, target: "", classes: [] });
    return { columns: conformed.columns, labels: rows.map((row) => labels[row]) };
  });
}

/** Returns the cells of a column as numbers in shared memory: categories by their codes, missing cells as NaN. */
export function cellNumbers(column: Column): Float64Array {
  const from = column.kind === "numeric" ? denseValues(column.values) : column.codes;
  const cells = new Float64Array(sharedBuffer(8 * from.length));
  cells.set(from);
  if (column.kind === "categorical") {
    for (let i = 0; i < cells.length; i++) if (cells[i] === MISSING_LEVEL) cells[i] = Number.NaN;
  }
  return cells;
}

/** Divides columns into about as many groups as threads can use. */
export function columnGroups<Kind>(columns: readonly Kind[]): Kind[][] {
  const size = Math.ceil(columns.length / MOST_GROUPS);
  return Array.from({ length: Math.ceil(columns.length / Math.max(1, size)) }, (_, g) =>
    columns.slice(g * size, (g + 1) * size),
  );
}

const MOST_GROUPS = 64;

/** Makes the schema of a column with the levels of all parts. */
function jointColumn(column: Column, others: readonly RawRows[]): ColumnSchema {
  const { kind, name } = column;
  if (kind === "numeric") return { kind, name };
  if (column.holds?.kind === "dates") return { kind: "date", name, form: column.holds.form };
  const levels = new Set(column.levels);
  for (const { features } of others) {
    const other = features.has(name) ? features.column(name) : undefined;
    if (other?.kind === "categorical") for (const level of other.levels) levels.add(level);
  }
  return { kind, name, levels: [...levels] };
}
