import { VouchError } from "vouch/errors";

/** A kind of file that holds no table that could be read. */
interface ForeignKind {
  readonly is: string;
  /** What it starts with, each byte as one character; any of these. */
  readonly starts: readonly string[];
  /** What else is among the first bytes. */
  readonly has?: RegExp;
  readonly hint: string;
}

const SAVE_SHEET = "Save the sheet as CSV in the program that made it.";
const NO_TABLE = "vouch reads tables, with a row for each case and a column for the class.";
const WRITE_ANEW = "Write it as Parquet or CSV.";
const ZIP = ["PK\x03\x04", "PK\x05\x06"];

/** The first that fits counts. */
const FOREIGN_KINDS: readonly ForeignKind[] = [
  { is: "an Excel workbook", starts: ZIP, has: /\[Content_Types\]|xl\//, hint: SAVE_SHEET },
  { is: "an OpenDocument spreadsheet", starts: ZIP, has: /opendocument\.spreadsheet/, hint: SAVE_SHEET },
  { is: "a ZIP archive", starts: ZIP, hint: unpackWith("unzip") },
  { is: "an old Excel or Office document", starts: ["\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"], hint: SAVE_SHEET },
  { is: "compressed with bzip2", starts: ["BZh91AY&SY"], hint: unpackWith("bunzip2") },
  { is: "compressed with xz", starts: ["\xfd7zXZ\0"], hint: unpackWith("unxz") },
  { is: "compressed with zstd", starts: ["\x28\xb5\x2f\xfd"], hint: unpackWith("unzstd") },
  { is: "a 7-Zip archive", starts: ["7z\xbc\xaf\x27\x1c"], hint: unpackWith("7z x") },
  { is: "a PDF document", starts: ["%PDF-"], hint: NO_TABLE },
  { is: "an image", starts: ["\x89PNG\r\n", "\xff\xd8\xff", "GIF87a", "GIF89a"], hint: NO_TABLE },
  {
    is: "an SQLite database",
    starts: ["SQLite format 3\0"],
    hint: "Export a table: sqlite3 -header -csv FILE 'SELECT * FROM …'.",
  },
  { is: "an Arrow file", starts: ["ARROW1", "FEA1"], hint: WRITE_ANEW },
  { is: "a NumPy array", starts: ["\x93NUMPY"], hint: WRITE_ANEW },
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
    hint: "It may be the message of a server or a login page: open it in a browser, and fetch the data again.",
  },
  {
    is: "an XML document",
    starts: [""],
    has: /^(?:\xef\xbb\xbf)?\s*<\?xml\b/i,
    hint: "Write its records as CSV or JSON.",
  },
];

/** How many bytes are looked at: archives name their first entries there. */
export const FOREIGN_BYTES = 4096;

/** Refuses a file that is known to be something else than data, whatever it is called. */
export function refuseForeign(name: string, firstBytes: Buffer): void {
  const text = firstBytes.toString("latin1");
  const kind = FOREIGN_KINDS.find(
    ({ starts, has }) => starts.some((start) => text.startsWith(start)) && (has?.test(text) ?? true),
  );
  if (kind) throw new VouchError("file/format", `${name} is ${kind.is}.`, { hint: kind.hint });
}

function unpackWith(program: string): string {
  return `Unpack it first, with ${program}; only gzip'd files are read as they are.`;
}
