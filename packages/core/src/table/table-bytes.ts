import { VouchError } from "../runtime/vouch-error.js";
import { type Column, denseValues } from "./column.js";
import { Table } from "./table.js";

/** A column in the header of a written table. */
interface WrittenColumn {
  readonly name: string;
  /** The categories; absent for numbers. */
  readonly levels?: readonly string[];
}

/** Bytes of the length of the header and of the number of rows. */
const LENGTHS = 16;

/** Writes a table as bytes, for another process of the same version. */
export function tableBytes({ name, rows, columns }: Table): Uint8Array {
  const written = columns.map(
    (column): WrittenColumn =>
      column.kind === "numeric" ? { name: column.name } : { name: column.name, levels: column.levels },
  );
  const header = new TextEncoder().encode(JSON.stringify({ name, columns: written }));
  const cells = columns.map((column) =>
    column.kind === "numeric"
      ? Float64Array.from(denseValues(column.values))
      : Float64Array.from(column.codes),
  );
  const bytes = new Uint8Array(LENGTHS + header.length + 8 * rows * columns.length);
  const view = new DataView(bytes.buffer);
  view.setFloat64(0, header.length, true);
  view.setFloat64(8, rows, true);
  bytes.set(header, LENGTHS);
  for (const [j, values] of cells.entries()) {
    bytes.set(new Uint8Array(values.buffer), LENGTHS + header.length + 8 * rows * j);
  }
  return bytes;
}

/** Reads a table from bytes. Throws if they are not one. */
export function tableFrom(bytes: Uint8Array): Table {
  if (bytes.length < LENGTHS) throw damaged();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [length, rows] = [view.getFloat64(0, true), view.getFloat64(8, true)];
  if (!(length >= 0 && rows >= 0 && LENGTHS + length <= bytes.length)) throw damaged();
  const { name, columns } = headerFrom(bytes.subarray(LENGTHS, LENGTHS + length));
  if (LENGTHS + length + 8 * rows * columns.length !== bytes.length) throw damaged();
  const made = columns.map(({ name: column, levels }, j): Column => {
    const from = LENGTHS + length + 8 * rows * j;
    const values = new Float64Array(bytes.slice(from, from + 8 * rows).buffer);
    if (!levels) return { kind: "numeric", name: column, values };
    const codes = Int32Array.from(values);
    if (codes.some((code) => code < -1 || code >= levels.length)) throw damaged();
    return { kind: "categorical", name: column, codes, levels };
  });
  return new Table(name, rows, made);
}

function headerFrom(bytes: Uint8Array): { name: string; columns: WrittenColumn[] } {
  const header: unknown = JSON.parse(new TextDecoder().decode(bytes));
  if (typeof header !== "object" || header === null) throw damaged();
  if (!("name" in header && "columns" in header)) throw damaged();
  const { name, columns } = header;
  if (typeof name !== "string" || !Array.isArray(columns) || !columns.every(isColumn)) throw damaged();
  return { name, columns };
}

function isColumn(value: unknown): value is WrittenColumn {
  if (typeof value !== "object" || value === null || !("name" in value)) return false;
  if (typeof value.name !== "string") return false;
  if (!("levels" in value)) return true;
  return Array.isArray(value.levels) && value.levels.every((level) => typeof level === "string");
}

function damaged(): VouchError {
  return new VouchError("task/failed", "The rows of another process are damaged.");
}

/** Joins the rows of tables with the same columns; levels are in the order of the tables. */
export function joinTables(tables: readonly Table[]): Table {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const columns = tables[0].columns.map(({ name, kind }): Column => {
    const parts = tables.map((table) => table.column(name));
    if (kind === "numeric") {
      const values = new Float64Array(rows);
      let at = 0;
      for (const part of parts) {
        if (part.kind !== "numeric") throw damaged();
        values.set(denseValues(part.values), at);
        at += part.values.length;
      }
      return { kind, name, values };
    }
    const codeOf = new Map<string, number>();
    const codes = new Int32Array(rows);
    let at = 0;
    for (const part of parts) {
      if (part.kind !== "categorical") throw damaged();
      const known = part.levels.map((level) => {
        const code = codeOf.get(level) ?? codeOf.size;
        codeOf.set(level, code);
        return code;
      });
      for (const code of part.codes) codes[at++] = code < 0 ? code : known[code];
    }
    return { kind, name, codes, levels: [...codeOf.keys()] };
  });
  return new Table(tables[0].name, rows, columns);
}
