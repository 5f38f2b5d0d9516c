import { type Column, Table, VouchError } from "vouch/predict";
import type { ColumnSchema, Schema } from "vouch/train";
import { checkCells, checkUnusedColumns, type ServeLimits } from "./limits.js";
import { isObject } from "./request-body.js";
import { type CellKind, codeFor, numberFrom, REQUEST, textFrom } from "./request-columns.js";

type CellRecord = Readonly<Record<string, unknown>>;

/** One column of the model, with what reading it needs. */
interface ExpectedColumn {
  readonly name: string;
  readonly kind: CellKind;
  /** Whether every object inherits a property of this name, such as "constructor": then only own properties count. */
  readonly inherited: boolean;
}

/** Returns the kind of cells that a column of the model takes. */
export function cellKind({ kind }: Pick<ColumnSchema, "kind">): CellKind {
  return kind === "numeric" ? "numbers" : "texts";
}

/**
 * Reads JSON records into the columns of one model. It is made once per model and used for every request, so it looks only for the
 * columns that the model has, and looks at other keys only if there are any.
 */
export class RecordReader {
  readonly #columns: readonly ExpectedColumn[];

  constructor({ columns }: Schema) {
    this.#columns = columns.map((column) => ({
      name: column.name,
      kind: cellKind(column),
      inherited: column.name in Object.prototype,
    }));
  }

  /**
   * Makes a table of records. A column that no record has is left out, so that the model names it as missing; columns that the model
   * does not know keep their names only. Throws if the table would be larger than the limits allow.
   */
  read(records: readonly unknown[], limits: ServeLimits): Table {
    const rows = records.length;
    checkCells(limits, rows, this.#columns.length);
    const checked = records.every(isObject) ? records : undefined;
    if (!checked) throw notARecord(records);
    let found = 0;
    const columns: Column[] = [];
    for (const expected of this.#columns) {
      const read =
        expected.kind === "numbers" ? readNumbers(expected, checked) : readTexts(expected, checked);
      if (read.found > 0) columns.push(read.column);
      found += read.found;
    }
    let keys = 0;
    for (let row = 0; row < rows; row++) keys += Object.keys(checked[row]).length;
    if (keys > found) columns.push(...this.#otherColumns(checked, limits));
    return new Table(REQUEST, rows, columns);
  }

  /** Lists the columns that the model does not know, without their cells. */
  #otherColumns(records: readonly CellRecord[], limits: ServeLimits): Column[] {
    const known = new Set(this.#columns.map(({ name }) => name));
    const names = new Set<string>();
    for (const record of records) {
      for (const name of Object.keys(record)) if (!known.has(name)) names.add(name);
      checkUnusedColumns(limits, names.size);
    }
    const values = new Float64Array(records.length).fill(Number.NaN);
    return Array.from(names, (name) => ({ kind: "numeric", name, values }));
  }
}

/** A column, and how many records have it. */
interface ReadColumn {
  readonly column: Column;
  readonly found: number;
}

function readNumbers({ name, inherited }: ExpectedColumn, records: readonly CellRecord[]): ReadColumn {
  const values = new Float64Array(records.length);
  let found = 0;
  for (let row = 0; row < records.length; row++) {
    const record = records[row];
    const cell = inherited && !Object.hasOwn(record, name) ? undefined : record[name];
    if (typeof cell === "number") {
      values[row] = cell;
      found++;
    } else if (cell === undefined) values[row] = Number.NaN;
    else {
      values[row] = numberFrom(cell, name, row);
      found++;
    }
  }
  return { column: { kind: "numeric", name, values }, found };
}

function readTexts({ name, inherited }: ExpectedColumn, records: readonly CellRecord[]): ReadColumn {
  const codeOf = new Map<string, number>();
  const codes = new Int32Array(records.length);
  let found = 0;
  for (let row = 0; row < records.length; row++) {
    const record = records[row];
    const cell = inherited && !Object.hasOwn(record, name) ? undefined : record[name];
    if (cell !== undefined) found++;
    const text = textFrom(cell, name, row);
    codes[row] = text === undefined ? -1 : codeFor(codeOf, text);
  }
  return { column: { kind: "categorical", name, codes, levels: [...codeOf.keys()] }, found };
}

function notARecord(records: readonly unknown[]): VouchError {
  const row = records.findIndex((record) => !isObject(record));
  const given = records[row];
  const what = given === null ? "null" : Array.isArray(given) ? "an array" : `a ${typeof given}`;
  return new VouchError(
    "data/malformed",
    `${REQUEST}, row ${row + 1}: expected an object, but got ${what}.`,
    {
      hint: "Send one object with a cell per column, or an array of such objects.",
    },
  );
}
