import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import { decodeLatin1, decodeUtf8 } from "./bytes.js";
import { wholeCharacters } from "./encoding.js";
import { idxHeader } from "./idx-header.js";
import { firstBytes, type Input } from "./input.js";
import { FORMATS, type Format, type TextFormat } from "./read-options.js";

const EXTENSIONS: Readonly<Record<string, Format>> = {
  csv: "csv",
  tsv: "tsv",
  tab: "tsv",
  xlsx: "xlsx",
  xlsm: "xlsx",
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

/** Number of bytes for guessing a format. */
export const DETECTION_BYTES = 1 << 16;

/** Returns the format of a known file extension; ignores `.gz`. */
export function formatOfName(path: string): Format | undefined {
  const name = path.toLowerCase().replace(/\.gz$/, "");
  if (/[-.]idx\d-[a-z]+$/.test(name)) return "idx";
  const extension = /\.([a-z]+)$/.exec(name)?.[1];
  return extension !== undefined && Object.hasOwn(EXTENSIONS, extension) ? EXTENSIONS[extension] : undefined;
}

/** Recognises binary formats by their first bytes. */
export function binaryFormatOf(start: Uint8Array): Format | undefined {
  if (decodeLatin1(start.subarray(0, 4)) === "PAR1") return "parquet";
  return idxHeader(start) === undefined ? undefined : "idx";
}

export function isTextFormat(format: Format): format is TextFormat {
  return format !== "xlsx" && format !== "parquet" && format !== "idx";
}

/** Guesses the format of a UTF-8 text from its first bytes. */
export async function textFormatOf(input: Input): Promise<TextFormat> {
  const start = wholeCharacters(await firstBytes(input, DETECTION_BYTES));
  if (input.isText(start)) return formatOfText(decodeUtf8(start).replace(/^\ufeff/, ""));
  if (start.includes(0)) throw undetectedFormat(input.name);
  // The CSV reader names the line that is not UTF-8.
  return "csv";
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

/** Tests for the form `label index:value …`. */
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

/** Creates the error for an unsupported format. */
export function unsupportedFormat(format: string, formats: readonly Format[]): VouchError {
  return new VouchError("file/format", `Unsupported format ${JSON.stringify(format)}.`, {
    hint: `The formats are ${formats.join(", ")}.`,
  });
}
