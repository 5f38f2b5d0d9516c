import { totalmem } from "node:os";
import { basename, dirname, join } from "node:path";
import { type Column, type NumericValues, Table, VouchError } from "vouch/predict";
import { notFinite } from "./cell-fault.js";
import { type Input, type InputOptions, withInput } from "./input/input.js";
import type { ReadOptions } from "./read-options.js";
import { categories, withWishes } from "./with-wishes.js";

/** Bytes per number and how to read one, by the third byte of the file. */
const TYPES: Readonly<Record<number, { bytes: number; read: (data: Buffer, at: number) => number }>> = {
  8: { bytes: 1, read: (data, at) => data[at] },
  9: { bytes: 1, read: (data, at) => data.readInt8(at) },
  11: { bytes: 2, read: (data, at) => data.readInt16BE(at) },
  12: { bytes: 4, read: (data, at) => data.readInt32BE(at) },
  13: { bytes: 4, read: (data, at) => data.readFloatBE(at) },
  14: { bytes: 8, read: (data, at) => data.readDoubleBE(at) },
};

/** The head of an IDX file: the type of its numbers and the shape of the array; the first dimension is rows. */
interface IdxHead {
  readonly type: number;
  readonly rows: number;
  /** Numbers per row. */
  readonly width: number;
  /** Bytes before the numbers. */
  readonly bytes: number;
}

/**
 * Reads an IDX file, MNIST's format, into columns p1, p2, … of the narrowest fitting type. If the labels lie
 * beside it under the usual name (`…-images-idx3-ubyte` and `…-labels-idx1-ubyte`), they become a column
 * `label` of text.
 */
export async function readIdx(input: Input, options: ReadOptions): Promise<Table> {
  const { head, columns } = await readNumbers(input);
  const labels = await labelsBeside(input, options);
  if (labels !== undefined && labels.length !== head.rows) {
    throw new VouchError(
      "data/ragged",
      `${input.name} has ${head.rows} rows, but there are ${labels.length} labels.`,
    );
  }
  const named = columns.map((values, j): Column => ({ kind: "numeric", name: `p${j + 1}`, values }));
  const withLabels =
    labels === undefined ? named : [...named, categories({ kind: "numeric", name: "label", values: labels })];
  return withWishes(new Table(input.name, head.rows, withLabels), options);
}

/** The shape that the first bytes of a file announce, or undefined if they are no IDX head. */
export function idxHead(start: Buffer): IdxHead | undefined {
  if (start.length < 4 || start[0] !== 0 || start[1] !== 0 || !(start[2] in TYPES)) return undefined;
  const dimensions = start[3];
  const bytes = 4 + 4 * dimensions;
  if (dimensions < 1 || start.length < bytes) return undefined;
  let width = 1;
  for (let d = 1; d < dimensions; d++) width *= start.readUInt32BE(4 + 4 * d);
  return { type: start[2], rows: start.readUInt32BE(4), width, bytes };
}

async function readNumbers(input: Input): Promise<{ head: IdxHead; columns: NumericValues[] }> {
  let start: Buffer = Buffer.alloc(0);
  let filler: ColumnFiller | undefined;
  for await (const block of input.open()) {
    if (filler !== undefined) filler.take(block);
    else {
      start = Buffer.concat([start, block]);
      const head = idxHead(start);
      if (head === undefined) continue;
      filler = new ColumnFiller(input.name, head);
      filler.take(start.subarray(head.bytes));
    }
  }
  if (filler === undefined) {
    throw new VouchError("data/malformed", `${input.name} does not start as an IDX file does.`);
  }
  return filler.finish();
}

/** Turns rows that arrive in blocks into columns. */
class ColumnFiller {
  readonly #file: string;
  readonly #head: IdxHead;
  readonly #columns: NumericValues[];
  #rest: Buffer = Buffer.alloc(0);
  #row = 0;
  #column = 0;

  constructor(file: string, head: IdxHead) {
    const { rows, width, type } = head;
    if (rows === 0 || width === 0) throw new VouchError("data/no-rows", `${file} has no rows.`);
    if (rows * width * TYPES[type].bytes > totalmem() / 2 || width > 2_000_000) {
      throw new VouchError("data/too-large", `${file} announces ${rows} rows of ${width} numbers.`, {
        hint: "The file may be damaged.",
      });
    }
    this.#file = file;
    this.#head = head;
    this.#columns = Array.from({ length: width }, () => emptyColumn(type, rows));
  }

  take(block: Buffer): void {
    const { bytes, read } = TYPES[this.#head.type];
    const data = this.#rest.length === 0 ? block : Buffer.concat([this.#rest, block]);
    let at = 0;
    for (; at + bytes <= data.length; at += bytes) this.#put(read(data, at));
    this.#rest = data.subarray(at);
  }

  finish(): { head: IdxHead; columns: NumericValues[] } {
    if (this.#row < this.#head.rows) {
      throw new VouchError(
        "data/malformed",
        `${this.#file} ends in row ${this.#row + 1} of the ${this.#head.rows} that it announces.`,
        { hint: "The file may not have been copied completely; fetch it again." },
      );
    }
    if (this.#rest.length > 0) throw this.#surplus();
    return { head: this.#head, columns: this.#columns };
  }

  #put(value: number): void {
    if (this.#row >= this.#head.rows) throw this.#surplus();
    if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) {
      const place = { file: this.#file, row: this.#row + 1, column: `p${this.#column + 1}` };
      throw notFinite(place, String(value));
    }
    this.#columns[this.#column][this.#row] = value;
    this.#column++;
    if (this.#column === this.#head.width) {
      this.#column = 0;
      this.#row++;
    }
  }

  #surplus(): VouchError {
    return new VouchError(
      "data/malformed",
      `${this.#file} has more bytes than the ${this.#head.rows} rows that it announces.`,
    );
  }
}

function emptyColumn(type: number, rows: number): NumericValues {
  const buffer = new SharedArrayBuffer(rows * TYPES[type].bytes);
  if (type === 8) return new Uint8Array(buffer);
  if (type === 9) return new Int8Array(buffer);
  if (type === 11) return new Int16Array(buffer);
  if (type === 12) return new Int32Array(buffer);
  return type === 13 ? new Float32Array(buffer) : new Float64Array(buffer);
}

async function labelsBeside(input: Input, options: InputOptions): Promise<NumericValues | undefined> {
  if (input.path === undefined) return undefined;
  const file = basename(input.path);
  const plain = file.replace(/\.gz$/i, "").replace("images", "labels").replace(/idx\d/, "idx1");
  if (!/labels/.test(plain) || /labels/.test(file)) return undefined;
  for (const candidate of [plain, `${plain}.gz`]) {
    const path = join(dirname(input.path), candidate);
    try {
      return await withInput(
        path,
        path,
        { ...(options.signal && { signal: options.signal }) },
        async (labels) => {
          const { head, columns } = await readNumbers(labels);
          if (head.width === 1) return columns[0];
          throw new VouchError("data/malformed", `${path} should hold one label per row.`);
        },
      );
    } catch (error) {
      if (!(error instanceof VouchError) || error.code !== "file/missing") throw error;
    }
  }
  return undefined;
}
