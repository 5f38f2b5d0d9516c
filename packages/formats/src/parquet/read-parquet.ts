import { reserveMemory } from "@vouch/core/internal/runtime/memory-limit";
import { formatCount } from "@vouch/core/internal/runtime/text/number-format";
import { interrupted, VouchError } from "@vouch/core/internal/runtime/vouch-error";
import type { Column } from "@vouch/core/internal/table/column";
import { Table } from "@vouch/core/internal/table/table";
import type { FileMetaData, RowGroup, SchemaElement } from "hyparquet";
import { parquetMetadata } from "hyparquet/src/metadata.js";
import { unreadable } from "../blob-bytes.js";
import { INFERENCE_ROWS, infiniteCell } from "../cell.js";
import { type ColumnBuilder, columnBuilder } from "../column-builder.js";
import { ColumnMemory, checkColumnCount } from "../column-memory.js";
import { type ColumnRole, columnRoles, uniqueNames } from "../column-roles.js";
import type { DataPart, PartsOfData } from "../data-part.js";
import type { ReadOptions } from "../read-options.js";
import { inChunks, noticedAtEnd, wholeTable } from "../table-chunks.js";
import { readPages, type ValuePage } from "./column-pages.js";
import { type ColumnType, columnType, type RawValue } from "./column-type.js";
import { malformedParquet, nestedColumn, UnsupportedValues, unsupportedColumn } from "./malformed-parquet.js";
import { TextNumbers } from "./text-numbers.js";
import { thriftExtent } from "./thrift-extent.js";

/** Maximum memory of decoded metadata per byte. */
const MEMORY_PER_METADATA_BYTE = 32;
const MAGIC = 0x31524150;
const TAIL_BYTES = 8;

/**
 * Reads Parquet without DuckDB into the same table. Numbers of all widths become doubles; booleans, dates, times and
 * everything else become categories in DuckDB's spelling. Nulls and NaN are missing cells. In addition to the table,
 * one page is in memory at a time.
 */
export function readParquetBlob(file: Blob, name: string, options: ReadOptions): Promise<Table> {
  return wholeTable(readParquetParts(file, name, options, Number.POSITIVE_INFINITY));
}

/** Reads the rows like `readParquetBlob`, or the row groups of a part, in tables of at most `most` rows. */
export async function* readParquetParts(
  file: Blob,
  name: string,
  options: ReadOptions,
  most: number,
  part?: PartsOfData,
): AsyncGenerator<Table> {
  try {
    const metadata = await readMetadata(file);
    const reader = new BlobReader(file, name, metadata, options);
    const texts = await reader.surveyTexts();
    const tables = reader.read(most, part, texts);
    yield* noticedAtEnd(tables, () => texts.notices(reader.rows, part));
  } catch (thrown) {
    const error = unreadable(thrown, name);
    if (error instanceof VouchError) throw error;
    throw malformedParquet(name, `${reasonOf(error, "its metadata is damaged")}.`, error);
  }
}

/** Returns the message of an error; replaces messages of parsers that got confused by invalid data. */
function reasonOf(error: unknown, otherwise: string): string {
  const isOwn = error instanceof Error && !(error instanceof TypeError || error instanceof RangeError);
  return isOwn ? error.message : otherwise;
}

async function readMetadata(file: Blob): Promise<FileMetaData> {
  if (file.size < 4 + TAIL_BYTES) throw new Error("it is too short");
  const tail = new DataView(await file.slice(file.size - TAIL_BYTES).arrayBuffer());
  if (tail.getUint32(4, true) !== MAGIC) throw new Error("it does not end with PAR1");
  const length = tail.getUint32(0, true);
  const start = file.size - TAIL_BYTES - length;
  if (start < 4) throw new Error("its metadata is longer than the file");
  reserveMemory("the metadata of a Parquet file", MEMORY_PER_METADATA_BYTE * length);
  const bytes = new Uint8Array(await file.slice(start).arrayBuffer());
  const extent = thriftExtent(bytes.subarray(0, length), 0);
  if (extent === undefined) throw new Error("its metadata is incomplete");
  return parquetMetadata(bytes, { geoparquet: false });
}

/** A top-level column of the schema. */
interface TopColumn {
  readonly name: string;
  readonly element: SchemaElement;
  /** Its index among the leaf columns of a row group; nested columns have several. */
  readonly leaf: number;
}

interface TypedColumn extends TopColumn {
  readonly type: ColumnType;
}

/** A column to read. */
interface SelectedColumn extends TypedColumn {
  readonly kind: ColumnBuilder["kind"];
}

/** A column being read. */
interface GrowingColumn extends SelectedColumn {
  readonly builder: ColumnBuilder;
  /** File row of its table's first row. */
  readonly tableStart: number;
}

class BlobReader {
  readonly #file: Blob;
  readonly #name: string;
  readonly #metadata: FileMetaData;
  readonly #options: ReadOptions;
  #bytesRead = 0;
  #texts: TextNumbers | undefined;

  constructor(file: Blob, name: string, metadata: FileMetaData, options: ReadOptions) {
    this.#file = file;
    this.#name = name;
    this.#metadata = metadata;
    this.#options = options;
  }

  get rows(): number {
    return this.#metadata.row_groups.reduce((sum, group) => sum + countRows(group), 0);
  }

  /** Reads the strings of the first rows to decide which are numbers. */
  async surveyTexts(): Promise<TextNumbers> {
    const { roles, columns } = this.#columnTypes();
    const texts = columns.filter(({ type }) => !type.number);
    const open = texts.filter(
      ({ name, type }) => roles.get(name) === "numeric" || (type.isString && !roles.has(name)),
    );
    const memory = new ColumnMemory(this.#name);
    const rows = Math.min(INFERENCE_ROWS, this.rows);
    const firstRows: Column[] = [];
    for (const column of open) {
      const builder = columnBuilder("categorical", column.name, memory);
      await this.#readFirst({ ...column, kind: "categorical", builder, tableStart: 0 });
      firstRows.push(builder.finish(rows));
    }
    const named = texts.map(({ name, type }) => ({ name, isString: type.isString ?? false }));
    const table = new Table(this.#name, rows, firstRows);
    return new TextNumbers(this.#name, named, roles, this.#options, table);
  }

  async #readFirst(column: GrowingColumn): Promise<void> {
    let row = 0;
    for (const group of this.#metadata.row_groups) {
      if (row >= INFERENCE_ROWS) return;
      row = await this.#readCells(column, group, row, INFERENCE_ROWS);
    }
  }

  async *read(most: number, part: DataPart | undefined, texts: TextNumbers): AsyncGenerator<Table> {
    const groups = this.#metadata.row_groups;
    const starts = [0];
    for (const group of groups) starts.push(starts[starts.length - 1] + countRows(group));
    const all = starts[groups.length];
    const columns = this.#selectedColumns(texts);
    this.#texts = texts;
    if (all === 0) throw new VouchError("data/no-rows", `${this.#name} has no rows.`);
    const [begin, end] = part ? rowsOfPart(part, starts) : [0, all];
    this.#reserve(columns, Math.min(most, end - begin));
    if (begin === end) yield this.#finish(this.#grow(columns, begin, 0), 0, begin);
    let batch: RowGroup[] = [];
    let first = begin;
    for (let g = starts.indexOf(begin); g < groups.length && starts[g] < end; g++) {
      batch.push(groups[g]);
      const rows = starts[g + 1] - first;
      if (rows === 0 || (rows < most && starts[g + 1] < end)) continue;
      yield* inChunks(await this.#table(columns, batch, first, rows), most);
      batch = [];
      first = starts[g + 1];
    }
  }

  /** Reads row groups into one table. */
  async #table(
    columns: readonly SelectedColumn[],
    groups: readonly RowGroup[],
    firstRow: number,
    rows: number,
  ): Promise<Table> {
    const growing = this.#grow(columns, firstRow, rows);
    let row = 0;
    for (const group of groups) {
      for (const column of growing) await this.#readColumn(column, group, row);
      row += countRows(group);
    }
    return this.#finish(growing, rows, firstRow);
  }

  #grow(columns: readonly SelectedColumn[], tableStart: number, rows: number): GrowingColumn[] {
    const memory = new ColumnMemory(this.#name);
    const growing = columns.map((column) => ({
      ...column,
      builder: columnBuilder(column.kind, column.name, memory),
      tableStart,
    }));
    memory.addRows(rows, rows * columns.length);
    return growing;
  }

  #finish(columns: readonly GrowingColumn[], rows: number, firstRow: number): Table {
    const finished = columns.map(({ builder }) => builder.finish(rows));
    return new Table(this.#name, rows, finished, firstRow);
  }

  /** Returns the columns that are not ignored, and their roles by the options. */
  #columnTypes(): { roles: ReadonlyMap<string, ColumnRole>; columns: TypedColumn[] } {
    const all = topColumns(this.#metadata.schema);
    checkColumnCount(this.#name, all.length);
    const names = uniqueNames(
      this.#name,
      all.map(({ name }) => name),
    );
    const roles = columnRoles(this.#name, names, this.#options);
    const columns = all
      .map((column, index) => ({ ...column, name: names[index] }))
      .filter(({ name }) => roles.get(name) !== "ignored")
      .map((column) => ({ ...column, type: this.#typeOf(column) }));
    return { roles, columns };
  }

  #selectedColumns(texts: TextNumbers): SelectedColumn[] {
    const { roles, columns } = this.#columnTypes();
    return columns.map((column) => {
      const isNumeric = column.type.number
        ? (roles.get(column.name) ?? "numeric") === "numeric"
        : texts.isNumeric(column.name);
      return { ...column, kind: isNumeric ? "numeric" : "categorical" };
    });
  }

  /** Checks that the declared rows fit into memory. */
  #reserve(columns: readonly SelectedColumn[], rows: number): void {
    const bytes = columns.reduce((sum, { kind }) => sum + (kind === "numeric" ? 8 : 4), 0);
    const table = `a table of ${formatCount(rows, "row")} and ${formatCount(columns.length, "column")}`;
    reserveMemory(table, rows * bytes);
  }

  #typeOf({ name, element }: TopColumn): ColumnType {
    const nested = nestedType(element);
    if (nested !== undefined) throw nestedColumn(this.#name, name, nested);
    try {
      return columnType(element);
    } catch (error) {
      throw this.#columnError(name, error, "its type is damaged");
    }
  }

  async #readColumn(column: GrowingColumn, group: RowGroup, firstRow: number): Promise<void> {
    await this.#readCells(column, group, firstRow);
    this.#report(Number(group.columns[column.leaf].meta_data?.total_compressed_size));
  }

  /** Reads the pages of a column up to one that reaches row `limit`; returns the row after it. */
  async #readCells(
    column: GrowingColumn,
    group: RowGroup,
    firstRow: number,
    limit = Number.POSITIVE_INFINITY,
  ): Promise<number> {
    const { name, element, leaf } = column;
    const { meta_data: metadata, file_path } = group.columns[leaf] ?? {};
    const cells = new CellWriter(this.#name, column, this.#texts);
    let row = firstRow;
    try {
      if (metadata === undefined || file_path !== undefined) throw new Error("its data is not in the file");
      if (metadata.type !== element.type) throw new Error(`its pages have another type than ${element.type}`);
      for await (const page of readPages(this.#file, { element, metadata, rows: countRows(group) })) {
        if (this.#options.signal?.aborted) throw interrupted();
        cells.write(page, row);
        row += page.rows;
        if (row >= limit) break;
      }
    } catch (error) {
      throw this.#columnError(name, error, "its pages are damaged");
    }
    return row;
  }

  #columnError(column: string, thrown: unknown, otherwise: string): VouchError {
    const error = unreadable(thrown, this.#name);
    if (error instanceof VouchError) return error;
    if (error instanceof UnsupportedValues) return unsupportedColumn(this.#name, column, error);
    return malformedParquet(this.#name, `column "${column}": ${reasonOf(error, otherwise)}.`, error);
  }

  #report(bytes: number): void {
    this.#bytesRead += bytes;
    this.#options.onProgress?.({
      stage: `Reading ${this.#name}`,
      done: Math.min(this.#bytesRead, this.#file.size),
      total: this.#file.size,
      unit: "bytes",
    });
  }
}

/** Returns the rows of the row groups that begin in a part of the file. */
function rowsOfPart({ shard, shards }: DataPart, starts: readonly number[]): [begin: number, end: number] {
  const all = starts[starts.length - 1];
  const from = (place: number) => starts.find((start) => start >= (all * place) / shards) ?? all;
  return [from(shard), from(shard + 1)];
}

function countRows({ num_rows }: RowGroup): number {
  const rows = Number(num_rows);
  if (!(rows >= 0 && rows < 2 ** 40)) throw new Error(`a row group has ${rows} rows`);
  return rows;
}

/** Lists the top-level columns of the schema, whose elements are a tree in depth-first order. */
function topColumns(schema: readonly SchemaElement[]): TopColumn[] {
  const columns: TopColumn[] = [];
  let leaf = 0;
  for (let at = 1; at < schema.length; ) {
    const element = schema[at];
    if (typeof element.name !== "string") throw new Error("a column has no name");
    columns.push({ name: element.name, element, leaf });
    for (let open = 1; open > 0; at++) {
      if (at >= schema.length) throw new Error("its schema is incomplete");
      const children = schema[at].num_children ?? 0;
      if (children < 0) throw new Error("its schema is invalid");
      if (children === 0) leaf++;
      open += children - 1;
    }
  }
  if (columns.length === 0) throw new Error("it has no columns");
  return columns;
}

/** Names the type of cells that are not single values. */
function nestedType({ num_children, repetition_type, converted_type, logical_type }: SchemaElement) {
  if (repetition_type === "REPEATED" || converted_type === "LIST") return "LIST";
  if (!num_children) return undefined;
  return logical_type?.type === "VARIANT" ? "VARIANT" : (converted_type ?? "STRUCT");
}

/** Writes page values into a column. */
class CellWriter {
  readonly #file: string;
  readonly #column: GrowingColumn;
  readonly #texts: TextNumbers | undefined;
  /** The dictionary converted last. */
  #dictionary: ArrayLike<RawValue> = [];
  #entries: readonly (number | string)[] = [];

  constructor(file: string, column: GrowingColumn, texts: TextNumbers | undefined) {
    this.#file = file;
    this.#column = column;
    this.#texts = texts;
  }

  write(page: ValuePage, firstRow: number): void {
    const { defined, indices, values, rows } = page;
    if (indices !== undefined && values !== this.#dictionary) {
      this.#entries = Array.from(values, this.#convert);
      this.#dictionary = values;
    }
    let next = 0;
    let nulls = 0;
    for (let i = 0; i < rows; i++) {
      if (defined?.[i] === 0) {
        nulls++;
        continue;
      }
      const place = indices === undefined ? next : indices[next];
      next++;
      if (place < 0 || place >= values.length)
        throw new Error("it refers to a value that its dictionary lacks");
      this.#set(firstRow + i, indices === undefined ? this.#convert(values[place]) : this.#entries[place]);
    }
    this.#texts?.addNulls(this.#column.name, nulls);
  }

  readonly #convert = (value: RawValue): number | string => {
    const { type, builder } = this.#column;
    return builder.kind === "numeric" && type.number ? type.number(value) : type.text(value);
  };

  #set(row: number, cell: number | string): void {
    const { builder } = this.#column;
    if (builder.kind === "categorical") builder.set(row, String(cell));
    else builder.set(row, this.#number(cell, row));
  }

  /** Validates a number, or parses a string in a numeric column. */
  #number(cell: number | string, row: number): number {
    if (typeof cell === "number" && (Number.isFinite(cell) || Number.isNaN(cell))) return cell;
    const { name: column, tableStart } = this.#column;
    const fileRow = tableStart + row + 1;
    if (typeof cell === "string" && this.#texts) return this.#texts.number(column, cell, fileRow);
    throw infiniteCell({ file: this.#file, row: fileRow, column }, String(cell));
  }
}
