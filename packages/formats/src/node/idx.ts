import { basename, dirname, join } from "node:path";
import { VouchError } from "vouch/errors";
import { type Column, type NumericValues, Table } from "vouch/predict";
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
export async function readIdx(input: FileInput, options: ReadOptions): Promise<Table> {
  const { rows, columns } = await readNumbers(input);
  const labels = await labelsBeside(input, options);
  if (labels !== undefined && labels.length !== rows) {
    throw new VouchError(
      "data/ragged",
      `${input.name} has ${rows} rows, but there are ${labels.length} labels.`,
      { hint: "Check that the two files belong together." },
    );
  }
  const numeric = columns.map((values, j): Column => ({ kind: "numeric", name: `p${j + 1}`, values }));
  const all =
    labels === undefined
      ? numeric
      : [...numeric, toCategories({ kind: "numeric", name: "label", values: labels })];
  return withColumnRoles(new Table(input.name, rows, all), options);
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

interface IdxNumbers {
  readonly rows: number;
  readonly columns: readonly NumericValues[];
}

async function readNumbers(input: FileInput): Promise<IdxNumbers> {
  const header = idxHeader(await firstBytes(input, LONGEST_HEADER));
  if (header === undefined) {
    throw new VouchError("data/malformed", `${input.name} does not start with an IDX header.`, {
      hint: "If it has another format, pass --format.",
    });
  }
  await checkLength(input, header);
  const filler = new ColumnFiller(input.name, header);
  let skip = header.bytes;
  for await (const block of input.open()) {
    filler.take(block.subarray(Math.min(skip, block.length)));
    skip = Math.max(0, skip - block.length);
  }
  return filler.finish();
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

/** Distributes rows that arrive in blocks over columns. */
class ColumnFiller {
  readonly #file: string;
  readonly #header: IdxHeader;
  readonly #columns: NumericValues[];
  #rest: Buffer = Buffer.alloc(0);
  #row = 0;
  #column = 0;

  constructor(file: string, header: IdxHeader) {
    this.#file = file;
    this.#header = header;
    this.#columns = emptyColumns(header);
  }

  take(block: Buffer): void {
    const { bytes, read } = TYPES[this.#header.type];
    const data = this.#rest.length === 0 ? block : Buffer.concat([this.#rest, block]);
    let at = 0;
    for (; at + bytes <= data.length; at += bytes) this.#put(read(data, at));
    this.#rest = data.subarray(at);
  }

  finish(): IdxNumbers {
    return { rows: this.#header.rows, columns: this.#columns };
  }

  #put(value: number): void {
    if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) {
      const position = { file: this.#file, row: this.#row + 1, column: `p${this.#column + 1}` };
      throw infiniteCell(position, String(value));
    }
    this.#columns[this.#column][this.#row] = value;
    this.#column++;
    if (this.#column === this.#header.width) {
      this.#column = 0;
      this.#row++;
    }
  }
}

function emptyColumns({ type, rows, width }: IdxHeader): NumericValues[] {
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
  const { columns } = await readNumbers(input);
  if (columns.length === 1) return columns[0];
  throw new VouchError("data/malformed", `${input.name} should have one label per row.`, {
    hint: `It has ${columns.length}. Rename the file if it does not contain labels.`,
  });
}
