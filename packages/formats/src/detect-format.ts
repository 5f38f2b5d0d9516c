import { VouchError } from "vouch/errors";
import { decodeLatin1, decodeUtf8 } from "./bytes.js";
import { idxHeader } from "./idx-header.js";
import { firstBytes, type Input } from "./input.js";
import { FORMATS, type Format, type TextFormat } from "./read-options.js";

const EXTENSIONS: Readonly<Record<string, Format>> = {
  csv: "csv",
  tsv: "tsv",
  tab: "tsv",
  json: "json",
  ndjson: "ndjson",
  jsonl: "ndjson",
  parquet: "parquet",
  pq: "parquet",
  arff: "arff",
  libsvm: "libsvm",
  svm: "libsvm",
  svmlight: "libsvm",
  idx: "idx",
};

/** Number of bytes from which a format is guessed. */
const DETECTION_BYTES = 1 << 16;

/** Returns the format that the extension of a path stands for, if it is a known one; `.gz` is skipped. */
export function formatOfName(path: string): Format | undefined {
  const name = path.toLowerCase().replace(/\.gz$/, "");
  if (/[-.]idx\d-[a-z]+$/.test(name)) return "idx";
  const extension = /\.([a-z]+)$/.exec(name)?.[1];
  return extension !== undefined && Object.hasOwn(EXTENSIONS, extension) ? EXTENSIONS[extension] : undefined;
}

/** Tells the format of data from the extension of its path, else from the first bytes. */
export async function detectFormat(input: Input, path = input.name): Promise<Format> {
  const named = formatOfName(path);
  if (named !== undefined) return named;
  const start = await firstBytes(input, DETECTION_BYTES);
  if (decodeLatin1(start.subarray(0, 4)) === "PAR1") return "parquet";
  if (idxHeader(start) !== undefined) return "idx";
  const format = textFormatOf(start, input.isText);
  if (format === undefined) throw undetectedFormat(input.name);
  return format;
}

/** Guesses the text format from the first bytes; undefined if they are not text. */
function textFormatOf(start: Uint8Array, isText: Input["isText"]): TextFormat | undefined {
  const lastLine = start.lastIndexOf(10);
  const whole = start.subarray(0, lastLine < 0 ? wholeCharacters(start) : lastLine);
  if (isText(whole)) return formatOfText(decodeUtf8(whole).replace(/^\ufeff/, ""));
  const utf16 = /^(?:\xff\xfe|\xfe\xff)/.test(decodeLatin1(start.subarray(0, 2)));
  // The CSV reader names the encoding problem and its line.
  return utf16 || !whole.includes(0) ? "csv" : undefined;
}

/** Returns the length of the bytes without a last character of UTF-8 that may be cut: continuation bytes and the byte before. */
function wholeCharacters(bytes: Uint8Array): number {
  let length = bytes.length;
  while (length > 0 && bytes[length - 1] >> 6 === 2) length--;
  return length > 0 && bytes[length - 1] > 127 ? length - 1 : length;
}

function formatOfText(text: string): TextFormat {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const written = lines.filter((line) => line !== "");
  const first = written[0] ?? "";
  if (first.startsWith("[")) return "json";
  if (first.startsWith("{")) return "ndjson";
  if (/^@relation\b/i.test(written.find((line) => !line.startsWith("%")) ?? "")) return "arff";
  return isSparseRecord(written.find((line) => !line.startsWith("#")) ?? "") ? "libsvm" : "csv";
}

/** Tests for `label index:value …`. */
function isSparseRecord(line: string): boolean {
  const [label, ...entries] = line
    .replace(/#.*/s, "")
    .trim()
    .split(/[ \t]+/);
  return (
    entries.length > 0 && !/[\s,;:]/.test(label) && entries.every((entry) => /^(?:qid|\d+):\S+$/.test(entry))
  );
}

function undetectedFormat(name: string): VouchError {
  return new VouchError("file/format", `The format of ${name} is unknown.`, {
    hint: `Pass --format with one of ${FORMATS.join(", ")}.`,
  });
}

/** Returns the error for a format that cannot be read. */
export function unsupportedFormat(format: string, formats: readonly Format[]): VouchError {
  return new VouchError("file/format", `Unsupported format ${JSON.stringify(format)}.`, {
    hint: `The formats are ${formats.join(", ")}.`,
  });
}
