import { basename, dirname, join } from "node:path";
import { VouchError } from "vouch/errors";
import { type Column, type NumericValues, Table } from "vouch/predict";
import { infiniteCell } from "../cell.js";
import { allocateBuffer } from "../column-builder.js";
import { toCategories, withColumnRoles } from "../column-roles.js";
import type { InputOptions } from "../input.js";
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

const MAX_COLUMNS = 2_000_000;

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
  let start: Buffer = Buffer.alloc(0);
  let filler: ColumnFiller | undefined;
  for await (const block of input.open()) {
    if (filler !== undefined) filler.take(block);
    else {
      start = Buffer.concat([start, block]);
      const header = idxHeader(start);
      if (header === undefined) continue;
      filler = new ColumnFiller(input, header);
      filler.take(start.subarray(header.bytes));
    }
  }
  if (filler === undefined) {
    throw new VouchError("data/malformed", `${input.name} does not start with an IDX header.`, {
      hint: "If it has another format, pass --format.",
    });
  }
  return filler.finish();
}

/** Distributes rows that arrive in blocks over columns. */
class ColumnFiller {
  readonly #file: string;
  readonly #header: IdxHeader;
  readonly #columns: NumericValues[];
  #rest: Buffer = Buffer.alloc(0);
  #row = 0;
  #column = 0;

  constructor({ name, memoryLimit }: FileInput, header: IdxHeader) {
    const { rows, width, type } = header;
    if (rows === 0 || width === 0) throw new VouchError("data/no-rows", `${name} has no rows.`);
    if (rows * width * TYPES[type].bytes > memoryLimit || width > MAX_COLUMNS) {
      throw new VouchError("data/too-large", `${name} declares ${rows} rows of ${width} numbers.`, {
        hint: "The file may be damaged.",
      });
    }
    this.#file = name;
    this.#header = header;
    this.#columns = Array.from({ length: width }, () => emptyColumn(type, rows));
  }

  take(block: Buffer): void {
    const { bytes, read } = TYPES[this.#header.type];
    const data = this.#rest.length === 0 ? block : Buffer.concat([this.#rest, block]);
    let at = 0;
    for (; at + bytes <= data.length; at += bytes) this.#put(read(data, at));
    this.#rest = data.subarray(at);
  }

  finish(): IdxNumbers {
    const { rows } = this.#header;
    if (this.#row < rows) {
      throw new VouchError("data/malformed", `${this.#file} ends in row ${this.#row + 1} of ${rows}.`, {
        hint: "The file may be incomplete: copy or download it again.",
      });
    }
    if (this.#rest.length > 0) throw this.#tooLong();
    return { rows, columns: this.#columns };
  }

  #put(value: number): void {
    if (this.#row >= this.#header.rows) throw this.#tooLong();
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

  #tooLong(): VouchError {
    return new VouchError(
      "data/malformed",
      `${this.#file} has more bytes than its ${this.#header.rows} rows take.`,
      { hint: "The file may be damaged: copy or download it again." },
    );
  }
}

function emptyColumn(type: number, rows: number): NumericValues {
  const buffer = allocateBuffer(rows * TYPES[type].bytes);
  if (type === 8) return new Uint8Array(buffer);
  if (type === 9) return new Int8Array(buffer);
  if (type === 11) return new Int16Array(buffer);
  if (type === 12) return new Int32Array(buffer);
  return type === 13 ? new Float32Array(buffer) : new Float64Array(buffer);
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
