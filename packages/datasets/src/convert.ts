import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { bunzip2 } from "./bzip2.js";
import type { Compression, FieldsConversion, FileDigest, LibsvmConversion } from "./entry.js";

/** Thrown if a published file does not match its entry in the catalogue. */
export class OriginalMismatch extends Error {
  override readonly name = "OriginalMismatch";
}

/** Result of a conversion: rows, classes, and the digest of the uncompressed text. */
interface ConvertedFile {
  readonly rows: number;
  readonly classes: ReadonlySet<string>;
  readonly content: FileDigest;
}

/** Maximum characters of a cell in a published file: an index, a colon, a number with all its digits, blanks. */
const LONGEST_CELL = 32;

/** Maximum bytes of a header or notes in a published file. */
const LONGEST_PREFACE = 65_536;

/** Returns the maximum text size of an original with this number of rows. */
export function mostOriginalBytes(rows: number, { columns }: LibsvmConversion | FieldsConversion): number {
  return LONGEST_PREFACE + rows * (columns.length + 1) * LONGEST_CELL;
}

/** A conversion of an original. */
interface ConversionTask {
  readonly conversion: LibsvmConversion | FieldsConversion;
  /** Name of the last column. */
  readonly target: string;
  /** Maximum size of the decompressed text. */
  readonly mostBytes: number;
  readonly signal?: AbortSignal;
}

/** Converts the original `from` to the compressed CSV file `to`, with the class in the last column. */
export async function convertToCsv(
  from: string,
  to: string,
  { conversion, target, mostBytes, signal }: ConversionTask,
): Promise<ConvertedFile> {
  const hash = createHash("sha256");
  const classes = new Set<string>();
  let rows = 0;
  let bytes = 0;

  async function* text(): AsyncGenerator<string> {
    yield `${[...conversion.columns, target].join(",")}\n`;
    const original = atMost(mostBytes, decompressed(from, conversion.compression));
    for await (const { values, label } of originalRows(original, conversion)) {
      rows++;
      classes.add(label);
      yield `${values.join(",")},${label}\n`;
    }
  }

  async function* hashed(): AsyncGenerator<Buffer> {
    for await (const chunk of inChunks(text())) {
      hash.update(chunk);
      bytes += chunk.length;
      yield chunk;
    }
  }

  await pipeline(Readable.from(hashed()), createGzip(), createWriteStream(to), { signal });
  return { rows, classes, content: { bytes, sha256: hash.digest("hex") } };
}

async function* decompressed(path: string, compression: Compression): AsyncGenerator<Uint8Array> {
  if (compression === "none") return yield* createReadStream(path);
  try {
    if (compression === "bzip2") yield* bunzip2(await readFile(path));
    else yield* createReadStream(path).pipe(createGunzip());
  } catch (error) {
    throw new OriginalMismatch(
      `it is not valid ${compression} (${error instanceof Error ? error.message : error})`,
    );
  }
}

/** Passes bytes on, and throws if they exceed the maximum size of the original. */
async function* atMost(most: number, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > most) {
      throw new OriginalMismatch(`its text has more than ${most} bytes, too many for its rows and columns`);
    }
    yield chunk;
  }
}

/** Joins lines into chunks that are large enough to write. */
async function* inChunks(text: AsyncIterable<string>): AsyncGenerator<Buffer> {
  let pending = "";
  for await (const line of text) {
    pending += line;
    if (pending.length < 65_536) continue;
    yield Buffer.from(pending);
    pending = "";
  }
  yield Buffer.from(pending);
}

/** A row of an original, as written to CSV. */
interface OriginalRow {
  /** One string per feature; empty if missing. */
  readonly values: readonly string[];
  readonly label: string;
}

/** Reads the rows of an original. Skips blank lines; throws on a line that does not fit. */
async function* originalRows(
  bytes: AsyncIterable<Uint8Array>,
  conversion: LibsvmConversion | FieldsConversion,
): AsyncGenerator<OriginalRow> {
  const isLibsvm = conversion.kind === "libsvm";
  const skipped = isLibsvm ? 0 : (conversion.skipLines ?? 0);
  const [from, to] = (!isLibsvm && conversion.rows) || [0, Number.POSITIVE_INFINITY];
  let lineNumber = 0;
  let row = 0;
  for await (const raw of lines(bytes, mostOriginalBytes(1, conversion))) {
    const line = raw.trim();
    lineNumber++;
    if (lineNumber <= skipped || line === "") continue;
    if (row >= from && row < to) {
      yield isLibsvm ? libsvmRow(line, lineNumber, conversion) : fieldsRow(line, lineNumber, conversion);
    }
    row++;
  }
}

async function* lines(bytes: AsyncIterable<Uint8Array>, longest: number): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of bytes) {
    const pieces = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = pieces.pop() ?? "";
    if (rest.length > longest) throw new OriginalMismatch(`a line has more than ${longest} characters`);
    yield* pieces;
  }
  yield rest + decoder.decode();
}

function libsvmRow(line: string, lineNumber: number, conversion: LibsvmConversion): OriginalRow {
  const [label, ...pairs] = line.split(/\s+/);
  const values: string[] = new Array(conversion.columns.length).fill("0");
  for (const pair of pairs) {
    const [, index, value] = /^(\d+):(.+)$/.exec(pair) ?? [];
    if (!(Number(index) >= 1 && Number(index) <= values.length) || !isNumber(value)) {
      throw new OriginalMismatch(
        `line ${lineNumber} has "${shortened(pair)}" instead of index:value with an index from 1 to ${values.length}`,
      );
    }
    values[Number(index) - 1] = shortest(value);
  }
  return { values, label: className(label, conversion.labels) };
}

function fieldsRow(line: string, lineNumber: number, conversion: FieldsConversion): OriginalRow {
  const { separator, letters, drop = [], columns, missing } = conversion;
  const fields = separator === "comma" ? line.split(",").map((field) => field.trim()) : line.split(/\s+/);
  const labelAt = conversion.label < 0 ? fields.length + conversion.label : conversion.label;
  const features = fields.filter((_, i) => i !== labelAt && !drop.includes(i));
  const values = letters ? [...features.join("")] : features.map((field) => shortest(field));
  if (values.length !== columns.length) {
    throw new OriginalMismatch(
      `line ${lineNumber} has ${values.length} features instead of ${columns.length}: "${shortened(line)}"`,
    );
  }
  const cells = missing === undefined ? values : values.map((value) => (value === missing ? "" : value));
  return { values: cells, label: className(fields[labelAt], conversion.labels) };
}

function isNumber(text: string | undefined): text is string {
  return text !== undefined && /^[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?$/i.test(text);
}

/** Formats a number in its shortest form (`-0.6310` as `-0.631`, `.28` as `0.28`); returns any other text as it is. */
function shortest(text: string): string {
  return isNumber(text) ? String(Number(text)) : text;
}

/** Formats a class such as `1.000` as an integer, with its sign, and renames it if `labels` says so. */
function className(text: string, labels: Readonly<Record<string, string>> = {}): string {
  const label = text.replace(/^([-+]?\d+)\.0*$/, "$1");
  return labels[label] ?? label;
}

function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}
