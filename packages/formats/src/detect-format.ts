import { isUtf8 } from "node:buffer";
import { basename } from "node:path";
import { VouchError } from "vouch/predict";
import { idxHead } from "./idx.js";
import { firstBytes, type Input } from "./input/input.js";
import { FORMATS, type Format } from "./read-options.js";

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

const SNIFFED_BYTES = 1 << 16;

/** The format that the file's extension names (before `.gz`), or else the one that its first bytes look like. */
export async function detectFormat(input: Input): Promise<Format> {
  const named = formatOfName(input.path ?? input.name);
  return named ?? formatOfBytes(input.name, await firstBytes(input, SNIFFED_BYTES));
}

/** The format that a file name announces, if it does. */
export function formatOfName(path: string): Format | undefined {
  const name = basename(path).toLowerCase().replace(/\.gz$/, "");
  if (/[-.]idx\d-[a-z]+$/.test(name)) return "idx";
  const extension = /\.([a-z]+)$/.exec(name)?.[1];
  return extension !== undefined && Object.hasOwn(EXTENSIONS, extension) ? EXTENSIONS[extension] : undefined;
}

function formatOfBytes(name: string, start: Buffer): Format {
  if (start.toString("latin1", 0, 4) === "PAR1") return "parquet";
  if (idxHead(start) !== undefined) return "idx";
  const lastLine = start.lastIndexOf(10);
  const text = lastLine < 0 ? start : start.subarray(0, lastLine);
  // UTF-16 text goes to the CSV reader too, which says what is wrong with it.
  const utf16 = /^(?:\xff\xfe|\xfe\xff)/.test(start.toString("latin1", 0, 2));
  if (!utf16 && text.includes(0)) throw unknownFormat(name);
  if (!isUtf8(text)) return "csv";
  return formatOfText(text.toString("utf8").replace(/^\ufeff/, ""));
}

function formatOfText(text: string): Format {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const written = lines.filter((line) => line !== "");
  const first = written[0] ?? "";
  if (first.startsWith("[")) return "json";
  if (first.startsWith("{")) return "ndjson";
  if (/^@relation\b/i.test(written.find((line) => !line.startsWith("%")) ?? "")) return "arff";
  const record = written.find((line) => !line.startsWith("#")) ?? "";
  if (/^[^\s,;:]+(?:[ \t]+(?:qid|\d+):\S+)+[ \t]*(?:#.*)?$/.test(record)) return "libsvm";
  return "csv";
}

function unknownFormat(name: string): VouchError {
  return new VouchError("file/format", `The format of ${name} is not known.`, {
    hint: `Name it with --format: ${FORMATS.join(", ")}.`,
  });
}
