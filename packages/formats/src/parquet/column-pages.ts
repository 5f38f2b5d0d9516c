import { reserveMemory } from "@vouch/core/internal/runtime/memory-limit";
import type { ColumnMetaData, DataPageHeader, PageHeader, SchemaElement } from "hyparquet";
import { parquetHeader } from "hyparquet/src/column.js";
import { isOverCompressed } from "../compression-limit.js";
import { decompressed } from "./codecs.js";
import type { RawValue } from "./column-type.js";
import { UnsupportedValues } from "./malformed-parquet.js";
import { dictionaryIndices, encodedValues, plainValues, withLength } from "./page-values.js";
import { decodeRuns } from "./run-lengths.js";
import { thriftExtent } from "./thrift-extent.js";

/** Number of bytes to read at once, unless a page is larger. */
const BLOCK_BYTES = 1 << 20;
/** Bytes per row while a page is decoded: whether the row has a value, and its position. */
const BYTES_PER_ROW = 16;
/** Maximum size of a page header: usually a few dozen bytes, more with the smallest and largest string of the page. */
const LONGEST_HEADER = 1 << 24;

/** The values of consecutive rows of a column. */
export interface ValuePage {
  readonly rows: number;
  /** 0 for each null; undefined if there is none. */
  readonly defined: Int32Array | undefined;
  /** A value per row that is not null, or the dictionary. */
  readonly values: ArrayLike<RawValue>;
  /** Dictionary index per row that is not null. */
  readonly indices: Int32Array | undefined;
}

/** A column of one row group. */
export interface ColumnChunkPart {
  readonly element: SchemaElement;
  readonly metadata: ColumnMetaData;
  readonly rows: number;
}

/** Reads the pages of a column one by one, so that at most one is in memory. */
export async function* readPages(file: Blob, chunk: ColumnChunkPart): AsyncGenerator<ValuePage> {
  const { element, metadata, rows } = chunk;
  const bytes = new ChunkBytes(file, metadata);
  let dictionary: ArrayLike<RawValue> | undefined;
  for (let row = 0; row < rows; ) {
    const header = await bytes.header();
    if (header === undefined) throw new Error(`its pages end in row ${row + 1} of ${rows}`);
    const body = await bytes.take(header.compressed_page_size);
    if (isOverCompressed(header.uncompressed_page_size, header.compressed_page_size)) {
      throw new Error("a page is compressed too much");
    }
    reserveMemory("a page", header.uncompressed_page_size);
    if (header.type === "DICTIONARY_PAGE") {
      const page = await decompressed(body, header.uncompressed_page_size, metadata.codec);
      dictionary = plainValues(page, count(header.dictionary_page_header?.num_values), element);
    } else if (header.type === "DATA_PAGE" || header.type === "DATA_PAGE_V2") {
      const page = await dataPage(header, body, chunk);
      if (page.rows > rows - row) throw new Error(`its pages have more than ${rows} rows`);
      yield valuePage(page, element, dictionary);
      row += page.rows;
    }
  }
}

/** A data page after decompression. */
interface DecompressedPage {
  readonly rows: number;
  readonly encoding: DataPageHeader["encoding"];
  readonly defined: Int32Array | undefined;
  readonly bytes: Uint8Array;
}

async function dataPage(
  header: PageHeader,
  body: Uint8Array,
  chunk: ColumnChunkPart,
): Promise<DecompressedPage> {
  const { codec } = chunk.metadata;
  const isOptional = chunk.element.repetition_type !== "REQUIRED";
  const size = header.uncompressed_page_size;
  const second = header.data_page_header_v2;
  if (second) {
    const rows = checkedRows(second.num_values, chunk);
    const levelBytes = count(second.definition_levels_byte_length);
    const start = count(second.repetition_levels_byte_length) + levelBytes;
    if (start > body.length || start > size) throw new Error("a page ends too early");
    const levels = body.subarray(start - levelBytes, start);
    const rest = body.subarray(start);
    const bytes = second.is_compressed === false ? rest : await decompressed(rest, size - start, codec);
    const defined = isOptional ? definedRows(levels, rows) : undefined;
    return { rows, encoding: second.encoding, defined, bytes };
  }
  const first = header.data_page_header;
  if (!first) throw new Error("a page has no header");
  const rows = checkedRows(first.num_values, chunk);
  const page = await decompressed(body, size, codec);
  if (!isOptional) return { rows, encoding: first.encoding, defined: undefined, bytes: page };
  if (first.definition_level_encoding !== "RLE") {
    throw new UnsupportedValues(`its nulls have the unsupported encoding ${first.definition_level_encoding}`);
  }
  const { content, rest } = withLength(page);
  return { rows, encoding: first.encoding, defined: definedRows(content, rows), bytes: rest };
}

function checkedRows(rows: number, chunk: ColumnChunkPart): number {
  if (count(rows) > chunk.rows) throw new Error(`a page contains ${rows} of its ${chunk.rows} rows`);
  // A few bytes can represent any number of rows.
  reserveMemory(`a page of ${rows} rows`, BYTES_PER_ROW * rows);
  return rows;
}

/** Returns 1 for each row with a value and 0 for each null; undefined if there is no null. */
function definedRows(levels: Uint8Array, rows: number): Int32Array | undefined {
  const defined = decodeRuns(levels, 1, rows);
  return defined.includes(0) ? defined : undefined;
}

function valuePage(
  { rows, encoding, defined, bytes }: DecompressedPage,
  element: SchemaElement,
  dictionary: ArrayLike<RawValue> | undefined,
): ValuePage {
  let values = rows;
  if (defined) for (let row = 0; row < rows; row++) values -= 1 - defined[row];
  if (encoding !== "PLAIN_DICTIONARY" && encoding !== "RLE_DICTIONARY") {
    const own = encodedValues(bytes, values, encoding, element);
    return { rows, defined, values: own, indices: undefined };
  }
  if (dictionary === undefined && values > 0) throw new Error("its dictionary is missing");
  return { rows, defined, values: dictionary ?? [], indices: dictionaryIndices(bytes, values) };
}

/** Returns a number that must not be negative or missing. */
function count(value: number | undefined): number {
  if (value === undefined || !(value >= 0)) throw new Error("a page has an invalid header");
  return value;
}

/** The bytes of a column chunk, read sequentially. */
class ChunkBytes {
  readonly #file: Blob;
  readonly #end: number;
  /** File position of the next byte to read. */
  #next: number;
  #block = new Uint8Array(0);

  constructor(
    file: Blob,
    { dictionary_page_offset, data_page_offset, total_compressed_size }: ColumnMetaData,
  ) {
    const [dictionary, data] = [Number(dictionary_page_offset ?? 0), Number(data_page_offset)];
    const start = dictionary > 0 && dictionary < data ? dictionary : data;
    this.#file = file;
    this.#next = start;
    this.#end = start + Number(total_compressed_size);
    if (!(start >= 0 && this.#end >= start && this.#end <= file.size)) {
      throw new Error("its pages are not inside the file");
    }
  }

  /** Reads the header of the next page; undefined at the end. */
  async header(): Promise<PageHeader | undefined> {
    if (this.#block.length === 0 && this.#next === this.#end) return undefined;
    for (let wanted = 1 << 12; ; wanted *= 4) {
      await this.#fill(wanted);
      const extent = thriftExtent(this.#block, 0);
      if (extent !== undefined) return this.#parse(extent);
      if (this.#next === this.#end || wanted > LONGEST_HEADER)
        throw new Error("the header of a page is incomplete");
    }
  }

  /** Returns the next bytes; they stay valid. */
  async take(length: number): Promise<Uint8Array> {
    await this.#fill(length);
    if (length > this.#block.length) throw new Error("a page ends too early");
    const bytes = this.#block.subarray(0, length);
    this.#block = this.#block.subarray(length);
    return bytes;
  }

  #parse(extent: number): PageHeader {
    const { buffer, byteOffset } = this.#block;
    const header = parquetHeader({ view: new DataView(buffer, byteOffset, extent), offset: 0 });
    this.#block = this.#block.subarray(extent);
    count(header.compressed_page_size);
    count(header.uncompressed_page_size);
    return header;
  }

  /** Reads until the block contains `length` bytes, if the chunk has them. */
  async #fill(length: number): Promise<void> {
    if (length <= this.#block.length || this.#next === this.#end) return;
    const to = Math.min(this.#end, this.#next + Math.max(length - this.#block.length, BLOCK_BYTES));
    const read = new Uint8Array(await this.#file.slice(this.#next, to).arrayBuffer());
    const joined = new Uint8Array(this.#block.length + read.length);
    joined.set(this.#block);
    joined.set(read, this.#block.length);
    this.#block = joined;
    this.#next = to;
  }
}
