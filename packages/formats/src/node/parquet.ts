import { openAsBlob } from "node:fs";
import { resolve } from "node:path";
import type { DuckDBConnection, DuckDBDataChunk, DuckDBInstance } from "@duckdb/node-api";
import { memoryLimit, reserveMemory } from "@vouch/core/internal/runtime/memory-limit";
import { formatCount } from "@vouch/core/internal/runtime/text/number-format";
import { interrupted, VouchError } from "@vouch/core/internal/runtime/vouch-error";
import { Table } from "@vouch/core/internal/table/table";
import { INFERENCE_ROWS, infiniteCell } from "../cell.js";
import { type ColumnBuilder, columnBuilder } from "../column-builder.js";
import { ColumnMemory } from "../column-memory.js";
import { columnRoles, uniqueNames } from "../column-roles.js";
import type { DataPart, PartsOfData } from "../data-part.js";
import {
  BINARY_VALUES,
  malformedParquet,
  nestedColumn,
  UnsupportedValues,
  unsupportedColumn,
} from "../parquet/malformed-parquet.js";
import { readParquetParts } from "../parquet/read-parquet.js";
import { TextNumbers } from "../parquet/text-numbers.js";
import type { ReadOptions } from "../read-options.js";
import { inChunks, noticedAtEnd, wholeTable } from "../table-chunks.js";
import { type FileInput, withPlainFile } from "./file-input.js";
import { openResource } from "./open-resource.js";

const NUMERIC_TYPE = /^(?:U?(?:TINY|SMALL|BIG|HUGE)INT|U?INTEGER|FLOAT|DOUBLE|DECIMAL\(.*\))$/;
const NESTED_TYPE = /^(?:STRUCT|MAP|UNION|VARIANT)\b|\]$/;

/**
 * Reads Parquet with DuckDB if it is installed, otherwise with the browser reader, into the same tables. Numbers of all
 * widths become doubles; booleans, dates, times and everything else become categories in DuckDB's spelling. Nulls and
 * NaN are missing cells.
 */
export async function* readParquet(
  input: FileInput,
  options: ReadOptions,
  rows: number,
  part?: PartsOfData,
): AsyncGenerator<Table> {
  if (options.signal?.aborted) throw interrupted();
  const file = await openResource<string>((use) => withPlainFile(input, options.signal, use));
  try {
    const duckDb = await installedDuckDb();
    if (duckDb) yield* readWithDuckDb(duckDb, file.resource, input.name, options, rows, part);
    else yield* readParquetParts(await openAsBlob(file.resource), input.name, options, rows, part);
  } finally {
    await file.release();
  }
}

async function* readWithDuckDb(
  duckDb: DuckDBInstance,
  path: string,
  name: string,
  options: ReadOptions,
  rows: number,
  part: PartsOfData | undefined,
): AsyncGenerator<Table> {
  const connection = await duckDb.connect();
  const interrupt = () => connection.interrupt();
  options.signal?.addEventListener("abort", interrupt);
  const reader = new ParquetReader(connection, path, name, options);
  try {
    await connection.run(`SET memory_limit = '${Math.floor(memoryLimit())}B'`);
    yield* reader.read(rows, part);
  } catch (error) {
    if (options.signal?.aborted) throw interrupted();
    const binary = isNotUtf8(error) ? await reader.findBinaryColumn() : undefined;
    if (binary !== undefined) throw unsupportedColumn(name, binary, new UnsupportedValues(BINARY_VALUES));
    throw parquetError(name, error);
  } finally {
    options.signal?.removeEventListener("abort", interrupt);
    connection.disconnectSync();
  }
}

/** DuckDB may only read this file: it loads no extension and writes nothing, even if memory is short. */
const SETTINGS: Readonly<Record<string, string>> = {
  autoinstall_known_extensions: "false",
  autoload_known_extensions: "false",
  allow_community_extensions: "false",
  allow_unsigned_extensions: "false",
  temp_directory: "",
};

let instance: Promise<DuckDBInstance | undefined> | undefined;

/**
 * Returns the process's in-memory DuckDB; undefined if it is not installed. Loaded on first call, because loading takes
 * longer than most commands.
 */
function installedDuckDb(): Promise<DuckDBInstance | undefined> {
  instance ??= import("@duckdb/node-api").then(
    ({ DuckDBInstance }) => DuckDBInstance.create(":memory:", SETTINGS),
    (error) => {
      if (error?.code === "ERR_MODULE_NOT_FOUND") return undefined;
      throw error;
    },
  );
  return instance;
}

/** A column of the file. */
interface StoredColumn {
  readonly name: string;
  readonly type: string;
  /** Its name in queries. */
  readonly alias: string;
}

/** A column to read. */
interface SelectedColumn {
  readonly name: string;
  readonly kind: ColumnBuilder["kind"];
  /** Its expression in the query. */
  readonly sql: string;
}

/** A table to which rows are added. */
class GrowingTable {
  readonly #file: string;
  readonly #memory: ColumnMemory;
  readonly builders: readonly ColumnBuilder[];
  readonly firstRow: number;
  rows = 0;

  constructor(file: string, columns: readonly SelectedColumn[], firstRow: number) {
    this.#file = file;
    const memory = new ColumnMemory(file);
    this.#memory = memory;
    this.builders = columns.map(({ kind, name }) => columnBuilder(kind, name, memory));
    this.firstRow = firstRow;
  }

  /** Makes room for rows, whose cells are set afterwards. */
  addRows(rows: number): void {
    this.#memory.addRows(rows, rows * this.builders.length);
    this.rows += rows;
  }

  finish(): Table {
    const columns = this.builders.map((builder) => builder.finish(this.rows));
    return new Table(this.#file, this.rows, columns, this.firstRow);
  }
}

/** Reads one file over one connection. */
class ParquetReader {
  readonly #connection: DuckDBConnection;
  readonly #file: string;
  readonly #options: ReadOptions;
  readonly #path: string;
  #textNumbers: TextNumbers | undefined;
  /** For each column of strings, a query for its values. */
  #stringQueries: readonly { readonly name: string; readonly sql: string }[] = [];

  constructor(connection: DuckDBConnection, path: string, file: string, options: ReadOptions) {
    this.#connection = connection;
    this.#file = file;
    this.#options = options;
    this.#path = `'${globEscaped(resolve(path)).replaceAll("'", "''")}'`;
  }

  /** Reads the rows, or the row groups of a part, in tables of at most `most` rows. */
  async *read(most: number, part?: PartsOfData): AsyncGenerator<Table> {
    // A folder called z=9 must not become a column z.
    const source = `read_parquet(${this.#path}, binary_as_string = true, hive_partitioning = false)`;
    const types = await this.#texts(`SELECT column_type FROM (DESCRIBE FROM ${source})`);
    const names = uniqueNames(this.#file, await this.#storedNames());
    const roles = columnRoles(this.#file, names, this.#options);
    // Column names may be arbitrary strings; positions are safe.
    const aliases = types.map((_, index) => `c${index}`).join(", ");
    const stored = types.flatMap(([type], index): StoredColumn[] => {
      const name = names[index];
      if (roles.get(name) === "ignored") return [];
      if (NESTED_TYPE.test(type)) throw nestedColumn(this.#file, name, type);
      return [{ name, type, alias: `c${index}` }];
    });
    const texts = stored
      .filter(({ type }) => !NUMERIC_TYPE.test(type))
      .map(({ type, ...column }) => ({ ...column, isString: type === "VARCHAR" }));
    this.#stringQueries = texts
      .filter(({ isString }) => isString)
      .map(({ name, alias }) => ({ name, sql: `SELECT ${alias} FROM ${source} AS file(${aliases})` }));
    const open = texts
      .filter(({ name, isString }) => roles.get(name) === "numeric" || (isString && !roles.has(name)))
      .map(({ name, alias }) => ({ name, kind: "categorical" as const, sql: textExpression(alias) }));
    const firstRows = await this.#firstRows(open, `${source} AS file(${aliases})`);
    const textNumbers = new TextNumbers(this.#file, texts, roles, this.#options, firstRows);
    this.#textNumbers = textNumbers;
    const columns = stored.map(({ name, type, alias }): SelectedColumn => {
      const isNumber = NUMERIC_TYPE.test(type);
      const isNumeric = isNumber ? (roles.get(name) ?? "numeric") === "numeric" : textNumbers.isNumeric(name);
      const sql = isNumber && isNumeric ? numberExpression(alias, type) : textExpression(alias);
      return { name, kind: isNumeric ? "numeric" : "categorical", sql };
    });
    const rows = await this.#checkRows(columns, most);
    yield* noticedAtEnd(this.#selected(columns, source, aliases, most, part), () =>
      textNumbers.notices(rows, part),
    );
  }

  /** Finds the string column with bytes that are not text, which DuckDB's error does not name. */
  async findBinaryColumn(): Promise<string | undefined> {
    for (const { name, sql } of this.#stringQueries) {
      try {
        const result = await this.#connection.stream(sql);
        for (let chunk = await result.fetchChunk(); chunk?.rowCount; chunk = await result.fetchChunk());
      } catch (error) {
        if (isNotUtf8(error)) return name;
      }
    }
    return undefined;
  }

  /** Reads the first rows; undefined if there are no columns to read. */
  async #firstRows(columns: readonly SelectedColumn[], source: string): Promise<Table | undefined> {
    if (columns.length === 0) return undefined;
    const selected = columns.map(({ sql }) => sql).join(", ");
    const tables = this.#tables(
      `SELECT ${selected} FROM ${source} LIMIT ${INFERENCE_ROWS}`,
      columns,
      INFERENCE_ROWS,
    );
    return wholeTable(tables);
  }

  async *#selected(
    columns: readonly SelectedColumn[],
    source: string,
    aliases: string,
    most: number,
    part: DataPart | undefined,
  ): AsyncGenerator<Table> {
    const selected = columns.map(({ sql }) => sql).join(", ");
    if (!part) {
      yield* this.#tables(`SELECT ${selected} FROM ${source} AS file(${aliases})`, columns, most);
      return;
    }
    const [begin, end] = await this.#rowsOfPart(part);
    if (begin === end) {
      yield new GrowingTable(this.#file, columns, begin).finish();
      return;
    }
    const numbered = `${source.slice(0, -1)}, file_row_number = true)`;
    const condition = `file_row_number >= ${begin} AND file_row_number < ${end}`;
    yield* this.#tables(
      `SELECT ${selected} FROM ${numbered} AS file(${aliases}) WHERE ${condition} ORDER BY file_row_number`,
      columns,
      most,
      begin,
    );
  }

  /** Returns the rows of the row groups that begin in a part of the file. */
  async #rowsOfPart({ shard, shards }: DataPart): Promise<[begin: number, end: number]> {
    const groups = await this.#texts(
      `SELECT DISTINCT row_group_id, row_group_num_rows::DOUBLE FROM parquet_metadata(${this.#path}) ORDER BY row_group_id`,
    );
    const starts = [0];
    for (const [, rows] of groups) starts.push(starts[starts.length - 1] + Number(rows));
    const all = starts[starts.length - 1];
    const from = (place: number) => starts.find((start) => start >= (all * place) / shards) ?? all;
    return [from(shard), from(shard + 1)];
  }

  /** Reads the original top-level names; DuckDB renames those that differ only in case. */
  async #storedNames(): Promise<string[]> {
    const schema = await this.#texts(
      `SELECT ${verbatim("name")}, coalesce(num_children, 0)::VARCHAR FROM parquet_schema(${this.#path})`,
    );
    const names: string[] = [];
    for (let at = 1; at < schema.length; at = afterSubtree(schema, at)) names.push(schema[at][0]);
    return names;
  }

  /** Checks that the declared rows fit into memory; returns their number. */
  async #checkRows(columns: readonly SelectedColumn[], most: number): Promise<number> {
    const [[declared]] = await this.#texts(
      `SELECT sum(num_rows)::DOUBLE FROM parquet_file_metadata(${this.#path})`,
    );
    const rows = Math.min(most, Number(declared));
    const bytes = columns.reduce((sum, { kind }) => sum + (kind === "numeric" ? 8 : 4), 0);
    reserveMemory(
      `a table of ${formatCount(rows, "row")} and ${formatCount(columns.length, "column")}`,
      rows * bytes,
    );
    return Number(declared);
  }

  async #texts(sql: string): Promise<string[][]> {
    const reader = await this.#connection.runAndReadAll(sql);
    return reader.getRows().map((row) => row.map(String));
  }

  async *#tables(
    sql: string,
    columns: readonly SelectedColumn[],
    most: number,
    firstRow = 0,
  ): AsyncGenerator<Table> {
    const result = await this.#connection.stream(sql);
    let growing = new GrowingTable(this.#file, columns, firstRow);
    for (;;) {
      const chunk = await result.fetchChunk();
      if (chunk === null || chunk.rowCount === 0) break;
      if (this.#options.signal?.aborted) throw interrupted();
      const { rows } = growing;
      growing.addRows(chunk.rowCount);
      this.#copyChunk(chunk, growing, rows);
      this.#options.onProgress?.({ stage: `Reading ${this.#file}`, done: growing.firstRow + growing.rows });
      if (growing.rows < most) continue;
      yield* inChunks(growing.finish(), most);
      growing = new GrowingTable(this.#file, columns, growing.firstRow + growing.rows);
    }
    if (growing.rows > 0) yield growing.finish();
    else if (growing.firstRow === 0) {
      throw new VouchError("data/no-rows", `${this.#file} has no rows.`);
    }
  }

  #copyChunk(chunk: DuckDBDataChunk, { builders, firstRow }: GrowingTable, from: number): void {
    // `rowCount` calls the native library.
    const rows = chunk.rowCount;
    builders.forEach((builder, j) => {
      const vector = chunk.getColumnVector(j);
      for (let i = 0; i < rows; i++) {
        const row = from + i;
        const cell = vector.getItem(i);
        if (builder.kind === "categorical") builder.set(row, String(cell));
        else builder.set(row, this.#number(cell, firstRow + row, builder.name));
      }
    });
  }

  /** Validates a number, or parses a string in a numeric column. */
  #number(cell: unknown, row: number, column: string): number {
    if (typeof cell === "number" && (Number.isFinite(cell) || Number.isNaN(cell))) return cell;
    if (typeof cell === "string" && this.#textNumbers) return this.#textNumbers.number(column, cell, row + 1);
    throw infiniteCell({ file: this.#file, row: row + 1, column }, String(cell));
  }
}

/**
 * Digits that DuckDB rounds correctly; longer decimals would be rounded twice, so they are converted from their text.
 */
const EXACT_DIGITS = 15;

/** Returns the SQL for a numeric column without nulls, in which NaN is missing. */
function numberExpression(column: string, type: string): string {
  const digits = Number(/^DECIMAL\((\d+)/.exec(type)?.[1] ?? 0);
  const number = digits > EXACT_DIGITS ? `${column}::VARCHAR::DOUBLE` : `${column}::DOUBLE`;
  return `coalesce(${number}, 'nan'::DOUBLE)`;
}

function isNotUtf8(error: unknown): boolean {
  return error instanceof Error && error.message.includes("Invalid string encoding");
}

/** Returns the SQL for a text column without nulls, in which an empty string is missing. */
function textExpression(column: string): string {
  return `coalesce(${verbatim(`${column}::VARCHAR`)}, '')`;
}

/** Returns the SQL that protects a leading byte-order mark, which DuckDB's client would drop. */
function verbatim(text: string): string {
  return `CASE WHEN starts_with(${text}, chr(65279)) THEN chr(65279) || ${text} ELSE ${text} END`;
}

/** Returns the index after a schema element and its descendants, which follow it. */
function afterSubtree(schema: readonly string[][], at: number): number {
  let next = at;
  for (let open = 1; open > 0 && next < schema.length; next++) open += Number(schema[next][1]) - 1;
  return next;
}

/** Escapes a path, which DuckDB reads as a pattern; in brackets, special characters are literal. */
function globEscaped(path: string): string {
  return path.replace(/[*?[]/g, "[$&]");
}

function parquetError(file: string, error: unknown): unknown {
  if (error instanceof VouchError || !(error instanceof Error)) return error;
  const [reason] = error.message.split("\n");
  if (reason.startsWith("Out of Memory")) {
    return new VouchError("memory/limit", `${file} needs more memory than the limit allows: ${reason}`, {
      hint: "Write the file in smaller row groups, or raise the limit (--memory, or limitMemory in programs).",
      cause: error,
    });
  }
  return malformedParquet(file, reason, error);
}
