import { resolve } from "node:path";
import type { DuckDBConnection, DuckDBDataChunk, DuckDBInstance } from "@duckdb/node-api";
import { interrupted, memoryLimit, reserveMemory, VouchError } from "vouch/errors";
import { formatCount, Table } from "vouch/predict";
import { finiteNumber, MISSING_MARKERS } from "../cell.js";
import { type ColumnBuilder, columnBuilder } from "../column-builder.js";
import { ColumnMemory } from "../column-memory.js";
import { type ColumnRole, columnRoles, uniqueNames } from "../column-roles.js";
import type { ReadOptions } from "../read-options.js";
import { type FileInput, withPlainFile } from "./file-input.js";

const NUMERIC_TYPE = /^(?:U?(?:TINY|SMALL|BIG|HUGE)INT|U?INTEGER|FLOAT|DOUBLE|DECIMAL\(.*\))$/;
const NESTED_TYPE = /^(?:STRUCT|MAP|UNION|VARIANT)\b|\]$/;

/**
 * Reads Parquet with DuckDB. Numbers of all widths become doubles; booleans, dates, times and everything else
 * become categories in DuckDB's spelling. Nulls and NaN are missing cells.
 */
export async function readParquet(input: FileInput, options: ReadOptions): Promise<Table> {
  if (options.signal?.aborted) throw interrupted();
  return withPlainFile(input, options.signal, (path) =>
    withDuckDb(async (connection) => {
      const interrupt = () => connection.interrupt();
      options.signal?.addEventListener("abort", interrupt);
      try {
        return await new ParquetReader(connection, path, input.name, options).read();
      } catch (error) {
        if (options.signal?.aborted) throw interrupted();
        throw parquetError(input.name, error);
      } finally {
        options.signal?.removeEventListener("abort", interrupt);
      }
    }),
  );
}

/** DuckDB reads the one file: it fetches and loads no extension, and writes nothing, not even when memory is short. */
const SETTINGS: Readonly<Record<string, string>> = {
  autoinstall_known_extensions: "false",
  autoload_known_extensions: "false",
  allow_community_extensions: "false",
  allow_unsigned_extensions: "false",
  temp_directory: "",
};

let instance: Promise<DuckDBInstance> | undefined;

/**
 * Calls `use` with a new connection to the in-memory DuckDB of the process. The native library is loaded by the first
 * call, because loading takes longer than most commands that do not need it.
 */
async function withDuckDb<T>(use: (connection: DuckDBConnection) => Promise<T>): Promise<T> {
  instance ??= import("@duckdb/node-api").then(({ DuckDBInstance }) =>
    DuckDBInstance.create(":memory:", SETTINGS),
  );
  const connection = await (await instance).connect();
  try {
    await connection.run(`SET memory_limit = '${Math.floor(memoryLimit())}B'`);
    return await use(connection);
  } finally {
    connection.disconnectSync();
  }
}

/** Reads one file over one connection. */
class ParquetReader {
  readonly #connection: DuckDBConnection;
  readonly #file: string;
  readonly #options: ReadOptions;
  readonly #path: string;

  constructor(connection: DuckDBConnection, path: string, file: string, options: ReadOptions) {
    this.#connection = connection;
    this.#file = file;
    this.#options = options;
    this.#path = quoted(globEscaped(resolve(path)), "'");
  }

  async read(): Promise<Table> {
    // A folder called z=9 is no column z.
    const source = `read_parquet(${this.#path}, binary_as_string = true, hive_partitioning = false)`;
    const described = await this.#texts(`SELECT column_name, column_type FROM (DESCRIBE FROM ${source})`);
    const names = uniqueNames(this.#file, await this.#storedNames());
    const roles = columnRoles(this.#file, names, this.#options);
    const memory = new ColumnMemory(this.#file);
    const builders: ColumnBuilder[] = [];
    const selected: string[] = [];
    described.forEach(([alias, type], index) => {
      const name = names[index];
      const role = roles.get(name);
      if (role === "ignored") return;
      const kind = this.#isNumeric(name, type, role) ? "numeric" : "categorical";
      const builder = columnBuilder(kind, name, memory);
      builders.push(builder);
      selected.push(expression(alias, builder.kind, type));
    });
    await this.#checkRows(builders);
    const rows = await this.#copyRows(`SELECT ${selected.join(", ")} FROM ${source}`, builders, memory);
    if (rows === 0) throw new VouchError("data/no-rows", `${this.#file} has no rows.`);
    return new Table(
      this.#file,
      rows,
      builders.map((builder) => builder.finish(rows)),
    );
  }

  /** Reads the top-level names as they are in the file: DuckDB renames those that differ only in case. */
  async #storedNames(): Promise<string[]> {
    const schema = await this.#texts(
      `SELECT name, coalesce(num_children, 0)::VARCHAR FROM parquet_schema(${this.#path})`,
    );
    const names: string[] = [];
    for (let at = 1; at < schema.length; at = afterSubtree(schema, at)) names.push(schema[at][0]);
    return names;
  }

  /** Checks that the rows that the file declares fit into the memory. */
  async #checkRows(builders: readonly ColumnBuilder[]): Promise<void> {
    const [[declared]] = await this.#texts(
      `SELECT sum(num_rows)::DOUBLE FROM parquet_file_metadata(${this.#path})`,
    );
    const rows = Number(declared);
    const bytes = builders.reduce((sum, { kind }) => sum + (kind === "numeric" ? 8 : 4), 0);
    reserveMemory(
      `a table of ${formatCount(rows, "row")} and ${formatCount(builders.length, "column")}`,
      rows * bytes,
    );
  }

  async #texts(sql: string): Promise<string[][]> {
    const reader = await this.#connection.runAndReadAll(sql);
    return reader.getRows().map((row) => row.map(String));
  }

  #isNumeric(column: string, type: string, role: ColumnRole | undefined): boolean {
    if (NESTED_TYPE.test(type)) {
      throw new VouchError(
        "data/malformed",
        `${this.#file}, column "${column}": its cells are nested (${type}).`,
        { hint: `Flatten the column, or leave it out with --ignore ${column}.` },
      );
    }
    return role === "numeric" || (role === undefined && NUMERIC_TYPE.test(type));
  }

  async #copyRows(sql: string, builders: readonly ColumnBuilder[], memory: ColumnMemory): Promise<number> {
    const result = await this.#connection.stream(sql);
    let rows = 0;
    for (;;) {
      const chunk = await result.fetchChunk();
      if (chunk === null || chunk.rowCount === 0) return rows;
      if (this.#options.signal?.aborted) throw interrupted();
      memory.addRows(chunk.rowCount, chunk.rowCount * builders.length);
      this.#copyChunk(chunk, builders, rows);
      rows += chunk.rowCount;
      this.#options.onProgress?.({ stage: `Reading ${this.#file}`, done: rows });
    }
  }

  #copyChunk(chunk: DuckDBDataChunk, builders: readonly ColumnBuilder[], firstRow: number): void {
    // `rowCount` calls the native library.
    const rows = chunk.rowCount;
    builders.forEach((builder, j) => {
      const vector = chunk.getColumnVector(j);
      for (let i = 0; i < rows; i++) {
        const row = firstRow + i;
        const cell = vector.getItem(i);
        if (builder.kind === "categorical") builder.set(row, String(cell));
        else builder.set(row, this.#number(cell, row, builder.name));
      }
    });
  }

  /** Converts a number, or a text in a column that the options make numeric. */
  #number(cell: unknown, row: number, column: string): number {
    if (typeof cell === "string" && MISSING_MARKERS.has(cell)) return Number.NaN;
    if (typeof cell === "number" && (Number.isFinite(cell) || Number.isNaN(cell))) return cell;
    return finiteNumber({ file: this.#file, row: row + 1, column }, String(cell));
  }
}

/** Writes the SQL for a column without nulls: a missing number is NaN, a missing text is empty. */
function expression(column: string, kind: ColumnBuilder["kind"], type: string): string {
  const name = quoted(column, '"');
  const number = kind === "numeric" && NUMERIC_TYPE.test(type);
  return number ? `coalesce(${name}::DOUBLE, 'nan'::DOUBLE)` : `coalesce(${name}::VARCHAR, '')`;
}

/** Returns the place after an element of the schema and all elements in it, which follow it. */
function afterSubtree(schema: readonly string[][], at: number): number {
  let next = at;
  for (let open = 1; open > 0 && next < schema.length; next++) open += Number(schema[next][1]) - 1;
  return next;
}

function quoted(text: string, quote: string): string {
  return quote + text.replaceAll(quote, quote + quote) + quote;
}

/** Escapes a path, which DuckDB reads as a pattern; in brackets, special characters stand for themselves. */
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
  return new VouchError("data/malformed", `${file} is not a valid Parquet file: ${reason}`, {
    hint: "The file may be incomplete or damaged: write or download it again.",
    cause: error,
  });
}
