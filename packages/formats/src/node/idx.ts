import { basename, dirname, join } from "node:path";
import { type Column, type NumericValues, Table } from "vouch/data";
import { VouchError } from "vouch/errors";
import { infiniteCell } from "../cell.js";
import { allocateColumns } from "../column-builder.js";
import { checkColumns } from "../column-memory.js";
import { toCategories, withColumnRoles } from "../column-roles.js";
import { firstBytes, type InputOptions } from "../input.js";
import type { ReadOptions } from "../read-options.js";
import { type FileInput, withFileInput } from "./file-input.js";

/** Bytes per number and how to read one, by the third byte of the file. */
const TYPES: Readonly<Record<number, { bytes: number; read: (data: Buffer, at: number) => number }>> = {
  8: { bytes: 1, read: (data, at) => data[at] },
  9: { bytes: 1, read: (data, at) => data.readInt8(at) },
  11: { bytes: 2, read: (data, at) => data.readInt16BE(at) },
  12: { bytes: 4, read: (data, at) => data.readInt32BE(at) },
  13: { bytes: 4, read: (data, at) => data.readFloatBE(at) },
  14: { bytes: 8, read: (data, at) => data.readDoubleBE(at) },
};

/** A header has at most 255 dimensions. */
const LONGEST_HEADER = 4 + 4 * 255;

/** Header of an IDX file: the type of its numbers and the shape of the array, whose first dimension is rows. */
interface IdxHeader {
  readonly type: number;
  readonly rows: number;
  /** Numbers per row. */
  readonly width: number;
  /** Size of the header itself. */
  readonly bytes: number;
}

/**
 * Reads an IDX file, MNIST's format, into columns p1, p2, … of the narrowest fitting type. If there is a file of
 * labels beside it under the usual name (`…-images-idx3-ubyte` and `…-labels-idx1-ubyte`), the labels become a
 * categorical column `label`.
 */
export async function* readIdx(input: FileInput, options: ReadOptions, rows: number): AsyncGenerator<Table> {
  const header = await checkedHeader(input);
  const labels = await labelsBeside(input, options);
  if (labels !== undefined && labels.length !== header.rows) {
    throw new VouchError(
      "data/ragged",
      `${input.name} has ${header.rows} rows, but there are ${labels.length} labels.`,
      { hint: "Check that the two files belong together." },
    );
  }
  let firstRow = 0;
  for await (const columns of readNumbers(input, header, rows)) {
    const count = columns[0].length;
    const all = columns.map((values, j): Column => ({ kind: "numeric", name: `p${j + 1}`, values }));
    const own = labels?.subarray(firstRow, firstRow + count);
    if (own !== undefined) all.push(toCategories({ kind: "numeric", name: "label", values: own }));
    yield withColumnRoles(new Table(input.name, count, all, firstRow), options);
    firstRow += count;
  }
}

/** Parses the header at the start of a file; undefined if there is none. */
export function idxHeader(bytes: Uint8Array): IdxHeader | undefined {
  if (bytes.length < 4 || bytes[0] !== 0 || bytes[1] !== 0 || !(bytes[2] in TYPES)) return undefined;
  const dimensions = bytes[3];
  const size = 4 + 4 * dimensions;
  if (dimensions < 1 || bytes.length < size) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let width = 1;
  for (let d = 1; d < dimensions; d++) width *= view.getUint32(4 + 4 * d);
  return { type: bytes[2], rows: view.getUint32(4), width, bytes: size };
}

/** Reads the header, and checks that the file has the numbers that it declares. */
async function checkedHeader(input: FileInput): Promise<IdxHeader> {
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
async function* readNumbers(
  input: FileInput,
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
 * Checks that the file has the numbers that its header declares, before there is memory for them. A compressed file is read once
 * more for that.
 */
async function checkLength(input: FileInput, header: IdxHeader): Promise<void> {
  const { rows, width, type } = header;
  if (rows === 0 || width === 0) throw new VouchError("data/no-rows", `${input.name} has no rows.`);
  const declared = header.bytes + rows * width * TYPES[type].bytes;
  const length = input.size ?? (await lengthUpTo(input, declared + 1));
  if (length < declared) {
    const row = Math.floor((length - header.bytes) / (width * TYPES[type].bytes)) + 1;
    throw new VouchError("data/malformed", `${input.name} ends in row ${row} of ${rows}.`, {
      hint: "The file may be incomplete: copy or download it again.",
    });
  }
  if (length > declared) {
    throw new VouchError("data/malformed", `${input.name} has more bytes than its ${rows} rows take.`, {
      hint: "The file may be damaged: copy or download it again.",
    });
  }
  checkColumns(input.name, width);
}

/** Counts the bytes of the decompressed data, and stops at `most`. */
async function lengthUpTo(input: FileInput, most: number): Promise<number> {
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
  #rest: Buffer = Buffer.alloc(0);
  #firstRow = 0;
  #row = 0;
  #column = 0;

  constructor(file: string, header: IdxHeader, most: number) {
    this.#file = file;
    this.#header = header;
    this.#most = most;
    this.#columns = emptyColumns(header, Math.min(most, header.rows));
  }

  /** Takes the next bytes; yields columns that are full. */
  *take(block: Buffer): Generator<readonly NumericValues[]> {
    const { bytes, read } = TYPES[this.#header.type];
    const data = this.#rest.length === 0 ? block : Buffer.concat([this.#rest, block]);
    let at = 0;
    for (; at + bytes <= data.length; at += bytes) {
      this.#put(read(data, at));
      if (this.#row === this.#columns[0].length) yield this.#takeColumns();
    }
    this.#rest = data.subarray(at);
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

/** Reads the labels from the file beside the images, if there is one. */
async function labelsBeside(input: FileInput, options: InputOptions): Promise<NumericValues | undefined> {
  if (input.path === undefined) return undefined;
  const file = basename(input.path);
  const plain = file.replace(/\.gz$/i, "").replace("images", "labels").replace(/idx\d/, "idx1");
  if (!/labels/.test(plain) || /labels/.test(file)) return undefined;
  for (const candidate of [plain, `${plain}.gz`]) {
    const path = join(dirname(input.path), candidate);
    try {
      return await withFileInput(
        path,
        path,
        { ...(options.signal && { signal: options.signal }) },
        readLabels,
      );
    } catch (error) {
      if (!(error instanceof VouchError) || error.code !== "file/missing") throw error;
    }
  }
  return undefined;
}

async function readLabels(input: FileInput): Promise<NumericValues> {
  const header = await checkedHeader(input);
  for await (const columns of readNumbers(input, header, header.rows)) {
    if (columns.length === 1) return columns[0];
  }
  throw new VouchError("data/malformed", `${input.name} should have one label per row.`, {
    hint: `It has ${header.width}. Rename the file if it does not contain labels.`,
  });
}
