import { gzipSync } from "node:zlib";
import type { Format } from "@vouch/formats";

/** A kind of file that is made to cost much, of any size. */
export interface CostlyFile {
  readonly title: string;
  readonly format: Format;
  /** Bytes of the smaller of two files, before compression; the larger has four times as many. */
  readonly bytes: number;
  readonly gzip?: boolean;
  /** Makes a file of about `bytes` bytes. */
  make(bytes: number): string | Buffer;
}

const KILOBYTE = 1000;
const MEGABYTE = 1000 * KILOBYTE;

/** Writes `count` lines. */
function lines(count: number, line: (i: number) => string): string {
  return Array.from({ length: Math.round(count) }, (_, i) => line(i)).join("\n");
}

/** Files for each reader; those that once took minutes or gigabytes are among them. */
export const COSTLY_FILES: readonly CostlyFile[] = [
  {
    title: "a long number that is none",
    format: "csv",
    bytes: 250 * KILOBYTE,
    make: (n) => `a\n${"1".repeat(n)}x\n`,
  },
  {
    title: "digits after a point",
    format: "csv",
    bytes: 250 * KILOBYTE,
    make: (n) => `a\n1.${"1".repeat(n)}e\n`,
  },
  { title: "spaces", format: "csv", bytes: 250 * KILOBYTE, make: (n) => `a\n1${" ".repeat(n)}x\n` },
  { title: "exponents", format: "csv", bytes: 250 * KILOBYTE, make: (n) => `a\n1e${"9".repeat(n)}\n` },
  {
    title: "a cell of doubled quotes",
    format: "csv",
    bytes: 500 * KILOBYTE,
    make: (n) => `a\n"${'"'.repeat(2 * Math.round(n / 2))}"\n`,
  },
  {
    title: "a quote that is never closed",
    format: "csv",
    bytes: MEGABYTE,
    make: (n) => `a,b\n1,"${"x,\n".repeat(n / 3)}`,
  },
  {
    title: "a quote that is never closed in the header",
    format: "csv",
    bytes: MEGABYTE,
    make: (n) => `a,"${"x,\n".repeat(n / 3)}`,
  },
  { title: "one cell", format: "csv", bytes: 2 * MEGABYTE, make: (n) => `a\n${"x".repeat(n)}\n` },
  { title: "blank lines", format: "csv", bytes: 2 * MEGABYTE, make: (n) => `${"\n".repeat(n)}a\n1\n` },
  { title: "empty cells", format: "csv", bytes: MEGABYTE, make: (n) => `a,b,c,d\n${",,,\n".repeat(n / 4)}` },
  {
    title: "columns without names",
    format: "csv",
    bytes: 25 * KILOBYTE,
    make: (n) => `${",".repeat(n)}\n${",".repeat(n)}\n`,
  },
  {
    title: "more columns than there may be",
    format: "csv",
    bytes: 1.5 * MEGABYTE,
    make: (n) => `${",".repeat(n)}\n${",".repeat(n)}\n`,
  },
  {
    title: "columns of text",
    format: "csv",
    bytes: 25 * KILOBYTE,
    make: (n) => `${",".repeat(n / 3)}\n${"x,".repeat(n / 3)}\n`,
  },
  {
    title: "columns of text in quotes",
    format: "csv",
    bytes: 100 * KILOBYTE,
    make: (n) => `${",".repeat(n / 4)}\n${'"x",'.repeat(n / 4)}\n`,
  },
  {
    title: "different texts",
    format: "csv",
    bytes: 500 * KILOBYTE,
    make: (n) => `a\n${lines(n / 8, (i) => `t${i.toString(36).padStart(6, "0")}`)}`,
  },
  {
    title: "texts with the same FNV hash",
    format: "csv",
    bytes: 2 ** 12 * 57,
    make: (n) => `a\n${collidingTexts(n / 57).join("\n")}`,
  },
  {
    title: "one line that is not UTF-8",
    format: "csv",
    bytes: 4 * MEGABYTE,
    gzip: true,
    make: (n) => Buffer.concat([Buffer.from(`a\n${"x".repeat(n)}`), Buffer.from([0xff])]),
  },
  {
    title: "empty lines before one that is not UTF-8",
    format: "csv",
    bytes: 4 * MEGABYTE,
    gzip: true,
    make: (n) => Buffer.concat([Buffer.from(`a\n${"\n".repeat(n)}`), Buffer.from([0xff])]),
  },
  {
    title: "a number of all lengths",
    format: "tsv",
    bytes: MEGABYTE,
    make: (n) => `a\n${lines(Math.sqrt(2 * n), (i) => "7".repeat(i + 1))}`,
  },
  {
    title: "a new key in each row",
    format: "ndjson",
    bytes: 250 * KILOBYTE,
    make: (n) => lines(n / 12, (i) => `{"k${i}":1}`),
  },
  {
    title: "a new key in each object",
    format: "json",
    bytes: 250 * KILOBYTE,
    make: (n) => `[${lines(n / 12, (i) => `{"k${i}":"x"},`)}{}]`,
  },
  {
    title: "empty objects after a wide one",
    format: "ndjson",
    bytes: 400 * KILOBYTE,
    make: (n) =>
      `${JSON.stringify(Object.fromEntries(Array.from({ length: n / 20 }, (_, i) => [`k${i}`, 1])))}\n${"{}\n".repeat(n / 6)}`,
  },
  {
    title: "one object with many keys",
    format: "json",
    bytes: 80 * KILOBYTE,
    make: (n) => `[{${lines(n / 10, (i) => `"k${i}":1,`)}"z":1}]`,
  },
  {
    title: "deep arrays",
    format: "json",
    bytes: MEGABYTE,
    make: (n) => `[{"a":${"[".repeat(n / 2)}${"]".repeat(n / 2)}}]`,
  },
  { title: "arrays that never close", format: "json", bytes: MEGABYTE, make: (n) => "[".repeat(n) },
  {
    title: "backslashes",
    format: "json",
    bytes: MEGABYTE,
    make: (n) => `[{"a":"${'\\\\\\"'.repeat(n / 4)}"}]`,
  },
  { title: "a long number", format: "json", bytes: MEGABYTE, make: (n) => `[{"a":${"1".repeat(n)}}]` },
  {
    title: "line feeds in a broken object",
    format: "json",
    bytes: MEGABYTE,
    make: (n) => `[{${"\n".repeat(n)}x}]`,
  },
  {
    title: "a long text in quotes",
    format: "arff",
    bytes: MEGABYTE,
    make: (n) => `@relation r\n@attribute a string\n@data\n'${"x".repeat(n)}'\n`,
  },
  {
    title: "escapes",
    format: "arff",
    bytes: 400 * KILOBYTE,
    make: (n) => `@relation r\n@attribute a string\n@data\n'${"\\n".repeat(n / 2)}'\n`,
  },
  {
    title: "a long number that is none",
    format: "arff",
    bytes: 250 * KILOBYTE,
    make: (n) => `@relation r\n@attribute a numeric\n@data\n${"1".repeat(n)}x\n`,
  },
  {
    title: "attributes",
    format: "arff",
    bytes: 150 * KILOBYTE,
    make: (n) => `@relation r\n${lines(n / 22, (i) => `@attribute a${i} real`)}\n@data\n`,
  },
  {
    title: "declared values",
    format: "arff",
    bytes: 200 * KILOBYTE,
    make: (n) =>
      `@relation r\n@attribute a {${lines(n / 7, (i) => `v${i},`).replaceAll("\n", "")}z}\n@data\nz\n`,
  },
  {
    title: "missing cells",
    format: "arff",
    bytes: 200 * KILOBYTE,
    make: (n) => `@relation r\n@attribute a real\n@attribute b string\n@data\n${"?,?\n".repeat(n / 4)}`,
  },
  { title: "a long value", format: "libsvm", bytes: 250 * KILOBYTE, make: (n) => `1 1:${"1".repeat(n)}x\n` },
  { title: "a long comment", format: "libsvm", bytes: MEGABYTE, make: (n) => `1 1:1 ${"#".repeat(n)}\n` },
  {
    title: "a row as wide as the file",
    format: "idx",
    bytes: 40 * KILOBYTE,
    make: (n) => Buffer.concat([idxHeader(8, 1, n), Buffer.alloc(n)]),
  },
  {
    title: "rows that are not there",
    format: "idx",
    bytes: 200 * KILOBYTE,
    make: (n) => Buffer.concat([idxHeader(14, 2 ** 31, 1), Buffer.alloc(n)]),
  },
  {
    title: "compressed rows that are not there",
    format: "idx",
    bytes: 2 * MEGABYTE,
    gzip: true,
    make: (n) => Buffer.concat([idxHeader(14, 2 ** 31, 1), Buffer.alloc(n)]),
  },
];

function idxHeader(type: number, rows: number, width: number): Buffer {
  const header = Buffer.from([0, 0, type, 2, 0, 0, 0, 0, 0, 0, 0, 0]);
  header.writeUInt32BE(rows, 4);
  header.writeUInt32BE(width, 8);
  return header;
}

/** Writes a costly file of the given size. */
export function costlyBytes({ make, gzip }: CostlyFile, bytes: number): Buffer {
  const made = Buffer.from(make(bytes));
  return gzip ? gzipSync(made) : made;
}

const FNV_START = -2128831035;

/** Makes texts of 56 letters with the same FNV-1a hash: 14 blocks of four letters, of each of which there are two with one effect. */
function collidingTexts(count: number): string[] {
  let texts = [""];
  let hash = FNV_START;
  while (texts.length < count || texts[0].length < 56) {
    const pair = collidingBlocks(hash);
    if (texts.length < count) texts = texts.flatMap((text) => pair.blocks.map((block) => text + block));
    else texts = texts.map((text) => text + pair.blocks[0]);
    hash = pair.hash;
  }
  return texts.slice(0, count);
}

/** Finds two blocks of four letters after which the hash is the same, by the birthday paradox. */
function collidingBlocks(start: number): { blocks: readonly [string, string]; hash: number } {
  const seen = new Map<number, string>();
  for (let i = 0; ; i++) {
    let rest = Math.imul(i, 2654435761) >>> 0;
    let block = "";
    let hash = start;
    for (let letter = 0; letter < 4; letter++) {
      const code = 48 + (rest % 74);
      rest = Math.floor(rest / 74);
      block += String.fromCharCode(code);
      hash = Math.imul(hash ^ code, 16777619);
    }
    const other = seen.get(hash);
    if (other !== undefined && other !== block) return { blocks: [other, block], hash };
    seen.set(hash, block);
  }
}
