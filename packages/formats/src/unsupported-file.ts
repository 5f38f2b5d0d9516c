import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import { decodeLatin1 } from "./bytes.js";
import type { Format } from "./read-options.js";

/** A recognised kind of file without a table that vouch can read. */
interface ForeignKind {
  readonly is: string;
  /** Signatures, one character per byte; a file starts with one of them. */
  readonly starts: readonly string[];
  /** Additional evidence in the first bytes. */
  readonly has?: RegExp;
  readonly hint: string;
}

const EXPORT_SHEET = "Save the sheet as .xlsx or CSV.";
const NO_TABLE = "vouch reads tables: one row per example, one column with the class.";
const CONVERT = "Convert it to Parquet or CSV.";
const ZIP = ["PK\x03\x04", "PK\x05\x06"];

/** In order: the first match counts. */
const FOREIGN_KINDS: readonly ForeignKind[] = [
  { is: "an OpenDocument spreadsheet", starts: ZIP, has: /opendocument\.spreadsheet/, hint: EXPORT_SHEET },
  { is: "a ZIP archive", starts: ZIP, hint: extractWith("unzip") },
  {
    is: "an Excel workbook with a password, or in the old format .xls",
    starts: ["\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"],
    hint: "Save the sheet as .xlsx without a password, or as CSV.",
  },
  { is: "compressed with gzip twice", starts: ["\x1f\x8b\x08"], hint: "Extract it first with gunzip." },
  { is: "compressed with bzip2", starts: ["BZh91AY&SY"], hint: extractWith("bunzip2") },
  { is: "compressed with xz", starts: ["\xfd7zXZ\0"], hint: extractWith("unxz") },
  { is: "compressed with zstd", starts: ["\x28\xb5\x2f\xfd"], hint: extractWith("unzstd") },
  { is: "a 7-Zip archive", starts: ["7z\xbc\xaf\x27\x1c"], hint: extractWith("7z x") },
  { is: "a PDF document", starts: ["%PDF-"], hint: NO_TABLE },
  { is: "an image", starts: ["\x89PNG\r\n", "\xff\xd8\xff", "GIF87a", "GIF89a"], hint: NO_TABLE },
  {
    is: "an SQLite database",
    starts: ["SQLite format 3\0"],
    hint: "Export a table: sqlite3 -header -csv FILE 'SELECT * FROM …'.",
  },
  { is: "an Arrow file", starts: ["ARROW1", "FEA1"], hint: CONVERT },
  { is: "a NumPy array", starts: ["\x93NUMPY"], hint: CONVERT },
  {
    is: "a model, not data",
    starts: [""],
    has: /^.{8}\{"__metadata__":/s,
    hint: "The model comes first, then the data: vouch predict MODEL DATA.",
  },
  {
    is: "a web page, not data",
    starts: [""],
    has: /^(?:\xef\xbb\xbf)?\s*<(?:!doctype html|html)\b/i,
    hint: "It may be an error or login page: open it in a browser, then download the data again.",
  },
  {
    is: "an XML document",
    starts: [""],
    has: /^(?:\xef\xbb\xbf)?\s*<\?xml\b/i,
    hint: "Convert its records to CSV or JSON.",
  },
];

/** Number of bytes to search for signatures; archives name their first entries there. */
const SIGNATURE_BYTES = 4096;

/** Recognises a modern Office document by its first bytes; its list of parts says whether it is a workbook. */
export function isWorkbook(firstBytes: Uint8Array): boolean {
  const text = decodeLatin1(firstBytes.subarray(0, SIGNATURE_BYTES));
  return (
    ZIP.some((start) => text.startsWith(start)) && /\[Content_Types\]|xl\/|_rels\/|docProps\//.test(text)
  );
}

/** Throws if the data is empty or is recognised as something other than a table of this format, for any file name. */
export function rejectUnsupportedFile(
  name: string,
  firstBytes: Uint8Array,
  format: Format | undefined,
): void {
  if (firstBytes.length === 0) throw emptyFile(name);
  const workbook = isWorkbook(firstBytes);
  if (workbook && format === "xlsx") return;
  if (workbook) {
    throw new VouchError("file/format", `${name} is an Excel workbook.`, {
      hint: "Leave out --format, or pass --format xlsx.",
    });
  }
  const text = decodeLatin1(firstBytes.subarray(0, SIGNATURE_BYTES));
  const kind = FOREIGN_KINDS.find(
    ({ starts, has }) => starts.some((start) => text.startsWith(start)) && (has?.test(text) ?? true),
  );
  if (kind) throw new VouchError("file/format", `${name} is ${kind.is}.`, { hint: kind.hint });
  if (format === "xlsx") {
    throw new VouchError("file/format", `${name} is not an Excel workbook.`, {
      hint: "If it is text, pass --format csv or tsv.",
    });
  }
}

/** Creates the error for an empty file. */
export function emptyFile(name: string): VouchError {
  return new VouchError("data/empty", `${name} is empty.`, { hint: "Check the program that wrote it." });
}

function extractWith(program: string): string {
  return `Extract it first with ${program}; gzip is the only compression that vouch reads.`;
}
