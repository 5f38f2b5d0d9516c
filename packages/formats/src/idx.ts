import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import type { Column, NumericValues } from "@vouch/core/internal/table/column";
import { Table } from "@vouch/core/internal/table/table";
import { joinBytes } from "./bytes.js";
import { infiniteCell } from "./cell.js";
import { allocateColumns } from "./column-builder.js";
import { checkColumnCount } from "./column-memory.js";
import { toCategories, withColumnRoles } from "./column-roles.js";
import { IDX_TYPES, type IdxHeader, idxHeader } from "./idx-header.js";
import { firstBytes, type Input } from "./input.js";
import type { ReadOptions } from "./read-options.js";

/** A header has at most 255 dimensions. */
const LONGEST_HEADER = 4 + 4 * 255;

/**
 * Reads IDX, MNIST's format, into columns p1, p2, … of the narrowest fitting type. Labels, one per row, become a categorical column
 * `label`.
 */
export async function* readIdx(
  input: Input,
  options: ReadOptions,
  rows: number,
  readLabels?: () => Promise<NumericValues | undefined>,
): AsyncGenerator<Table> {
  const header = await checkedIdxHeader(input);
  const labels = await readLabels?.();
  if (labels !== undefined && labels.length !== header.rows) {
    throw new VouchError(
      "data/ragged",
      `${input.name} has ${header.rows} rows, but there are ${labels.length} labels.`,
      { hint: "Check that the two files belong together." },
    );
  }
  let firstRow = 0;
  for await (const columns of readIdxNumbers(input, header, rows)) {
    const count = columns[0].length;
    const all = columns.map((values, j): Column => ({ kind: "numeric", name: `p${j + 1}`, values }));
    const own = labels?.subarray(firstRow, firstRow + count);
    if (own !== undefined) all.push(toCategories({ kind: "numeric", name: "label", values: own }));
    yield withColumnRoles(new Table(input.name, count, all, firstRow), options);
    firstRow += count;
  }
}

/** Reads the header, and checks that the file contains all declared numbers. */
export async function checkedIdxHeader(input: Input): Promise<IdxHeader> {
  const header = idxHeader(await firstBytes(input, LONGEST_HEADER));
  if (header === undefined) {
    throw new VouchError("data/malformed", `${input.name} does not start with an IDX header.`, {
      hint: "If it has another format, pass --format.",
    });
  }
  await checkLength(input, header);
  return header;
}

/** Reads the numbers as columns of at most `rows` rows at a time. */
export async function* readIdxNumbers(
  input: Input,
  header: IdxHeader,
  rows: number,
): AsyncGenerator<readonly NumericValues[]> {
  const filler = new ColumnFiller(input.name, header, rows);
  let skip = header.bytes;
  for await (const block of input.open()) {
    yield* filler.take(block.subarray(Math.min(skip, block.length)));
    skip = Math.max(0, skip - block.length);
  }
}

/**
 * Checks that the file contains all declared numbers, before allocating memory for them. This takes another pass over
 * compressed files.
 */
async function checkLength(input: Input, header: IdxHeader): Promise<void> {
  const { rows, width, type } = header;
  if (rows === 0 || width === 0) throw new VouchError("data/no-rows", `${input.name} has no rows.`);
  const declared = header.bytes + rows * width * IDX_TYPES[type].bytes;
  const length = input.size ?? (await lengthUpTo(input, declared + 1));
  if (length < declared) {
    const row = Math.floor((length - header.bytes) / (width * IDX_TYPES[type].bytes)) + 1;
    throw new VouchError("data/malformed", `${input.name} ends in row ${row} of ${rows}.`, {
      hint: "The file may be incomplete: copy or download it again.",
    });
  }
  if (length > declared) {
    throw new VouchError("data/malformed", `${input.name} has more bytes than its ${rows} rows take.`, {
      hint: "The file may be damaged: copy or download it again.",
    });
  }
  checkColumnCount(input.name, width);
}

/** Counts the decompressed bytes, up to `most`. */
async function lengthUpTo(input: Input, most: number): Promise<number> {
  let length = 0;
  for await (const block of input.open()) {
    length += block.length;
    if (length >= most) break;
  }
  return length;
}

/** Distributes rows that arrive in blocks over columns of at most `most` rows. */
class ColumnFiller {
  readonly #file: string;
  readonly #header: IdxHeader;
  readonly #most: number;
  #columns: NumericValues[];
  #rest: Uint8Array = new Uint8Array(0);
  #firstRow = 0;
  #row = 0;
  #column = 0;

  constructor(file: string, header: IdxHeader, most: number) {
    this.#file = file;
    this.#header = header;
    this.#most = most;
    this.#columns = emptyColumns(header, Math.min(most, header.rows));
  }

  /** Adds the next bytes; yields columns that are full. */
  *take(block: Uint8Array): Generator<readonly NumericValues[]> {
    const { bytes, read } = IDX_TYPES[this.#header.type];
    const data = this.#rest.length === 0 ? block : joinBytes([this.#rest, block]);
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    let at = 0;
    for (; at + bytes <= data.length; at += bytes) {
      this.#put(read(view, at));
      if (this.#row === this.#columns[0].length) yield this.#takeColumns();
    }
    // The next block may overwrite this one.
    this.#rest = data.slice(at);
  }

  #takeColumns(): readonly NumericValues[] {
    const full = this.#columns;
    this.#firstRow += this.#row;
    this.#row = 0;
    this.#columns = emptyColumns(this.#header, Math.min(this.#most, this.#header.rows - this.#firstRow));
    return full;
  }

  #put(value: number): void {
    if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) {
      const row = this.#firstRow + this.#row + 1;
      throw infiniteCell({ file: this.#file, row, column: `p${this.#column + 1}` }, String(value));
    }
    this.#columns[this.#column][this.#row] = value;
    this.#column++;
    if (this.#column === this.#header.width) {
      this.#column = 0;
      this.#row++;
    }
  }
}

function emptyColumns({ type, width }: IdxHeader, rows: number): NumericValues[] {
  if (type === 8) return allocateColumns(width, rows, Uint8Array);
  if (type === 9) return allocateColumns(width, rows, Int8Array);
  if (type === 11) return allocateColumns(width, rows, Int16Array);
  if (type === 12) return allocateColumns(width, rows, Int32Array);
  if (type === 13) return allocateColumns(width, rows, Float32Array);
  return allocateColumns(width, rows, Float64Array);
}
